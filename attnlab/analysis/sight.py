"""Who may see whom: the masks of the three kinds of transformer, and what a run really hid.

A table is bool [Q, S], True where the token at q may look at the one at k. Of an encoder-decoder
the n tokens that are read and the m that are written stand on one axis [n + m]: what is read sees
what is read (the encoder), what is written sees all that is read (cross-attention) and what was
written before it (the decoder). That is the mask of a prefix language model with a prefix of n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from attnlab.attention.masks import Bidirectional, Causal, Predicate, Prefix
from attnlab.trace.capture import Capture

KINDS = ("encoder", "decoder", "encoder-decoder")


def table(kind: str, read: int, written: int = 0) -> Tensor:
    """The mask of a kind of transformer, bool [n, n]; of an encoder-decoder [n + m, n + m].

    Raises:
        KeyError: no such kind.
    """
    predicates: dict[str, Predicate] = {
        "encoder": Bidirectional(),
        "decoder": Causal(),
        "encoder-decoder": Prefix(read),
    }
    count = read + written if kind == "encoder-decoder" else read
    index = torch.arange(count)
    return predicates[kind](index[:, None], index[None])


def measured(
    runner: Any, ids: Sequence[int], target: Sequence[int] | None = None, **options: Any
) -> dict[int, Tensor]:
    """What a model's own attention left visible on a text, by layer, in the form of ``table``.

    Read off the scores after masking: what is −∞ was hidden. A layer counts as seeing what one of
    its heads sees. Of an encoder-decoder a layer is put together of the encoder's, the decoder's
    and the cross-attention of that number; layers that only one of them has are left out.

    Args:
        options: of the run: progress, cancel.

    Raises:
        AttnLabError: the model does not show its scores, or cannot take the text.
    """
    capture = Capture("masked")
    trace = runner.run(ids, target=target, capture=(capture,), logits=None, **options)
    seen = {
        role: {layer: _seen(kept.tensor) for layer, kept in layers.items()}
        for (stage, role), layers in trace.values.items()
        if stage == "masked"
    }
    if len(seen) == 1:
        return next(iter(seen.values()))
    everywhere = set.intersection(*(set(layers) for layers in seen.values()))
    return {
        layer: _joined(*(seen[role][layer] for role in ("encoder", "cross", "decoder")))
        for layer in sorted(everywhere)
    }


def _seen(masked: Tensor) -> Tensor:
    """bool [Q, S] of scores [H, Q, S]."""
    return (masked > -torch.inf).any(0)


def _joined(encoder: Tensor, cross: Tensor, decoder: Tensor) -> Tensor:
    """The three tables [n, n], [m, n], [m, m] of an encoder-decoder as one."""
    above = torch.cat([encoder, torch.zeros_like(cross).T], -1)
    return torch.cat([above, torch.cat([cross, decoder], -1)])


def kind_of(seen: Tensor, read: int) -> str:
    """Which kind of transformer has exactly this mask on `read` tokens; "" where none has it, or
    more than one: a single token cannot tell."""
    written = len(seen) - read
    kinds = KINDS[2:] if written else KINDS[:2]
    fits = [kind for kind in kinds if torch.equal(seen, table(kind, read, written))]
    return fits[0] if len(fits) == 1 else ""
