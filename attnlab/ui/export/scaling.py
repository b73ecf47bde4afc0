"""Why √d, as files: the row of scores that is shown, and the curves."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from attnlab.analysis.scaling import DRAWS, KEYS, SEED, Compared, Curves
from attnlab.ui.export.menu import Savable
from attnlab.version import VERSION
from attnlab.viz.diagram import Diagram
from attnlab.viz.numbers import Numbers
from attnlab.viz.svg import Caption
from attnlab.viz.svg.diagram import diagram

_COLUMNS = ("d", "quantity", "scores", "value")
_SCORES = ("divided by √d", "as they are")
_CURVES = ("deviation", "entropy", "gradient", "typical")


def scaling(
    curves: Curves, row: Compared, d: int, what: dict[str, Any], charts: Sequence[Diagram]
) -> Savable:
    """The charts and numbers of the panel; `what` says which scores are shown at length d."""
    return Savable(
        "attnlab-why-root-d",
        picture=partial(_picture, charts),
        numbers=partial(_numbers, curves, row, d, what),
    )


def _picture(charts: Sequence[Diagram], dark: bool, *more: str) -> str:
    """The charts below each other."""
    sheet = Diagram(max(chart.width for chart in charts))
    for chart in charts:
        sheet.place(0, sheet.height, chart)
        sheet.height += chart.height + 24
    notes = (f"{DRAWS:,} draws of a query and {KEYS} keys of standard normal numbers.", *more)
    caption = Caption("Why scores are divided by √d", facts=f"attnlab {VERSION}", notes=notes)
    return diagram(sheet, caption=caption, dark=dark)


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
