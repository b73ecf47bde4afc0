"""No positions at all ("NoPE", Kazemnejad et al. 2023, "The Impact of Positional Encoding on Length
Generalization in Transformers").

    attention(permuted x) = permuted attention(x)

An encoder without positions reads a bag of words. A decoder does not: the causal mask lets each
token see how many came before it, from which later layers can recover an order.
"""

from __future__ import annotations

from dataclasses import dataclass

from attnlab.attention.positions.scheme import PositionModule, Scheme


@dataclass(frozen=True)
class NoPositions(Scheme):
    """Order enters nowhere, except through the mask."""

    def build(
        self, *, width: int, heads: int, key_size: int, bidirectional: bool
    ) -> PositionModule:
        return PositionModule()
