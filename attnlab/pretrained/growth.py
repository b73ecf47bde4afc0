"""One text under many edits in one forward: rows that join the batch where they begin to differ.

A run with a head of layer l gone is the plain run up to block l. So the batch starts with the plain
row alone, and each variant joins at the block of its first edit, as a copy of that row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor

from attnlab.errors import AttnLabError, EditMissed, GrowthRefused, InputError
from attnlab.pretrained import texts as typed
from attnlab.pretrained.binding import as_edits, bind
from attnlab.pretrained.donors import refuse_donors
from attnlab.pretrained.execute import execute
from attnlab.pretrained.probe import batch_of
from attnlab.pretrained.result import Asked
from attnlab.trace.capture import STREAM_STAGES, Capture, as_captures
from attnlab.trace.edits import Bound, Edit
from attnlab.trace.edits.placed import STAGE
from attnlab.trace.run import Cancel, Logits
from attnlab.trace.site import Block, Site
from attnlab.trace.trace import Trace

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab

_BREAKS = (RuntimeError, ValueError, IndexError, TypeError, AssertionError)
"""What a model's own code raises when the batch that comes back is not the one that it counted."""


class Growth:
    """Variants of one text, bound once, to be run in any groups.

    Attributes:
        bounds: of each variant, its own edits made ready.
        enters: of each variant, the block at which it joins; None: it differs from the start.
    """

    def __init__(
        self,
        lab: Lab,
        text: Any,
        each: Sequence[Edit | Iterable[Edit]],
        *,
        target: Any = None,
        edits: Edit | Iterable[Edit] = (),
        cancel: Cancel | None = None,
    ) -> None:
        """``edits`` act in every row, ``each`` holds more for every single variant; ``cancel`` is
        for the runs of other texts that they may need.

        Raises:
            InputError, EditError: see ``Lab.run``.
        """
        self._lab, shared = lab, as_edits(edits)
        own = [shared + as_edits(more) for more in each]
        if isinstance(text, Mapping):
            self._source, self._goal, bounds = self._raw(text, [shared, *own])
        else:
            self._source, self._goal = typed.ids_of(lab, text), typed.target_ids(lab, target)
            rows = len(own) + 1
            texts = ([self._source] * rows, [self._goal] * rows)
            bounds = lab.bind_all([shared, *own], *texts, cancel=cancel)
            self._inputs = lab.inputs([self._source], [self._goal])
        self._plain, self._bounds = bounds[0], bounds[1:]
        self.bounds = tuple(some[len(shared) :] for some in self._bounds)
        self.enters = tuple(enters_at(lab, some) for some in self.bounds)

    def _raw(self, inputs: Mapping[str, Tensor], each: list[tuple]) -> tuple[None, None, list]:
        typed.check_raw(self._lab, inputs)
        if batch_of(inputs) != 1:
            raise InputError("Variants are those of one text; these inputs are a batch.")
        for own in each:
            refuse_donors(self._lab, own)
        self._inputs = dict(inputs)
        return None, None, [bind(self._lab, own, None) for own in each]

    def run(
        self,
        which: Sequence[int | None],
        *,
        grow: bool = True,
        capture: str | Capture | Iterable[str | Capture] = (),
        logits: Logits = "last",
        progress: Callable[[float], None] | None = None,
        cancel: Cancel | None = None,
    ) -> list[Trace]:
        """Traces of some variants in one batch, in the order asked for.

        Args:
            which: the variants; None is the row without any, and comes first when the batch grows.
            grow: have them join where they begin to differ; else all start together.

        Raises:
            GrowthRefused: the model's code does not let rows join, or differ.
            InputError, CaptureError, Cancelled: see ``Lab.run``.
        """
        if not which or (grow and which[0] is not None):
            raise InputError("A batch grows from the row without variants: name None first.")
        joins = [None if i is None or not grow else self.enters[i] for i in which]
        order = sorted(range(len(which)), key=lambda at: (joins[at] is not None, joins[at] or 0))
        options = Asked(as_captures(capture), logits, False, progress, cancel)
        found = self._executed([which[at] for at in order], [joins[at] for at in order], options)
        traces = dict(zip(order, found, strict=True))
        return [traces[at] for at in range(len(which))]

    def _executed(
        self, which: list[int | None], joins: list[int | None], options: Asked
    ) -> list[Trace]:
        """Rows in the order of the batch."""
        start, rows = joins.count(None), len(which)
        inputs = {name: _repeated(value, start) for name, value in self._inputs.items()}
        bounds = [self._plain if i is None else self._bounds[i] for i in which]
        given = (inputs, [self._source] * rows, [self._goal] * rows, options, bounds)
        if rows == 1:
            return execute(self._lab, *given)
        try:
            return execute(self._lab, *given, joins)
        except (*_BREAKS, EditMissed) as error:
            late = isinstance(error, EditMissed) and start < rows  # it may have joined too late
            if isinstance(error, AttnLabError) and not late:
                raise
            how = "Run one after another: runs with other edits cannot stand side by side"
            if start < rows:
                how = "Each ran through all layers: runs cannot share the first ones"
            raise GrowthRefused(f"{how} in {self._lab.name} ({error}).") from error


def _repeated(value: Tensor, rows: int) -> Tensor:
    return value if rows == 1 else value.repeat(rows, *[1] * (value.dim() - 1))


def enters_at(lab: Lab, bounds: Sequence[Bound]) -> int | None:
    """The first block of the main role that some edits reach; None where they may reach what lies
    before all blocks (an encoder that a decoder reads, positions), or outside of any."""
    first: list[int | None] = []
    for bound in bounds:
        if STAGE in bound.stages:
            return None
        stream = bound.stages.intersection(STREAM_STAGES)
        places = (*lab.blocks, *lab.sites) if stream else lab.sites
        reached = [place for place in places if bound.reaches(place)]
        if not reached:
            return None
        first += [_number(lab, place) for place in reached]
    if None in first:
        return None
    blocks = [block.layer for block in lab.blocks if block.role == lab.main_role]
    return min(first, default=min(blocks, default=None))


def _number(lab: Lab, place: Site | Block) -> int | None:
    """The block of the main role that holds a place: its module encloses the place's. Where one
    module runs as several blocks, that of the same layer."""
    around = [
        block.layer
        for block in lab.blocks
        if block.role == lab.main_role
        and (place == block or f"{place.path}.".startswith(f"{block.path}."))
    ]
    if isinstance(place, Block):
        return place.layer if place.layer in around and place.role == lab.main_role else None
    return place.layer if place.layer in around else around[0] if len(around) == 1 else None
