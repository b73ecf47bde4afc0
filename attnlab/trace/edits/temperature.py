"""Softmax with a temperature: the same scores, sharper or flatter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from attnlab.attention import Where
from attnlab.errors import EditError, EditRefused
from attnlab.trace.edits.edit import Bound, Edit, main_or, site_at
from attnlab.trace.given import number
from attnlab.trace.site import Site

if TYPE_CHECKING:
    from attnlab.trace.trace import Trace


@dataclass(frozen=True)
class Temperature(Edit):
    """Divide every number that enters the softmax by ``value``: above 1 flatter, below 1 sharper.

    A learned sink is such a number too. ``layers`` and ``heads`` narrow it; ``role`` None means
    every role.

    Raises:
        EditError: ``value`` is not from 0.01 to 1,000. Beyond, half precision overflows, and
            the softmax has long been one key or all of them alike.
    """

    value: float
    layers: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None
    role: str | None = None
    kind: str = field(default="temperature", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        value = number("A temperature", self.value, 0.01, 1000, EditError)
        object.__setattr__(self, "value", value)

    @property
    def stages(self) -> frozenset[str]:
        return frozenset({"masked", "sinks"})

    def sites(self, runner: Any) -> list[Site]:
        if self.layers is not None or self.heads is not None:
            role = main_or(self.role, runner)
            for layer in self.layers or (0,):
                for head in self.heads or (0,):
                    site_at(self, layer, head, role, runner)
        found = [s for s in runner.sites if self.role in (None, s.role)]
        found = [s for s in found if self.layers is None or s.layer in self.layers]
        if not found:
            raise EditRefused(f"{self} reaches no attention in {runner.name}.")
        return found

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        sites = frozenset(self.sites(runner))
        heads = None if self.heads is None else list(self.heads)

        def change(stage: str, tensor: Tensor, where: Where) -> Tensor:
            if heads is None:
                return tensor / self.value
            divisor = torch.ones(tensor.shape[1], dtype=tensor.dtype, device=tensor.device)
            divisor[heads] = self.value
            return tensor / divisor.view(1, -1, *[1] * (tensor.dim() - 2))

        return Bound(self, self.stages, lambda place: place in sites, change, fresh=True)
