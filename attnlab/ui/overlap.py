"""Two long texts of different lengths: the tokens that correspond, and how many do not.

Up to `engine.WHOLE_TOKENS` every cell of both maps is known. Beyond it the maps are reduced, and
cell by cell they correspond only where the lengths agree; otherwise the texts are read again, at
the positions that correspond and nowhere else.
"""

from dataclasses import dataclass
from typing import Any

from attnlab.ui import engine
from attnlab.viz.align import first_difference, pairs

Pairs = list[tuple[int, int]]


@dataclass(frozen=True)
class Overlap:
    """What two readings have in common.

    Attributes:
        rows, columns: the queries and the keys that correspond, as (position in A, in B).
        tokens: the queries among them, of A and of B.
        sources: the keys as `sources_a` and `sources_b`, in cross-attention only.
        start: the first of the rows that can differ in a causal model.
        left_out: how many tokens of A and of B have no counterpart.
    """

    rows: Pairs
    columns: Pairs
    tokens: tuple[tuple[Any, ...], tuple[Any, ...]]
    sources: dict[str, tuple[Any, ...]]
    start: int
    left_out: tuple[int, int]

    @property
    def shape(self) -> tuple[int, int]:
        """[q, s] of the maps that are compared."""
        most = engine.WHOLE_TOKENS
        return min(len(self.rows), most), min(len(self.columns), most)


def overlap(a: engine.Reading, b: engine.Reading, *, cross: bool) -> Overlap | None:
    """The common tokens of two readings; None where their maps can be compared as they are."""
    alike = len(a.tokens) == len(b.tokens) and len(a.sources) == len(b.sources)
    if alike or (a.whole and b.whole):
        return None
    rows = pairs(a.tokens, b.tokens)
    columns = pairs(a.sources, b.sources) if cross else rows
    if not rows or not columns:
        return None
    differs = first_difference(a.tokens, b.tokens)
    if differs is None:
        start = 0
    else:
        late = (at for at, (i, j) in enumerate(rows) if max(i, j) >= differs)
        start = next(late, len(rows))
    sources = {}
    if cross:
        sources["sources_a"] = tuple(a.sources[i] for i, _ in columns)
        sources["sources_b"] = tuple(b.sources[j] for _, j in columns)
    return Overlap(
        rows=rows,
        columns=columns,
        tokens=(tuple(a.tokens[i] for i, _ in rows), tuple(b.tokens[j] for _, j in rows)),
        sources=sources,
        start=start,
        left_out=(len(a.tokens) - len(rows), len(b.tokens) - len(rows)),
    )
