"""What is measured of an edited run: frozen values that read a plain and an edited trace.

| metric            | of                                   | unit                | signed |
|-------------------|--------------------------------------|---------------------|--------|
| `KL`              | the prediction, here or everywhere   | nats                | no     |
| `LogProbability`  | one token's                          | nats                | yes    |
| `LogitDifference` | one answer's logit over another's    | logits              | yes    |
| `Loss`            | the text's own next tokens           | nats a token        | yes    |
| `CosineDistance`  | the final vectors: encoders          | 1 − cosine          | no     |

All but `CosineDistance` read the main role's logits, those of the decoder where there are two
stacks. A metric says what a run must keep for it, so that the language-model head is applied where
it looks and nowhere else. Signed metrics have a value of their own in every run; the effect is its
change.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from attnlab.analysis.metrics.logits import KL, LogitDifference, LogProbability, Loss, token_id
from attnlab.analysis.metrics.metric import Asks, Metric, require_metric
from attnlab.analysis.metrics.vectors import CosineDistance
from attnlab.errors import InputError
from attnlab.trace.runner import Runner

__all__ = [
    "KL",
    "Asks",
    "CosineDistance",
    "LogProbability",
    "LogitDifference",
    "Loss",
    "Metric",
    "default_metric",
    "joined",
    "metric_from_json",
    "require_metric",
    "token_id",
]

_KINDS: dict[str, type[Metric]] = {
    cls.__dataclass_fields__["kind"].default: cls
    for cls in (KL, LogProbability, LogitDifference, Loss, CosineDistance)
}


def metric_from_json(data: dict[str, Any]) -> Metric:
    """The metric that ``to_json`` wrote.

    Raises:
        InputError: an unknown kind, or a field that it does not have.
    """
    kind = data.get("kind") if isinstance(data, dict) else None
    cls = _KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise InputError(f"There is no metric of kind {kind!r}; there are {', '.join(_KINDS)}.")
    names = {f.name for f in fields(cls) if f.init}
    given = {name: value for name, value in data.items() if name != "kind"}
    if set(given) - names:
        raise InputError(f"A metric of kind {kind!r} has no field {min(set(given) - names)!r}.")
    try:
        return cls(**given)
    except TypeError as error:
        raise InputError(f"A metric of kind {kind!r} is incomplete: {error}.") from error


def default_metric(runner: Runner) -> Metric:
    """KL at the last position; the cosine distance of the mean vector where a model that writes
    no next token is read for its vectors."""
    return KL() if runner.head_kind in ("causal", "seq2seq") else CosineDistance()


def joined(metrics: Iterable[Metric]) -> Asks:
    """What one run must keep for several metrics."""
    captures: dict[Any, None] = {}
    positions: dict[int, None] = {}
    every = losses = False
    for metric in metrics:
        asks = metric.asks
        captures.update(dict.fromkeys(asks["capture"]))
        logits = asks["logits"]
        every |= logits == "all"
        losses |= logits == "loss"
        positions.update(dict.fromkeys(logits if isinstance(logits, tuple) else ()))
    # Beside the losses a run keeps the last logits only; all of them give the losses too.
    every |= losses and bool(set(positions) - {-1})
    logits = "all" if every else "loss" if losses else tuple(positions) or None
    return {"capture": tuple(captures), "logits": logits}
