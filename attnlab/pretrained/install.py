"""Putting our hooks into the clone, once, where the probe found something."""

from __future__ import annotations

from typing import Any

from torch import nn

from attnlab.pretrained import dispatch, hooks
from attnlab.pretrained.order.install import install as install_order
from attnlab.pretrained.sites import Layout
from attnlab.trace.site import Site


def install(clone: Any, tier: str, layout: Layout, tapped_z: bool) -> None:
    """Mark the sites and put the hooks in; from here on the clone is only read.

    Args:
        tapped_z: in the tap tier, whether every output projection was seen to read z.
    """
    modules = dict(clone.named_modules())
    if tier == "dispatch":
        by_path: dict[str, list[Site]] = {}
        for site in layout.sites:
            by_path.setdefault(site.path, []).append(site)
        for path, here in by_path.items():
            dispatch.set_sites(modules[path], tuple(here))
    elif tapped_z:
        hooks.install_taps(modules, layout.sites)
    hooks.install_stream(modules, layout.blocks, layout.main_role)
    install_order(modules, layout.order, layout.sites)
    for path, role in layout.ends:
        hooks.install_final(modules[path], role)
    head = output_head(clone)
    if head is not None:
        hooks.install_head(head)


def output_head(model: Any) -> nn.Module | None:
    """The module that gives logits over the vocabulary, if the model has one."""
    try:
        return model.get_output_embeddings()
    except (AttributeError, NotImplementedError, TypeError):
        return None
