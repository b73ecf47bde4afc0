"""What a run is asked to keep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from attnlab.attention.stages import UNROTATED_STAGES
from attnlab.errors import CaptureError
from attnlab.trace.given import brief, chosen, whole

ATTENTION_STAGES = (
    *UNROTATED_STAGES,
    *("q", "k", "v", "scores", "scaled", "masked", "weights", "z"),
)
KEY_VALUE_STAGES = ("k_unrotated", "k", "v")
"""Those with key/value heads, where the others have query heads."""
SQUARE_STAGES = ("scores", "scaled", "masked", "weights")
"""Those with an axis of queries and one of keys."""
STREAM_STAGES = ("resid_pre", "attn_out", "cross_out", "mlp_out", "resid_post", "final")
STAGES = ATTENTION_STAGES + STREAM_STAGES


@dataclass(frozen=True)
class Capture:
    """Keep one stage: everywhere, or at some layers, heads and roles (None: all).

    ``heads`` are query heads (key/value heads for the stages k and v) and mean nothing in the
    residual stream. ``queries`` keeps these rows of a matrix only, in rising order: every head's
    row for one position of a long text is small. ``thumbnails=n`` keeps [q, s] maps reduced to at
    most n × n while the run is under way: each cell is the largest weight of the square that it
    covers. With ``queries`` and ``keys`` they are maps of these rows and columns alone, as if there
    were no others: so two texts can be compared over the positions that they share.

    Raises:
        CaptureError: the stage does not exist, or cannot be reduced.
    """

    stage: str
    layers: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None
    roles: tuple[str, ...] | None = None
    thumbnails: int | None = None
    queries: tuple[int, ...] | None = None
    keys: tuple[int, ...] | None = None
    kind: str = field(default="capture", init=False)

    def __post_init__(self) -> None:
        for name in ("layers", "heads", "roles", "queries", "keys"):
            kind = str if name == "roles" else int
            value = chosen(name, getattr(self, name), kind, CaptureError)
            object.__setattr__(self, name, value)
        self._check_places()
        if not isinstance(self.stage, str) or self.stage not in STAGES:
            raise CaptureError(
                f"There is no stage {brief(self.stage)}; the stages are {', '.join(STAGES)}."
            )
        if self.thumbnails is None:
            return
        object.__setattr__(self, "thumbnails", whole("thumbnails", self.thumbnails, CaptureError))
        if self.stage != "weights" or self.thumbnails < 1:
            raise CaptureError("Only the stage 'weights' can be reduced, to at least 1 × 1.")

    def _check_places(self) -> None:
        for name in ("queries", "keys"):
            places = getattr(self, name)
            if places is None:
                continue
            if min(places) < 0:
                raise CaptureError(f"{name}= counts from the start; there is no {min(places)}.")
            object.__setattr__(self, name, tuple(sorted(set(places))))
        if self.queries is not None and self.stage not in SQUARE_STAGES:
            raise CaptureError(f"queries= keeps rows of {', '.join(SQUARE_STAGES)}.")
        if self.keys is not None and self.thumbnails is None:
            raise CaptureError("keys= is for thumbnails; a row is kept with all its keys.")

    def covers(self, role: str, layer: int) -> bool:
        return (self.layers is None or layer in self.layers) and (
            self.roles is None or role in self.roles
        )


def as_captures(capture: str | Capture | Iterable[str | Capture]) -> tuple[Capture, ...]:
    """``capture=`` in any form that ``run`` accepts, as Captures."""
    one = isinstance(capture, str) or not isinstance(capture, Iterable)
    items = (capture,) if one else tuple(capture)
    return tuple(item if isinstance(item, Capture) else Capture(item) for item in items)
