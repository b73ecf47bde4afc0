"""What several models answer to the same questions: a row for each question, a column a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from attnlab.viz.diagram import Diagram
from attnlab.viz.svg.text import cut

_HEAD: Final = 30.0
_ROW: Final = 24.0
_NAMES: Final = 150.0
_MOST: Final = 0.55
"""How strong the colour of a certain, right answer is."""


@dataclass(frozen=True)
class Said:
    """One answer: the value, whether it is right, and the probability of the right one."""

    value: str
    right: bool
    probability: float


def recalled(
    asked: Sequence[tuple[str, str]],
    columns: Sequence[tuple[str, Sequence[Said]]],
    *,
    wide: float = 640,
) -> Diagram:
    """A table: teal where the answer is right, the stronger the more certain; a cross where not.

    Args:
        asked: each key and the value that is right.
        columns: the name of each model, and its answers in the order of ``asked``.

    Raises:
        ValueError: nothing is asked, or a model has another number of answers.
    """
    if not asked or any(len(said) != len(asked) for _, said in columns):
        raise ValueError(f"{len(asked)} questions need as many answers of each model")
    counts = [(name, sum(one.right for one in said)) for name, said in columns]
    label = ", ".join(f"{name} {count} of {len(asked)}" for name, count in counts)
    drawn = Diagram(wide, _HEAD + _ROW * (len(asked) + 1) + 8, f"Right answers: {label}.")
    each = (wide - _NAMES) / max(1, len(columns))
    for at, (name, _) in enumerate(columns):
        place = _NAMES + each * (at + 0.5)
        drawn.words(place, 12, name, size=12.5, bold=True, anchor="middle")
    for row, (key, value) in enumerate(asked):
        y = _HEAD + _ROW * row
        said = cut(f"{key} → {value}", _NAMES - 14, 12.5)
        drawn.words(0, y + _ROW / 2, said, size=12.5)
        for at, (name, answers) in enumerate(columns):
            _cell(drawn, _NAMES + each * at, y, each, answers[row], f"{name}: {key}")
    y = _HEAD + _ROW * len(asked) + 6
    drawn.line([(0, y - 3), (wide, y - 3)], "line", width=1)
    drawn.words(0, y + _ROW / 2, "right", size=12.5, bold=True)
    for at, (_, count) in enumerate(counts):
        place = _NAMES + each * (at + 0.5)
        total = f"{count} of {len(asked)}"
        drawn.words(place, y + _ROW / 2, total, size=12.5, bold=True, anchor="middle")
    return drawn


def _cell(drawn: Diagram, x: float, y: float, wide: float, said: Said, title: str) -> None:
    corners = [(x + 3, y + 2), (x + wide - 3, y + 2), (x + wide - 3, y + _ROW - 2)]
    corners.append((x + 3, y + _ROW - 2))
    if said.right:
        drawn.area(corners, "attention", 0.08 + _MOST * said.probability)
    words = cut(said.value if said.right else f"✗ {said.value}", wide - 12, 12.5)
    kind = "ink" if said.right else "mute"
    drawn.words(x + wide / 2, y + _ROW / 2, words, size=12.5, kind=kind, anchor="middle")
    right = f"probability of the right value {said.probability:.2f}"
    drawn.spot(x + 2, y + 1, wide - 4, _ROW - 2, title, f"says {said.value}", right)
