"""Edits of what a feed-forward layer adds to the residual stream."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from torch import Tensor

from attnlab.errors import EditError
from attnlab.trace.capture import Capture
from attnlab.trace.edits.edit import Bound, Edit, Fed, block_at
from attnlab.trace.edits.places import as_positions, placed
from attnlab.trace.edits.writing import Written
from attnlab.trace.given import whole
from attnlab.trace.site import Block

if TYPE_CHECKING:
    from attnlab.trace.trace import Trace


@dataclass(frozen=True)
class OfFeedForward(Edit):
    """An edit of one feed-forward layer.

    In a model whose blocks hold one thing each, it is of what a block adds: a recurrence, perhaps.

    Attributes:
        positions: where in the text; negative counts from its end; None: everywhere.
        role: None: the model's main role.
    """

    layer: int
    _: KW_ONLY
    positions: tuple[int, ...] | None = None
    role: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "layer", whole("layer", self.layer, EditError))
        object.__setattr__(self, "positions", as_positions(self.positions))

    @property
    def stages(self) -> frozenset[str]:
        return frozenset({"mlp_out"})

    def sites(self, runner: Any) -> list[Block]:
        return [block_at(self, "mlp_out", self.layer, self.role, runner)]

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        return self.bind_to(runner, donor, Fed())

    def bind_to(self, runner: Any, donor: Trace | None, fed: Fed) -> Bound:
        (block,) = self.sites(runner)
        here = placed(self, self.positions, fed, block.role, "mlp_out")
        change = Written(self.value(block, donor), None, here)
        return Bound(self, self.stages, lambda place: place == block, change)

    def value(self, block: Block, donor: Trace | None) -> float | Tensor:
        """What takes its place: a number, or [M]."""
        raise NotImplementedError

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.layer})"


@dataclass(frozen=True)
class ZeroFeedForward(OfFeedForward):
    """Replace what a feed-forward layer adds to the stream by zeros: the layer is gone.

    ``positions``, ``role``: see ``OfFeedForward``.
    """

    kind: str = field(default="zero_feed_forward", init=False)

    def value(self, block: Block, donor: Trace | None) -> float:
        return 0.0


@dataclass(frozen=True)
class MeanFeedForward(OfFeedForward):
    """Replace what a feed-forward layer adds at every position by its mean over this text's.

    The mean is that of a plain run, as with ``MeanHead``. ``positions``, ``role``: see
    ``OfFeedForward``.
    """

    kind: str = field(default="mean_feed_forward", init=False)

    def needs(self, runner: Any) -> tuple[Capture, ...]:
        (block,) = self.sites(runner)
        return (Capture("mlp_out", layers=self.layer, roles=block.role),)

    def value(self, block: Block, donor: Trace | None) -> Tensor:
        if donor is None:
            raise EditError(f"{self} needs a plain run of the same text.")
        return donor.role(block.role).mlp_out[self.layer].mean(0)
