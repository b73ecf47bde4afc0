"""A Lab that runs our transformer, wherever its weights are from."""

from __future__ import annotations

from typing import Any

from torch import nn

from attnlab.attention.positions import PositionModule
from attnlab.pretrained.lab import Lab
from attnlab.pretrained.order.ours import found_in
from attnlab.pretrained.rebuild.adapter import Adapter
from attnlab.pretrained.sites import Layout
from attnlab.trace.capture import ATTENTION_STAGES, STREAM_STAGES
from attnlab.trace.layer import layers_of
from attnlab.transformer import Stack


class Ours(Lab):
    """A Lab whose paths are those of our transformer.

    Attributes:
        transformer: ours, an ``Encoder``, ``Decoder`` or ``EncoderDecoder``.
    """

    def __init__(self, model: Any, transformer: nn.Module, tokenizer: Any, **options: Any) -> None:
        super().__init__(model, tokenizer, **options)
        self.transformer = transformer

    def structure(self) -> tuple[nn.Module, nn.Module | None]:
        head = getattr(self.transformer, "decoder", self.transformer).head
        return self.transformer, None if head is None else head.unembed

    def module(self, path: str) -> nn.Module:
        return self.transformer.get_submodule(path)

    def rotation(self, role: str) -> PositionModule | None:
        """What turns the queries and keys of a stack; None where nothing does."""
        for module in self.transformer.modules():
            if isinstance(module, Stack) and module.role == role and module.positions.rotates:
                return module.positions
        return None


def layout_of(adapter: Adapter) -> Layout:
    """Where our transformer computes attention, as the probe says it of other models."""
    layers = layers_of(adapter.transformer)
    sites = tuple(site for layer in layers for site in (layer.site, layer.cross) if site)
    longest = getattr(adapter.main.positions, "longest", None)
    order = found_in(adapter.transformer, adapter.config)
    return Layout(sites, tuple(layer.block for layer in layers), longest=longest, order=order)


def stages_of(adapter: Adapter, layout: Layout) -> frozenset[str]:
    """All of them, less what this kind of transformer does not have."""
    stages = set(ATTENTION_STAGES + STREAM_STAGES)
    if not adapter.main.positions.rotates:
        stages -= {"q_unrotated", "k_unrotated"}
    if not any(site.role == "cross" for site in layout.sites):
        stages.discard("cross_out")
    return frozenset(stages)
