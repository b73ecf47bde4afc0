"""Numbers of the Positions page as arrays: waves, turns, slopes, buckets, and a model's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch

from attnlab.analysis import distance, permuted, waves
from attnlab.attention.positions import Alibi, RelativeBuckets, Rope
from attnlab.attention.positions.alibi import slopes
from attnlab.attention.positions.relative import bucket
from attnlab.ui import work
from attnlab.ui.engine.edited import spelled
from attnlab.ui.engine.keys import LabKey
from attnlab.ui.engine.model import Reader

LIKENESS_ROWS = 96
"""Positions whose vectors are compared with one another, evenly chosen where there are more."""


def encoding(first: int, count: int, width: int, base: int) -> np.ndarray:
    """[count, M] sinusoidal vectors of positions ``first`` and on, −1 to 1."""
    return waves.encoding(torch.arange(first, first + count), width, base).numpy()


def turn_errors(width: int, base: int, by: int, count: int) -> tuple[float, float]:
    """The largest |R(k) p[pos] − p[pos + k]|, in float64 and float32."""
    kinds = (torch.float64, torch.float32)
    return tuple(waves.turn_error(width, base, by, count, dtype) for dtype in kinds)


def angles(size: int, base: int, position: int) -> np.ndarray:
    """[pairs] radians by which each pair of ``size`` coordinates has turned, the fastest first."""
    module = Rope(base).build(width=size, heads=1, key_size=size, bidirectional=False)
    return module.angles(torch.tensor([position]), torch.float64)[0].numpy()


def speeds(size: int, base: int) -> np.ndarray:
    """[pairs] radians a token."""
    return Rope(base).frequencies(size, torch.float64).numpy()


def moved_scores(
    size: int, base: int, query: int, key: int, shifts: Sequence[int]
) -> tuple[list[float], float]:
    """The score of one pair of vectors, both moved on by each of ``shifts``; and their spread."""
    q, k = distance.pair("apart", size)
    # Who stands later is the one that is moved from the other; the score does not mind which.
    later, earlier = (q, k) if key <= query else (k, q)
    starts = [min(query, key) + shift for shift in shifts]
    found = distance.against(later, earlier, Rope(base), starts, [abs(query - key)])
    return found.scores[:, 0].tolist(), found.spread


SHARES: Final = (0.5, 0.9)


def alibi(
    heads: int, length: int
) -> tuple[list[float], np.ndarray, np.ndarray, list[tuple[int, int]]]:
    """Slopes; biases [H, length] by distance; what even scores then become [H, length]; and within
    how many tokens SHARES of that lie."""
    module = Alibi().build(width=heads, heads=heads, key_size=1, bidirectional=False)
    at = torch.arange(length)[None]
    bias = module.bias(at[:, -1:], at, torch.float64)[0, :, 0].flip(-1)
    weights = distance.even(bias)
    spans = list(zip(*(distance.within(weights, share) for share in SHARES), strict=True))
    return slopes(heads), bias.numpy(), weights.numpy(), spans


def buckets_of(buckets: int, farthest: int, both: bool, length: int) -> tuple[list[int], list[int]]:
    """How far ahead a key stands, and its bucket; only the past where not ``both``.

    Raises:
        ValueError: so many buckets and distances leave no room for one another.
    """
    RelativeBuckets(buckets, farthest).build(width=1, heads=1, key_size=1, bidirectional=both)
    ahead = torch.arange(-length, length + 1 if both else 1)
    return ahead.tolist(), bucket(ahead, buckets, farthest, both).tolist()


@dataclass(frozen=True)
class OwnKey:
    """What one model learned about positions."""

    lab: LabKey
    role: str
    what: str


@dataclass(frozen=True)
class LearnedTable:
    """A table of position vectors [longest, M]: how long each is, and how alike some are.

    ``chosen``: the positions that ``likeness`` [n, n] compares.
    """

    longest: int
    width: int
    lengths: np.ndarray
    chosen: tuple[int, ...]
    likeness: np.ndarray
    vectors: np.ndarray


def learned_table(reader: Reader) -> LearnedTable | None:
    """The table of positions that the model learned; None where it has none."""

    def run(job: Any) -> tuple[LearnedTable | None]:
        from attnlab.pretrained.order.values import table_of

        table = table_of(reader.lab, reader.role)
        return (None if table is None else _table(table.double()),)

    key = OwnKey(reader.key, reader.role, "table")
    words = "Reading the table of positions"
    return work.perform(key, words, run, work.stores().effects, stoppable=False)[0]


def _table(table: torch.Tensor) -> LearnedTable:
    chosen = torch.arange(0, len(table), -(-len(table) // LIKENESS_ROWS))
    return LearnedTable(
        len(table),
        table.shape[1],
        table.norm(dim=-1).numpy(),
        tuple(chosen.tolist()),
        waves.likeness(table[chosen]).numpy(),
        table[:64, :64].numpy(),
    )


def learned_bias(reader: Reader, length: int) -> np.ndarray | None:
    """[H, 2 · length + 1] what each head adds at each distance, −length to length, not finite where
    a mask hides the key; None where the model adds nothing."""

    def run(job: Any) -> tuple[np.ndarray | None]:
        from attnlab.pretrained.order.values import bias_of

        bias = bias_of(reader.lab, length + 1, reader.role)
        if bias is None:
            return (None,)
        # Distances before the last query, then after the first.
        past, ahead = bias[:, -1, :-1], bias[:, 0]
        return (torch.cat([past, ahead], -1).double().numpy(),)

    key = OwnKey(reader.key, reader.role, f"bias {length}")
    words = "Reading what is added for distance"
    return work.perform(key, words, run, work.stores().effects, stoppable=False)[0]


def ours_permuted(words: Sequence[str], order: Sequence[int], case: str) -> permuted.Change:
    """See :func:`attnlab.analysis.permuted.ours`."""
    return permuted.ours(words, order, case)


def places_of(order: str, count: int, fixed: Sequence[int], seed: int = 0) -> list[int]:
    """See :func:`attnlab.analysis.permuted.ordered`."""
    return permuted.ordered(order, count, fixed, seed)


@dataclass(frozen=True)
class OrderKey:
    """Tokens in another order, under edits."""

    lab: LabKey
    role: str
    ids: tuple[int, ...]
    order: tuple[int, ...]
    edits: str


def permuted_in(
    reader: Reader, ids: Sequence[int], order: Sequence[int], edits: Sequence[Any]
) -> permuted.Change:
    """What becomes of each token's vector in the loaded model when the tokens change places.

    Raises:
        AttnLabError: the model cannot take an edit, or the work was stopped.
    """
    key = OrderKey(reader.key, reader.role, tuple(ids), tuple(order), spelled(edits))

    def run(job: Any) -> permuted.Change:
        target = [] if reader.writes else None
        options = {"target": target, "cancel": job.cancel}
        return permuted.model(reader.lab, key.ids, key.order, edits, reader.role, **options)

    return work.perform(key, "Reading it in both orders", run, work.stores().effects)


def distances(
    vectors: str, size: int, base: int, starts: Sequence[int], length: int
) -> tuple[list[list[float]], float, float]:
    """Scores against distance 0..length at each start, and their spread in float64 and float32."""
    q, k = distance.pair(vectors, size)
    far = range(length + 1)
    exact = distance.against(q, k, Rope(base), starts, far)
    rough = distance.against(q, k, Rope(base), starts, far, torch.float32)
    return exact.scores.tolist(), exact.spread, rough.spread


def scaled(
    vectors: str, size: int, base: int, scaling: str, factor: int, trained: int, length: int
) -> list[float]:
    """Scores against distance 0..length, the frequencies changed."""
    q, k = distance.pair(vectors, size)
    scheme = Rope(base, scaling=distance.scaling_of(scaling, factor, trained))
    return distance.against(q, k, scheme, [0], range(length + 1)).scores[0].tolist()


def turned(
    size: int, base: int, scaling: str, factor: int, trained: int, length: int
) -> tuple[list[float], list[float], list[bool]]:
    """Turns of each pair over ``trained`` tokens as trained, over ``length`` with the scaling, and
    whether it then reaches angles that training never showed."""
    scheme = Rope(base, scaling=distance.scaling_of(scaling, factor, trained))
    new = distance.unseen(scheme, size, trained, length)
    then = distance.turns(Rope(base), size, trained)
    return then.tolist(), distance.turns(scheme, size, length).tolist(), new.tolist()
