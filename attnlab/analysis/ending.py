"""What follows the last block: the last norm and the output head, found by evidence.

    final = norm(stream),  logits = c · head(final)

Candidates are run on the stream of one plain run, and kept only where they give what the model
gave. With the norm's size frozen at what it was there, each logit is linear in the stream:

    norm(x) = g ⊙ (x − mean x) · s + b        (RMSNorm: no mean, no b)

so a sum of parts can be read through it part by part (Elhage et al. 2021, "A Mathematical Framework
for Transformer Circuits", "Handling layer normalization").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnlab.analysis.parameters import inside
from attnlab.trace.runner import Runner
from attnlab.trace.trace import Trace

_CLOSE = 1e-4
"""Of the largest number compared, in float32: rounding of sums in another order."""
_HALF_CLOSE = 0.03
"""In half precision."""


@dataclass(frozen=True)
class Frozen:
    """A norm with its size frozen at one vector, and so linear in what it reads.

    Attributes:
        gain: [M], the norm's weights times the size that is frozen.
        shift: [M], what it adds.
        centred: whether it takes away the mean.
        scale: the size that is frozen, 1 / √(mean of squares) but for the norm's ε.
    """

    gain: Tensor
    shift: Tensor
    centred: bool
    scale: float

    def linear(self, x: Float[Tensor, "*n M"]) -> Float[Tensor, "*n M"]:
        """A part of what the norm reads, as it stands in what the norm hands on."""
        centre = x - x.mean(-1, keepdim=True) if self.centred else x
        return centre * self.gain

    def back(self, reader: Float[Tensor, "*t M"]) -> Float[Tensor, "*t M"]:
        """Readers of what the norm hands on, as readers of what it is given."""
        turned = reader * self.gain
        return turned - turned.mean(-1, keepdim=True) if self.centred else turned


@dataclass(frozen=True)
class Ending:
    """What follows the last block of a model.

    Attributes:
        norm: the module between the stream and the last hidden states; None where there is none.
        head: gives logits.
        factor: c, by which the head's numbers are multiplied to give the logits.
        bent: the model bends the head's numbers before it hands them on (a soft cap), all in
            order; the parts of a logit then add up to the number before.
    """

    norm: nn.Module | None
    head: nn.Module
    factor: float = 1.0
    bent: bool = False

    def numbers(self, stream: Float[Tensor, "*P M"]) -> Float[Tensor, "*P V"]:
        """The head's numbers for a stream, times the factor: the logits, where nothing bends."""
        final = stream if self.norm is None else run_on(self.norm, stream)
        return run_on(self.head, final) * self.factor

    def added(self, parts: Float[Tensor, "*n M"]) -> Float[Tensor, "*n V"]:
        """What parts of the last hidden states add to the logits, before a soft cap."""
        nothing = torch.zeros_like(parts[..., :1, :])
        return (run_on(self.head, parts) - run_on(self.head, nothing)) * self.factor

    def readers(self, ids: list[int]) -> tuple[Float[Tensor, "t M"], Float[Tensor, " t"]]:
        """The rows of the head that make some tokens' logits, and what it adds to them."""
        weight = self.head.weight[ids].detach().double().cpu() * self.factor
        bias = getattr(self.head, "bias", None)
        added = torch.zeros(len(ids)) if bias is None else bias[ids].detach().cpu() * self.factor
        return weight, added.double()


def run_on(
    module: nn.Module, vectors: Float[Tensor, "*P M"], like: Tensor | None = None
) -> Float[Tensor, "*P N"]:
    """What a module makes of vectors, float32 on the CPU.

    Args:
        like: where and in what type it runs; its own parameters' where None.
    """
    own = next(module.parameters(), like)
    with torch.no_grad():
        return module(vectors if own is None else vectors.to(own)).float().cpu()


def ending_of(runner: Runner, trace: Trace) -> Ending | None:
    """What follows the last block; None where nothing fits, as with a layer inside the head.

    Args:
        trace: of a plain run that kept resid_post of the last block, final, and some logits.
    """
    model, head = runner.structure()
    if head is None or trace.logits is None:
        return None
    role = trace.role(runner.main_role)
    stream, final = role.resid_post[max(role.resid_post.layers)], role.final
    if not _takes(head, final):
        return None
    norm = _norm(runner, model, stream, final, head)
    if norm is False:
        return None
    numbers = run_on(head, final[list(trace.logit_positions)])
    if numbers.shape != trace.logits.shape:
        return None
    factor = float((trace.logits * numbers).sum() / (numbers * numbers).sum())
    if near(numbers * factor, trace.logits, tolerance(head)):
        return Ending(norm, head, factor)
    return Ending(norm, head, bent=True) if _in_order(numbers, trace.logits) else None


def tolerance(module: nn.Module) -> float:
    """By how much of the largest number a module's outcome may differ from what was seen."""
    bits = torch.finfo(next(module.parameters()).dtype).bits
    return _CLOSE if bits >= 32 else _HALF_CLOSE


def near(found: Tensor, right: Tensor, close: float) -> bool:
    """Whether the largest difference is within ``close`` of the largest number."""
    if found.shape != right.shape:
        return False
    return bool((found - right).abs().max() <= close * right.abs().max())


def frozen(norm: nn.Module | None, x: Float[Tensor, " M"], close: float = _CLOSE) -> Frozen | None:
    """A norm with its size frozen at ``x``; None where it is not of this form.

    ``g`` is seen on a vector of two values, which is centred already and has no zero in it.
    """
    width = len(x)
    if norm is None:
        return Frozen(torch.ones(width).double(), torch.zeros(width).double(), False, 1.0)
    half = width // 2
    probe = torch.ones(width)
    probe[half:] = -half / (width - half)
    # One row each, so that the norm of one does not depend on the others.
    nothing, ones, two, own = run_on(norm, torch.stack([0 * probe, 0 * probe + 1, probe, x]))
    shift = nothing.double()
    gain = (two.double() - shift) / probe.double() * probe.double().square().mean().sqrt()
    centred = bool((ones.double() - shift).abs().max() <= 0.01 * gain.abs().max())
    centre = x.double() - (x.double().mean() if centred else 0)
    right, flat = own.double() - shift, gain * centre
    scale = float((right * flat).sum() / (flat * flat).sum())
    if not near(flat * scale, right, close):
        return None
    return Frozen(gain * scale, shift, centred, scale)


def _norm(runner: Any, model: nn.Module, stream: Tensor, final: Tensor, head: nn.Module) -> Any:
    """The norm after the last block, None where there is none, False where nothing fits."""
    close = tolerance(head)
    if near(stream, final, close):
        return None
    blocks = [block.path for block in runner.blocks]
    for path, module in model.named_modules():
        if any(inside(path, block) for block in blocks) or not _could_be_norm(module, stream):
            continue
        try:
            found = run_on(module, stream, head.weight)
        except (RuntimeError, TypeError, AttributeError):  # it takes something else
            continue
        if near(found, final, close):
            return module
    return False


def _could_be_norm(module: nn.Module, stream: Tensor) -> bool:
    """Holds at most a scale and a shift of the stream's width; OLMo's norm holds nothing."""
    shapes = {weight.shape for weight in module.parameters()}
    return next(module.children(), None) is None and shapes <= {stream.shape[-1:]}


def _takes(head: nn.Module, final: Tensor) -> bool:
    """Whether the head is a matrix as wide as the last hidden states."""
    weight = getattr(head, "weight", None)
    return isinstance(weight, Tensor) and weight.dim() == 2 and weight.shape[1] == final.shape[-1]


def _in_order(numbers: Tensor, logits: Tensor) -> bool:
    """Whether every position's logits rise as the head's numbers do."""
    sorted_logits = logits.gather(-1, numbers.argsort(-1))
    return bool((sorted_logits.diff(dim=-1) >= -1e-5 * logits.abs().max()).all())
