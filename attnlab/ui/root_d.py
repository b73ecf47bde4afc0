"""What the panel “Why √d” draws and says: a row of scores, and three curves against d."""

from __future__ import annotations

from typing import Final

import numpy as np

from attnlab.analysis.scaling import DRAWS, KEYS, Compared, Curves, expected_deviation
from attnlab.viz.curves import Curve, curves
from attnlab.viz.diagram import Diagram
from attnlab.viz.strips import Strip, Strips

DIVIDED, RAW = "divided by √d", "as they are"
_WIDE, _HIGH = 400, 260
_PLACES: Final = ("deviation", "entropy", "gradient")


def sections(row: Compared, d: int) -> list[Strips]:
    """One row: its scores and what softmax makes of them, with and without the division."""
    scaled, raw = row.scores
    soft, hard = row.weights
    names = [f"key {number}" for number in range(len(raw))]
    root = f"{expected_deviation(d):.4g}"
    return [
        Strips(
            "Scores",
            f"One query against {len(raw)} keys: q · k as it is, and divided by √{d:,} = {root}.",
            [
                Strip("q · k", raw, colour="edit", scale="scores"),
                Strip(f"q · k ÷ {root}", scaled, colour="ink", scale="scores"),
            ],
            names=names,
        ),
        Strips(
            "Softmax of them",
            "How the query’s attention is shared out among the keys: 1 in all.",
            [
                Strip(RAW, hard, colour="edit", scale="weights", upward=True),
                Strip(DIVIDED, soft, colour="ink", scale="weights", upward=True),
            ],
            names=names,
        ),
    ]


def about_row(row: Compared) -> str:
    """The entropy of the row that is drawn, and the size of its gradient."""
    count = len(row.scores[0])
    return (
        f"Entropy of this row: {row.entropy[1]:.3f} nats as they are, {row.entropy[0]:.3f} "
        f"divided; an even blend of {count} keys has log {count} = {row.even:.3f}. Size of the "
        f"softmax’s gradient: {row.gradient[1]:.3g} as they are, {row.gradient[0]:.3g} divided."
    )


def charts(of: Curves, d: int) -> list[Diagram]:
    """Deviation, entropy and gradient against d, which is marked."""
    x = list(of.sizes)
    roots = [expected_deviation(size) for size in x]
    options = {"x_name": "d", "at": d, "wide": _WIDE, "high": _HIGH}
    return [
        curves(
            "How far scores lie apart",
            x,
            [*_both(of.deviation), Curve("√d", roots, "mute", dashed=True)],
            write="{:.3g}".format,
            **options,
        ),
        curves(
            "Entropy of the weights, in nats",
            x,
            [*_both(of.entropy), Curve(f"log {KEYS}", of.even, "mute", dashed=True)],
            write="{:.3g}".format,
            linear=True,
            **options,
        ),
        curves(
            "Size of the softmax’s gradient",
            x,
            [*_both(of.gradient), Curve("their median", of.typical[1], "edit", dashed=True)],
            write="{:.3g}".format,
            linear=True,
            **options,
        ),
    ]


def _both(values: tuple[np.ndarray, np.ndarray]) -> list[Curve]:
    divided, raw = (line.tolist() for line in values)
    return [Curve(RAW, raw, "edit"), Curve(DIVIDED, divided, "ink")]


def about_curves(of: Curves, d: int) -> list[str]:
    """What each chart says at the chosen length."""
    at = of.sizes.index(d)
    (deviation, apart), (soft, hard), (moves, still) = (
        (float(line[at]) for line in getattr(of, name)) for name in _PLACES
    )
    root = expected_deviation(d)
    return [
        f"At d = {d:,}, scores have a standard deviation of {apart:.3g}; √d is {root:.4g}. "
        f"Divided, {deviation:.3g}.",
        f"At d = {d:,}, {hard:.3f} nats as they are, {soft:.3f} divided: means of {DRAWS:,} draws "
        f"of {KEYS} keys.",
        f"At d = {d:,}, {still:.3g} as they are, {moves:.3g} divided. As they are, half of all "
        f"draws stay below {of.typical[1][at]:.2g}.",
    ]
