"""One forward of a batch, and a trace of each of its texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor

from attnlab.errors import GrowthRefused, InputError
from attnlab.pretrained import texts
from attnlab.pretrained.binding import require_alike
from attnlab.pretrained.budget import require_room
from attnlab.pretrained.inputs import output_of, padded
from attnlab.pretrained.result import Asked, sizes_of, trace_of
from attnlab.trace.run import Row, Run
from attnlab.trace.trace import Trace

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab


def execute(
    lab: Lab,
    inputs: dict[str, Tensor],
    sources: list,
    goals: list,
    options: Asked,
    bounds: list[tuple],
    joins: Sequence[int | None] | None = None,
) -> list[Trace]:
    """Run a batch that is ready, its edits bound.

    Args:
        inputs: as the model takes them, padded.
        sources, goals: the ids of each text, or None for raw inputs.
        bounds: the edits of each text.
        joins: the block at which each row joins as a copy of the first; the inputs hold only the
            rows that start, those of None.

    Raises:
        GrowthRefused: the model did not let every row join.
        CaptureError, EditRefused, InputError, Cancelled: see ``Lab.run``.
    """
    run = _run(lab, sources, goals, options, bounds, joins or [None] * len(bounds))
    with lab.serial:
        outputs = lab.forward(run, inputs)
    _require_all(lab, run, outputs)
    run.finish()
    return [
        trace_of(lab, run, outputs, row, source, goal, options)
        for row, (source, goal) in enumerate(zip(sources, goals, strict=True))
    ]


def _run(
    lab: Lab,
    sources: list,
    goals: list,
    options: Asked,
    bounds: list[tuple],
    joins: Sequence[int | None],
) -> Run:
    """What is asked of the batch, checked against the model and the texts."""
    texts.check_captures(lab, options.captures)
    require_alike(bounds)
    mains = goals if lab.is_encoder_decoder else sources
    sizes = [sizes_of(*ids) for ids in zip(sources, mains, strict=True)]
    texts.check_places(options.captures, sizes, lab.sites)
    longest = [max((len(ids) for ids in side if ids), default=0) for side in (sources, mains)]
    require_room(lab, options.captures, len(mains), *longest)
    rows = zip(bounds, joins, sizes, strict=True)
    run = options.run([Row(b, enters, sizes=size) for b, enters, size in rows])
    lengths = [len(ids) if ids else None for ids in mains]
    run.positions = options.positions(lengths, lab.has_head, lab.device)
    if options.logits == "loss":
        _ask_losses(lab, run, mains)
    return run


def _require_all(lab: Lab, run: Run, outputs: Any) -> None:
    """Raises GrowthRefused where some row never joined the batch."""
    if any(row.enters is not None for row in run.rows):
        count = output_of(outputs).shape[0]
        if not count == run.batch == len(run.rows):
            raise GrowthRefused(
                f"{lab.name} gives {count} rows where {len(run.rows)} were to join its batch."
            )


def _ask_losses(lab: Lab, run: Run, ids: list) -> None:
    """Have the head applied in chunks, where nothing follows it."""
    if lab.head_kind not in ("causal", "seq2seq") or None in ids:
        raise InputError(f"{lab.name} predicts no next token of these inputs: no losses.")
    run.targets = padded(ids, 0, lab.device)[0]
    if not lab.ends_in_head:
        run.positions = None
