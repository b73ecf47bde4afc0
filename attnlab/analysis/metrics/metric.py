"""The base of every metric, and what metrics have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.errors import InputError
from attnlab.trace.runner import Runner
from attnlab.trace.trace import Trace

Asks = dict[str, Any]
"""``capture`` and ``logits``, as a run takes them."""


@dataclass(frozen=True)
class Metric:
    """Base of every metric. ``kind`` is a field, so that two never share a cache key.

    ``signed``: whether a run has a value of its own, ``value``, whose change is the effect.
    """

    unit: ClassVar[str]
    signed: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        raise NotImplementedError

    @property
    def asks(self) -> Asks:
        """What a run must keep for it."""
        raise NotImplementedError

    def resolved(self, runner: Runner, text: Any = None, target: Any = None) -> Metric:
        """The same with token ids for words, and with what it leaves to the text filled in.

        Raises:
            InputError: the model does not give what it reads.
        """
        return self

    def settled(self, plain: Trace) -> Metric:
        """The same with what it leaves to the text filled in from a plain run."""
        return self

    def value(self, trace: Trace) -> Tensor:
        """Of one run: a number, or one for each position [Q]."""
        raise InputError(f"{self.name} compares two runs; a single one has no value.")

    def of(self, plain: Trace, edited: Trace) -> Tensor:
        """The effect: a number, or one for each position [Q], in ``unit``."""
        return self.value(edited) - self.value(plain)

    def of_each(self, plain: Trace, edited: Sequence[Trace]) -> Float[Tensor, "N ..."]:
        """The effects of several edited runs of the same text."""
        return torch.stack([self.of(plain, one) for one in edited])

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def at(position: int | None) -> str:
    if position is None:
        return "at each position"
    return "at the last position" if position == -1 else f"at position {position}"


def require_metric(value: Any) -> Metric:
    """A metric as it is. Raises InputError for anything else."""
    if not isinstance(value, Metric):
        raise InputError(f"A metric is al.KL(), al.Loss() or another of them, not {value!r}.")
    return value
