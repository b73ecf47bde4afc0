"""Learned absolute positions (Gehring et al. 2017, "Convolutional Sequence to Sequence Learning",
section 3.1; GPT-2, BERT).

    x[pos] + table[pos + offset]

One vector for each position, learned like a word's. A position that training never reached has no
vector, so such a model has a longest text.
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Float, Int
from torch import Tensor, nn

from attnlab.attention.checks import require_whole
from attnlab.attention.positions.scheme import PositionModule, Scheme
from attnlab.errors import TextTooLong


@dataclass(frozen=True)
class Learned(Scheme):
    """A table of vectors, added to the embeddings.

    ``longest`` counts the positions that a text may use. ``offset`` rows come before the first of
    them (RoBERTa and OPT keep 2, a relic of padding), so the table has longest + offset rows.

    Raises ValueError for no position, or a negative offset.
    """

    longest: int
    offset: int = 0

    def __post_init__(self) -> None:
        require_whole(longest=self.longest)
        require_whole(0, offset=self.offset)

    def build(
        self, *, width: int, heads: int, key_size: int, bidirectional: bool
    ) -> PositionModule:
        return _Table(width, self.longest, self.offset)


class _Table(PositionModule):
    def __init__(self, width: int, longest: int, offset: int) -> None:
        super().__init__()
        self.longest, self.offset = longest, offset
        self.table = nn.Embedding(longest + offset, width)

    def embed(self, x: Float[Tensor, "B n M"], positions: Int[Tensor, "#B n"]) -> Tensor:
        """Raises TextTooLong at a position that has no vector."""
        last = int(positions.max())
        if last >= self.longest:
            raise TextTooLong(
                f"The text needs {last + 1} positions, and this model learned {self.longest}."
            )
        return x + self.table(positions + self.offset)
