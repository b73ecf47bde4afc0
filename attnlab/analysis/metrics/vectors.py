"""How far the final vectors turn: what an encoder is read for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import torch
from torch import Tensor

from attnlab.analysis.metrics.metric import Asks, Metric, at
from attnlab.errors import InputError
from attnlab.trace.capture import whole
from attnlab.trace.trace import Trace


@dataclass(frozen=True)
class CosineDistance(Metric):
    """How far the final vectors turn, 1 − cosine, from 0 to 2.

    ``over``: "mean", of the mean over positions, which sentence encoders such as MiniLM compare;
    "each", of each position; or one position.
    """

    unit: ClassVar = "1 − cosine"
    over: str | int = "mean"
    kind: str = field(default="cosine_distance", init=False)

    def __post_init__(self) -> None:
        if isinstance(self.over, str):
            if self.over not in ("mean", "each"):
                raise InputError(f"over is 'mean', 'each' or a position, not {self.over!r}.")
        else:
            object.__setattr__(self, "over", whole("over", self.over, InputError))

    @property
    def name(self) -> str:
        where = {"mean": "of the mean vector", "each": "of each vector"}
        return f"cosine distance {where.get(self.over) or at(self.over)}"

    @property
    def asks(self) -> Asks:
        return {"capture": ("final",), "logits": None}

    def of(self, plain: Trace, edited: Trace) -> Tensor:
        a, b = self.vector(plain), self.vector(edited)
        return (1 - torch.cosine_similarity(a, b, dim=-1)).clamp(min=0)

    def vector(self, trace: Trace) -> Tensor:
        """What is compared, [M] or [Q, M]."""
        final = trace.final.double()
        if self.over == "mean":
            return final.mean(0)
        if self.over == "each":
            return final
        if not -len(final) <= self.over < len(final):
            raise InputError(f"There is no position {self.over}; this text has {len(final)}.")
        return final[self.over]
