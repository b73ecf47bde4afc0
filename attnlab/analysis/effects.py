"""What an edit does to a prediction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.errors import InputError
from attnlab.trace.edits import Edit
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.token import Token
from attnlab.trace.trace import at_least_one


def kl_divergence(p_logits: Float[Tensor, "*P V"], q_logits: Float[Tensor, "*P V"]) -> Tensor:
    """KL(p ‖ q) over the vocabulary, in nats, [*P]; computed in float64.

    How many nats one loses by predicting with q when p holds (Kullback & Leibler 1951). Rounding
    cannot make it negative.
    """
    p, q = p_logits.double().log_softmax(-1), q_logits.double().log_softmax(-1)
    # Impossible words cost nothing; a number that is none stays none.
    terms = torch.where(p == -math.inf, 0.0, p.exp() * (p - q))
    return terms.sum(-1).clamp(min=0)


@dataclass(frozen=True)
class Effect:
    """A prediction at one position, as trained and under edits.

    ``kl`` is KL(as trained ‖ edited) in nats. ``rows``: (token, probability before, after) for
    every token among the k likeliest of either, likeliest before first.
    """

    position: int
    kl: float
    before: list[tuple[Token, float]]
    after: list[tuple[Token, float]]
    rows: list[tuple[Token, float, float]]


def compare(
    runner: Runner,
    text: Any,
    edits: Edit | Sequence[Edit],
    position: int = -1,
    k: int = 5,
    *,
    target: Any = None,
    cancel: Cancel | None = None,
) -> Effect:
    """The prediction at a position with and without edits; one forward each.

    Raises:
        InputError: the model has no language-model head.
        EditError: the edits do not fit.
    """
    at_least_one(k)
    options = {"capture": (), "logits": (position,), "cancel": cancel}
    if target is not None:
        options["target"] = target
    plain = runner.run(text, **options)
    if plain.logits is None:
        raise InputError(f"{runner.name} has no language-model head, so it predicts no token.")
    edited = runner.run(text, edits=edits, **options)
    before, after = plain.logits_at(position), edited.logits_at(position)
    return Effect(
        position=plain.logit_positions[0],
        kl=float(kl_divergence(before, after)),
        before=plain.next_tokens(k, position),
        after=edited.next_tokens(k, position),
        rows=_rows(plain.tokens_of, before, after, k),
    )


def _rows(
    tokens_of: Any, before: Tensor, after: Tensor, k: int
) -> list[tuple[Token, float, float]]:
    p, q = before.double().softmax(-1), after.double().softmax(-1)
    k = min(k, len(p))
    ids = dict.fromkeys((*p.topk(k).indices.tolist(), *q.topk(k).indices.tolist()))
    ordered = sorted(ids, key=lambda i: -float(p[i]))
    tokens = tokens_of(ordered)
    return [(token, float(p[i]), float(q[i])) for token, i in zip(tokens, ordered, strict=True)]


@dataclass(frozen=True)
class Shift:
    """How far an edit moves an encoder's output: cosine distances (1 − cosine), from 0 to 2.

    ``tokens``: of each position's final vector, [Q]; ``mean``: of the mean over positions, which
    is what sentence encoders such as MiniLM compare.
    """

    tokens: Tensor
    mean: float


def shift(
    runner: Runner, text: Any, edits: Edit | Sequence[Edit], *, cancel: Cancel | None = None
) -> Shift:
    """The change of the final hidden states under edits.

    Raises:
        EditError: the edits do not fit.
    """
    options = {"capture": ("final",), "logits": None, "cancel": cancel}
    plain = runner.run(text, **options).final.double()
    edited = runner.run(text, edits=edits, **options).final.double()
    away = 1 - torch.cosine_similarity(plain, edited, dim=-1)
    return Shift(away.clamp(min=0), turned(plain.mean(0), edited.mean(0)))


def turned(before: Tensor, after: Tensor) -> float:
    """How far a vector has turned: 1 − cosine, from 0 to 2."""
    return float((1 - torch.cosine_similarity(before, after, dim=-1)).clamp(min=0))


def random_heads(
    runner: Runner, count: int, seed: int = 0, role: str | None = None
) -> list[tuple[int, int]]:
    """Distinct (layer, head) pairs drawn at random: the baseline for an ablated head."""
    role = role or runner.main_role
    heads = [(s.layer, h) for s in runner.sites if s.role == role for h in range(s.heads)]
    order = torch.randperm(len(heads), generator=torch.Generator().manual_seed(seed))
    return [heads[i] for i in order[:count].tolist()]
