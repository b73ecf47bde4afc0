"""Which parameters of a block make queries, keys, values and what follows: told by evidence.

A parameter belongs to the queries where the queries change with it, and nothing else of q, k and v
does. That is read off gradients, number by number, so a matrix that holds all three is taken apart
as well, and no name of a module or of an architecture is asked. Our own attention, whose weights
keep no gradient, names its four matrices itself. Of a feed-forward it is told by handing each of
its matrices a vector as wide as the stream, and one as wide as its inside.

What cannot be told is left out: then the whole stands at the last step of its part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn

from attnlab.analysis.parameters import Layer, Weights
from attnlab.attention import MultiHead
from attnlab.trace.capture import Capture
from attnlab.trace.run import Cancel

_FEW: Final = 8
"""Tokens of the run whose gradients are kept."""
_ASKED: Final = ("q", "k", "v")
_OURS: Final = {"w_q": "q", "w_k": "k", "w_v": "v", "w_o": "out"}
_PREFIXES: Final = {"attention": "", "cross": "cross."}


def of_attention(
    runner: Any,
    model: nn.Module,
    layers: Sequence[Layer],
    text: Any,
    role: str,
    layer: int,
    *,
    target: Any = None,
    cancel: Cancel | None = None,
) -> dict[str, int]:
    """The parameters of W_Q, W_K, W_V and of the rest (W_O) of one block's attentions.

    Args:
        model: the module that the paths in ``layers`` are relative to.
        layers: the blocks as they are counted.
        text, target: of which the first few tokens are run.
        role: whose block, "encoder" or "decoder".

    Returns:
        By "q", "k", "v", "out" and the same behind "cross."; what could not be told is missing.
        The four add up to all parameters of the attention.

    Raises:
        AttnLabError: the text cannot be run, or the work was cancelled.
    """
    here = next((one for one in layers if (one.role, one.layer) == (role, layer)), None)
    if here is None or not set(_ASKED) <= runner.stages:
        return {}
    first = next(one for one in layers if one.role == role and one.weights is here.weights)
    roles = {"attention": role, "cross": "cross"}
    sites = {(site.role, site.layer) for site in runner.sites}
    asked = {
        kind: whose
        for kind, whose in roles.items()
        if (whose, first.layer) in sites and first.weights.get(kind)
    }
    if not asked:
        return {}
    named = {kind: _ours(model, first.weights[kind]) for kind in asked}
    if all(named.values()):
        return {_PREFIXES[kind] + s: count for kind in asked for s, count in named[kind].items()}
    kept = [Capture(s, layers=first.layer, roles=tuple(asked.values())) for s in _ASKED]
    text, target = _beginning(runner, text, target)
    options = {"target": target, "logits": None, "grad": True, "cancel": cancel}
    graph = runner.run(text, capture=kept, **options).graph
    found: dict[str, int] = {}
    for kind, whose in asked.items():
        made = {s: graph[s, whose, first.layer] for s in _ASKED if (s, whose, first.layer) in graph}
        counts = _counts(made, [weight for _, weight in first.weights[kind]])
        found |= {_PREFIXES[kind] + stage: count for stage, count in counts.items()}
    return found


def _ours(model: nn.Module, held: Weights) -> dict[str, int]:
    """The four matrices of our own attention; {} where it is another."""
    counts = dict.fromkeys(_OURS.values(), 0)
    for path, weight in held:
        around, _, name = path.rpartition(".")
        if not isinstance(model.get_submodule(around), MultiHead):
            return {}
        counts[_OURS[name]] += weight.numel()
    return counts


def _beginning(runner: Any, text: Any, target: Any) -> tuple[Any, Any]:
    """The first tokens of a text and of a target: evidence takes no more."""
    if isinstance(text, str):
        text = [token.id for token in runner.tokens(text)[:_FEW]]
    if isinstance(target, str):
        target = [token.id for token in runner.target_tokens(target)[1:_FEW]]
    return text, target


def _counts(made: Mapping[str, Tensor], weights: Sequence[nn.Parameter]) -> dict[str, int]:
    """How many numbers of some parameters feed q, k and v each; {} where that cannot be told."""
    if set(made) != set(_ASKED) or not all(value.requires_grad for value in made.values()):
        return {}
    if not all(weight.requires_grad for weight in weights):
        return {}
    feeds = {stage: _feeding(value, weights) for stage, value in made.items()}
    for which, weight in enumerate(weights):
        shares = [int(feeds[stage][which].sum()) for stage in _ASKED]
        apart = int(torch.stack([feeds[stage][which] for stage in _ASKED]).any(0).sum())
        if sum(shares) != apart or apart not in (0, weight.numel()):
            return {}  # some number feeds two of them, or a matrix not altogether
    counts = {stage: sum(int(mask.sum()) for mask in feeds[stage]) for stage in _ASKED}
    whole = sum(weight.numel() for weight in weights)
    return counts | {"out": whole - sum(counts.values())}


def _feeding(made: Tensor, weights: Sequence[nn.Parameter]) -> list[Tensor]:
    """For each parameter, which of its numbers a tensor changes with."""
    random = torch.Generator().manual_seed(0)
    mixed = torch.randn(made.shape, generator=random).to(made.device, made.dtype)
    options = {"retain_graph": True, "allow_unused": True}
    slopes = torch.autograd.grad((made * mixed).sum(), weights, **options)
    return [
        torch.zeros_like(weight, dtype=torch.bool) if slope is None else slope != 0
        for slope, weight in zip(slopes, weights, strict=True)
    ]


def of_feed_forward(model: nn.Module, held: Weights, width: int, hidden: int) -> dict[str, int]:
    """The parameters of a feed-forward that read the stream, and of those that lead back to it.

    Args:
        model: the module that the paths are relative to.
        held: (path, parameter) of the feed-forward.
        width: M of the stream; ``hidden``: of its inside.

    Returns:
        By "wider" and "back", which add up to the whole; {} where they cannot be told apart.
    """
    counts = {"wider": 0, "back": 0}
    for path in dict.fromkeys(path for path, _ in held):
        module = model.get_submodule(path)
        reads = [side for side in (width, hidden) if _reads(module, side)]
        if len(reads) != 1 or width == hidden:
            return {}
        count = sum(weight.numel() for place, weight in held if place == path)
        counts["wider" if reads == [width] else "back"] += count
    return counts if all(counts.values()) else {}


def _reads(module: nn.Module, width: int) -> bool:
    """Whether a module takes vectors of this width, found by handing it one."""
    weight = next(module.parameters(recurse=False))
    if next(module.children(), None) is not None:
        return False
    try:
        with torch.no_grad():
            module(torch.zeros(1, 1, width, dtype=weight.dtype, device=weight.device))
    except (RuntimeError, TypeError, NotImplementedError):
        return False
    return True
