"""Metrics that read logits: those of the decoder, where there are two stacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import torch
from torch import Tensor

from attnlab.analysis.effects import kl_divergence
from attnlab.analysis.metrics.metric import Asks, Metric, at
from attnlab.errors import InputError
from attnlab.trace.given import whole
from attnlab.trace.runner import Runner
from attnlab.trace.trace import Trace

_ROWS = 4
"""Predictions compared at a time: their float64 numbers stay in the cache of a processor."""


class Predicted(Metric):
    """Base of those that look at the prediction at one position, or at each.

    ``what``: what of it, in words.
    """

    unit: ClassVar = "nats"
    what: ClassVar[str]
    position: int | None

    def __post_init__(self) -> None:
        position = whole("position", self.position, InputError)
        object.__setattr__(self, "position", position)

    @property
    def name(self) -> str:
        return f"{self.what} {at(self.position)}"

    @property
    def asks(self) -> Asks:
        return {"capture": (), "logits": "all" if self.position is None else (self.position,)}


@dataclass(frozen=True)
class KL(Predicted):
    """KL(as trained ‖ edited) of the prediction at ``position``; None: at each position."""

    what: ClassVar = "KL divergence"
    position: int | None = -1
    kind: str = field(default="kl", init=False)

    def __post_init__(self) -> None:
        if self.position is not None:
            super().__post_init__()

    def resolved(self, runner: Runner, text: Any = None, target: Any = None) -> Metric:
        return _with_head(self, runner)

    def of(self, plain: Trace, edited: Trace) -> Tensor:
        return self.of_each(plain, [edited])[0]

    def of_each(self, plain: Trace, edited: Sequence[Trace]) -> Tensor:
        if self.position is None:
            return torch.stack([kl_divergence(plain.logits, one.logits) for one in edited])
        p, rows = plain.logits_at(self.position)[None], range(0, len(edited), _ROWS)
        parts = [[one.logits_at(self.position) for one in edited[i : i + _ROWS]] for i in rows]
        return torch.cat([kl_divergence(p, torch.stack(part)) for part in parts])


@dataclass(frozen=True)
class LogProbability(Predicted):
    """Change of a token's log-probability at ``position``.

    ``token``: its id, or a word that is one token; None: the likeliest token of the plain run,
    which ``resolved`` fills in where it is given the text.
    """

    what: ClassVar = "log-probability"
    signed: ClassVar = True
    token: int | str | None = None
    position: int = -1
    kind: str = field(default="log_probability", init=False)

    def resolved(self, runner: Runner, text: Any = None, target: Any = None) -> Metric:
        _with_head(self, runner)
        if self.token is not None:
            return replace(self, token=token_id(runner, self.token))
        if text is None:
            return self
        more = {} if target is None else {"target": target}
        return self.settled(runner.run(text, **self.asks, **more))

    def settled(self, plain: Trace) -> Metric:
        if self.token is not None:
            return self
        return replace(self, token=int(plain.logits_at(self.position).argmax()))

    def value(self, trace: Trace) -> Tensor:
        if not isinstance(self.token, int):
            raise InputError(f"Which token is not settled yet: {self}; call resolved first.")
        log_p = trace.logits_at(self.position).double().log_softmax(-1)
        return log_p[in_vocabulary(self.token, log_p)]


@dataclass(frozen=True)
class LogitDifference(Predicted):
    """Change of logit(``answer``) − logit(``other``) at ``position``: ids, or words of one token.

    Both have the same normaliser, so it is the change of the log-odds too.
    """

    what: ClassVar = "logit difference"
    unit: ClassVar = "logits"
    signed: ClassVar = True
    answer: int | str
    other: int | str
    position: int = -1
    kind: str = field(default="logit_difference", init=False)

    def resolved(self, runner: Runner, text: Any = None, target: Any = None) -> Metric:
        _with_head(self, runner)
        ids = (token_id(runner, word) for word in (self.answer, self.other))
        return replace(self, **dict(zip(("answer", "other"), ids, strict=True)))

    def value(self, trace: Trace) -> Tensor:
        logits = trace.logits_at(self.position).double()
        answer, other = (in_vocabulary(token, logits) for token in (self.answer, self.other))
        return logits[answer] - logits[other]


@dataclass(frozen=True)
class Loss(Metric):
    """Change of −log p of the text's own next tokens: the mean, or ``each`` of them, [n − 1]."""

    signed: ClassVar = True
    each: bool = False
    kind: str = field(default="loss", init=False)

    @property
    def name(self) -> str:
        return "loss of each token" if self.each else "loss on the text"

    @property
    def unit(self) -> str:
        return "nats" if self.each else "nats a token"

    @property
    def asks(self) -> Asks:
        return {"capture": (), "logits": "loss"}

    def resolved(self, runner: Runner, text: Any = None, target: Any = None) -> Metric:
        if runner.head_kind not in ("causal", "seq2seq"):
            raise InputError(f"{runner.name} predicts no next token, so a text has no loss.")
        return self

    def value(self, trace: Trace) -> Tensor:
        losses = _losses(trace).double()
        if not len(losses):
            raise InputError("A text of one token has no next token, so it has no loss.")
        return losses if self.each else losses.mean()


def token_id(runner: Runner, token: int | str) -> int:
    """The id of a word that is one token, or an id as it is.

    Raises:
        InputError: the tokenizer splits it, or there is none.
    """
    if not isinstance(token, str):
        return whole("A token", token, InputError)
    if runner.tokenizer is None:
        raise InputError(f"{runner.name} was loaded without a tokenizer: name tokens by their ids.")
    ids = runner.tokenizer.encode(token, add_special_tokens=False)
    if len(ids) != 1:
        raise InputError(
            f"{token!r} is {len(ids)} tokens of {runner.name}; an answer is one token, and most "
            "begin with a space."
        )
    return ids[0]


def in_vocabulary(token: int | str, logits: Tensor) -> int:
    """An id as it is. Raises InputError where the model's logits [V] have none for it."""
    if not isinstance(token, int) or not 0 <= token < len(logits):
        raise InputError(f"{token!r} is no token id here; the ids are 0 to {len(logits) - 1}.")
    return token


def _with_head(metric: Metric, runner: Runner) -> Metric:
    if not runner.has_head:
        raise InputError(
            f"{runner.name} has no language-model head, so it predicts no token; compare its "
            "vectors with CosineDistance()."
        )
    return metric


def _losses(trace: Trace) -> Tensor:
    """Those that the run kept, or those of all its logits."""
    if trace.losses is not None:
        return trace.losses
    ids = torch.tensor([token.id for token in trace.tokens[1:]])
    logits = trace.logits[:-1].double().log_softmax(-1)
    return -logits.gather(-1, ids[:, None])[:, 0]
