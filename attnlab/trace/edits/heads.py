"""Edits of what one head hands on: z replaced by zeros, or by a mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torch import Tensor

from attnlab.attention import Where
from attnlab.errors import EditError
from attnlab.trace.capture import Capture
from attnlab.trace.edits.edit import Bound, Edit, main_or, site_at
from attnlab.trace.given import whole
from attnlab.trace.site import Site

if TYPE_CHECKING:
    from attnlab.trace.trace import Trace


@dataclass(frozen=True)
class _HeadEdit(Edit):
    """An edit of what one head hands on (z). ``role`` None: the model's main role."""

    layer: int
    head: int
    role: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("layer", "head"):
            object.__setattr__(self, name, whole(name, getattr(self, name), EditError))

    @property
    def stages(self) -> frozenset[str]:
        return frozenset({"z"})

    def sites(self, runner: Any) -> list[Site]:
        return [site_at(self, self.layer, self.head, self.role, runner)]

    def _bound(self, runner: Any, value: float | Tensor) -> Bound:
        (site,) = self.sites(runner)

        def change(stage: str, z: Tensor, where: Where) -> Tensor:
            z = z.clone()
            z[:, self.head] = value if isinstance(value, float) else value.to(z)
            return z

        return Bound(self, self.stages, lambda place: place == site, change)

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.layer}, {self.head})"


@dataclass(frozen=True)
class ZeroHead(_HeadEdit):
    """Replace a head's output z by zeros: the head is gone.

    Equals zeroing the head's slice of what the output projection reads.
    """

    kind: str = field(default="zero_head", init=False)

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        return self._bound(runner, 0.0)


@dataclass(frozen=True)
class MeanHead(_HeadEdit):
    """Replace a head's output z at every position by its mean over this text's positions.

    The mean is that of a plain run of the same text (of the prompt, when generating), so edits
    of other heads do not move it.
    """

    kind: str = field(default="mean_head", init=False)

    def needs(self, runner: Any) -> tuple[Capture, ...]:
        role = main_or(self.role, runner)
        return (Capture("z", layers=self.layer, heads=self.head, roles=role),)

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        if donor is None:
            raise EditError(f"{self} needs a plain run of the same text.")
        z = donor.role(main_or(self.role, runner)).z[self.layer, self.head]
        return self._bound(runner, z.mean(0))
