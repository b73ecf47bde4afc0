"""The payload of the all-heads grid: every map of one or two sentences, on one canvas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attnlab.viz.difference import Comparable, at, comparable, kept_columns
from attnlab.viz.payload import pack
from attnlab.viz.tokens import rows

VIEWS = ("A", "B", "B-A")
MAX_SIDE = 64  # rows or columns of one map; longer ones are pooled before they come here
LEAST_CHANGE = 0.05  # full ink in B − A is never a smaller change, so that noise stays faint
FINE_CELLS = 600_000  # up to here floats travel as 16 bits, so hovered figures keep two decimals


def quantise(maps: np.ndarray) -> np.ndarray:
    """Weights in [0, 1] as uint16 (up to :data:`FINE_CELLS` values) or uint8; uint8 stays.

    Raises:
        ValueError: a value is not finite or lies outside [0, 1] (beyond rounding).
    """
    if maps.dtype == np.uint8:
        return maps
    low, high = (float(maps.min()), float(maps.max())) if maps.size else (0.0, 0.0)
    if not (low >= -1e-4 and high <= 1 + 1e-4):  # written so that NaN fails too
        raise ValueError(f"attention maps hold values from {low} to {high}; they must be in [0, 1]")
    top, dtype = (65535, np.uint16) if maps.size <= FINE_CELLS else (255, np.uint8)
    return np.rint(np.clip(maps, 0, 1) * top).astype(dtype)


def full_change(a: np.ndarray, b: np.ndarray, cells: Comparable, drop_first: bool) -> float:
    """The change that gets full ink: the largest one drawn, at least :data:`LEAST_CHANGE`."""
    columns = kept_columns(cells, drop_first)
    if not cells.rows or not columns:
        return LEAST_CHANGE
    before, after = at(a, b, cells.rows, columns)
    top = 255 if a.dtype == np.uint8 else 1
    largest = float(np.abs(after.astype(np.float32) - before).max()) / top
    return max(LEAST_CHANGE, largest)


def _check(name: str, maps: np.ndarray, queries: int, sources: int) -> None:
    if maps.ndim != 4:
        raise ValueError(f"maps of {name} are [layer, head, query, key]; got shape {maps.shape}")
    if max(maps.shape[2:]) > MAX_SIDE:
        raise ValueError(f"maps of {name} exceed {MAX_SIDE} a side; pool them: {maps.shape}")
    if maps.shape[2] > queries or maps.shape[3] > sources:
        raise ValueError(f"maps of {name} {maps.shape} have more cells than tokens")


def _check_choice(
    view: str,
    a: tuple[int, ...],
    b: tuple[int, ...] | None,
    layers: Sequence[int] | None,
    selected: tuple[int, int],
) -> None:
    """``a`` and ``b`` are layers × heads."""
    if view not in VIEWS or (view != "A" and b is None):
        raise ValueError(f"view {view!r} needs to be one of {VIEWS}, and B needs its maps")
    if b is not None and a != b:
        raise ValueError(f"A has {a} layers and heads, B {b}")
    if layers is not None and len(layers) != a[0]:
        raise ValueError(f"{len(layers)} layer numbers for {a[0]} layers")
    if not (0 <= selected[0] < a[0] and 0 <= selected[1] < a[1]):
        raise ValueError(f"head {selected} is outside {a[0]} layers x {a[1]} heads")


def grid_payload(
    a: np.ndarray,
    tokens_a: Sequence[Any],
    *,
    b: np.ndarray | None = None,
    tokens_b: Sequence[Any] | None = None,
    sources_a: Sequence[Any] | None = None,
    sources_b: Sequence[Any] | None = None,
    view: str = "A",
    drop_first: bool = True,
    causal: bool = True,
    marks: Mapping[tuple[int, int], str] | None = None,
    layers: Sequence[int] | None = None,
    label: str = "All heads",
    selected: tuple[int, int] = (0, 0),
    serial: int = 0,
) -> bytes:
    """Pack the maps ``a`` and ``b`` ([L, H, q, s]) with all the grid needs to draw and to hover.

    ``layers`` are the numbers that the model gives its layers, where they are not 0, 1, 2, ...
    (a model that attends in some blocks only); ``selected`` always counts the maps.

    ``selected`` is where the selection starts; it moves in the browser without coming back here.
    A new ``serial`` makes the browser adopt ``selected`` again.

    Raises:
        ValueError: a shape, a view or the selection does not fit.
    """
    _check_choice(view, a.shape[:2], None if b is None else b.shape[:2], layers, selected)
    sides = {"a": (a, tokens_a, sources_a)}
    if b is not None:
        sides["b"] = (b, tokens_b or [], sources_b)
    header: dict[str, Any] = {
        "view": view,
        "dropFirst": drop_first,
        "causal": causal,
        "layers": list(range(len(a))) if layers is None else [int(layer) for layer in layers],
        "label": label,
        "selected": list(selected),
        "serial": serial,
        "marks": [[*head, note] for head, note in (marks or {}).items()],
        "difference": None,
        "tokens": {},
        "sources": {},
    }
    for name, (maps, tokens, sources) in sides.items():
        _check(name.upper(), maps, len(tokens), len(tokens if sources is None else sources))
        header["tokens"][name] = rows(tokens)
        header["sources"][name] = None if sources is None else rows(sources)
    if view == "B-A" and b is not None:
        cells = comparable(
            tokens_a,
            tokens_b or [],
            shape_a=a.shape[2:],
            shape_b=b.shape[2:],
            sources_a=sources_a,
            sources_b=sources_b,
            causal=causal,
        )
        header["difference"] = {"rows": cells.rows, "columns": cells.columns, "note": cells.note}
        header["difference"]["full"] = full_change(a, b, cells, drop_first)
    return pack(header, {name: quantise(maps) for name, (maps, _, _) in sides.items()})
