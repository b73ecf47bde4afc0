"""The payload of attention step by step: every matrix, how each cell came about, and the scenes.

A scene is what one step draws: lines of matrices with signs between them, ``Q × Kᵀ = Scores``, a
line for each head where heads differ. The browser (``components/steps.js``) and the file
(``svg/steps.py``) draw the same scenes. All numbers are float64 and travel as JSON.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import numpy as np

from attnlab.viz.payload import pack
from attnlab.viz.tokens import label as drawn

STEPS: Final = (
    *("tokens", "x", "q", "k", "v", "scores", "scaled", "masked", "weights", "z", "joined", "out"),
)
TITLES: Final = {
    "tokens": "Tokens",
    "x": "X",
    "w_q": "W_Q",
    "w_k": "W_K",
    "w_v": "W_V",
    "w_o": "W_O",
    "q": "Q",
    "k": "K",
    "v": "V",
    "scores": "Scores",
    "scaled": "Scaled",
    "masked": "Masked",
    "weights": "Weights",
    "z": "Output",
    "joined": "Heads joined",
    "out": "Times W_O",
}
"""The name of each step and of each matrix."""
HEADED: Final = ("scores", "scaled", "masked", "weights", "z")
"""[H, rows, columns]; all other matrices are [rows, columns]."""
_SLICED: Final = ("q", "k", "v", "joined")


@dataclass(frozen=True)
class Names:
    """What rows and columns are called; an empty list counts them from 1."""

    tokens: Sequence[str]
    features: Sequence[str] = ()
    asks: Sequence[str] = ()
    hands_on: Sequence[str] = ()
    results: Sequence[str] = ()


@dataclass(frozen=True)
class View:
    """A matrix in a scene: of one head, some of its columns, turned over or not.

    ``stop`` None is the last column.
    """

    matrix: str
    head: int = 0
    start: int = 0
    stop: int | None = None
    flip: bool = False


@dataclass(frozen=True)
class Figures:
    """All that is drawn of an example.

    Attributes:
        matrices: by name, float64 [rows, columns], or [H, rows, columns] of those in HEADED; −∞
            where a key is hidden.
        heads: H.
        names: of rows and columns.
        scaled: whether scores are divided; ``size`` is the D under the root.
    """

    matrices: Mapping[str, np.ndarray]
    heads: int
    names: Names
    scaled: bool = True
    size: int = 1
    plain: Mapping[str, np.ndarray] = field(default_factory=dict)

    def block(self, view: View) -> np.ndarray:
        """The numbers of a view, [rows, columns], not turned over."""
        whole = self.matrices[view.matrix]
        whole = whole[view.head] if view.matrix in HEADED else whole
        return whole[:, view.start : view.stop]

    def axes(self, matrix: str) -> tuple[Sequence[str], Sequence[str]]:
        """Names of the rows and the columns of a whole matrix."""
        named = self.names
        kinds = {
            "x": (named.tokens, named.features),
            "q": (named.tokens, named.asks),
            "k": (named.tokens, named.asks),
            "v": (named.tokens, named.hands_on),
            "z": (named.tokens, named.hands_on),
            "joined": (named.tokens, named.hands_on),
            "out": (named.tokens, named.results),
            "w_q": (named.features, named.asks),
            "w_k": (named.features, named.asks),
            "w_v": (named.features, named.hands_on),
            "w_o": (named.hands_on, named.results),
        }
        return kinds.get(matrix, (named.tokens, named.tokens))

    def labels(self, view: View) -> tuple[list[str], list[str]]:
        """What is written beside the rows and above the columns of a view, not turned over."""
        rows, columns = self.block(view).shape
        start = view.start if view.matrix not in HEADED else view.head * columns
        start = 0 if view.matrix in HEADED and view.matrix != "z" else start
        of_rows, of_columns = self.axes(view.matrix)
        return _called(of_rows, 0, rows), _called(of_columns, start, columns)


def _called(names: Sequence[str], start: int, count: int) -> list[str]:
    """So many names; where there are too few, as of a W_V that was made wider, numbers."""
    return [
        drawn({"text": names[at]}) if at < len(names) else str(at + 1)
        for at in range(start, start + count)
    ]


Line = tuple[View | str, ...]


def scenes(figures: Figures) -> dict[str, tuple[Line, ...]]:
    """For each step the lines that it draws; the last view of each line is its result."""
    heads = range(figures.heads)
    one = {
        "tokens": (),
        "x": ((View("x"),),),
        **{name: ((View("x"), "×", View(f"w_{name}"), "=", View(name)),) for name in "qkv"},
        "out": ((View("joined"), "×", View("w_o"), "=", View("out")),),
    }
    by = f"÷ √{figures.size}" if figures.scaled else "not divided"
    hides = "mask →" if np.isinf(figures.matrices["masked"]).any() else "no mask →"
    each = {
        "scores": [
            (_cut(figures, "q", h), "×", _cut(figures, "k", h, flip=True), "=", View("scores", h))
            for h in heads
        ],
        "scaled": [(View("scores", h), by, "=", View("scaled", h)) for h in heads],
        "masked": [(View("scaled", h), hides, View("masked", h)) for h in heads],
        "weights": [(View("masked", h), "softmax →", View("weights", h)) for h in heads],
        "z": [(View("weights", h), "×", _cut(figures, "v", h), "=", View("z", h)) for h in heads],
    }
    beside: list[View | str] = []
    for h in heads:
        beside += ["beside", View("z", h)] if beside else [View("z", h)]
    one["joined"] = ((*beside, "=", View("joined")),)
    lines = {**one, **{name: tuple(found) for name, found in each.items()}}
    return {name: lines[name] for name in STEPS}


def _cut(figures: Figures, matrix: str, head: int, flip: bool = False) -> View:
    """The columns of one head."""
    if figures.heads == 1:
        return View(matrix, flip=flip)
    size = figures.matrices[matrix].shape[1] // figures.heads
    return View(matrix, 0, head * size, (head + 1) * size, flip)


def title(view: View, figures: Figures) -> str:
    """What stands above a view; W_Q and Kᵀ are written with what JavaScript and SVG both draw."""
    name = TITLES[view.matrix] if view.matrix != "out" else "Result"
    name += "ᵀ" if view.flip else ""
    if figures.heads == 1 or view.matrix not in (*HEADED, *_SLICED):
        return name
    if view.matrix in HEADED:
        return f"{name}, head {view.head}"
    size = figures.matrices[view.matrix].shape[1] // figures.heads
    return name if view.stop is None else f"{name}, head {view.start // size}"


def steps_payload(
    figures: Figures,
    *,
    reasons: Mapping[str, Any],
    sentences: Mapping[str, str],
    products: Mapping[str, str],
    start: Mapping[str, Any],
    limit: float,
    label: str = "",
    serial: int = 0,
) -> bytes:
    """Pack an example.

    Args:
        figures: its matrices and names.
        reasons: by matrix, then [head][row][column]: how the cell came about, as JSON.
        sentences: one short sentence for each step.
        products: by step, what its multiplications amount to; a step may have none.
        start: the step, chosen cell and edits with which the browser starts.
        limit: the largest number that may be typed.
        label: what the picture is, for screen readers.

    Raises:
        ValueError: a step has no sentence, or a matrix holds NaN.
    """
    missing = [name for name in STEPS if not sentences.get(name)]
    if missing:
        raise ValueError(f"no sentence for the steps {missing}")
    header = {
        "tokens": [drawn({"text": token}) for token in figures.names.tokens],
        "steps": [
            {
                "name": name,
                "title": TITLES[name],
                "says": sentences[name],
                "counts": products.get(name, ""),
                "lines": [[_part(part, figures) for part in line] for line in lines],
            }
            for name, lines in scenes(figures).items()
        ],
        "matrices": {name: _plain(matrix) for name, matrix in figures.matrices.items()},
        "plain": {name: _plain(matrix) for name, matrix in figures.plain.items()},
        "why": reasons,
        "size": figures.size,
        "limit": limit,
        "start": start,
        "label": label,
        "serial": serial,
    }
    return pack(header, {})


def _part(part: View | str, figures: Figures) -> Any:
    """A sign as it is; a view with its title and names."""
    if isinstance(part, str):
        return part
    rows, columns = figures.labels(part)
    view = {**asdict(part), "stop": part.start + len(columns), "rows": rows, "columns": columns}
    return {**view, "title": title(part, figures)}


def _plain(matrix: np.ndarray) -> Any:
    """Nested lists, one of matrices for each head where there are several; None for −∞.

    Raises:
        ValueError: there is a NaN.
    """
    if np.isnan(matrix).any():
        raise ValueError("a matrix of the example holds NaN")
    whole = matrix if matrix.ndim == 3 else matrix[None]
    return [
        [[None if math.isinf(value) else value for value in row] for row in head]
        for head in whole.tolist()
    ]
