"""A pretrained model's weights, put into our modules: every one used, none missing.

A family says which module of theirs each of ours is, ``{"blocks.3.attention.w_q": "h.3.attn"}``;
weight and bias follow. Tensors are shared, not copied, wherever ours is a view of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from torch import Tensor, nn

from attnlab.errors import RebuildRefused


@dataclass(frozen=True)
class Part:
    """Part of a module of theirs: ``cut`` takes ours out of its weight, and out of its bias."""

    name: str
    cut: Callable[[Tensor], Tensor]


Sources = Mapping[str, str | Part]
"""By the name of a module of ours, the module of theirs that it is, or is a part of."""


def assign(ours: nn.Module, theirs: nn.Module, sources: Sources, unneeded: tuple[str, ...]) -> None:
    """Give ``ours``, built on the meta device, the weights of ``theirs``.

    Args:
        sources: where each of our modules is from.
        unneeded: patterns of their weights that have no part in what we compute (a pooler).

    Raises:
        RebuildRefused: a weight that has no place, is missing, or has another shape.
    """
    title = type(theirs).__name__
    state = theirs.state_dict(keep_vars=True)
    used: set[int] = set()
    shared: dict[tuple[int, object], nn.Parameter] = {}  # tied weights stay one
    found: dict[str, nn.Parameter] = {}
    for name, place in ours.named_parameters(remove_duplicate=False):
        module, _, leaf = name.rpartition(".")
        source = sources[module]
        source = source if isinstance(source, Part) else Part(source, _all)
        key = f"{source.name}.{leaf}"
        if key not in state:
            raise RebuildRefused(f"{title} has no weight {key}, which our transformer needs.")
        used.add(id(state[key]))
        tensor = source.cut(state[key].detach())
        if tensor.shape != place.shape or not tensor.is_floating_point():
            raise RebuildRefused(
                f"{key} of {title} is {_said(tensor)}; our transformer needs {_said(place)}."
            )
        own = nn.Parameter(tensor, requires_grad=False)
        found[name] = shared.setdefault((id(state[key]), source.cut), own)
    for key, tensor in state.items():
        if id(tensor) not in used and not any(fnmatchcase(key, p) for p in unneeded):
            raise RebuildRefused(f"Our transformer has no place for {key}, which {title} holds.")
    ours.load_state_dict(found, strict=True, assign=True)
    ours.requires_grad_(False)  # gradients are those of what a run shows, as in any Lab


def _all(tensor: Tensor) -> Tensor:
    return tensor


def _said(tensor: Tensor) -> str:
    kind = str(tensor.dtype).removeprefix("torch.")
    return f"{kind} {' × '.join(map(str, tensor.shape))}"


def numbered(layers: int, per_layer: Mapping[str, str | Part]) -> dict[str, str | Part]:
    """A table of one layer, its ``{}`` filled in with every layer's number."""
    return {
        ours.format(layer): theirs.format(layer)
        if isinstance(theirs, str)
        else Part(theirs.name.format(layer), theirs.cut)
        for layer in range(layers)
        for ours, theirs in per_layer.items()
    }
