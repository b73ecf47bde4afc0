"""A worked example as files: the picture of its step, and every number of it."""

from collections.abc import Iterable
from typing import Any, Final

from attnlab.ui.export.menu import Savable
from attnlab.ui.steps_selection import Example, StepByStep
from attnlab.version import VERSION
from attnlab.viz import svg
from attnlab.viz.numbers import Numbers
from attnlab.viz.steps import HEADED, STEPS, TITLES, Figures

_COLUMNS: Final = ("matrix", "head", "row", "row_token", "column", "column_token", "value")


def example(value: StepByStep, figures: Figures, shown: Example) -> Savable:
    """The example as it is shown, with everything that was edited in it."""
    return Savable(
        f"step-by-step-{shown.preset.name}-{value.step}",
        lambda dark=False: _picture(value, figures, shown, dark),
        lambda: _numbers(figures, shown),
    )


def _picture(value: StepByStep, figures: Figures, shown: Example, dark: bool) -> str:
    named = TITLES[value.step]
    place = STEPS.index(value.step) + 1
    caption = svg.Caption(
        f"{named}, step {place} of {len(STEPS)}",
        (("Tokens", " ".join(shown.worked.tokens)),),
        f"{_setting(shown)} · attnlab {VERSION}",
    )
    return svg.steps(figures, value.step, caption=caption, dark=dark)


def _setting(shown: Example) -> str:
    """The switches and the edits, in words."""
    worked = shown.worked
    edits = len(shown.cells)
    parts = (
        "one head" if worked.heads == 1 else f"{worked.heads} heads",
        "causal mask" if worked.causal else "no mask",
        f"scaled by √{worked.key_size}" if worked.scaled else "not scaled",
        f"{edits} cell{'s' if edits > 1 else ''} edited" if edits else "",
    )
    return " · ".join(filter(None, parts))


def _numbers(figures: Figures, shown: Example) -> Numbers:
    worked = shown.worked
    return Numbers(
        "Every matrix of self-attention on a worked example, typed and computed, in float64.",
        {
            "example": shown.preset.name,
            "heads": worked.heads,
            "causal": worked.causal,
            "scaled": worked.scaled,
            "edited": [[e.matrix, e.row, e.column, e.value] for e in shown.cells],
            "versions": {"attnlab": VERSION},
        },
        (),
        _COLUMNS,
        _rows(figures),
        {
            "tokens": list(worked.tokens),
            "matrices": {
                name: [
                    [[_finite(v) for v in row] for row in head] for head in _heads(figures, name)
                ]
                for name in figures.matrices
            },
        },
        ("A hidden score, −∞, is written as nothing.",),
    )


def _rows(figures: Figures) -> Iterable[list[Any]]:
    for name in figures.matrices:
        rows, columns = figures.axes(name)
        for head, matrix in enumerate(_heads(figures, name)):
            for i, line in enumerate(matrix):
                for j, value in enumerate(line):
                    named = (_named(rows, i), _named(columns, j))
                    yield [name, head, i, named[0], j, named[1], _finite(value)]


def _heads(figures: Figures, name: str) -> list[list[list[float]]]:
    """The matrix of each head; one where all heads share it."""
    matrix = figures.matrices[name]
    return (matrix if name in HEADED else matrix[None]).tolist()


def _named(names: Any, at: int) -> str:
    return names[at] if at < len(names) else str(at + 1)


def _finite(value: float) -> float | None:
    return None if value in (float("inf"), float("-inf")) else value
