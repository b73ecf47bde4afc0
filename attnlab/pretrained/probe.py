"""One probe at load: how a model can be read, where its attention is, and how far off we are.

The clone runs the probe inputs with transformers' eager attention, then with ours. Calls seen and
outputs equal: the dispatch tier. Otherwise eager is restored and the softmax is observed: the tap
tier. Otherwise there is no attention to show. Nothing is decided by a model's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from attnlab.errors import UnsupportedModel
from attnlab.pretrained import dispatch, tap
from attnlab.pretrained.clone import structural_clone
from attnlab.pretrained.inputs import MISFITS, keywords, probe_inputs, real_rows
from attnlab.pretrained.install import install, output_head
from attnlab.pretrained.order.verify import verified
from attnlab.pretrained.sinks import roles_with_sinks
from attnlab.pretrained.sites import Layout, layout_of
from attnlab.pretrained.watch import Record, watch
from attnlab.trace.capture import ATTENTION_STAGES, Capture
from attnlab.trace.run import Row, Run

_TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}
_HALF_TOLERANCE = 0.03
"""Of the largest output: in half precision some families round differently by 1–2%."""


@dataclass(frozen=True)
class Probed:
    """The clone, ready to run, and what is known about it.

    ``difference``: the largest difference from eager at unpadded positions; ``largest``: the
    largest output, for scale. ``stages``: what can be captured; ``editable``: what can be changed.
    """

    clone: Any
    tier: str
    layout: Layout
    stages: frozenset[str]
    editable: frozenset[str]
    difference: float | None
    largest: float
    dtype: torch.dtype
    taps: tap.Taps | None = None
    notes: tuple[str, ...] = ()
    ends_in_head: bool = False
    """Whether the logits are what the language-model head returns, nothing done to them after."""
    sinks: frozenset[str] = frozenset()
    """The roles whose rows leave a share to a learned sink."""


def probe(model: Any, inputs: Mapping[str, Tensor] | None = None) -> Probed:
    """Clone a model, find out how to read it, and put our hooks into the clone.

    Args:
        model: a transformers model; it is not changed.
        inputs: example inputs for a model that does not read token ids; batch of 1 or more.

    Raises:
        UnsupportedModel: it cannot be run on a short text, or on these inputs.
    """
    inputs = dict(inputs or probe_inputs(model))
    clone = structural_clone(model)
    inputs = {name: value.to(model.device) for name, value in inputs.items()}
    if "use_cache" in keywords(clone):
        inputs["use_cache"] = False
    why = _switch(clone, "eager")
    reference, ends_in_head = _reference(clone, inputs)
    found = None
    if why is None:
        found, why = _try_dispatch(clone, inputs, reference)
    if found is None:
        found = _tapped(clone, inputs, reference, why or "")
    install(clone, found.tier, found.layout, "z" in found.stages)
    if found.taps is not None:
        order = verified(clone, found.taps, found.layout, inputs)
        found = replace(found, layout=replace(found.layout, order=order))
    return replace(_measured(found, inputs, reference), ends_in_head=ends_in_head)


def _reference(clone: Any, inputs: Mapping[str, Any]) -> tuple[Tensor, bool]:
    """What eager attention gives, and whether the head's output is handed on as it is."""
    head, last = output_head(clone) or nn.Identity(), []
    handle = head.register_forward_hook(lambda module, args, output: last.append(output))
    try:
        with torch.no_grad():
            outputs = clone(**inputs)
        unchanged = any(output is getattr(outputs, "logits", None) for output in last)
        reference = real_rows(outputs, inputs)
    except MISFITS as error:
        reason = str(error).strip().partition("\n")[0][:200]
        raise UnsupportedModel(
            f"{type(clone).__name__} cannot be run on a short text: {reason}."
        ) from error
    finally:
        handle.remove()
    if not bool(reference.isfinite().all()):
        raise UnsupportedModel(
            f"{type(clone).__name__} gives NaN or infinity on a short text: a weight is missing or "
            "damaged, or this precision is too small for it (try dtype='float32')."
        )
    return reference, unchanged


def _measured(found: Probed, inputs: Mapping[str, Any], reference: Tensor) -> Probed:
    """The clone as it will run: its difference from eager, and the stages that came by."""
    rows = [Row()] * batch_of(inputs)
    run = Run(rows, tuple(Capture(stage) for stage in sorted(found.stages)))
    tapped = nullcontext() if found.taps is None else tap.SoftmaxTap(found.taps, run)
    with run.entered(), tapped:
        output = real_rows(found.clone(**inputs), inputs)
    first_axis = {stage: parts[0].tensor.shape[0] for (stage, *_), parts in run.store.parts.items()}
    unseen = found.stages - set(first_axis)
    apart = {stage for stage, size in first_axis.items() if size != len(rows)}
    note = "It attends within windows of its input, which are not shown."
    return replace(
        found,
        difference=None if found.tier == "none" else difference(output, reference),
        stages=found.stages - unseen - apart,
        editable=found.editable - unseen,
        sinks=roles_with_sinks(run.store),
        notes=(*found.notes, note) if "weights" in apart else found.notes,
    )


def batch_of(inputs: Mapping[str, Any]) -> int:
    return next(value.shape[0] for value in inputs.values() if isinstance(value, Tensor))


def _switch(clone: Any, name: str) -> str | None:
    """Set the attention implementation; None, or why that was refused."""
    try:
        clone.set_attn_implementation(name)
    except (KeyError, ValueError, AttributeError) as error:
        return f"transformers refuses another attention function here ({error})"
    return None


def _lengths(clone: Any, inputs: Mapping[str, Any]) -> tuple[int, int] | None:
    """Source and target lengths, where the model is an encoder-decoder."""
    target = inputs.get("decoder_input_ids")
    if target is None:
        return None
    source = inputs.get("input_ids")
    return (-1 if source is None else source.shape[1]), target.shape[1]


def difference(output: Tensor, reference: Tensor) -> float:
    if output.shape != reference.shape:
        return float("inf")
    off = (output.double() - reference.double()).abs()
    off = off[~(output.isnan() & reference.isnan())]
    worst = float(off.max()) if off.numel() else 0.0
    return float("inf") if worst != worst else worst


def _allowed(reference: Tensor) -> float:
    """The largest difference from eager that rounding explains."""
    largest = max(1.0, float(reference.abs().max()))
    tolerance = _TOLERANCE.get(reference.dtype)
    if tolerance is None:
        return _HALF_TOLERANCE * largest
    # Rounding grows with the numbers rounded: 1e-5 is meant for outputs of order 10.
    return tolerance * max(1.0, largest / 10)


def _source_length(record_lengths: tuple[int, int] | None, calls: list) -> tuple[int, int] | None:
    """An encoder that does not read ids (speech) shows its length in its first call."""
    if record_lengths is None or record_lengths[0] >= 0 or not calls:
        return record_lengths
    return calls[0].call.q.shape[2], record_lengths[1]


def _try_dispatch(
    clone: Any, inputs: dict[str, Any], reference: Tensor
) -> tuple[Probed | None, str | None]:
    why = _switch(clone, dispatch.NAME)
    if why is not None:
        return None, why
    try:
        record = watch(clone, inputs)
    except MISFITS as error:
        return None, f"our attention function does not fit it ({error})"
    if not record.calls:
        return None, "it computes attention in code of its own"
    output = real_rows(record.outputs, inputs)
    off = difference(output, reference)
    if off > _allowed(reference):
        return None, f"our attention function changed its output by {off:.2g}"
    layout = layout_of(record, clone, _source_length(_lengths(clone, inputs), record.calls))
    stages = frozenset(ATTENTION_STAGES) | _stream_stages(layout)
    return (
        Probed(
            clone,
            "dispatch",
            layout,
            stages,
            stages | {"mask", "sinks"},
            off,
            float(reference.abs().max()),
            reference.dtype,
        ),
        None,
    )


def _tapped(clone: Any, inputs: dict[str, Any], reference: Tensor, why: str) -> Probed:
    """Read the model at its softmax, if what is seen there is attention."""
    _switch(clone, "eager")
    batch = batch_of(inputs)
    lengths = {v.shape[1] for v in inputs.values() if isinstance(v, Tensor) and v.dim() == 2}
    heads = tap.head_counts(clone.config)
    record = watch(clone, inputs, softmax=tap.observer(batch, sorted(lengths), heads))
    seen = [call.call.q.shape[1] > 0 for call in record.calls]
    in_encoder = _in_encoder(record, clone)
    record.calls = [call for call, good in zip(record.calls, seen, strict=True) if good]
    layout = layout_of(record, clone, _lengths(clone, inputs))
    sites = iter(layout.sites)
    tapped = tuple(next(sites) if good else None for good in seen)
    taps = tap.Taps(tapped, in_encoder, clone.dtype)
    if not record.calls:
        reason = (
            "no softmax over whole rows of keys was seen"
            if any(seen) or seen
            else ("no softmax was seen")
        )
        none = replace(layout, sites=())
        return Probed(
            clone,
            "none",
            none,
            _stream_stages(none),
            frozenset(),
            None,
            float(reference.abs().max()),
            reference.dtype,
            notes=(f"{why}; {reason}",),
        )
    return _confirmed_tap(clone, inputs, reference, layout, taps, why)


def _in_encoder(record: Record, clone: Any) -> int:
    """How many calls ran inside an encoder-decoder's encoder."""
    if not clone.config.is_encoder_decoder:
        return 0
    encoder = clone.get_encoder()
    return sum(any(e.module is encoder for e in call.stack) for call in record.calls)


def _confirmed_tap(
    clone: Any, inputs: dict[str, Any], reference: Tensor, layout: Layout, taps: tap.Taps, why: str
) -> Probed:
    modules = dict(clone.named_modules())
    good = tap.confirmed(clone, inputs, taps, modules)
    whole = all(good.get(site, False) for site in layout.sites)
    widths = {site: modules[site.out_proj] for site in layout.sites if good.get(site, False)}
    renamed = {site: tap.with_sizes(site, site in widths, modules) for site in layout.sites}
    layout = replace(layout, sites=tuple(renamed[site] for site in layout.sites))
    taps = replace(taps, sites=tuple(s and renamed[s] for s in taps.sites))
    stream = _stream_stages(layout)
    stages = frozenset(tap.STAGES) | stream | ({"z"} if whole else frozenset())
    notes = (f"Read at its softmax, because {why}.",) if why else ()
    if not whole:
        notes += (
            "What each head hands on (z) could not be told apart, so heads cannot be ablated.",
        )
    return Probed(
        clone,
        "tap",
        layout,
        stages,
        stages,
        0.0,
        float(reference.abs().max()),
        reference.dtype,
        taps,
        notes,
    )


def _stream_stages(layout: Layout) -> frozenset[str]:
    """The residual stages that every block of some role exposes."""
    stages = {"final"}
    if layout.blocks:
        stages |= {"resid_pre", "resid_post"}
    for stage in ("attn_out", "cross_out", "mlp_out"):
        if any(getattr(block, stage) for block in layout.blocks):
            stages.add(stage)
    return frozenset(stages)
