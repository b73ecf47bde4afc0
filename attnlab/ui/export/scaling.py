"""Why √d, as files: the row of scores that is shown, and the curves."""

from functools import partial
from typing import Any

from attnlab.analysis.scaling import DRAWS, KEYS, SEED, Compared, Curves
from attnlab.ui.export.menu import Savable
from attnlab.version import VERSION
from attnlab.viz.numbers import Numbers

_COLUMNS = ("d", "quantity", "scores", "value")
_SCORES = ("divided by √d", "as they are")
_CURVES = ("deviation", "entropy", "gradient", "typical")


def scaling(curves: Curves, row: Compared, d: int, what: dict[str, Any]) -> Savable:
    """The numbers of the panel; `what` says which scores are shown at length d."""
    return Savable("attnlab-why-root-d", numbers=partial(_numbers, curves, row, d, what))


def _numbers(curves: Curves, row: Compared, d: int, what: dict[str, Any]) -> Numbers:
    lines = {name: dict(zip(_SCORES, getattr(curves, name), strict=True)) for name in _CURVES}
    rows = [
        [size, name, scores, float(value)]
        for name, both in lines.items()
        for scores, values in both.items()
        for size, value in zip(curves.sizes, values, strict=True)
    ]
    parts = ("scores", "weights", "entropy", "gradient")
    shown = {name: dict(zip(_SCORES, getattr(row, name), strict=True)) for name in parts}
    return Numbers(
        "Scores of random vectors of d numbers: their standard deviation, and of their softmax the "
        "entropy in nats and the gradient's size (mean, and median as 'typical').",
        {"versions": {"attnlab": VERSION}, "draws": DRAWS, "keys": KEYS, "seed": SEED},
        [],
        _COLUMNS,
        rows,
        {"shown": {"d": d, **what, **shown}, "d": list(curves.sizes), **lines},
    )
