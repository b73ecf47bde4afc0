"""What a run is asked to keep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from attnlab.errors import CaptureError

ATTENTION_STAGES = ("q", "k", "v", "scores", "scaled", "masked", "weights", "z")
STREAM_STAGES = ("resid_pre", "attn_out", "cross_out", "mlp_out", "resid_post", "final")
STAGES = ATTENTION_STAGES + STREAM_STAGES


def _as_tuple(value: int | str | Iterable | None) -> tuple | None:
    if value is None or isinstance(value, tuple):
        return value
    return (value,) if isinstance(value, int | str) else tuple(value)


@dataclass(frozen=True)
class Capture:
    """Keep one stage: everywhere, or at some layers, heads and roles (None: all).

    ``heads`` are query heads (key/value heads for the stages k and v) and mean nothing in the
    residual stream. ``thumbnails=n`` keeps [q, s] maps reduced to at most n × n while the run is
    under way: each cell is the largest weight of the square that it covers.

    Raises:
        CaptureError: the stage does not exist, or cannot be reduced.
    """

    stage: str
    layers: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None
    roles: tuple[str, ...] | None = None
    thumbnails: int | None = None
    kind: str = field(default="capture", init=False)

    def __post_init__(self) -> None:
        for name in ("layers", "heads", "roles"):
            object.__setattr__(self, name, _as_tuple(getattr(self, name)))
        if self.stage not in STAGES:
            raise CaptureError(
                f"There is no stage {self.stage!r}; the stages are {', '.join(STAGES)}."
            )
        if self.thumbnails is not None and (self.stage != "weights" or self.thumbnails < 1):
            raise CaptureError("Only the stage 'weights' can be reduced, to at least 1 × 1.")

    def covers(self, role: str, layer: int) -> bool:
        return (self.layers is None or layer in self.layers) and (
            self.roles is None or role in self.roles
        )


def as_captures(capture: str | Capture | Iterable[str | Capture]) -> tuple[Capture, ...]:
    """``capture=`` in any form that ``run`` accepts, as Captures."""
    items = (capture,) if isinstance(capture, str | Capture) else tuple(capture)
    return tuple(item if isinstance(item, Capture) else Capture(item) for item in items)
