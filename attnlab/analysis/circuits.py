"""What a head does to words by itself: its query-key and its output-value circuit.

    query-key      which word looks at which:    W_Q e_a · W_K e_b, scaled
    output-value   what a word that is looked at makes likelier:   W_U W_O W_V e_b

for the embeddings e of typed tokens (Elhage et al. 2021, "A Mathematical Framework for Transformer
Circuits", "Splitting attention head terms into circuits"). In the first layer that is what the head
computes. In a later one it is what it would compute if the layers before had added nothing: they
are skipped, the head's own norm is not. Positions are part of it: queries and keys stand as far
apart as is said, and what the model adds or turns by position is what it is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from attnlab.analysis.ending import ending_of, frozen, tolerance
from attnlab.analysis.outputs import output_of
from attnlab.attention import Where
from attnlab.errors import EditRefused, InputError, StageNotAvailable
from attnlab.trace.capture import Capture, whole
from attnlab.trace.edits import Bound, Edit
from attnlab.trace.edits.edit import site_at
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.site import Block, Site
from attnlab.trace.token import Token
from attnlab.trace.trace import Trace, at_least_one

_ROUNDING = 1e-3
_HALF_ROUNDING = 0.03
"""Of the largest score. Scores that differ from scale · q·k by no constant are bent by a cap."""


@dataclass(frozen=True)
class SkipTo(Edit):
    """A block reads what the first block of its stack reads: the layers between are skipped."""

    layer: int
    role: str
    kind: str = field(default="skip_to", init=False)

    @property
    def stages(self) -> frozenset[str]:
        return frozenset({"resid_pre"})

    def sites(self, runner: Any) -> list[Site | Block]:
        found = [b for b in runner.blocks if (b.role, b.layer) == (self.role, self.layer)]
        if not found:
            raise EditRefused(f"{runner.name} has no block {self.layer} in {self.role}.")
        return found

    def __str__(self) -> str:
        return "This circuit"

    def _first(self, runner: Any) -> int:
        return min(block.layer for block in runner.blocks if block.role == self.role)

    def needs(self, runner: Any) -> tuple[Capture, ...]:
        return (Capture("resid_pre", layers=self._first(runner), roles=self.role),)

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        (block,) = self.sites(runner)
        stream = donor.role(self.role).resid_pre[self._first(runner)]

        def change(stage: str, tensor: Tensor, where: Where) -> Tensor:
            changed = tensor.clone()
            changed[:, : len(stream)] = stream.to(tensor)
            return changed

        return Bound(self, self.stages, lambda place: place == block, change)


@dataclass(frozen=True)
class QueryKey:
    """Who looks at whom.

    Attributes:
        site, head: the head.
        tokens: the typed ones, n.
        distance: how many positions the query stands after the key; negative: before it.
        scores: [n, n], query by key, scaled, what the model adds by position included: what enters
            the softmax.
        bias: what was added by position, the same for all pairs.
        bent: the model bends its scores (a soft cap), so these are the numbers before.
    """

    site: Site
    head: int
    tokens: tuple[Token, ...]
    distance: int
    scores: Tensor
    bias: float
    bent: bool


@dataclass(frozen=True)
class OutputValue:
    """What each token makes likelier, where the head looks at it.

    Attributes:
        site, head: the head.
        tokens: the typed ones, n.
        logits: [n, n], looked at by promoted: what a weight of 1 adds to a logit directly.
        scale: the size at which the last norm was frozen.
        top: of each token, the tokens of the whole vocabulary that it adds most to, and how much.
    """

    site: Site
    head: int
    tokens: tuple[Token, ...]
    logits: Tensor
    scale: float
    top: tuple[tuple[tuple[Token, float], ...], ...]

    @property
    def copying(self) -> float:
        """Σ λ / Σ |λ| over the eigenvalues of ``logits``: near 1 where each token makes itself
        likelier (Elhage et al. 2021, "Summarizing OV/QK matrices"), negative where less likely."""
        values = torch.linalg.eigvals(self.logits.double())
        total = float(values.abs().sum())
        return float(values.real.sum()) / total if total else 0.0


def query_key(
    runner: Runner,
    layer: int,
    head: int,
    tokens: str | Sequence[int],
    *,
    distance: int = 1,
    role: str | None = None,
    cancel: Cancel | None = None,
) -> QueryKey:
    """The query-key circuit of a head for typed tokens (without special ones) or ids.

    One short text for each token, made of it alone: of text t the query is taken at one end, the
    key at the other, so rotations and biases are those of the distance.

    Raises:
        InputError: no token, a distance that the mask hides, or cross-attention.
        EditRefused: no such head, or no stream to skip layers in.
        StageNotAvailable: the model does not show queries and keys.
    """
    ids, site = _tokens(runner, tokens), _site(runner, layer, head, role)
    distance = whole("distance", distance, InputError)
    length, start = abs(distance) + 1, int(_written(runner, site))
    query, key = (length - 1, 0) if distance >= 0 else (0, length - 1)
    query, key = query + start, key + start
    kept = [Capture("q", layers=layer, heads=head, roles=site.role)]
    kept += [Capture("k", layers=layer, heads=_shared(site, head), roles=site.role)]
    kept += [Capture("masked", layers=layer, heads=head, roles=site.role, queries=query)]
    traces = _alone(runner, ids, length, site, kept, cancel)
    seen = [trace.role(site.role) for trace in traces]
    q = torch.stack([one.q[layer, head][query] for one in seen]).double()
    k = torch.stack([one.k[layer, _shared(site, head)][key] for one in seen]).double()
    own = torch.stack([one.masked[layer, head][0, key] for one in seen]).double()
    if bool(own.isinf().all()):
        far = f"{abs(distance)} {'before' if distance >= 0 else 'after'} it"
        raise InputError(f"The mask of {site.name} hides from each token the one {far}.")
    scores = q @ k.T * site.scale
    bias, bent = _by_position(own - scores.diagonal(), scores, traces[0].how.get("dtype"))
    shown = tuple(_named(traces))
    return QueryKey(site, head, shown, distance, (scores + bias).float(), bias, bent)


def output_value(
    runner: Runner,
    layer: int,
    head: int,
    tokens: str | Sequence[int],
    *,
    k: int = 5,
    role: str | None = None,
    cancel: Cancel | None = None,
) -> OutputValue:
    """The output-value circuit of a head for typed tokens (without special ones) or ids.

    The last norm's size is frozen at that after the last of the tokens, in a plain run of them; a
    norm between the head and the stream (Gemma 2) is left out.

    Raises:
        InputError: no token, or cross-attention.
        EditRefused: no such head, or no stream to skip layers in.
        StageNotAvailable: the model does not show values, or what follows its heads or its last
            block is not known.
    """
    ids, site = _tokens(runner, tokens), _site(runner, layer, head, role)
    plain = runner.run(ids, capture=("resid_post", "final"), logits="last", cancel=cancel)
    ending, stream = ending_of(runner, plain), plain.role(runner.main_role).resid_post
    last = stream[max(stream.layers)][-1]
    norm = None if ending is None else frozen(ending.norm, last, tolerance(ending.head))
    if ending is None or norm is None or site.role != runner.main_role:
        raise StageNotAvailable(
            f"What {runner.name} makes of its last block is more than a norm and a matrix, so what "
            "a head adds to a logit is not known."
        )
    kept = [Capture("v", layers=layer, heads=_shared(site, head), roles=site.role)]
    traces = _alone(runner, ids, 1, site, kept, cancel)
    v = torch.stack([one.role(site.role).v[layer, _shared(site, head)][-1] for one in traces])
    moved = norm.linear(output_of(runner, site).of_head(head, v))
    numbers = ending.added(moved)
    best = numbers.topk(min(at_least_one(k), numbers.shape[-1]))
    promoted = traces[0].tokens_of(best.indices.flatten().tolist())
    width = best.indices.shape[-1]
    pairs = list(zip(promoted, best.values.flatten().tolist(), strict=True))
    top = tuple(tuple(pairs[i : i + width]) for i in range(0, len(pairs), width))
    logits = numbers[:, ids]
    return OutputValue(site, head, tuple(_named(traces)), logits, norm.scale, top)


def _by_position(added: Tensor, scores: Tensor, dtype: str | None) -> tuple[float, bool]:
    """What is added to every score alike, and whether the model bends its scores."""
    largest = max(1.0, float(scores.abs().max()))
    bias = float(added.median())
    spread = float((added - bias).abs().max())
    close = _HALF_ROUNDING if dtype in ("bfloat16", "float16") else _ROUNDING
    if spread > close * largest:
        return 0.0, True
    return (0.0 if abs(bias) <= 2 * spread + 1e-6 * largest else bias), False


def _tokens(runner: Runner, tokens: str | Sequence[int]) -> list[int]:
    given = tokens
    if isinstance(tokens, str):
        given = [token.id for token in runner.tokens(tokens) if not token.special]
    if not len(given):
        raise InputError("A circuit is shown for typed tokens; type at least one word.")
    return list(dict.fromkeys(given))


def _site(runner: Runner, layer: int, head: int, role: str | None) -> Site:
    if role == "cross":
        raise InputError(
            "Cross-attention reads what the encoder made of a source, so it has no circuit of "
            "embeddings alone."
        )
    return site_at(SkipTo(layer, role or runner.main_role), layer, head, role, runner)


def _shared(site: Site, head: int) -> int:
    """The key/value head that a query head reads."""
    return head * site.kv_heads // site.heads


def _written(runner: Runner, site: Site) -> bool:
    """Whether the site reads what an encoder-decoder writes, which begins with a start token."""
    return site.role == "decoder" and any(one.role == "cross" for one in runner.sites)


def _alone(
    runner: Runner,
    ids: list[int],
    length: int,
    site: Site,
    kept: list[Capture],
    cancel: Cancel | None,
) -> list[Trace]:
    """A text for each token, made of it alone, the layers before the site skipped."""
    options: dict[str, Any] = {"edits": SkipTo(site.layer, site.role), "cancel": cancel}
    texts = [[token] * length for token in ids]
    if _written(runner, site):
        options["targets"] = texts
    return runner.run_many(texts, capture=kept, logits=None, **options)


def _named(traces: Sequence[Trace]) -> list[Token]:
    return [trace.tokens_of([trace.source_tokens[0].id])[0] for trace in traces]
