"""Which part moved it: the share of each head and feed-forward in the answer's logit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd
import streamlit as st

from attnlab.analysis.attribution import Attribution
from attnlab.analysis.beside import typical
from attnlab.ui import export, mount, mount_diagram, own, say, state
from attnlab.ui.engine import trace
from attnlab.ui.export import trace as saved
from attnlab.ui.phrases import title
from attnlab.ui.selection import Head, Selection
from attnlab.ui.trace_answers import Prediction
from attnlab.ui.trace_selection import TRACE, Traced
from attnlab.viz import squares, waterfall
from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import minus, tiny

ABOUT: Final = (
    "Every head and feed-forward adds a vector to the last word, and a logit is read off their "
    "sum. So it can be taken apart: each square is what one part adds to the logit, on the direct "
    "way alone (direct logit attribution). The last norm divides by the size that it has on this "
    "text. **Click a part to see what happens without it.** Where two answers are compared, what "
    "raises both drops out."
)
_WIDE: Final = 1080
_LISTED: Final = 8
_KINDS: Final = ("attention", "gold")
_NAMES: Final = {
    "embedding": "embedding",
    "head": "heads",
    "attention bias": "attention biases",
    "attention": "attention",
    "cross": "cross-attention",
    "feed_forward": "feed-forwards",
    "layer": "layers",
    "norm bias": "bias of the last norm",
    "head bias": "bias of the logit",
}
_ONE: Final = {
    "feed_forward": "feed-forward",
    "attention": "attention",
    "cross": "cross-attention",
    "layer": "whole layer",
}
Cell = tuple[int, int]
"""A row and a column of the picture."""
Part = tuple[str, int, int | None]
"""A kind, a layer, and a head where it is one."""


def figure(value: float) -> str:
    """A share in logits."""
    if abs(value) < 5e-4:
        return "0"
    return minus(f"{value:.2f}" if abs(value) >= 0.005 else f"{value:.3f}")


@dataclass(frozen=True)
class Grid:
    """The parts as squares.

    Attributes:
        drawn: the picture; ``parts``: what each of its spots is: kind, layer, head.
    """

    drawn: Diagram
    parts: tuple[Part, ...]


def draw(of: Prediction, chosen: Selection, value: Traced) -> Attribution:
    """The card.

    Raises:
        AttnLabError: the logit is no sum of parts, or the work was stopped.
    """
    against = None if of.other is None else of.other[1]
    found = trace.attributed(of.reader, of.passage, of.position, of.answer[1], against)
    grid = _squares(of, found, chosen, value)
    mount_diagram.choices("parts", grid.drawn, lambda: _clicked(grid.parts))
    with st.container(key="cards-parts"):
        strongest, summed = st.columns([1, 1.2], gap="large")
    with strongest:
        _ranks(of, found, chosen)
    with summed:
        fall = _sum(of, found)
        mount_diagram.diagram("parts-sum", fall)
    words = said(of, found)
    say.remark(words, "parts")
    with st.container(horizontal=True, key="actions-parts", gap="medium"):
        export.menu("save-parts", saved.parts(of, found, grid.drawn, words), "Save the parts")
        summed_up = saved.summed(of, totals(found), found, fall)
        export.menu("save-parts-sum", summed_up, "Save the sum")
    return found


def totals(found: Attribution) -> list[tuple[str, float]]:
    """The parts added up by kind, in the order in which they come."""
    sums = found.parts.groupby("part", sort=False).share.sum()
    return [(_NAMES.get(part, part), float(share)) for part, share in sums.items() if share != 0]


def _squares(of: Prediction, found: Attribution, chosen: Selection, value: Traced) -> Grid:
    """Heads down, layers right; below them what has no heads."""
    table = found.parts[found.parts.layer.notna() & (found.parts.part != "attention bias")]
    layers, names, values, parts = _cells(table, of.reader.role)
    wanted = ("feed_forward", value.feed, None)
    if value.feed < 0:
        wanted = ("head", *chosen.chosen)
    cells = sorted(values, key=lambda cell: (cell[1], cell[0]))
    shown = squares.Squares(
        [_row_title(name, of) for name in names],
        [f"L{layer}" for layer in layers],
        cells,
        values,
        lambda cell: part_title(parts[cell]),
        lambda cell: (f"{figure(values[cell])} logits",),
        next((cell for cell, part in parts.items() if part == wanted), None),
        frozenset(at for at, name in enumerate(names) if at and name[0] != names[at - 1][0]),
        "logits",
        figure,
        ("raises " + of.what.removeprefix("the "), "lowers it"),
        _KINDS,
    )
    label = f"What each part adds to {of.what}. {said(of, found)}"
    return Grid(squares.squares(shown, wide=_WIDE, label=label), tuple(parts[c] for c in cells))


def _cells(
    table: pd.DataFrame, role: str
) -> tuple[list[int], list[tuple[str, int]], dict[Cell, float], dict[Cell, Part]]:
    """Layers and rows in their order; by cell (row, column) its share, and what it is."""
    layers = sorted({int(layer) for layer in table.layer})
    every = [(_row(row.part, row.role, row.head, role), row) for row in table.itertuples()]
    names = sorted({name for name, _ in every})
    values, parts = {}, {}
    for name, row in every:
        cell = (names.index(name), layers.index(int(row.layer)))
        values[cell] = float(row.share)
        head = None if pd.isna(row.head) else int(row.head)
        parts[cell] = (_kind(row.part, row.role, role), int(row.layer), head)
    return layers, names, values, parts


def _kind(part: str, whose: str, role: str) -> str:
    return "cross head" if part == "head" and whose != role else part


def _row(part: str, whose: str, head: Any, role: str) -> tuple[str, int]:
    """What a row of the picture holds, so that rows can be sorted."""
    order = ("head", "cross head", "attention", "cross", "feed_forward", "layer")
    kind = _kind(part, whose, role)
    return f"{order.index(kind)}{kind}", -1 if pd.isna(head) else int(head)


def _row_title(name: tuple[str, int], of: Prediction) -> str:
    kind = name[0][1:]
    if kind == "cross head":
        return f"cross H{name[1]}"
    return f"H{name[1]}" if kind == "head" else _ONE[kind]


def part_title(part: Part) -> str:
    """A part's name on the page."""
    kind, layer, head = part
    if kind == "head":
        return title((layer, head))
    if kind == "cross head":
        return f"L{layer} cross H{head}"
    return f"L{layer} {_ONE[kind]}"


def _clicked(parts: tuple[Part, ...]) -> None:
    at = mount_diagram.spot_value("parts")
    if at is None or at >= len(parts):
        return
    kind, layer, head = parts[at]
    if kind == "head":
        look((layer, head))
    elif kind == "feed_forward":
        own.choose(TRACE, feed=layer)


def look(head: Head) -> None:
    """Looks at a head; a callback."""
    own.choose(TRACE, feed=-1)
    state.choose(layer=head[0], head=head[1])


def _ranks(of: Prediction, found: Attribution, chosen: Selection) -> None:
    heads = strongest(of, found)
    if heads:
        mount.ranks(
            "parts-ranks",
            columns=[("heads, logits", _KINDS[0], heads[:_LISTED])],
            selected=chosen.chosen,
            label="The heads that move it most",
            on_change=_listed,
        )


def _listed() -> None:
    head = mount.ranks_value("parts-ranks")
    if head is not None:
        look((head["layer"], head["head"]))


def strongest(of: Prediction, found: Attribution) -> list[tuple[int, int, float]]:
    """(layer, head, share), those that move the answer most first."""
    own_heads = found.parts[(found.parts.part == "head") & (found.parts.role == of.reader.role)]
    listed = [(int(r.layer), int(r.head), float(r.share)) for r in own_heads.itertuples()]
    return sorted(listed, key=lambda one: -abs(one[2]))


def _sum(of: Prediction, found: Attribution) -> Diagram:
    whole = "the model’s own" if found.raw == found.logit else "the model’s own, before its cap"
    return waterfall.waterfall(
        totals(found),
        (whole, found.raw),
        wide=520,
        kinds=_KINDS,
        write=figure,
        unit="logits",
        label=f"The parts add up to {figure(found.total)}; the model says {figure(found.raw)}.",
    )


def usual(values: Sequence[float], write: Callable[[float], str]) -> str:
    """What a head drawn at random does: the yardstick for a chosen one."""
    half, most = typical(values)
    return (
        f"A head drawn at random moves it by less than {write(half)} in half of all cases, "
        f"{write(most)} in nine of ten."
    )


def said(of: Prediction, found: Attribution) -> str:
    """Which head and feed-forward move the answer most, what is usual, and that it adds up."""
    feeds = found.parts[found.parts.part == "feed_forward"]
    sentences = []
    heads = strongest(of, found)
    if heads:
        layer, head, share = heads[0]
        sentences.append(f"Of all heads {title((layer, head))} moves it most: {figure(share)}")
    if len(feeds):
        most = feeds.loc[feeds.share.abs().idxmax()]
        layer, share = int(most.layer), float(most.share)
        sentences.append(f"of all feed-forwards that of layer {layer}: {figure(share)}")
    apart = tiny(abs(found.error))
    words = "; ".join(sentences)
    words = f"{words[0].upper()}{words[1:]}. " if words else ""
    if len(heads) > 1:
        words = f"{words}{usual([share for *_, share in heads], figure)} "
    return f"{words}The parts add up to the logit within {apart}."
