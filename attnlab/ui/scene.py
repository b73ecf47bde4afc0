"""What the Heads page is about: the selection, the model, and what it made of the texts.

Positions and pairs follow from it here; the sentences about it are `phrases.py`'s. Nothing is drawn
in either.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from attnlab.analysis.maps import last_word
from attnlab.ui import engine
from attnlab.ui.engine import Passage
from attnlab.ui.overlap import Overlap, overlap
from attnlab.ui.selection import SIDES, Mode, Selection, Side, View
from attnlab.viz.align import first_difference, pairs
from attnlab.viz.difference import largest, obstacle
from attnlab.viz.tokens import identity


@dataclass(frozen=True)
class Scene:
    """The model, one or two texts, and every head on them.

    `selection` names heads and a role that the model has.
    """

    reader: engine.Reader
    selection: Selection
    a: engine.Reading
    b: engine.Reading | None

    @property
    def view(self) -> View:
        """The view that can be shown: without a second text A, and B where B − A is blank."""
        if self.b is None:
            return "A"
        return "B" if self.selection.view == "B-A" and self.obstacle else self.selection.view

    @property
    def mode(self) -> Mode:
        """How the chosen head can be drawn: a change needs two texts."""
        wished = self.selection.mode
        return "matrix" if wished == "difference" and self.b is None else wished

    @property
    def pictured(self) -> Side:
        """The text that a picture of one text alone shows."""
        return "A" if self.view == "A" else "B"

    @cached_property
    def overlap(self) -> Overlap | None:
        """The tokens that correspond, where only they can be compared."""
        if self.b is None:
            return None
        return overlap(self.a, self.b, cross=self.reader.role == "cross")

    @cached_property
    def obstacle(self) -> str:
        """One sentence on why B − A of these texts would be blank; "" where it is not."""
        if self.b is None:
            return ""
        both = self.overlap
        if both is None:
            shapes = {"shape_a": self.a.maps.shape[-2:], "shape_b": self.b.maps.shape[-2:]}
            return obstacle(self.a.tokens, self.b.tokens, **shapes, **self.comparison)
        options = {**self.comparison, **both.sources, "start": both.start}
        return obstacle(*both.tokens, shape_a=both.shape, shape_b=both.shape, **options)

    @cached_property
    def compared(self) -> tuple[tuple[np.ndarray, np.ndarray], tuple[Any, Any], dict[str, Any]]:
        """The maps and tokens of A and B that B − A is made of, and how they lie to each other.

        Raises:
            AttnLabError: long texts of different lengths are read again, where they correspond.
        """
        both = self.overlap
        if both is None:
            return (self.a.maps, self.b.maps), (self.a.tokens, self.b.tokens), self.sources
        maps = [
            engine.aligned(
                self.reader,
                self.passage(side),
                self.reading(side),
                [pair[place] for pair in both.rows],
                [pair[place] for pair in both.columns],
            )
            for place, side in enumerate(SIDES)
        ]
        return tuple(maps), both.tokens, {**both.sources, "start": both.start}

    @property
    def comparison(self) -> dict[str, Any]:
        """How texts are compared: without the first column, without rows before a change."""
        options = {"drop_first": self.selection.drop_first, "causal": self.reader.causal}
        return options if self.b is None else {**options, **self.sources}

    @property
    def sources(self) -> dict[str, Any]:
        """The tokens looked at, where they are others than those that look."""
        if self.reader.role != "cross":
            return {}
        return {"sources_a": self.a.sources, "sources_b": self.b and self.b.sources}

    @property
    def side(self) -> Side:
        """The text whose prediction is looked at."""
        return self.selection.side if self.b is not None else "A"

    def reading(self, side: Side) -> engine.Reading:
        """Every head on text `side`."""
        return self.b if side == "B" and self.b is not None else self.a

    def text(self, side: Side) -> str:
        """Text `side`, as typed."""
        return self.selection.b if side == "B" else self.selection.a

    def passage(self, side: Side) -> Passage:
        """Text `side`, with what an encoder-decoder writes for it."""
        chosen = self.selection
        return Passage(self.text(side), chosen.target_b if side == "B" else chosen.target_a)

    def weights(self, side: Side, head: tuple[int, int]) -> np.ndarray | None:
        """[Q, S] of a (layer, head) on text `side`; None where there is no such text."""
        if side == "B" and self.b is None:
            return None
        return engine.head_weights(self.reader, self.passage(side), self.reading(side), *head)


def predicted_position(scene: Scene) -> int:
    """The token after which the prediction is looked at: the clicked one, else the last.

    A masked model predicts at a token: the clicked one, else the mask, else the last word.
    """
    position = scene.selection.position
    if position is not None and scene.selection.side == scene.side:
        return min(position, len(scene.reading(scene.side).tokens) - 1)
    return unasked_position(scene)


def unasked_position(scene: Scene) -> int:
    """Where the prediction is looked at before anything is clicked."""
    tokens = scene.reading(scene.side).tokens
    if scene.reader.lab.head_kind != "masked":
        return len(tokens) - 1
    masked = engine.mask_position(scene.reader, tokens)
    return last_word(tokens) if masked is None else masked


def effect_position(scene: Scene) -> int:
    """Where the prediction is compared.

    What was clicked in an encoder is no place in the answer, so there it is the answer's end.
    """
    reads = scene.reader.writes and scene.reader.role == "encoder"
    return -1 if reads else predicted_position(scene)


def pinned_key(scene: Scene) -> int | None:
    """The clicked key of the text `scene.side`; without a clicked query it means nothing."""
    chosen = scene.selection
    if chosen.key is None or chosen.position is None or chosen.side != scene.side:
        return None
    return min(chosen.key, len(scene.reading(scene.side).sources) - 1)


def pinned_rows(scene: Scene) -> tuple[int, int | None]:
    """The looked-from position of A and of B.

    The clicked word and the one that corresponds to it. Before any click the first words where the
    sentences differ, if they stand in for each other and something comes before them; else, and
    with one sentence, the last word.
    """
    a, b = scene.a.tokens, scene.b and scene.b.tokens
    if scene.selection.position is not None:
        position = predicted_position(scene)
        if b is None:
            return position, None
        if scene.side == "A":
            return position, dict(pairs(a, b)).get(position, last_word(b))
        return {there: here for here, there in pairs(a, b)}.get(position, last_word(a)), position
    if b is None:
        return last_word(a), None
    differs, matching = first_difference(a, b), pairs(a, b)
    if differs is not None and (differs, differs) in matching and not _opens(a, differs):
        return differs, differs
    return _last_words(a, b, matching)


def head_options(scene: Scene) -> dict[str, Any]:
    """How the chosen head is drawn, in a picture as in a page."""
    row_a, row_b = pinned_rows(scene)
    return {
        "tokens_b": None if scene.b is None else scene.b.tokens,
        "mode": scene.mode,
        "row_a": row_a,
        "row_b": row_b,
        "key_position": pinned_key(scene),
        "side": scene.side,
        "causal": scene.reader.causal,
        "sink": scene.reader.sink,
        **scene.sources,
    }


def _opens(tokens: Sequence[Any], position: int) -> bool:
    """Whether no word comes before `position`: there is nothing yet to look at."""
    return all(token.special for token in tokens[:position])


def _last_words(
    a: Sequence[Any], b: Sequence[Any], matching: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """The last word of A, and the same word of B where it corresponds, else B's last word."""
    last = last_word(a)
    there = dict(matching).get(last)
    same = there is not None and identity(a[last]) == identity(b[there])
    return last, there if same else last_word(b)


def corresponding(matching: Sequence[tuple[int, int]], position: int, to: Side) -> int | None:
    """The token of sentence `to` that corresponds to `position` of the other one, if any."""
    there = {j: i for i, j in matching} if to == "A" else dict(matching)
    return there.get(position)


def chosen_pair(scene: Scene, a: np.ndarray, b: np.ndarray | None) -> tuple[Side, int, int]:
    """The query and key that is asked about, and their text.

    What was clicked; else where the chosen head, [Q, S] on each text, changes most; else where its
    looked-from word looks hardest past the first word and itself.
    """
    key = pinned_key(scene)
    if key is not None:
        return scene.side, predicted_position(scene), key
    if scene.selection.position is None and b is not None:
        change = largest(a, b, scene.a.tokens, scene.b.tokens, **scene.comparison)
        if change is not None and change.query != change.key:
            return "B", change.query, change.key
    rows = dict(zip("AB", pinned_rows(scene), strict=True))
    query = rows[scene.side]
    row = np.array((b if scene.side == "B" else a)[query])
    row[0] = -1
    if scene.reader.role != "cross" and query:
        row[query] = -1
    return scene.side, query, int(np.argmax(row))
