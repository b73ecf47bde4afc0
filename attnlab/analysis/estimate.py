"""What a backward pass says of every variant at once, before any of them is run.

Attribution patching (Nanda 2023; Syed, Rager & Conmy 2023, "Attribution Patching Outperforms
Automated Circuit Discovery"). An edit moves some activations by δ; one forward and one backward
give the metric's gradient g there, and the effect is about g · δ: for zeroing −z · g, for a mean or
another text's output (donor − z) · g.

Where a metric compares two runs it is least, 0, at the plain one: the first-order change of a KL
divergence is identically zero. There the second order counts:

    KL ≈ ½ Σ_y p_y (g_y · δ)²,  g_y the gradient of log p_y, y the likeliest ``k`` tokens
    1 − cos(v, v + Δ) ≈ ½ |Δ⊥|² / |v|², |Δ⊥|² from ``k`` random directions (Hutchinson 1990)

Both are estimates. They order heads well and miss what the model does far from where it is:
compare with ``sweep``, which is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.analysis.metrics import KL, CosineDistance, Metric, default_metric, require_metric
from attnlab.analysis.sweep import MakeEdit, edits_of, frame_of, maker, units_of
from attnlab.attention import Where
from attnlab.errors import Cancelled, EditRefused, InputError, TextTooLong
from attnlab.trace.capture import STREAM_STAGES, Capture
from attnlab.trace.edits import Bound, Edit
from attnlab.trace.run import Cancel, changed
from attnlab.trace.runner import Runner
from attnlab.trace.site import Block, Head, Site
from attnlab.trace.trace import Trace, at_least_one

MOST_TOKENS: Final = 512
"""Of a text: the graph of SmolLM2 takes 1.1 GiB there, and 5 s on one thread."""
_STAGES: Final = frozenset({"q", "z", *STREAM_STAGES})
_TOKENS: Final = 1024
"""Tokens times directions that go backward together."""
_LIKELIEST: Final = {128: 16, MOST_TOKENS: 4}
"""How many tokens KL's estimate goes by, up to how long a text: rank correlation with the exact
effects of SmolLM2's heads 0.97 with 16 and 0.88 with 4, which take 1 s at 13 tokens and 8 s at 512.
"""
_DIRECTIONS: Final = 64

Key = tuple[str, str, int]
"""Stage, role, layer."""


@dataclass(frozen=True)
class Estimated:
    """The estimates of ``estimated``, [N], in the unit and sign of ``grown``'s values.

    ``order``: 1, or 2 with ``k`` tokens or directions.
    """

    values: Float[Tensor, " N"]
    metric: Metric
    plain: Trace
    order: int
    k: int


def estimated(
    runner: Runner,
    text: Any,
    variants: Sequence[Edit | Sequence[Edit]],
    metric: Metric,
    *,
    target: Any = None,
    edits: Sequence[Edit] = (),
    k: int | None = None,
    cancel: Cancel | None = None,
) -> Estimated:
    """About what each variant does, from one forward and one backward pass (or k of them).

    Args:
        variants: the edits of each, of what heads hand on (z), of queries, or of the stream.
        metric: one number a run: no metric by position.
        edits: act in the plain run too.
        k: the likeliest tokens of KL (where None 16, and 4 above 128 tokens); the random directions
            of a cosine distance, 64. Signed metrics need one pass.

    Raises:
        InputError: the metric has a number for each position, or no gradient reaches an edit.
        TextTooLong: more than MOST_TOKENS tokens.
        EditRefused: an edit of a stage where no gradient is kept.
    """
    metric = require_metric(metric).resolved(runner)
    k = k if k is None else at_least_one(k)
    growth = runner.growing(text, variants, target=target, edits=edits, cancel=cancel)
    reached = [_by_place(runner, bounds) for bounds in growth.bounds]
    keys = dict.fromkeys(place for own in reached for place in own)
    options = metric.asks | {"edits": edits, "cancel": cancel}
    options |= {} if target is None else {"target": target}
    plain = _with_graph(runner, text, list(keys), options)
    metric = metric.settled(plain)
    seeds, weights = _seeds(metric, plain, k)
    moves = [[_move(*place, own[place], plain) for place in own] for own in reached]
    values = torch.zeros(len(variants), len(seeds), dtype=torch.float64)
    for chunk in torch.arange(len(seeds)).split(max(1, _TOKENS // _length(plain))):
        if cancel is not None and cancel.is_set():
            raise Cancelled("Cancelled; the model is as it was.")
        slopes = _slopes(seeds[chunk], plain.graph)
        for at, own in enumerate(moves):
            for move in own:
                values[at, chunk] += move.along(slopes)
    first = metric.signed
    total = values[:, 0] if first else (values.square() * weights).sum(-1) / 2
    return Estimated(total, metric, plain, 1 if first else 2, len(seeds))


def _length(plain: Trace) -> int:
    return max(len(plain.tokens), len(plain.source_tokens), 1)


def _by_place(
    runner: Runner, bounds: Sequence[Bound]
) -> dict[tuple[str, Site | Block], tuple[Bound, ...]]:
    """The edits of one variant by what they change, in their order: the later sees the earlier."""
    found: dict[tuple[str, Site | Block], tuple[Bound, ...]] = {}
    for bound in bounds:
        place = _reached(runner, bound)
        found[place] = (*found.get(place, ()), bound)
    return found


def _reached(runner: Runner, bound: Bound) -> tuple[str, Site | Block]:
    """The stage and the place that an edit changes.

    Raises:
        EditRefused: several of them, or a stage whose gradient is not kept.
    """
    stages = bound.stages
    places = [p for p in (*runner.sites, *runner.blocks) if bound.reaches(p)]
    if len(stages) != 1 or not stages <= _STAGES or len(places) != 1:
        raise EditRefused(
            f"There is no estimate of {bound.edit}, which changes {', '.join(sorted(stages))} in "
            f"{len(places)} places; there is of z, of queries and of the stream, in one place."
        )
    return next(iter(stages)), places[0]


def _with_graph(
    runner: Runner, text: Any, places: list[tuple[str, Site | Block]], options: dict[str, Any]
) -> Trace:
    """The plain run, its graph kept.

    Raises:
        TextTooLong: the graph would take too much memory.
    """
    both = (text, options.get("target"))
    # A target may be empty: then an encoder-decoder is asked for its first word.
    for one in (t for t in both if isinstance(t, Sized) and len(t) and not isinstance(t, Mapping)):
        count = len(runner.tokens(one)) if isinstance(one, str) else len(one)
        if count > MOST_TOKENS:
            raise TextTooLong(
                f"This is {count:,} tokens; effects are estimated up to {MOST_TOKENS}: run the "
                "sweep, which needs no graph."
            )
    layers: dict[tuple[str, str], set[int]] = {}
    for stage, place in places:
        layers.setdefault((stage, place.role), set()).add(place.layer)
    captures = [
        Capture(stage, layers=sorted(found), roles=role) for (stage, role), found in layers.items()
    ]
    own = tuple(options["capture"])
    return runner.run(text, **options | {"capture": (*own, *captures), "grad": True})


def _seeds(metric: Metric, plain: Trace, k: int | None) -> tuple[Tensor, Tensor]:
    """What goes backward, [J], in the graph; and the weight of each one's square."""
    if metric.signed:
        value = metric.value(plain)
        if value.dim():
            raise InputError(f"{metric.name} has a number for each position; name one.")
        return value[None], value.new_ones(1).detach()
    if isinstance(metric, KL) and metric.position is not None:
        log_p = plain.logits_at(metric.position).double().log_softmax(-1)
        fits = (count for longest, count in _LIKELIEST.items() if _length(plain) <= longest)
        usual = next(fits, 1)
        likeliest = log_p.detach().topk(min(k or usual, len(log_p)))
        return log_p[likeliest.indices], likeliest.values.exp()
    if isinstance(metric, CosineDistance) and metric.over != "each":
        vector = metric.vector(plain)
        still = vector.detach()
        draw = torch.Generator().manual_seed(0)
        size = (k or _DIRECTIONS, len(vector))
        random = torch.randn(size, generator=draw, dtype=torch.float64).to(vector)
        unit = still / still.norm()
        across = random - (random @ unit)[:, None] * unit
        seeds = across @ vector / still.norm()
        return seeds, seeds.new_full((len(seeds),), 1 / len(seeds)).detach()
    raise InputError(f"There is no estimate of {metric.name}; sweep gives the exact effects.")


@dataclass(frozen=True)
class _Move:
    """How far edits move a stage: ``by`` [h, Q, E] in some heads, or [Q, M]."""

    key: Key
    by: Tensor
    heads: list[int] | None

    def along(self, slopes: dict[Key, Tensor]) -> Tensor:
        """Gradient times move, for each direction [J]."""
        if self.key not in slopes or not self.by.numel():
            return torch.zeros((), dtype=torch.float64)
        own = slopes[self.key][:, 0]
        own = own if self.heads is None else own[:, self.heads]
        return (own * self.by).flatten(1).sum(-1).double().cpu()


def _move(stage: str, place: Site | Block, bounds: tuple[Bound, ...], plain: Trace) -> _Move:
    key = (stage, place.role, place.layer)
    tensor = plain.graph[key].detach()
    queries = range(tensor.shape[-2])
    where = Where(site=place, rows=range(1), queries=queries, query_index=queries)
    with torch.no_grad():
        by = (changed(stage, tensor, where, bounds) - tensor)[0]
    if isinstance(place, Block):
        return _Move(key, by, None)
    heads = by.flatten(1).any(-1).nonzero()[:, 0].tolist()
    return _Move(key, by[heads], heads)


def _slopes(seeds: Tensor, graph: dict[Key, Tensor]) -> dict[Key, Tensor]:
    """The gradients of several numbers at every kept tensor, [J, 1, …]: one pass for all.

    Raises:
        InputError: nothing that is edited leads to the metric.
    """
    if not seeds.requires_grad:
        raise InputError("No gradient leads from this metric to what is edited.")
    each = torch.eye(len(seeds), dtype=seeds.dtype, device=seeds.device)
    options = {"retain_graph": True, "allow_unused": True, "is_grads_batched": True}
    found = torch.autograd.grad(seeds, list(graph.values()), each, **options)
    return {key: slope for key, slope in zip(graph, found, strict=True) if slope is not None}


def estimate(
    runner: Runner,
    text: Any,
    edit: str | MakeEdit = "zero",
    metric: Metric | None = None,
    heads: Iterable[Head] | None = None,
    *,
    role: str | None = None,
    target: Any = None,
    donor: Any = None,
    donor_target: Any = None,
    at: Any = None,
    positions: int | Sequence[int] | None = None,
    feed_forward: bool = False,
    k: int | None = None,
    cancel: Cancel | None = None,
) -> pd.DataFrame:
    """About what ``sweep`` with the same arguments gives, the same rows in the same order.

    ``attrs`` say how: metric, unit, order and k. See ``estimated`` for k and what is raised.
    """
    make = maker(edit, donor=donor, donor_target=donor_target, at=at, positions=positions)
    units = units_of(runner, role, heads, feed_forward)
    variants = [edits_of(make, unit) for unit in units]
    chosen = default_metric(runner) if metric is None else metric
    found = estimated(runner, text, variants, chosen, target=target, k=k, cancel=cancel)
    frame = frame_of(units, found.values)
    frame.attrs = {
        "model": runner.name,
        "tier": runner.tier,
        "metric": found.metric.to_json(),
        "name": found.metric.name,
        "unit": found.metric.unit,
        "edit": edit if isinstance(edit, str) else "own",
        "how": "estimated",
        "order": found.order,
        "k": found.k,
    }
    return frame


def rank_correlation(a: Sequence[float], b: Sequence[float]) -> float:
    """Spearman's ρ of two lists of the same things, from −1 to 1; ties share their mean rank."""
    ranks = [pd.Series(list(map(float, x))).rank() for x in (a, b)]
    return float(ranks[0].corr(ranks[1]))
