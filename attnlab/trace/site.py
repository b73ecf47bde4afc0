"""Where things happen in a model: sites of attention, and the blocks around them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

ROLES = ("encoder", "decoder", "cross")
Head = tuple[int, int]
"""Layer and head, counted from 0 within a role."""


@dataclass(frozen=True)
class Site:
    """One place where attention is computed.

    ``layer`` counts from 0 within ``role``; ``path`` names the module, and may repeat where a
    model runs one module as several layers. ``out_proj`` names the module that reads z
    ([B, Q, H · E]), "" where the probe could not tell. ``scale`` is what the model
    passes, None where it could not be observed.
    """

    path: str
    role: str
    layer: int
    heads: int
    kv_heads: int
    key_size: int
    value_size: int
    scale: float | None
    causal: bool
    out_proj: str = ""

    @property
    def name(self) -> str:
        return f"{self.role} layer {self.layer}"


@dataclass(frozen=True)
class Block:
    """One layer of the residual stream.

    ``attn_out`` and ``mlp_out`` name the modules whose outputs, times their factors, are added to
    the stream ("" where the probe found none; ``cross_out`` for cross-attention). ``additive``:
    the probe saw that resid_pre plus these outputs equals resid_post.
    """

    path: str
    role: str
    layer: int
    attn_out: str = ""
    mlp_out: str = ""
    cross_out: str = ""
    factors: tuple[tuple[str, float], ...] = ()
    additive: bool = False

    def factor(self, path: str) -> float:
        return dict(self.factors).get(path, 1.0)


def layers_in(places: Iterable[Site | Block]) -> str:
    """ "0 to 29", or "1, 3" where some are missing: not every layer has attention."""
    numbers = sorted({place.layer for place in places})
    if len(numbers) > 1 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))
