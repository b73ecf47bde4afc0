"""Hooks on the clone: the residual stream, the head's positions, and z in the tap tier.

They go in once, at load. Each reads the current run and does nothing without one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor, nn

from attnlab.pretrained.losses import next_token_losses
from attnlab.pretrained.watch import hidden_of
from attnlab.trace.run import current_run
from attnlab.trace.site import Block, Site
from attnlab.trace.visit import enter_block, visit_stream, where_of


def install_stream(
    modules: Mapping[str, nn.Module], blocks: Sequence[Block], main_role: str
) -> None:
    """Watch every block, and the modules whose outputs it adds to the stream."""
    by_path: dict[str, list[Block]] = {}
    for block in blocks:
        by_path.setdefault(block.path, []).append(block)
    main = sum(block.role == main_role for block in blocks)
    for path, repeats in by_path.items():
        modules[path].register_forward_pre_hook(
            _entering(repeats, main_role, main), with_kwargs=True
        )
        modules[path].register_forward_hook(_leaving("resid_post", repeats))
        for stage in ("attn_out", "cross_out", "mlp_out"):
            leaf = getattr(repeats[0], stage)
            if leaf and all(getattr(block, stage) == leaf for block in repeats):
                modules[leaf].register_forward_hook(_leaving(stage, repeats, leaf))


def _entering(repeats: list[Block], main_role: str, main: int) -> Callable:
    def hook(module: nn.Module, args: tuple, kwargs: dict) -> tuple[tuple, dict] | None:
        run = current_run()
        if run is None:
            return None
        block = repeats[run.nth_call(f"block {repeats[0].path}") % len(repeats)]
        found = hidden_of(args, kwargs)
        if found is None:
            return None
        place, hidden = found
        new = enter_block(block, hidden, run, main if block.role == main_role else None)
        if new is hidden:
            return None
        if isinstance(place, str):
            return args, {**kwargs, place: new}
        return (*args[:place], new, *args[place + 1 :]), kwargs

    return hook


def _leaving(stage: str, repeats: list[Block], leaf: str = "") -> Callable:
    def hook(module: nn.Module, args: tuple, output: Any) -> Any:
        run = current_run()
        if run is None or not run.shows(stage):
            return None
        block = repeats[run.nth_call(f"{stage} {repeats[0].path}") % len(repeats)]
        if not run.touches(stage, block):
            return None
        tensor = output if isinstance(output, Tensor) else output[0]
        factor = block.factor(leaf)
        # Some feed-forwards put batch and positions on one axis: [B · Q, M].
        added = tensor if tensor.dim() == 3 else tensor.view(run.batch, -1, tensor.shape[-1])
        added = added if factor == 1.0 else added * factor
        new = visit_stream(stage, block, added, run)
        if new is added and not run.grad:  # gradients must pass through what was kept
            return None
        new = (new if factor == 1.0 else new / factor).view_as(tensor)
        return new if isinstance(output, Tensor) else (new, *output[1:])

    return hook


def install_final(module: nn.Module, role: str) -> None:
    """Show the last hidden states of an encoder or decoder, after its last norm."""
    place = Block(path="", role=role, layer=0)

    def hook(module: nn.Module, args: tuple, output: Any) -> None:
        run = current_run()
        if run is not None:
            run.ends[role] = output
            visit_stream("final", place, output.last_hidden_state, run)

    module.register_forward_hook(hook)


def install_head(head: nn.Module) -> None:
    """Let the language-model head see only the positions whose logits were asked for; where the
    losses were asked for, apply it in chunks and keep those."""

    def hook(module: nn.Module, args: tuple) -> tuple | None:
        run = current_run()
        if run is None or run.positions is None or run.in_head:
            return None
        hidden = args[0]
        if hidden.dim() != 3:  # no [B, Q, M]: predictions of several tokens to come
            return None
        if run.targets is not None:
            run.in_head = True  # the calls below come back to this hook
            run.losses = next_token_losses(lambda a, b: module(hidden[:, a:b]), run.targets)
            run.in_head = False
        run.narrowed = True
        index = run.positions.to(hidden.device)
        index = index.expand(hidden.shape[0], -1)[..., None].expand(-1, -1, hidden.shape[-1])
        return (hidden.gather(1, index), *args[1:])

    head.register_forward_pre_hook(hook)


def install_taps(modules: Mapping[str, nn.Module], sites: Sequence[Site]) -> None:
    """Show z where the output projection reads it."""
    by_path: dict[str, list[Site]] = {}
    for site in sites:
        by_path.setdefault(site.out_proj, []).append(site)
    for path, repeats in by_path.items():
        modules[path].register_forward_pre_hook(_reading(repeats))


def _reading(repeats: list[Site]) -> Callable:
    def hook(module: nn.Module, args: tuple) -> tuple | None:
        run = current_run()
        if run is None or not run.shows("z"):
            return None
        site = repeats[run.nth_call(f"z {repeats[0].out_proj}") % len(repeats)]
        if not run.touches("z", site):
            return None
        z = args[0].unflatten(-1, (site.heads, -1)).transpose(1, 2)
        queries = z.shape[2]
        new = run.visit("z", site, z, where_of(site, run, queries, queries), queries, queries)
        if new is z and not run.grad:
            return None
        return (new.transpose(1, 2).flatten(2), *args[1:])

    return hook
