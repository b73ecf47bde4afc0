"""One layer of our own transformer, as a run knows it.

All of it reads the current run by itself, and does nothing where none is under way.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from attnlab.trace.run import current_run
from attnlab.trace.site import Block, Site
from attnlab.trace.visit import enter_block, visit_stream, visitor_of, where_of


class Layer:
    """A block and its sites of attention, with the names that a run calls them by.

    Args:
        path: the module of the block; it holds ``attention``, ``feed_forward`` and perhaps
            ``cross``.
        attention, cross: the modules of these names, which know their sizes and scale.
        causal: no query of ``attention`` sees a later key.
        additive: what the block adds is added to what it read, with no norm after.
        of: how many layers there are, where a run counts its progress in them; else None.
    """

    def __init__(
        self,
        path: str,
        role: str,
        layer: int,
        attention: Any,
        cross: Any = None,
        causal: bool = True,
        additive: bool = True,
        of: int | None = None,
    ) -> None:
        self.site = _site(attention, role, layer, f"{path}.attention", causal)
        self.cross = None if cross is None else _site(cross, "cross", layer, f"{path}.cross", False)
        self.block = Block(
            path,
            role,
            layer,
            attn_out=self.site.path,
            mlp_out=f"{path}.feed_forward",
            cross_out="" if self.cross is None else self.cross.path,
            additive=additive,
        )
        self.of = of

    @property
    def sites(self) -> tuple[Site, ...]:
        return (self.site,) if self.cross is None else (self.site, self.cross)

    def enter(self, x: Tensor) -> Tensor:
        """What the block reads, [B, n, M]: see ``enter_block``."""
        run = current_run()
        return x if run is None else enter_block(self.block, x, run, self.of)

    def show(self, stage: str, x: Tensor) -> Tensor:
        """A value of the residual stream, [B, n, M], as the run lets it go on."""
        run = current_run()
        return x if run is None else visit_stream(stage, self.block, x, run)

    def watch(self, site: Site, queries: int, keys: int) -> dict[str, Any]:
        """``at=`` and ``where=`` for attention at a site.

        Raises:
            Cancelled: the caller cancelled the run.
        """
        run = current_run()
        if run is None:
            return {}
        run.check()
        at = visitor_of(run, site, queries, keys)
        return {"at": at, "where": where_of(site, run, queries, keys)}


def layers_of(model: Any) -> tuple[Layer, ...]:
    """The layers of one of our transformers, an encoder's before a decoder's."""
    held = (getattr(module, "layer", None) for module in model.modules())
    return tuple(layer for layer in held if isinstance(layer, Layer))


def show_final(role: str, x: Tensor) -> Tensor:
    """The last hidden states of an encoder or decoder, [B, n, M], after its last norm."""
    run = current_run()
    if run is None:
        return x
    # After any edit: it is what a decoder is given again at the later steps of a generation.
    x = run.ends[role] = visit_stream("final", Block(path="", role=role, layer=0), x, run)
    return x


def _site(attention: Any, role: str, layer: int, path: str, causal: bool) -> Site:
    return Site(
        path,
        role,
        layer,
        heads=attention.heads,
        kv_heads=attention.kv_heads,
        key_size=attention.key_size,
        value_size=attention.value_size,
        scale=attention.scale,
        causal=causal,
        out_proj=f"{path}.w_o",
    )
