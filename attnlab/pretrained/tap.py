"""The tap tier: models that compute attention in code of their own, observed at their softmax.

While a run is under way, a TorchFunctionMode sees every softmax of this thread. What enters it is
the stage ``masked``, what leaves it is ``weights``; both can be read and changed. The per-head
output z is read, and changed, where the output projection reads it; that this is really z was
checked by ablation at load. Queries, keys, values and raw scores are not visible here.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from attnlab.pretrained.dispatch import Call
from attnlab.pretrained.watch import SOFTMAX
from attnlab.trace.run import Run
from attnlab.trace.site import Site
from attnlab.trace.visit import where_of

STAGES = ("masked", "weights")


@dataclass(frozen=True)
class Taps:
    """Which softmax of a forward is which site: ``sites[i]`` is the i-th, None for a softmax
    that is no attention that can be shown (a router, a window)."""

    sites: tuple[Site | None, ...]
    in_encoder: int = 0
    """How many of them an encoder runs: with its output at hand, they do not come by again."""
    dtype: torch.dtype = torch.float32
    """The model's: half of its lowest number, or anything below, marks a hidden key."""

    def hidden(self, scores: Tensor, site: Site) -> Tensor:
        """The keys that a query does not see, as bool [..., Q, S]; in a causal site no later one,
        whatever number the model hides it with."""
        hidden = scores <= torch.finfo(self.dtype).min / 2
        queries, keys = scores.shape[-2:]
        if not site.causal or queries == 1:
            return hidden
        future = torch.ones(queries, keys, dtype=torch.bool, device=scores.device)
        return hidden | future.triu(1 + keys - queries)


class SoftmaxTap(TorchFunctionMode):
    """Hands the softmaxes of one forward, from the ``first`` on, to the current run."""

    def __init__(self, taps: Taps, run: Run, first: int = 0) -> None:
        super().__init__()
        self.taps = taps
        self.run = run
        self.first = first

    def __torch_function__(
        self, func: Any, types: Any, args: tuple = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func not in SOFTMAX:
            return func(*args, **kwargs)
        index = self.first + self.run.nth_call("softmax")
        site = self.taps.sites[index] if index < len(self.taps.sites) else None
        if site is None:
            return func(*args, **kwargs)
        self.run.check()
        scores = args[0]
        hidden = self.taps.hidden(scores, site)
        dead = hidden.all(-1, keepdim=True)
        if self.run.touches("masked", site):
            scores, hidden, dead = self._visited(scores, site, hidden, dead)
        weights = func(scores, *args[1:], **kwargs)
        if bool(dead.any()):  # zeros, where softmax makes it uniform over the future
            weights = weights.masked_fill(dead, 0)
        seen = as_heads(weights, site.heads)
        where = where_of(site, self.run, *seen.shape[2:])
        if self.run.edits("weights", site):
            where = replace(where, visible=~as_heads(hidden, site.heads))
        changed = self.run.visit("weights", site, seen, where, *seen.shape[2:])
        same = changed is seen and not self.run.grad  # gradients pass through what was kept
        return weights if same else changed.reshape(weights.shape)

    def _visited(
        self, scores: Tensor, site: Site, hidden: Tensor, dead: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """What goes into the softmax, after the run has seen it with −∞ at hidden keys; which keys
        are hidden then, and which rows see none."""
        shown = as_heads(scores.masked_fill(hidden, float("-inf")), site.heads)
        where = where_of(site, self.run, *shown.shape[2:])
        edited = self.run.visit("masked", site, shown, where, *shown.shape[2:])
        if edited is shown and not self.run.grad:
            return scores, hidden, dead
        edited = edited.reshape(scores.shape)
        hidden = edited == -torch.inf
        dead = hidden.all(-1, keepdim=True)
        return torch.where(dead, scores, edited), hidden, dead


def as_heads(tensor: Tensor, heads: int) -> Tensor:
    """[B, H, Q, S], whether the model keeps batch and heads on one axis or on two."""
    return tensor if tensor.dim() == 4 else tensor.unflatten(0, (-1, heads))


def observer(batch: int, lengths: Sequence[int], heads: Container[int]) -> Callable[[Tensor], Call]:
    """Make a Call of a softmax's output, for the probe.

    A softmax counts as attention when its last axes are a query and a key length of the inputs;
    anything else gives a Call with no heads, which the probe drops.
    """

    def call_of(weights: Tensor) -> Call:
        shape = weights.shape
        good = len(shape) in (3, 4) and shape[-1] in lengths and shape[-2] in lengths
        if good and len(shape) == 3:
            good = shape[0] % batch == 0 and shape[0] // batch in heads
        count = (shape[1] if len(shape) == 4 else shape[0] // batch) if good else 0
        if good and len(shape) == 4 and shape[0] != batch:
            count = 0
        queries, keys = (shape[-2], shape[-1]) if good else (1, 1)
        flat = weights.reshape(-1, queries, keys) if good else None
        causal = good and queries == keys and not bool(flat.triu(1).any())

        def blank(*size: int) -> Tensor:
            return torch.empty(size, device="meta")

        return Call(
            module=None,
            q=blank(batch, count, queries, 1),
            k=blank(batch, count, keys, 1),
            v=blank(batch, count, keys, 1),
            mask=None,
            causal=causal,
            scale=None,
            z=blank(batch, queries, max(count, 1), 1),
        )

    return call_of


def confirmed(
    clone: nn.Module, inputs: Mapping[str, Tensor], taps: Taps, modules: Mapping[str, nn.Module]
) -> dict[Site, bool]:
    """For each site, whether its output projection reads z: zero one head's weights at the
    softmax, and exactly that head's slice of the projection's input must become zero."""
    found: dict[Site, bool] = {}

    def zero(site: Site, weights: Tensor) -> Tensor:
        weights = weights.clone()
        weights[:, site.heads - 1] = 0
        return weights

    def check(site: Site) -> Callable:
        def hook(module: nn.Module, args: tuple) -> None:
            z = args[0].unflatten(-1, (site.heads, -1))
            gone, kept = z[0, :, -1], z[0, :, :-1]
            found[site] = not bool(gone.any()) and bool(kept.any())

        return hook

    handles = [
        modules[site.out_proj].register_forward_pre_hook(check(site))
        for site in taps.sites
        if site is not None and site.out_proj
    ]
    run = _Zeroing(taps, zero)
    try:
        with torch.no_grad(), run:
            clone(**inputs)
    finally:
        for handle in handles:
            handle.remove()
    return found


def with_sizes(site: Site, good: bool, modules: Mapping[str, nn.Module]) -> Site:
    """A tapped site with its value size, or without an output projection."""
    if not good:
        return replace(site, out_proj="")
    weight = modules[site.out_proj].weight
    width = getattr(modules[site.out_proj], "in_features", weight.shape[0])
    return replace(site, value_size=width // site.heads, key_size=width // site.heads)


def head_counts(config: Any) -> frozenset[int]:
    """The numbers of heads that a configuration names: encoder and decoder may differ."""
    config = config.get_text_config()
    names = ("num_attention_heads", "encoder_attention_heads", "decoder_attention_heads")
    found = (getattr(config, name, None) for name in (*names, "n_head", "num_heads"))
    return frozenset(count for count in found if isinstance(count, int))


class _Zeroing(TorchFunctionMode):
    """Changes the weights of every tapped site; used once, at load."""

    def __init__(self, taps: Taps, change: Callable[[Site, Tensor], Tensor]) -> None:
        super().__init__()
        self.taps, self.change, self.count = taps, change, 0

    def __torch_function__(
        self, func: Any, types: Any, args: tuple = (), kwargs: Any = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        if func not in SOFTMAX:
            return out
        site = self.taps.sites[self.count]
        self.count += 1
        if site is None:
            return out
        return self.change(site, as_heads(out, site.heads)).reshape(out.shape)
