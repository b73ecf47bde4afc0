"""The three drawn components of the pages, mounted: the grid of heads, one head, paired bars.

Each is registered once, when this module is imported, from the files in ``components/``. What is
chosen in a picture (the head, the looked-from word) lives in the browser: Python receives it and
keeps it out of what it sends, so that a click does not send every map again. Only when the page
itself asks for another choice does a new serial number go out with it, and the browser adopts it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from attnlab.viz.bars import bars_payload
from attnlab.viz.grid import grid_payload
from attnlab.viz.head import follow, head_payload, settle_row
from attnlab.viz.tokens import identity

Head = tuple[int, int]
Choice = tuple[Any, ...]
FOLDER = Path(__file__).parent / "components"


def _register(name: str, scripts: Sequence[str], styles: Sequence[str]) -> Callable[..., Any]:
    """A mounting command for the component made of these files, joined in this order."""
    return st.components.v2.component(
        f"attnlab_{name}",
        html='<div class="al-root"></div>',
        css="\n".join((FOLDER / file).read_text(encoding="utf-8") for file in styles),
        js="\n".join((FOLDER / file).read_text(encoding="utf-8") for file in scripts),
    )


_GRID = _register(
    "grid",
    ["common.js", "save.js", "cells.js", "maps.js", "layout.js", "legend.js", "grid.js"],
    ["common.css", "grid.css"],
)
_HEAD = _register(
    "head",
    ["common.js", "save.js", "cells.js", "words.js", "matrix.js", "head.js"],
    ["common.css", "head.css"],
)
_BARS = _register("bars", ["common.js", "bars.js"], ["common.css", "bars.css"])


def _clicked(key: str) -> Mapping[str, Any] | None:
    """What the browser last sent for the component ``key``, whatever its serial."""
    state = st.session_state.get(key)
    value = state.get("chosen") if isinstance(state, Mapping) else None
    return value if isinstance(value, Mapping) else None


def _settle(
    key: str, scope: Any, wanted: Choice | None, default: Choice, read: Callable[[Any], Choice]
) -> tuple[int, Choice]:
    """Settle who decides the choice; returns (serial, the choice the browser starts from).

    ``scope`` is what the choice is about: when it changes, earlier choices no longer count. A new
    click wins over the ``wanted`` that the page still holds from before it; a ``wanted`` that is
    neither the click nor what the page knew wins over all; else what was chosen stays.
    """
    held = st.session_state.get(f"_{key}_held")
    click = _clicked(key)
    serial = held["serial"] if held else 0
    clicked = read(click) if held and click and click.get("serial") == serial else None
    if held is None or held["scope"] != scope:
        start = default if wanted is None else wanted
        held = {"serial": serial + 1, "scope": scope, "start": start, "known": start}
    else:
        current = held["start"] if clicked is None else clicked
        stale = clicked is not None and clicked != held["known"] and wanted == held["known"]
        if wanted is None or wanted == current or stale:
            held = {**held, "known": current}
        else:
            held = {**held, "serial": serial + 1, "start": wanted, "known": wanted}
    st.session_state[f"_{key}_held"] = held
    return held["serial"], held["start"]


def _known(key: str) -> Choice:
    return st.session_state[f"_{key}_held"]["known"]


def grid_value(key: str) -> Head | None:
    """The head last chosen by hand in the grid ``key``; for use in its ``on_change``."""
    click = _clicked(key)
    return None if click is None else (int(click["layer"]), int(click["head"]))


def grid(
    key: str,
    *,
    a: np.ndarray,
    tokens_a: Sequence[Any],
    b: np.ndarray | None = None,
    tokens_b: Sequence[Any] | None = None,
    selected: Head | None = None,
    on_change: Callable[[], None] | None = None,
    **options: Any,
) -> Head:
    """Every head of a model on one canvas; returns the chosen (layer, head).

    Args:
        key: the Streamlit key.
        a, b: [L, H, q, s], uint8 or float in [0, 1], at most 64 a side.
        tokens_a, tokens_b: tokens, or plain dicts of them.
        selected: the head that the page believes is chosen; None for no opinion.
        on_change: called, before the script runs, when a head is chosen by hand.
        options: view, drop_first, causal, marks, layers, label, sources_a, sources_b, as in
            :func:`attnlab.viz.grid.grid_payload`.

    Raises:
        ValueError: shapes, view or selection do not fit.
    """
    wanted = None if selected is None else (int(selected[0]), int(selected[1]))
    serial, start = _settle(
        key, tuple(a.shape[:2]), wanted, (0, 0), lambda v: (int(v["layer"]), int(v["head"]))
    )
    data = grid_payload(
        a, tokens_a, b=b, tokens_b=tokens_b, selected=start, serial=serial, **options
    )
    _GRID(key=key, data=data, on_chosen_change=on_change or _nothing)
    return _known(key)


def head_value(key: str) -> dict[str, Any] | None:
    """The word last clicked in the head ``key``: side, position, row_a, row_b; None before."""
    click = _clicked(key)
    if click is None:
        return None
    return {name: click.get(name) for name in ("side", "position", "row_a", "row_b")}


def head(
    key: str,
    *,
    a: np.ndarray,
    tokens_a: Sequence[Any],
    b: np.ndarray | None = None,
    tokens_b: Sequence[Any] | None = None,
    row_a: int | None = None,
    row_b: int | None = None,
    on_change: Callable[[], None] | None = None,
    **options: Any,
) -> dict[str, Any] | None:
    """One head's weights as words with arcs, or as a matrix; returns the clicked word.

    Args:
        key: the Streamlit key.
        a, b: [Q, S] float weights of the same head on each sentence.
        tokens_a, tokens_b: tokens, or plain dicts of them.
        row_a, row_b: the positions looked from; None for no opinion (at first: the last word,
            and B follows A by alignment).
        on_change: called, before the script runs, when a word is clicked.
        options: mode, causal, sink, label, sources_a, sources_b, as in
            :func:`attnlab.viz.head.head_payload`.

    Returns:
        None until a word of these sentences was clicked, then a dict with side ("A" or "B"),
        position, row_a and row_b (None without B).

    Raises:
        ValueError: shapes, mode or rows do not fit.
    """
    scope = tuple(tuple(identity(t) for t in side or ()) for side in (tokens_a, tokens_b))
    default = _rows(tokens_a, tokens_b, None, None)
    wanted = None
    if row_a is not None or row_b is not None:
        wanted = _rows(tokens_a, tokens_b, row_a, row_b)
    serial, start = _settle(key, scope, wanted, default, lambda v: (v["row_a"], v["row_b"]))
    data = head_payload(
        a,
        tokens_a,
        b=b,
        tokens_b=tokens_b,
        row_a=start[0],
        row_b=start[1],
        serial=serial,
        **options,
    )
    _HEAD(key=key, data=data, on_chosen_change=on_change or _nothing)
    click = _clicked(key)
    return head_value(key) if click and click.get("serial") == serial else None


def _rows(
    tokens_a: Sequence[Any], tokens_b: Sequence[Any] | None, row_a: int | None, row_b: int | None
) -> Choice:
    """Both looked-from positions, the missing ones filled in."""
    first = settle_row(row_a, len(tokens_a))
    if tokens_b is None:
        return (first, None)
    if row_b is None and row_a is not None:
        row_b = follow(row_a, tokens_a, tokens_b)
    return (first, settle_row(row_b, len(tokens_b)))


def bars(
    key: str,
    *,
    rows: Sequence[tuple[Any, float, float]],
    names: tuple[str, str] = ("as trained", "without the head"),
    side: str | None = None,
    label: str = "",
) -> None:
    """Paired bars with both figures: probabilities before and after an edit.

    Raises:
        ValueError: a value is no probability.
    """
    _BARS(key=key, data=bars_payload(rows, names=names, side=side, label=label))


def _nothing() -> None:
    """Registering a callback is what makes Streamlit keep the state of that name."""
