"""Heads that an edit moves: all of them as squares, and one of them twice."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from attnlab.ui.engine.edited import Changed
from attnlab.ui.phrases import title
from attnlab.viz import cells
from attnlab.viz.cells import Table
from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import plain
from attnlab.viz.svg.text import spoken


def grid(found: Changed) -> Diagram:
    """Every head as a square: layers run right, heads down."""
    shown = np.nan_to_num(found.heads.T)
    full = float(shown.max()) or 1.0

    def told(head: int, at: int) -> tuple[str, ...]:
        return title((found.layers[at], head)), f"{shown[head, at]:.3f} bits"

    high = min(26.0, 480 / shown.shape[1]) * shown.shape[0]
    one = Table(
        "",
        shown / full,
        rows=[(at, f"H{at}") for at, _ in cells.some(shown.shape[0], high, 15)],
        columns=[(at, f"L{found.layers[at]}") for at, _ in cells.some(shown.shape[1], 480, 30)],
        kinds=("edit", "edit"),
        told=told,
    )
    return cells.tables(
        [one], wide=520, tall=high, label=f"Every head; the darkest moved by {full:.2f} bits."
    )


def layers_said(found: Changed) -> str:
    """The darkest square, and the layer that moved most."""
    most = max(found.layer_means, key=found.layer_means.get)
    darkest = f"Darkest: {_bits(found.order[0][2])} bits."
    if len(found.layers) == 1:
        return darkest
    mean = _bits(found.layer_means[most])
    return f"{darkest} Layer {most} moves most: {mean} bits on average."


def _bits(value: float) -> str:
    """In two digits that say something."""
    return f"{value:.2f}" if value >= 0.095 else plain(float(f"{value:.2g}"))


def pair_of(
    both: Sequence[np.ndarray], names: Sequence[str], what: str, tokens: Sequence[Any]
) -> Diagram:
    """The same head's weights twice, the second in the colour of edits."""
    words = [spoken(token) for token in tokens]
    rows = [(at, words[at]) for at, _ in cells.some(len(both[0]), 200, 14) if at < len(words)]

    def told_of(weights: np.ndarray) -> Callable[[int, int], tuple[str, ...]]:
        return lambda q, k: (
            f"{_word(words, q)} → {_word(words, k)}",
            f"{weights[q, k]:.3f}",
        )

    maps = [
        Table(
            f"{what}, {name}",
            np.clip(weights, 0, 1),
            rows=rows,
            kinds=(kind, kind),
            told=told_of(weights),
        )
        for weights, name, kind in zip(both, names, ("ink", "edit"), strict=True)
    ]
    return cells.tables(
        maps, wide=520, left=58, label=f"Attention of {what}, {' and '.join(names)}"
    )


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if at < len(words) else str(at)
