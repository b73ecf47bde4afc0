"""Attention rollout: how much of each word is left in each position after every layer, if all that
layers did were to mix.

    Ã_l = (1 − r) A_l + r I,    R_l = Ã_l R_{l−1},    R_0 = I

with A_l the mean over heads and r = ½ for the stream that goes past attention (Abnar and Zuidema
2020, "Quantifying Attention Flow in Transformers", section 3). It knows nothing of what words hand
on, nor of feed-forwards: a rough picture. Rows are not made to sum to 1: what a learned sink takes
comes from no word. A row that sees nothing stays as it is.

In an encoder-decoder each block attends twice. The second look mixes in what the encoder's rollout
says of the source, by the same rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.errors import InputError, StageNotAvailable
from attnlab.trace.capture import Capture
from attnlab.trace.edits import Edit
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.trace import Trace


@dataclass(frozen=True)
class Rollout:
    """Rollout by layer, [L, Q, S] in float64.

    Attributes:
        layers: those that attend, in order.
        own: of the main role's tokens in each of its positions.
        source: of the source's tokens, in an encoder-decoder; None elsewhere.
        trace: of the run.
    """

    layers: tuple[int, ...]
    own: Tensor
    source: Tensor | None
    trace: Trace


def rollout(
    weights: Sequence[Float[Tensor, "H Q Q"]], residual: float = 0.5
) -> Float[Tensor, "L Q Q"]:
    """Rollout of a stack's attention, first layer first.

    Args:
        weights: of each layer.
        residual: r, the share of the stream that goes past attention, from 0 to 1.

    Raises:
        InputError: no layer, or a share that is none.
    """
    _check(residual)
    if not len(weights):
        raise InputError("There is no layer of attention to roll out.")
    rolled, found = torch.eye(weights[0].shape[-1], dtype=torch.double), []
    for layer in weights:
        rolled = _mixed(layer, residual) @ rolled
        found.append(rolled)
    return torch.stack(found)


def roll_out(
    runner: Runner,
    text: Any,
    *,
    residual: float = 0.5,
    target: Any = None,
    edits: Edit | Sequence[Edit] = (),
    cancel: Cancel | None = None,
) -> Rollout:
    """Rollout of a text through a model; of its source too, in an encoder-decoder.

    Raises:
        StageNotAvailable: the model, or its encoder, shows no attention.
        InputError, EditError: see ``Lab.run``.
    """
    _check(residual)
    options: dict[str, Any] = {"edits": edits, "logits": None, "cancel": cancel}
    options["capture"] = Capture("weights")
    trace = runner.run(text, **options, **({} if target is None else {"target": target}))
    roles = {role for stage, role in trace.values if stage == "weights"}
    own = trace.role(runner.main_role).weights.layers
    layers = tuple(sorted(own))
    if "cross" not in roles:
        found = rollout([own[layer].tensor for layer in layers], residual)
        return Rollout(layers, found, None, trace)
    if "encoder" not in roles:
        raise StageNotAvailable(
            f"The encoder of {runner.name} shows no attention, so nothing is known of what its "
            "output holds of each word."
        )
    encoder = trace.role("encoder").weights.layers
    read = rollout([encoder[layer].tensor for layer in sorted(encoder)], residual)[-1]
    cross = trace.role("cross").weights.layers
    return _both(trace, layers, own, cross, read, residual)


def _both(
    trace: Trace, layers: tuple[int, ...], own: Any, cross: Any, read: Tensor, residual: float
) -> Rollout:
    """The decoder's rollout over its own tokens and over the source's, of which ``read`` [S, S]
    is left in the encoder's output."""
    length = own[layers[0]].tensor.shape[-1]
    here = torch.eye(length, dtype=torch.double)
    there = torch.zeros(length, len(read), dtype=torch.double)
    found = []
    for layer in layers:
        mixed = _mixed(own[layer].tensor, residual)
        here, there = mixed @ here, mixed @ there
        if layer in cross:
            looked = cross[layer].tensor.double().mean(0)
            keep = torch.where(looked.sum(-1, keepdim=True) > 0, residual, 1.0)
            here, there = keep * here, keep * there + (1 - keep) * (looked @ read)
        found.append((here, there))
    return Rollout(layers, *(torch.stack(part) for part in zip(*found, strict=True)), trace)


def _mixed(weights: Float[Tensor, "H Q Q"], residual: float) -> Float[Tensor, "Q Q"]:
    """Ã of one layer: the mean over heads, and the stream that goes past."""
    mean = weights.double().mean(0)
    seeing = mean.sum(-1, keepdim=True) > 0
    keep = torch.where(seeing, residual, 1.0)
    return (1 - keep) * mean + torch.eye(len(mean), dtype=torch.double) * keep


def _check(residual: float) -> None:
    if isinstance(residual, bool) or not 0 <= residual <= 1:
        raise InputError(f"residual is a share from 0 to 1, not {residual}.")
