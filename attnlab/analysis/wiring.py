"""How one block is put together, measured on a text: shapes, place of the norms, order of parts.

Everything is seen in a run, or said to be unknown; nothing is read from a configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import torch
from torch import nn

from attnlab.analysis.parameters import inside, is_norm
from attnlab.trace.capture import ATTENTION_STAGES, STREAM_STAGES, Capture
from attnlab.trace.edits import ZeroHead
from attnlab.trace.run import Cancel
from attnlab.trace.site import Block
from attnlab.trace.trace import Trace

Shape = tuple[int, ...]
NormPlace = Literal["before", "after", "inside", ""]
"""Where a block normalises: what its parts read (pre-norm), the stream once a part was added to it
(post-norm), or what a part hands on before it is added; "" where that cannot be told."""

_ONE_ROW: Final = ("scores", "weights")
_SHOWN: Final = tuple(s for s in ATTENTION_STAGES if s not in ("scaled", "masked"))


@dataclass(frozen=True)
class Pass:
    """What one run computed in one block, as shapes.

    Attributes:
        tokens: how many tokens n the block's stream has.
        shapes: by stage. resid_pre, attn_out, cross_out, mlp_out, resid_post and final are [n, M];
            q [H, n, D], k [K, S, D], v [K, S, E], scores and weights [H, n, S], z [H, n, E];
            logits [1, V]. Stages of cross-attention are called "cross.q" and so on. What the model
            does not show is missing.
        parallel: whether the feed-forward reads the stream as it was before attention; None where
            that could not be measured.
    """

    tokens: int
    shapes: Mapping[str, Shape]
    parallel: bool | None = None

    @property
    def width(self) -> int | None:
        """The width M of the residual stream; None where no stage of it was seen."""
        return next((self.shapes[s][-1] for s in STREAM_STAGES if s in self.shapes), None)


def one_pass(
    runner: Any,
    text: Any,
    role: str,
    layer: int,
    *,
    target: Any = None,
    cancel: Cancel | None = None,
) -> Pass:
    """Run a text, and keep the shape of everything that the block of one layer computes.

    Of scores and weights one row is kept: with the number of queries it gives their shape. A second
    run without the layer's heads tells whether its feed-forward waits for them.

    Args:
        runner: a Runner that says which ``stages`` it has.
        role: whose block, "encoder" or "decoder".

    Raises:
        AttnLabError: the text cannot be run, or the work was cancelled.
    """
    options = {"target": target, "cancel": cancel}
    wanted = _captures(runner, role, layer)
    trace = runner.run(text, capture=wanted, logits="last", **options)
    tokens = len(trace.tokens if role == trace.main_role else trace.source_tokens)
    shapes: dict[str, Shape] = {}
    for (stage, whose), layers in trace.values.items():
        kept = layers.get(0 if stage == "final" else layer)
        if kept is None or whose not in (role, "cross"):
            continue
        shape = tuple(kept.tensor.shape)
        if stage in _ONE_ROW:
            shape = (shape[0], tokens, shape[2])
        shapes[f"cross.{stage}" if whose == "cross" else stage] = shape
    if trace.logits is not None and role == trace.main_role:
        shapes["logits"] = tuple(trace.logits.shape)
    parallel = _is_parallel(runner, text, role, layer, trace, options)
    return Pass(tokens, shapes, parallel)


def _captures(runner: Any, role: str, layer: int) -> list[Capture]:
    roles = ("decoder", "cross") if role == "decoder" else (role,)
    here = tuple(site.role for site in runner.sites if site.role in roles and site.layer == layer)
    wanted = []
    for stage in _SHOWN if here else ():
        rows = (0,) if stage in _ONE_ROW else None
        wanted.append(Capture(stage, layers=layer, roles=here, queries=rows))
    if any((block.role, block.layer) == (role, layer) for block in runner.blocks):
        wanted += [Capture(stage, layers=layer, roles=role) for stage in STREAM_STAGES[:-1]]
    return [capture for capture in (*wanted, Capture("final")) if capture.stage in runner.stages]


def _is_parallel(
    runner: Any, text: Any, role: str, layer: int, plain: Trace, options: Mapping[str, Any]
) -> bool | None:
    """Whether what the feed-forward hands on stays the same, to the last bit, without the heads."""
    heads = [s.heads for s in runner.sites if (s.role, s.layer) == (role, layer)]
    before = plain.values.get(("mlp_out", role), {}).get(layer)
    if not heads or before is None or "z" not in runner.editable:
        return None
    gone = [ZeroHead(layer, head, role) for head in range(heads[0])]
    kept = Capture("mlp_out", layers=layer, roles=role)
    edited = runner.run(text, capture=kept, edits=gone, logits=None, **options)
    return torch.equal(edited.role(role).mlp_out[layer], before.tensor)


def norm_place(block: Block, model: nn.Module) -> NormPlace:
    """Where a block normalises, from what the probe saw it add to the stream.

    What is added gives the stream after the block exactly: nothing normalises the stream itself,
    so what the block's norms change is what its parts read, or what they hand on where the module
    that hands it on is a norm. Where it does not, and the probe knows all that is added, a norm
    follows the sum.
    """
    if not (block.attn_out and block.mlp_out):
        return ""
    modules = dict(model.named_modules())
    if not any(is_norm(module) for path, module in modules.items() if inside(path, block.path)):
        return ""
    if not block.additive:
        return "after"
    return "inside" if is_norm(modules[block.attn_out]) else "before"


def centres(norm: nn.Module, width: int) -> bool | None:
    """Whether a norm takes away the mean (LayerNorm) or only scales (RMSNorm), by running it.

    A vector of ones becomes nothing but the shift in the first, and the scale in the second. None
    where the module does not take a vector of ``width``.
    """
    weight = next(norm.parameters())
    if weight.shape != (width,):
        return None
    shifted = getattr(norm, "bias", None)
    with torch.no_grad():
        ones = torch.ones(1, 1, width, dtype=weight.dtype, device=weight.device)
        got = norm(ones)[0, 0] - (0 if shifted is None else shifted)
    return bool(got.abs().max() <= 1e-3 * max(1.0, float(weight.abs().max())))


def norm_of(block: Block, model: nn.Module, width: int) -> str:
    """ "LayerNorm" or "RMSNorm" where the block's norms of the stream are all one kind, else ""."""
    kinds = {
        centres(module, width)
        for path, module in model.named_modules()
        if inside(path, block.path) and is_norm(module)
    } - {None}
    return {True: "LayerNorm", False: "RMSNorm"}[kinds.pop()] if len(kinds) == 1 else ""
