"""The payload of the all-heads grid: every map of one or two sentences, on one canvas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attnlab.viz.diagram import KINDS
from attnlab.viz.difference import LEAST_CHANGE, comparable, compare, full_change
from attnlab.viz.payload import pack, quantise
from attnlab.viz.tokens import rows

VIEWS = ("A", "B", "B-A")
MAX_SIDE = 64  # rows or columns of one map; longer ones are pooled before they come here

Side = tuple[np.ndarray, Sequence[Any], Sequence[Any] | None]  # maps, tokens, sources


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


def _words(sides: Mapping[str, Side]) -> dict[str, Any]:
    """The tokens of every side, and its sources where they are others."""
    found: dict[str, Any] = {"tokens": {}, "sources": {}}
    for name, (maps, tokens, sources) in sides.items():
        _check(name.upper(), maps, len(tokens), len(tokens if sources is None else sources))
        found["tokens"][name] = rows(tokens)
        found["sources"][name] = None if sources is None else rows(sources)
    return found


def _difference(a: Side, b: Side, *, drop_first: bool, **options: Any) -> dict[str, Any]:
    """What B − A shows: rows and columns as [in A, in B], a note, and the change of full ink."""
    texts = (a[1], b[1])
    options |= {"sources_a": a[2], "sources_b": b[2]}
    shapes = {"shape_a": a[0].shape[2:], "shape_b": b[0].shape[2:]}
    cells = comparable(*texts, **shapes, **options)
    options.pop("left_out")
    drawn = compare(a[0], b[0], *texts, drop_first=drop_first, **options)
    return {
        "rows": list(cells.merged_rows) if cells.rows else [],
        "columns": list(cells.merged_columns),
        "compared": len(cells.rows),
        "note": cells.remark("Hatched"),
        "full": LEAST_CHANGE if drawn is None else full_change(drawn.before, drawn.after),
    }


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
    ranks: Mapping[tuple[int, int], int] | None = None,
    badges: Mapping[tuple[int, int], tuple[str, str]] | None = None,
    badge_note: str = "",
    layers: Sequence[int] | None = None,
    start: int | None = None,
    left_out: tuple[int, int] = (0, 0),
    edited: str = "",
    label: str = "All heads",
    selected: tuple[int, int] = (0, 0),
    serial: int = 0,
) -> bytes:
    """Pack the maps ``a`` and ``b`` ([L, H, q, s]) with all the grid needs to draw and to hover.

    ``layers`` are the numbers that the model gives its layers, where they are not 0, 1, 2, ...
    (a model that attends in some blocks only); ``selected`` and ``ranks`` (a number drawn
    on a head) always count the maps; so do ``badges``: words and a colour of ``diagram.KINDS`` for
    a dot on a head, which ``badge_note`` explains. ``start`` and ``left_out`` are those of
    :func:`attnlab.viz.difference.comparable`, ``edited`` is that of
    :func:`attnlab.viz.head.head_payload`.

    ``selected`` is where the selection starts; it moves in the browser without coming back here.
    A new ``serial`` makes the browser adopt ``selected`` again.

    Raises:
        ValueError: a shape, a view or the selection does not fit.
    """
    _check_choice(view, a.shape[:2], None if b is None else b.shape[:2], layers, selected)
    sides: dict[str, Side] = {"a": (a, tokens_a, sources_a)}
    if b is not None:
        sides["b"] = (b, tokens_b or [], sources_b)
    header = {
        "view": view,
        "dropFirst": drop_first,
        "causal": causal,
        "layers": list(range(len(a))) if layers is None else [int(layer) for layer in layers],
        "edited": edited,
        "label": label,
        "selected": list(selected),
        "serial": serial,
        "ranks": [[*head, rank] for head, rank in (ranks or {}).items()],
        "badges": [[*head, words, *KINDS[kind]] for head, (words, kind) in (badges or {}).items()],
        "badgeNote": badge_note,
        "difference": None,
        **_words(sides),
    }
    if view == "B-A":
        options = {"causal": causal, "start": start, "left_out": left_out}
        header["difference"] = _difference(**sides, drop_first=drop_first, **options)
    return pack(header, {name: quantise(maps) for name, (maps, _, _) in sides.items()})
