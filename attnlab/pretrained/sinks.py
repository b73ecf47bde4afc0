"""Whether a model has learned sinks, by what its weights leave over."""

from __future__ import annotations

from attnlab.trace.store import Store

_LEFT_OVER = 0.02
"""Of a row; half precision rounds a sum by less."""


def roles_with_sinks(store: Store) -> frozenset[str]:
    """The roles in which some row that sees anything sums to clearly less than 1.

    A softmax over the keys alone cannot do that: the rest went to a learned logit that is no key.
    """
    found = set()
    for stage, role, layer in store.parts:
        if stage == "weights":
            sums = store.whole((stage, role, layer)).double().sum(-1)
            if bool(((sums > _LEFT_OVER) & (sums < 1 - _LEFT_OVER)).any()):
                found.add(role)
    return frozenset(found)
