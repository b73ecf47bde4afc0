"""Where a head looks, beside what it takes from there."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import streamlit as st

from attnlab.ui import engine, export, mount_diagram, say
from attnlab.ui.engine import inside
from attnlab.ui.engine.inside import Took
from attnlab.ui.engine.keys import Passage
from attnlab.ui.export import inside as saved
from attnlab.ui.selection import Head
from attnlab.viz import dumbbells, figured
from attnlab.viz.diagram import Diagram
from attnlab.viz.svg.text import spoken, told_apart

ABOUT: Final = (
    "A weight says how hard a head looks at a word, not how much it takes from there: each word "
    "hands on a vector, and the vectors differ in length. Norm-weighted attention is the weight "
    "times that length (Kobayashi et al. 2020); here as shares of what one word takes in all. "
    "Many heads rest on the first word, which hands on next to nothing."
)
_LABEL: Final = "Attention, and norm-weighted attention, of each word (row) to each (column)."
_FEW: Final = 14
_FIGURES: Final = 15
"""Words of a text whose figures have room in the maps."""
_NAMES: Final = ("looks", "takes")
_KINDS: Final = ("a", "attention")


def draw(
    reader: engine.Reader,
    passage: Passage,
    head: Head,
    position: int,
    tokens: tuple[Any, ...],
    sources: tuple[Any, ...],
) -> None:
    """Both maps; on a text too long for figures in them, those of the word that looks.

    Raises:
        AttnLabError: the model does not show its values, or the work was stopped.
    """
    found = inside.took(reader, passage, head)
    both = _maps(found, position, tokens, sources, reader.causal)
    maps = mount_diagram.side_by_side("looks-takes", figured.figured, both, label=_LABEL)
    words = said(found, position, tokens, sources)
    if len(sources) > _FIGURES:
        pairs, count = _pairs(found, position, sources)
        mount_diagram.diagram("looks-takes-word", pairs)
        if count < len(sources):
            words = f"{words} Listed: {count} of {len(sources)} words."
    say.remark(words, "takes")
    with st.container(horizontal=True, key="actions-takes"):
        kept = saved.took(reader, passage, head, found, (tokens, sources), maps, words)
        export.menu("save-takes", kept)


def _maps(
    found: Took,
    position: int,
    tokens: tuple[Any, ...],
    sources: tuple[Any, ...],
    causal: bool,
) -> list[figured.Table]:
    """Both as heat maps on one scale: each row adds up to 1."""
    rows, columns = told_apart(tokens), told_apart(sources)

    def table(name: str, values: np.ndarray, kind: str) -> figured.Table:
        shown = [
            [None if causal and column > row else float(v) for column, v in enumerate(one)]
            for row, one in enumerate(values)
        ]
        lines = lambda row, column: (  # noqa: E731
            f"looks {found.looks[row, column]:.2f}",
            f"takes {found.takes[row, column]:.2f}",
        )
        write = "{:.2f}".format
        options = {"full": 1.0, "kinds": (kind, kind), "chosen": position}
        return figured.Table(name, rows, columns, shown, write, lines, **options)

    return [
        table("Where it looks", found.looks, _KINDS[0]),
        table("What it takes", found.takes, _KINDS[1]),
    ]


def _pairs(found: Took, position: int, sources: tuple[Any, ...]) -> tuple[Diagram, int]:
    """Looks and takes of one word; of a long text where either is most."""
    looks, takes = found.looks[position], found.takes[position]
    order = np.argsort(-np.maximum(looks, takes), kind="stable")[:_FEW]
    shown = sorted(order.tolist())
    rows = [(spoken(sources[at]).strip(), float(looks[at]), float(takes[at])) for at in shown]
    options = {"names": _NAMES, "kinds": _KINDS, "wide": 720}
    return dumbbells.dumbbells("", rows, **options), len(shown)


def said(found: Took, position: int, tokens: tuple[Any, ...], sources: tuple[Any, ...]) -> str:
    """Where the word looks most, and whether most of what it takes is from there."""
    looks, takes = found.looks[position], found.takes[position]
    name = spoken(tokens[position]).strip()
    if not takes.any():
        return f"From “{name}” it takes nothing."
    most, best = int(looks.argmax()), int(takes.argmax())
    there, where = spoken(sources[most]).strip(), spoken(sources[best]).strip()
    looked = f"From “{name}” it looks at “{there}” with {looks[most]:.2f}"
    if most == best:
        return f"{looked}; {takes[most]:.0%} of what it takes comes from there."
    return (
        f"{looked}, and takes {takes[most]:.0%} from there; it takes most from “{where}”, "
        f"{takes[best]:.0%}, at which it looks with {looks[best]:.2f}."
    )
