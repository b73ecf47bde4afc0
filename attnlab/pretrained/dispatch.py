"""Our attention function, registered with transformers under the name "attnlab".

Every family that dispatches through ``AttentionInterface`` then runs ``attnlab.attention.attend``
for each layer. Without a current run it computes attention and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from transformers import AttentionInterface
from transformers.masking_utils import AttentionMaskInterface, eager_mask

from attnlab.attention import attend
from attnlab.pretrained.order.bias import placed_bias
from attnlab.trace.run import Run, current_run
from attnlab.trace.site import Site
from attnlab.trace.visit import visitor_of, where_of

NAME = "attnlab"
_SITES = "_attnlab_sites"

recorder: ContextVar[Callable[[Call], None] | None] = ContextVar("attnlab_recorder", default=None)
"""During the probe: told of every call."""


@dataclass(frozen=True)
class Call:
    """One call of the attention function, as the probe sees it. ``z`` is [B, Q, H, E].

    A call that was only observed, at its softmax, has shapes without numbers (meta tensors).
    """

    module: nn.Module | None
    q: Tensor
    k: Tensor
    v: Tensor
    mask: Tensor | None
    causal: bool
    scale: float | None
    z: Tensor
    bias: Tensor | None = None


def set_sites(module: nn.Module, sites: tuple[Site, ...]) -> None:
    """Mark a module of the clone with the sites it computes: one, or several where it is called
    as several layers."""
    setattr(module, _SITES, sites)


def attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None = None,
    scaling: float | None = None,
    dropout: float = 0.0,
    is_causal: bool | None = None,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    sinks: Tensor | None = None,
    position_bias: Tensor | None = None,
    **_: object,
) -> tuple[Tensor, None]:
    """The signature that transformers calls; query [B, H, Q, D], key and value [B, K, S, ·].

    Returns z as [B, Q, H, E], and no weights: those are in the trace, where asked for.
    """
    run = current_run()
    causal = attention_mask is None and bool(
        getattr(module, "is_causal", True) if is_causal is None else is_causal
    )
    sinks = s_aux if sinks is None else sinks
    at = where = None
    bias = position_bias
    if run is not None:
        run.check()
        site = _site(module, run)
        if site is not None:
            where = where_of(site, run, query.shape[2], key.shape[2])
            at = visitor_of(run, site, query.shape[2], key.shape[2])
            bias = placed_bias(bias, run, site, where)
    z = attend(
        query,
        key,
        value,
        attention_mask if run is None else run.mask(attention_mask, causal, query, key),
        bias=bias,
        scale=scaling,
        softcap=softcap,
        sinks=None if sinks is None else sinks.flatten(),
        causal=causal,
        at=at,
        where=where,
        workspace=None if run is None else run.workspace,
    ).transpose(1, 2)
    if (record := recorder.get()) is not None:
        scale = float(query.shape[-1] ** -0.5 if scaling is None else scaling)
        seen = Call(module, query, key, value, attention_mask, causal, scale, z, position_bias)
        record(seen)
    return z.contiguous(), None


def _site(module: nn.Module, run: Run) -> Site | None:
    sites: tuple[Site, ...] = getattr(module, _SITES, ())
    if len(sites) < 2:
        return sites[0] if sites else None
    return sites[run.nth_call(sites[0].path) % len(sites)]


def register() -> None:
    """Make the name known to transformers. The mask is the additive one that eager takes."""
    AttentionInterface.register(NAME, attention)
    AttentionMaskInterface.register(NAME, eager_mask)


def same_values(a: Tensor, b: Tensor) -> bool:
    """Whether b holds a's numbers in a's order, whatever the shape."""
    return a.numel() == b.numel() and torch.equal(a.reshape(-1), b.reshape(-1))


register()
