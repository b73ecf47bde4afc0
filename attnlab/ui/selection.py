"""What the pages show, as one frozen value; `link.py` spells it in the URL.

Nothing here imports Streamlit.
"""

from dataclasses import dataclass
from typing import Final, Literal

View = Literal["A", "B", "B-A"]
Mode = Literal["words", "matrix", "difference"]
Side = Literal["A", "B"]
Ablation = Literal["zero", "mean"]
Role = Literal["", "encoder", "decoder", "cross"]
Panel = Literal["head", "compare", "find", "circuits"]
Drawn = Literal["matrices", "arcs"]
Head = tuple[int, int]

SIDES: Final[tuple[Side, ...]] = ("A", "B")
VIEWS: Final[tuple[View, ...]] = ("A", "B", "B-A")
MODES: Final[tuple[Mode, ...]] = ("words", "matrix", "difference")
ABLATIONS: Final[tuple[Ablation, ...]] = ("zero", "mean")
ROLES: Final[tuple[Role, ...]] = ("", "encoder", "decoder", "cross")
PANELS: Final[tuple[Panel, ...]] = ("head", "compare", "find", "circuits")
DRAWN: Final[tuple[Drawn, ...]] = ("matrices", "arcs")
DTYPES: Final = ("auto", "float32", "bfloat16", "float16")
DEVICES: Final = ("auto", "cpu", "cuda", "mps")

SENTENCE_A: Final = "The animal didn't cross the street because it was too tired."
SENTENCE_B: Final = "The animal didn't cross the street because it was too wide."

# Of each text; about 2,048 tokens of English are half of this.
MAX_CHARACTERS: Final = 20_000
MAX_PINS: Final = 6
MAX_GONE: Final = 64


@dataclass(frozen=True)
class Selection:
    """What all pages share, and everything that decides what the Heads page shows.

    Attributes:
        model, device, dtype: which model, and how it is loaded.
        ours: whether the model's weights run in our own transformer.
        a, b: the two texts; `b` may be empty: one text only.
        target_a, target_b: what an encoder-decoder writes for each; other models read none.
        role: whose attention is shown; "" is the reader's own default.
        view, drop_first: what the grid of all heads shows, and whether without the first token.
        layer, head: the chosen head, counted from 0.
        panel: which card stands under the grid.
        mode: how the chosen head is drawn.
        side, position: the clicked query, a token of text `side` counted from 0; None until one
            is clicked.
        key: the clicked key of the same text, counted from 0.
        pins, drawn: the heads to compare, up to MAX_PINS, and how they are drawn.
        gone, ablation: the heads taken away, up to MAX_GONE, () meaning the chosen one, and what
            takes the place of their output.
        experiment: the name of the experiment that set this up, "" for none.
    """

    model: str = "smollm2-135m"
    device: str = "auto"
    dtype: str = "auto"
    ours: bool = False
    a: str = SENTENCE_A
    b: str = SENTENCE_B
    target_a: str = ""
    target_b: str = ""
    role: Role = ""
    view: View = "B-A"
    drop_first: bool = True
    layer: int = 4
    head: int = 2
    panel: Panel = "head"
    mode: Mode = "words"
    side: Side = "B"
    position: int | None = None
    key: int | None = None
    pins: tuple[Head, ...] = ()
    drawn: Drawn = "matrices"
    gone: tuple[Head, ...] = ()
    ablation: Ablation = "zero"
    experiment: str = ""

    @property
    def chosen(self) -> Head:
        """The chosen head."""
        return self.layer, self.head

    @property
    def taken_away(self) -> tuple[Head, ...]:
        """The heads that the effect is about: the tray, or the chosen one where it is empty."""
        return self.gone or (self.chosen,)


DEFAULT: Final = Selection()
