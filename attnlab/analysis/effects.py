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
from attnlab.trace.trace import Trace, at_least_one

BATCH_TOKENS = 512
"""Tokens run at once: larger batches are no faster on a CPU, and cannot be cancelled in between."""


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
    before: Float[Tensor, " V"] | None = None,
    cancel: Cancel | None = None,
) -> Effect:
    """The prediction at a position with and without edits.

    Args:
        before: the logits of a plain run at this position, where they are known already.

    Raises:
        InputError: the model has no language-model head.
        EditError: the edits do not fit.
    """
    at_least_one(k)
    options = {"capture": (), "logits": (position,), "cancel": cancel}
    if before is None:
        plain, edited = _both(runner, text, target, edits, options)
    else:
        plain, edited = None, _one(runner, text, target, edits=edits, **options)
    if edited.logits is None:
        raise InputError(f"{runner.name} has no language-model head, so it predicts no token.")
    before = plain.logits_at(position) if plain else before
    after = edited.logits_at(position)
    return Effect(
        position=edited.logit_positions[0],
        kl=float(kl_divergence(before, after)),
        before=_likeliest(edited.tokens_of, before, k),
        after=_likeliest(edited.tokens_of, after, k),
        rows=_rows(edited.tokens_of, before, after, k),
    )


def _both(
    runner: Runner, text: Any, target: Any, edits: Edit | Sequence[Edit], options: dict[str, Any]
) -> tuple[Trace, Trace]:
    """A plain run and an edited one: two rows of one batch, which on short texts cost what one
    does, because reading the weights takes longer than multiplying with them."""
    given = isinstance(text, str | Sequence | Tensor)
    if not given or 2 * length_of(runner, text) > BATCH_TOKENS:
        plain = _one(runner, text, target, **options)
        return plain, _one(runner, text, target, edits=edits, **options)
    goals = None if target is None else [target] * 2
    return tuple(runner.run_many([text] * 2, targets=goals, each=[(), edits], **options))


def _one(runner: Runner, text: Any, target: Any, **options: Any) -> Trace:
    return runner.run(text, **options, **({} if target is None else {"target": target}))


def length_of(runner: Runner, text: Any) -> int:
    """The tokens of a text, or of token ids."""
    return len(runner.tokens(text)) if isinstance(text, str) else len(text)


def _likeliest(tokens_of: Any, logits: Tensor, k: int) -> list[tuple[Token, float]]:
    top = logits.double().softmax(-1).topk(min(k, len(logits)))
    return list(zip(tokens_of(top.indices.tolist()), top.values.tolist(), strict=True))


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
    plain, edited = (t.final.double() for t in _both(runner, text, None, edits, options))
    away = 1 - torch.cosine_similarity(plain, edited, dim=-1)
    return Shift(away.clamp(min=0), turned(plain.mean(0), edited.mean(0)))


def turned(before: Tensor, after: Tensor) -> float:
    """How far a vector has turned: 1 − cosine, from 0 to 2."""
    return float((1 - torch.cosine_similarity(before, after, dim=-1)).clamp(min=0))
