"""What a positional scheme is: a small frozen value, and the module that it builds.

Attention by itself sees a set: permute the tokens and the outputs are permuted, nothing more. A
recurrent network gets the order for free. Each scheme gives it back to attention in one of three
places, and leaves the other two alone:

    added to the embeddings      x + p             ``embed``     Sinusoidal, Learned
    turning queries and keys     R(m) q, R(n) k    ``rotation``  Rope
    added to the scaled scores   q·k + b(m, n)     ``bias``      Alibi, RelativeBuckets

Positions are absolute (0 is the first token of the text), so that one new token whose forerunners
are kept in a cache gets what it would get in the whole text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Scheme(ABC):
    """A positional scheme as a value: frozen, comparable, made of plain numbers only.

    ``dataclasses.asdict`` turns one into JSON. It holds no tensors: ``build`` makes those.
    """

    @abstractmethod
    def build(
        self, *, width: int, heads: int, key_size: int, bidirectional: bool
    ) -> PositionModule:
        """The module for one stack of layers, which all its layers share.

        Args:
            width: M, the size of an embedding.
            heads: H, query heads.
            key_size: D, the size of one head's queries and keys.
            bidirectional: whether a query may see later keys (an encoder).
        """


class PositionModule(nn.Module):
    """The three places where order can enter. Each does nothing unless a scheme says otherwise.

    A scheme with weights keeps them in ``table``, an ``nn.Embedding``. There is no other state:
    whatever can be computed is, in enough precision, so that a model in half precision turns its
    queries by the right angles.
    """

    rotates = False
    """Whether queries and keys turn: then each exists before and after."""

    def embed(self, x: Float[Tensor, "B n M"], positions: Int[Tensor, "#B n"]) -> Tensor:
        """The embeddings, with what says where each token stands. [B, n, M]"""
        return x

    def rotation(
        self, positions: Int[Tensor, "#B n"], dtype: torch.dtype
    ) -> Callable[[Tensor], Tensor] | None:
        """The turn at these positions, for queries or keys of this type; None where none turns."""
        return None

    def rotate(self, x: Float[Tensor, "B h n D"], positions: Int[Tensor, "#B n"]) -> Tensor:
        """Queries or keys, each turned by its position. [B, h, n, D]"""
        turn = self.rotation(positions, x.dtype)
        return x if turn is None else turn(x)

    def bias(
        self,
        queries: Int[Tensor, "#B Q"],
        keys: Int[Tensor, "#B S"],
        dtype: torch.dtype = torch.float32,
    ) -> Tensor | None:
        """What is added to the scaled scores [#B, H, Q, S], or None for nothing.

        A bias that is computed comes in ``dtype``, float32 at least; a learned one in the type of
        its table.
        """
        return None
