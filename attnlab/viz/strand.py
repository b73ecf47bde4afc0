"""The payload of a text that is being written, with the weights of one head.

The same text as a file is ``writing.py``'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnlab.viz.payload import pack, quantise
from attnlab.viz.tokens import rows

KINDS = ("a", "b", "edit")


def strand_payload(
    weights: np.ndarray,
    tokens: Sequence[Any],
    *,
    given: int,
    at: int,
    kind: str = "a",
    sources: Sequence[Any] | None = None,
    parted: int | None = None,
    told: Sequence[Sequence[str]] = (),
    name: str = "",
    forgets: tuple[int, int] | None = None,
    label: str = "",
) -> bytes:
    """Pack the weights [Q, S] of one head with the words of both axes.

    Args:
        given: how many of the words are the prompt's; the others are underlined.
        at: the word that is looked from at first.
        kind: the colour, one of KINDS.
        sources: the words that are looked at, where they are others.
        parted: the word at which this text parts from another.
        told: more lines for the tooltip of each word.
        name: what stands before the text.
        forgets: how many of the last and of the first words can be looked at; the others are pale,
            see :func:`attnlab.viz.forgotten.forgotten`. None: all can.

    Raises:
        ValueError: a shape, a position or the colour does not fit.
    """
    shape = (len(tokens), len(tokens if sources is None else sources))
    if weights.shape != shape:
        raise ValueError(f"weights are {weights.shape}, for {shape[0]} words and {shape[1]} keys")
    if kind not in KINDS or not 0 <= at < shape[0]:
        raise ValueError(f"colour {kind!r} or word {at} is not there")
    header = {
        "tokens": rows(tokens),
        "sources": None if sources is None else rows(sources),
        "given": given,
        "at": at,
        "kind": kind,
        "parted": parted,
        "told": [list(lines) for lines in told] or [[] for _ in tokens],
        "name": name,
        "forgets": forgets,
        "label": label,
    }
    return pack(header, {"weights": quantise(weights, fine=True)})
