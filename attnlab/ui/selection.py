"""What a page shows, as one frozen value, and its spelling in the URL.

The URL is the state: `parse(format_url(selection))` gives the selection back, and any other URL,
however mangled, gives a selection that works and one sentence for each part that was not
understood. Nothing here imports Streamlit.

    ?a=…&b=…            the two sentences (b may be empty: one sentence only)
    model=  device=  dtype=     which model, and how it is loaded
    view=A|B|B-A        what the grid of all heads shows
    first=hidden|shown  whether the grid leaves out the first token's column
    head=L4H2           the chosen head, counted from 0
    mode=words|matrix   how the chosen head is drawn
    at=B11              the clicked token: its sentence and its position, counted from 0;
                        at=A is sentence A, no token clicked
    ablate=zero|mean    what takes the place of the head's output
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

View = Literal["A", "B", "B-A"]
Mode = Literal["words", "matrix"]
Side = Literal["A", "B"]
Ablation = Literal["zero", "mean"]

SIDES: Final[tuple[Side, ...]] = ("A", "B")
VIEWS: Final[tuple[View, ...]] = ("A", "B", "B-A")
MODES: Final[tuple[Mode, ...]] = ("words", "matrix")
ABLATIONS: Final[tuple[Ablation, ...]] = ("zero", "mean")
DTYPES: Final = ("auto", "float32", "bfloat16", "float16")
DEVICES: Final = ("auto", "cpu", "cuda", "mps")

SENTENCE_A: Final = "The animal didn't cross the street because it was too tired."
SENTENCE_B: Final = "The animal didn't cross the street because it was too wide."

# Two texts of this length still fit a link: 9 bytes a character when percent-encoded, and a
# server takes about 64 KiB of address.
MAX_CHARACTERS: Final = 3000
_MAX_NAME: Final = 300


@dataclass(frozen=True)
class Selection:
    """Everything that decides what the Heads page shows.

    `layer` and `head` count from 0, as does `position`, a token of sentence `side`; `position` is
    None until a token is clicked.
    """

    model: str = "smollm2-135m"
    device: str = "auto"
    dtype: str = "auto"
    a: str = SENTENCE_A
    b: str = SENTENCE_B
    view: View = "B-A"
    drop_first: bool = True
    layer: int = 4
    head: int = 2
    mode: Mode = "words"
    side: Side = "B"
    position: int | None = None
    ablation: Ablation = "zero"


DEFAULT: Final = Selection()


def format_url(selection: Selection) -> dict[str, str]:
    """The query parameters that reopen `selection`; what equals the default is left out."""
    position = "" if selection.position is None else str(selection.position)
    spelled = {
        "model": (selection.model, DEFAULT.model),
        "device": (selection.device, DEFAULT.device),
        "dtype": (selection.dtype, DEFAULT.dtype),
        "a": (selection.a, DEFAULT.a),
        "b": (selection.b, DEFAULT.b),
        "view": (selection.view, DEFAULT.view),
        "first": ("hidden" if selection.drop_first else "shown", "hidden"),
        "head": (f"L{selection.layer}H{selection.head}", f"L{DEFAULT.layer}H{DEFAULT.head}"),
        "mode": (selection.mode, DEFAULT.mode),
        "at": (selection.side + position, DEFAULT.side),
        "ablate": (selection.ablation, DEFAULT.ablation),
    }
    return {
        name: value
        for name, (value, default) in spelled.items()
        if value != default and len(value) <= MAX_CHARACTERS
    }


def parse(parameters: Mapping[str, str]) -> tuple[Selection, tuple[str, ...]]:
    """The selection that `parameters` spell, and a sentence for each part not understood.

    Unknown parameters are left alone: they may belong to another page.
    """
    selection, problems = DEFAULT, []
    for name, read in _READERS.items():
        value = parameters.get(name)
        if value is None:
            continue
        try:
            selection = replace(selection, **read(value))
        except ValueError as error:
            problems.append(f"The link's “{name}” {error}, so it was left out.")
    return selection, tuple(problems)


def url_names() -> tuple[str, ...]:
    """The query parameters that a selection may use."""
    return tuple(_READERS)


def _read_text(field: str):
    """A reader of a sentence."""

    def read(value: str) -> dict[str, object]:
        if len(value) > MAX_CHARACTERS:
            raise ValueError(f"is longer than {MAX_CHARACTERS:,} characters")
        return {field: value}

    return read


def _read_model(value: str) -> dict[str, object]:
    if not value.strip() or len(value) > _MAX_NAME or not value.isprintable():
        raise ValueError("is not the name of a model")
    return {"model": value}


def _read_choice(field: str, choices: tuple[str, ...]):
    """A reader of one word out of `choices`."""

    def read(value: str) -> dict[str, object]:
        if value not in choices:
            raise ValueError(f"is none of {', '.join(choices)}")
        return {field: value}

    return read


def _read_first(value: str) -> dict[str, object]:
    if value not in ("hidden", "shown"):
        raise ValueError("is neither hidden nor shown")
    return {"drop_first": value == "hidden"}


def _read_head(value: str) -> dict[str, object]:
    # [0-9], not \d: the latter takes the digits of every script.
    match = re.fullmatch(r"L([0-9]{1,4})H([0-9]{1,4})", value)
    if match is None:
        raise ValueError("is not a head such as L4H2")
    return {"layer": int(match[1]), "head": int(match[2])}


def _read_at(value: str) -> dict[str, object]:
    match = re.fullmatch(r"([AB])([0-9]{1,6})?", value)
    if match is None:
        raise ValueError("is not a token such as B11")
    return {"side": match[1], "position": None if match[2] is None else int(match[2])}


_READERS: Final = {
    "model": _read_model,
    "device": _read_choice("device", DEVICES),
    "dtype": _read_choice("dtype", DTYPES),
    "a": _read_text("a"),
    "b": _read_text("b"),
    "view": _read_choice("view", VIEWS),
    "first": _read_first,
    "head": _read_head,
    "mode": _read_choice("mode", MODES),
    "at": _read_at,
    "ablate": _read_choice("ablation", ABLATIONS),
}
