"""How one block is put together, measured on a text: shapes, place of the norms, order of parts.

Everything is seen in a run, or said to be unknown; nothing is read from a configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import torch
from torch import Tensor, nn

from attnlab.analysis.parameters import inside, is_norm
from attnlab.trace.capture import ATTENTION_STAGES, STREAM_STAGES, Capture
from attnlab.trace.edits import ZeroHead
from attnlab.trace.run import Cancel
from attnlab.trace.site import Block

Shape = tuple[int, ...]
NormPlace = Literal["before", "after", "inside", ""]
"""Where a block normalises: what its parts read (pre-norm), the stream once a part was added to it
(post-norm), or what a part hands on before it is added; "" where that cannot be told."""

_ONE_ROW: Final = ("scores", "weights")
_FEW: Final = 8  # tokens that tell whether one part waits for another
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
        norm_place, norm: where the block normalises, and "LayerNorm" or "RMSNorm"; "" where that
            could not be told.
    """

    tokens: int
    shapes: Mapping[str, Shape]
    parallel: bool | None = None
    norm_place: NormPlace = ""
    norm: str = ""

    @property
    def width(self) -> int | None:
        """The width M of the residual stream; None where no stage of it was seen."""
        return next((self.shapes[s][-1] for s in STREAM_STAGES if s in self.shapes), None)


def one_pass(
    runner: Any,
    model: nn.Module,
    text: Any,
    role: str,
    layer: int,
    *,
    target: Any = None,
    cancel: Cancel | None = None,
) -> Pass:
    """Run a text, and keep the shape of everything that the block of one layer computes.

    Of scores and weights one row is kept: with the number of queries it gives their shape. Two
    more runs of its first tokens, with the layer's heads and without them, tell whether the
    feed-forward waits for attention.

    Args:
        runner: a Runner that says which ``stages`` it has.
        model: the module that the paths of its blocks are relative to.
        role: whose block, "encoder" or "decoder".

    Raises:
        AttnLabError: the text cannot be run, or the work was cancelled.
    """
    wanted = _captures(runner, role, layer)
    trace = runner.run(text, target=target, capture=wanted, logits="last", cancel=cancel)
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
    found = Pass(tokens, shapes, _is_parallel(runner, text, role, layer, target, cancel))
    block = next((b for b in runner.blocks if (b.role, b.layer) == (role, layer)), None)
    if block is None or found.width is None:
        return found
    after = trace.values.get(("resid_post", role), {}).get(layer)
    place = norm_place(block, model, None if after is None else after.tensor)
    return replace(found, norm_place=place, norm=norm_kind(block, model, found.width))


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
    runner: Any, text: Any, role: str, layer: int, target: Any, cancel: Cancel | None
) -> bool | None:
    """Whether what the feed-forward hands on stays the same, to the last bit, without the heads."""
    heads = [s.heads for s in runner.sites if (s.role, s.layer) == (role, layer)]
    known = any((b.role, b.layer) == (role, layer) and b.mlp_out for b in runner.blocks)
    if not (heads and known and {"mlp_out", "z"} <= runner.editable):
        return None
    gone = tuple(ZeroHead(layer, head, role) for head in range(heads[0]))
    if isinstance(text, str):
        text = [token.id for token in runner.tokens(text)[:_FEW]]
    kept = Capture("mlp_out", layers=layer, roles=role)
    options = {"target": target, "capture": kept, "logits": None, "cancel": cancel}
    plain, edited = (runner.run(text, edits=edits, **options) for edits in ((), gone))
    return torch.equal(*(trace.role(role).mlp_out[layer] for trace in (plain, edited)))


def norm_place(block: Block, model: nn.Module, after: Tensor | None = None) -> NormPlace:
    """Where a block normalises.

    What is added to the stream gives it exactly as it is after the block: then no norm changes the
    stream, so the block's norms change what its parts read, or what they hand on, where the module
    that hands it on is a norm. Else the stream after the block shows whether it left a norm.

    Args:
        model: the module that the block's paths are relative to.
        after: the stream after the block on some text, [n, M].
    """
    modules = dict(model.named_modules())
    norms = [m for path, m in modules.items() if inside(path, block.path) and is_norm(m)]
    if not (norms and block.attn_out and block.mlp_out):
        return ""
    if block.additive:
        return "inside" if is_norm(modules[block.attn_out]) else "before"
    left_one = after is not None and any(_left(norm, after) for norm in norms)
    return "after" if left_one else ""


def _left(norm: nn.Module, stream: Tensor) -> bool:
    """Whether every position of a stream has unit size once a norm's scale and shift are undone."""
    scale, shift = next(norm.parameters()).detach(), getattr(norm, "bias", None)
    if scale.shape != stream.shape[-1:] or bool((scale == 0).any()):
        return False
    plain = stream.double() - (0 if shift is None else shift.detach().double().cpu())
    size = (plain / scale.double().cpu()).square().mean(-1).sqrt()
    return bool((size - 1).abs().max() < 0.02)


def centres(norm: nn.Module, width: int) -> bool | None:
    """Whether a norm takes away the mean (LayerNorm) or only scales (RMSNorm), by running it.

    Of a vector of ones the first leaves nothing but its shift, the second its scale. None where
    the module does not take a vector of ``width``.
    """
    scale, shift = next(norm.parameters()).detach(), getattr(norm, "bias", None)
    if scale.shape != (width,):
        return None
    with torch.no_grad():
        ones = torch.ones(1, 1, width, dtype=scale.dtype, device=scale.device)
        left = norm(ones)[0, 0] - (0 if shift is None else shift)
    return bool(left.abs().max() <= 0.01 * max(1.0, float(scale.abs().max())))


def norm_kind(block: Block, model: nn.Module, width: int) -> str:
    """ "LayerNorm" or "RMSNorm" where all the block's norms of the stream are one kind, else ""."""
    kinds = {
        centres(module, width)
        for path, module in model.named_modules()
        if inside(path, block.path) and is_norm(module)
    } - {None}
    return {True: "LayerNorm", False: "RMSNorm"}[kinds.pop()] if len(kinds) == 1 else ""
