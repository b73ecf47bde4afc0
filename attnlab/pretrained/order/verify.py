"""Whether what was found is all that tells a model the order of its tokens.

A model with attention code of its own may have more (relative attention), or not use what it
computes, so it is tried once, at load, without positions: an encoder must then give a text read
backwards what it gives the text, backwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from attnlab.errors import EditRefused
from attnlab.pretrained import tap
from attnlab.pretrained.inputs import real_rows
from attnlab.pretrained.order.find import Found
from attnlab.trace.edits.edit import Bound, Fed
from attnlab.trace.edits.positions import Positions
from attnlab.trace.positioning import MOVES, Positioning
from attnlab.trace.run import Row, Run

_MORE = "something that was not seen tells it the order of its tokens too"
_TOLERANCE = 1e-3
"""Of the largest output: rounding in another order, far below what a position does."""


def verified(clone: Any, taps: tap.Taps, layout: Any, inputs: Mapping[str, Any]) -> Found:
    """What was found in a model that is read at its softmax, less what turns out not to count.

    Args:
        layout: sites and what was found, the hooks in place.
        inputs: those of the probe; a batch whose first text is not padded.
    """
    order = layout.order
    if not isinstance(inputs.get("input_ids"), Tensor):
        return order
    alone = {k: v[:1] if isinstance(v, Tensor) else v for k, v in inputs.items()}
    roles = {
        role: _tried(found, clone, taps, layout, alone) if found.kinds else found
        for role, found in order.roles.items()
    }
    return replace(order, roles=roles)


def _tried(
    found: Positioning, clone: Any, taps: tap.Taps, layout: Any, inputs: dict[str, Any]
) -> Positioning:
    runner = SimpleNamespace(
        name="", positions=layout.order.roles, sites=layout.sites, main_role=found.role
    )
    try:
        none = Positions("none").bind_to(runner, None, Fed())
    except EditRefused:
        return found
    plain, without = (_output(clone, taps, inputs, bounds) for bounds in ((), (none,)))
    if torch.equal(plain, without):
        return replace(found, kinds=(), bases=(), fraction=None, layered=False)
    sites = [site for site in layout.sites if site.role == found.role]
    if any(site.causal for site in sites) or "decoder_input_ids" in inputs:
        return found
    turned = inputs | {"input_ids": inputs["input_ids"].flip(1)}
    backwards = _output(clone, taps, turned, (none,)).flip(-2)
    off = float((backwards - without).abs().max())
    if off <= _TOLERANCE * float(without.abs().max()):
        return found
    return replace(found, refused={**found.refused, **dict.fromkeys(MOVES, _MORE)})


def _output(
    clone: Any, taps: tap.Taps, inputs: Mapping[str, Any], bounds: tuple[Bound, ...]
) -> Tensor:
    run = Run([Row(bounds)])
    with run.entered(), tap.SoftmaxTap(taps, run):
        return real_rows(clone(**inputs), inputs)
