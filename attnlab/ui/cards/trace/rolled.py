"""All looks of all layers added up: attention rollout to one word."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import streamlit as st

from attnlab.ui import engine, export, mount_diagram, say
from attnlab.ui.engine import inside
from attnlab.ui.engine.inside import Rolled
from attnlab.ui.engine.keys import Passage
from attnlab.ui.export import inside as saved
from attnlab.viz import squares
from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import share
from attnlab.viz.svg.text import spoken

ABOUT: Final = (
    "Rollout (Abnar and Zuidema 2020) takes every look for a move: in each layer a word becomes "
    "half itself, half what the heads look at on average. It knows neither what words hand on nor "
    "feed-forwards, and most looks rest on the first word: a rough picture, shown because it is "
    "often used. “A against B” measures what really carries over."
)
_WIDE: Final = 1080
_ROWS: Final = 16


def draw(reader: engine.Reader, passage: Passage, position: int) -> None:
    """What is left of each word, layer by layer.

    Raises:
        AttnLabError: the model shows no attention, or the work was stopped.
    """
    found = inside.rolled(reader, passage, position)
    tokens, _ = engine.tokens_of(reader, passage, "Sentence A")
    names = [spoken(token).strip() for token in tokens]
    parts = [found.own]
    apart: frozenset[int] = frozenset()
    if found.source is not None:
        source, _ = engine.tokens_of(engine.with_role(reader, "encoder"), passage, "Sentence A")
        names += [spoken(token).strip() for token in source]
        parts.append(found.source)
    values = np.concatenate(parts, axis=1)
    shown = _shown(values, len(names))
    if found.source is not None:
        apart = frozenset({next((i for i, at in enumerate(shown) if at >= len(tokens)), 0)})
    drawn = _picture(found, values, names, shown, apart)
    mount_diagram.diagram("rolled", drawn, scrolls=True)
    words = said(found, values, names, position)
    if len(shown) < len(names):
        words = f"{words} Listed: the {len(shown)} of {len(names)} words that keep most."
    say.remark(words, "rolled")
    with st.container(horizontal=True, key="actions-rolled"):
        kept = saved.rolled(reader, passage, found, values, names, position, drawn, words)
        export.menu("save-rolled", kept)


def _shown(values: np.ndarray, count: int) -> list[int]:
    """The words that have a row: those of which most is left anywhere."""
    order = np.argsort(-values.max(axis=0), kind="stable")[:_ROWS]
    return sorted(order.tolist()) if count > _ROWS else list(range(count))


def _picture(
    found: Rolled,
    values: np.ndarray,
    names: list[str],
    shown: list[int],
    apart: frozenset[int],
) -> Diagram:
    cells = [(row, column) for column in range(len(found.layers)) for row in range(len(shown))]
    known: dict[Any, float] = {
        (row, column): float(values[column, shown[row]]) for row, column in cells
    }
    of = squares.Squares(
        [names[at] for at in shown],
        [f"L{layer}" for layer in found.layers],
        cells,
        known,
        lambda cell: f"“{names[shown[cell[0]]]}” after layer {found.layers[cell[1]]}",
        lambda cell: (share(known[cell]),),
        apart=apart,
        write=share,
        words=("what is left of each word", ""),
        kinds=("a", "mute"),
        full=1.0,
    )
    label = "How much of each word is left in the chosen one after each layer, by rollout."
    return squares.squares(of, wide=_WIDE, label=label)


def said(found: Rolled, values: np.ndarray, names: list[str], position: int) -> str:
    """What is left after all layers, and after the first."""
    last, most = values[-1], int(values[-1].argmax())
    first = float(values[0, position])
    if len(found.layers) == 1:
        return f"After the one layer, {share(first)} of “{names[position]}” is still itself."
    return (
        f"After layer {found.layers[0]}, {share(first)} of “{names[position]}” is still itself; "
        f"after all {len(found.layers)} layers {share(float(last[most]))} of it is “{names[most]}”."
    )
