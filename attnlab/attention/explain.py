"""The attention function with every stage kept, whole: what a student reads number by number."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from attnlab.attention.attend import attend
from attnlab.attention.mask import Mask
from attnlab.attention.stages import Where


@dataclass(frozen=True)
class Explanation:
    """Every stage of one call, whole: scores, scaled, masked, weights [B, H, Q, S]; z [B, H, Q, E].

    ``masked`` holds −∞ at hidden keys.
    """

    scores: Tensor
    scaled: Tensor
    masked: Tensor
    weights: Tensor
    z: Tensor


def explain(
    q: Tensor, k: Tensor, v: Tensor, mask: Mask | Tensor | None = None, **options: object
) -> Explanation:
    """``attend``, with every stage kept. Same arguments, same numbers, same errors."""
    kept: dict[str, Tensor] = {}

    def keep(stage: str, tensor: Tensor, where: Where) -> Tensor:
        kept[stage] = tensor.clone()
        return tensor

    keep.whole_rows = True
    z = attend(q, k, v, mask, at=keep, tile=q.shape[2], **options)
    return Explanation(kept["scores"], kept["scaled"], kept["masked"], kept["weights"], z)
