"""Components made of a text's words, mounted: choosing two of them, and how far each one moved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attnlab.ui.choice import Choice, clicked, index, settle
from attnlab.ui.register import register
from attnlab.viz.pick import pick_payload
from attnlab.viz.shifts import shifts_payload
from attnlab.viz.tokens import identity

_PICK = register("pick")
_SHIFTS = register("shifts")

Texts = tuple[tuple[Any, ...], ...]  # the words of A, B and what each of them is looked for in


def _read_pair(click: Mapping[str, Any], scope: Texts) -> Choice | None:
    """(side, query, key) of a click on words of ``scope``."""
    side = click.get("side")
    if side not in ("A", "B"):
        return None
    place = "AB".index(side)
    queries, keys = scope[place], scope[place + 2] or scope[place]
    pair = (index(click.get("query"), len(queries)), index(click.get("key"), len(keys)))
    return None if None in pair else (side, *pair)


def pick_value(key: str) -> dict[str, Any] | None:
    """The pair last chosen by hand in the picker ``key``: side, query, key; None before."""
    pair = clicked(key, _read_pair)
    return None if pair is None else dict(zip(("side", "query", "key"), pair, strict=True))


def pick(
    key: str,
    *,
    tokens_a: Sequence[Any],
    tokens_b: Sequence[Any] | None = None,
    sources_a: Sequence[Any] | None = None,
    sources_b: Sequence[Any] | None = None,
    side: str = "B",
    query: int | None = None,
    key_position: int | None = None,
    causal: bool = True,
    label: str = "",
    on_change: Callable[[], None] | None = None,
) -> dict[str, Any] | None:
    """The words of one or two texts; two of one text are clicked: which looks, and at what.

    Args:
        key: the Streamlit key.
        tokens_a, tokens_b: tokens, or plain dicts of them.
        sources_a, sources_b: the words looked at, where they are others (cross-attention).
        side, query, key_position: what the page believes is chosen; positions None: nothing yet.
        causal: no word is looked at from an earlier one.
        label: what the picture is, for screen readers.
        on_change: called, before the script runs, when a pair is complete.

    Returns:
        None until a pair of these texts was chosen by hand, then a dict with side ("A" or "B"),
        query and key.

    Raises:
        ValueError: side or positions do not fit.
    """
    texts = (tokens_a, tokens_b, sources_a, sources_b)
    scope = tuple(tuple(identity(t) for t in words or ()) for words in texts)
    side = "A" if tokens_b is None else side
    # Where nothing is chosen the side says nothing, and must not make the same words travel again.
    wanted = (None, None, None) if query is None else (side, query, key_position)
    serial, start = settle(key, scope, wanted, wanted, _read_pair)
    data = pick_payload(
        tokens_a,
        tokens_b=tokens_b,
        sources_a=sources_a,
        sources_b=sources_b,
        side=start[0] or "A",
        query=start[1],
        key_position=start[2],
        causal=causal,
        label=label,
        serial=serial,
    )
    _PICK(key=key, data=data, on_chosen_change=on_change)
    return pick_value(key)


def shifts(key: str, *, rows: Sequence[tuple[Any, float]], label: str = "") -> None:
    """How far each token's vector moved, as bars of cosine distances in the order of the text.

    Args:
        key: the Streamlit key.
        rows: (token, cosine distance in [0, 2]).
        label: what the picture is, for screen readers.

    Raises:
        ValueError: a value is no cosine distance.
    """
    _SHIFTS(key=key, data=shifts_payload(rows, label=label))
