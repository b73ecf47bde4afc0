"""Components that set several heads side by side, mounted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from attnlab.ui.choice import Choice, clicked, settle
from attnlab.ui.register import register
from attnlab.ui.selection import Head
from attnlab.viz.circuits import circuits_payload, library
from attnlab.viz.compare import compare_payload
from attnlab.viz.ranks import Ranked, ranks_payload

_RANKS = register("ranks")
_COMPARE = register("compare")
# The library is mounted apart from what it draws: it never changes, so it is sent once a session.
_LIBRARY = st.components.v2.component(
    "attnlab_circuitsvis", js=library(), html="<i></i>", isolate_styles=False
)
_CIRCUITS = register("circuits", isolate_styles=False)


def _read_listed(click: Mapping[str, Any], scope: frozenset[Head]) -> Choice | None:
    """(layer, head) of a click, if it is one of the heads of ``scope``."""
    named = (click.get("layer"), click.get("head"))
    return next((head for head in scope if head == named), None)


def _named(head: Choice) -> dict[str, int]:
    return {"layer": head[0], "head": head[1]}


def ranks_value(key: str) -> dict[str, int] | None:
    """The head last chosen by hand in the lists ``key``: layer, head; None before."""
    head = clicked(key, _read_listed)
    return None if head is None else _named(head)


def ranks(
    key: str,
    *,
    columns: Sequence[tuple[str, str, Ranked]],
    selected: Head | None = None,
    label: str = "",
    on_change: Callable[[], None] | None = None,
) -> dict[str, int] | None:
    """Ranked lists of heads with bars on one scale; returns the head chosen in them.

    Args:
        key: the Streamlit key.
        columns: lists (title, "a" | "b" | "d", [(layer, head, value), ...]), best first; layers
            as the model counts them.
        selected: the head that the page believes is chosen.
        label: what the lists are, for screen readers.
        on_change: called, before the script runs, when a head is chosen by hand.

    Returns:
        None until a head of these lists was clicked, then a dict with layer and head.

    Raises:
        ValueError: a colour or a value does not fit.
    """
    scope = frozenset((int(row[0]), int(row[1])) for _, _, ranked in columns for row in ranked)
    wanted = () if selected is None else (int(selected[0]), int(selected[1]))
    serial, start = settle(key, scope, wanted, wanted, _read_listed)
    data = ranks_payload(columns, selected=start or None, label=label, serial=serial)
    _RANKS(key=key, data=data, on_chosen_change=on_change)
    return ranks_value(key)


def compare_value(key: str) -> dict[str, Any] | None:
    """The head last clicked in the comparison ``key``: layer, head, remove; None before.

    For use in its ``on_change``. Only heads that are still compared count, but a second click may
    well be made before the answer to the first is drawn.
    """
    state = st.session_state.get(key)
    click = state.get("chosen") if isinstance(state, Mapping) else None
    if not isinstance(click, Mapping) or not isinstance(click.get("remove"), bool):
        return None
    head = _read_listed(click, st.session_state.get(f"_{key}_heads", frozenset()))
    return None if head is None else {**_named(head), "remove": click["remove"]}


def compare(
    key: str,
    *,
    heads: Sequence[Head],
    a: np.ndarray,
    tokens_a: Sequence[Any],
    on_change: Callable[[], None] | None = None,
    **options: Any,
) -> None:
    """Several heads beside each other, as matrices or arcs on one scale, and how alike they are.

    Args:
        key: the Streamlit key.
        heads: (layer, head) of each, layers as the model counts them.
        a: [n, q, s] weights of these heads, at most 64 a side.
        tokens_a: tokens, or plain dicts of them.
        on_change: called, before the script runs, when a head is to be opened or removed; see
            :func:`compare_value`.
        options: b, tokens_b, sources_a, sources_b, similarity_a, similarity_b, drawn, side, notes,
            causal, label, as in :func:`attnlab.viz.compare.compare_payload`.

    Raises:
        ValueError: something does not fit the heads or the tokens.
    """
    data = compare_payload(heads, a, tokens_a, **options)
    st.session_state[f"_{key}_heads"] = frozenset((int(layer), int(head)) for layer, head in heads)
    _COMPARE(key=key, data=data, on_chosen_change=on_change)


def circuits(
    key: str, *, weights: np.ndarray, tokens: Sequence[Any], label: str = "", **options: Any
) -> None:
    """All heads of a layer, drawn by CircuitsVis.

    Args:
        key: the Streamlit key.
        weights: [H, Q, S] of a text of at most 64 tokens that looks at itself.
        tokens: tokens, or plain dicts of them.
        label: what the picture is, for screen readers.
        options: names, side, causal, selected, as in :func:`attnlab.viz.circuits.circuits_payload`.

    Raises:
        ValueError: more than 64 tokens, or something does not fit.
    """
    data = circuits_payload(weights, tokens, label=label, **options)
    with st.container(gap=None):
        _LIBRARY(key=f"{key}_library")
        _CIRCUITS(key=key, data=data)
