"""Putting our hooks into the clone, once, where the probe found something."""

from __future__ import annotations

from typing import Any

from torch import nn

from attnlab.pretrained import dispatch, hooks
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


def structure_of(lab: Any) -> tuple[nn.Module, nn.Module | None]:
    """The module that the paths of a Lab's sites and blocks are relative to, and the matrix in it
    that gives logits, None where there is none."""
    ours = getattr(lab, "transformer", None)
    if ours is None:
        return lab.model, output_head(lab.model)
    head = getattr(ours, "decoder", ours).head
    return ours, None if head is None else head.unembed


def module_of(lab: Any, path: str) -> nn.Module:
    """A module of what a Lab runs, by the path of a Site or a Block."""
    ours = getattr(lab, "transformer", None)
    return (lab._clone if ours is None else ours).get_submodule(path)


def rotation_of(lab: Any, role: str, layer: int) -> nn.Module | None:
    """What turns the queries and keys of an attention, in our transformer; None elsewhere, and
    where nothing turns."""
    rotation = getattr(lab, "rotation", None)
    return None if rotation is None else rotation(role, layer)
