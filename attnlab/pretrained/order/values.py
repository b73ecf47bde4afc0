"""The numbers that a loaded model knows positions by, for pictures of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from attnlab.trace.capture import Capture
from attnlab.trace.positioning import BIAS

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab


def table_of(lab: Lab, role: str | None = None) -> Tensor | None:
    """The vector of every position [longest, W], learned or not; None where there is no table."""
    found = lab.positions.get(role or lab.main_role)
    if found is None or found.table is None:
        return None
    path, name, first = found.table
    return getattr(lab.module(path), name).detach()[first:]


def bias_of(lab: Lab, length: int, role: str | None = None) -> Tensor | None:
    """What a model that adds a bias adds to the scores of each head in its first layer [H, n, n],
    read in a run; −∞ or NaN where its mask hides the key. None where it adds none, and where it is
    seen at its softmax only, where the bias cannot be told from the score."""
    role = role or lab.main_role
    found = lab.positions.get(role)
    if found is None or BIAS not in found.kinds or "scaled" not in lab.stages:
        return None
    layer = lab.layers(role)[0]
    ids = [i % lab.model.config.get_text_config().vocab_size for i in range(length)]
    target = {"target": ids[1:]} if lab.is_encoder_decoder else {}
    trace = lab.run(ids, capture=_stages(layer, role), logits=None, **target).role(role)
    return trace.masked[layer] - trace.scaled[layer]


def _stages(layer: int, role: str) -> tuple[Capture, ...]:
    return tuple(Capture(stage, layers=layer, roles=role) for stage in ("scaled", "masked"))
