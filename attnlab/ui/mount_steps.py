"""Attention step by step, mounted: the matrices of an example, and one query's soft lookup."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from attnlab.attention.because import COMPUTED, HEADED, Cell
from attnlab.attention.steps import TYPED
from attnlab.ui import steps_edits
from attnlab.ui.choice import Choice, clicked, index, settle
from attnlab.ui.register import register
from attnlab.ui.steps_edits import Edits
from attnlab.viz.blend import blend_payload
from attnlab.viz.rows import rows_payload
from attnlab.viz.steps import STEPS, Figures, steps_payload

_STEPS = register("steps")
_BLEND = register("blend")
_ROWS = register("rows")

Shape = tuple[Any, ...]  # what of the example decides which cells there are


def _read_steps(click: Mapping[str, Any], scope: Shape) -> Choice | None:
    """(step, cell, edits) of what a browser sent."""
    edits = steps_edits.clicked(click.get("cells"))
    if click.get("step") not in STEPS or edits is None:
        return None
    given = click.get("cell")
    cell = None if given is None else _read_cell(given)
    if given is not None and cell is None:
        return None
    return (click["step"], cell, edits)


def _read_cell(given: Any) -> Cell | None:
    if not isinstance(given, list) or len(given) != 4 or given[0] not in (*TYPED, *COMPUTED):
        return None
    head, row, column = (index(number, 100) for number in given[1:])
    if None in (head, row, column) or (head and given[0] not in HEADED):
        return None
    return Cell(given[0], row, column, head)


def steps_value(key: str) -> dict[str, Any] | None:
    """What was last done by hand in the component ``key``: step, cell, cells; None before."""
    done = clicked(key, _read_steps)
    return None if done is None else dict(zip(("step", "cell", "cells"), done, strict=True))


def steps(
    key: str,
    figures: Figures,
    *,
    scope: Shape,
    step: str,
    cell: Cell | None,
    cells: Edits,
    on_change: Callable[[], None] | None = None,
    **told: Any,
) -> None:
    """A worked example, one step at a time.

    Args:
        key: the Streamlit key.
        figures: its numbers, with ``cells`` already in them.
        scope: what decides which cells there are; with another one the browser starts anew.
        step, cell, cells: what the page believes is shown, chosen and edited.
        on_change: called, before the script runs, when one of these is changed by hand.
        told: reasons, sentences, products, limit, label, as in
            :func:`attnlab.viz.steps.steps_payload`.
    """
    wanted = (step, cell, cells)
    serial, (first, chosen, edits) = settle(key, scope, wanted, wanted, _read_steps)
    start = {
        "step": first,
        "cell": None if chosen is None else [chosen.matrix, chosen.head, chosen.row, chosen.column],
        "cells": [[edit.matrix, edit.row, edit.column, edit.value] for edit in edits],
    }
    data = steps_payload(figures, start=start, serial=serial, **told)
    _STEPS(key=key, data=data, on_chosen_change=on_change)


def _read_stop(click: Mapping[str, Any], scope: int) -> Choice | None:
    """(stop,) of what a browser sent; ``scope`` is how many stops there are."""
    stop = index(click.get("stop"), scope)
    return None if stop is None else (stop,)


def blend_value(key: str) -> int | None:
    """The stop at which the slider of ``key`` was last left by hand; None before."""
    found = clicked(key, _read_stop)
    return None if found is None else found[0]


def blend(
    key: str,
    *,
    stops: Sequence[str],
    stop: int,
    on_change: Callable[[], None] | None = None,
    **told: Any,
) -> None:
    """One query's shares and what they blend to, with a slider from even to a single match.

    Args:
        key: the Streamlit key.
        stops: what each stop of the slider is called.
        stop: where the page believes it stands.
        on_change: called, before the script runs, when it was moved by hand.
        told: as in :func:`attnlab.viz.blend.blend_payload`.
    """
    serial, (start,) = settle(key, len(stops), (stop,), (stop,), _read_stop)
    data = blend_payload(stops=stops, stop=start, serial=serial, **told)
    _BLEND(key=key, data=data, on_chosen_change=on_change)


def rows(
    key: str, columns: Sequence[str], lines: Sequence[tuple[str, np.ndarray, str]], label: str = ""
) -> None:
    """A small table of weights: (name, [n] weights, remark) under the names of n columns.

    Raises:
        ValueError: a row does not fit the columns.
    """
    _ROWS(key=key, data=rows_payload(columns, lines, label=label))
