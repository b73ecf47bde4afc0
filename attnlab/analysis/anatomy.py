"""One block of a model with its shapes and its parameters: of a loaded model, or of a preset.

Of a loaded model shapes are those of a run and parameters are counted; of a preset both follow from
its published sizes, and nothing is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any, Literal

from torch import nn

from attnlab.analysis import matrices, sizes
from attnlab.analysis.parameters import Parameters, feed_forward_form, parameters
from attnlab.analysis.sizes import Preset
from attnlab.analysis.wiring import NormPlace, Pass, Shape, one_pass
from attnlab.errors import InputError
from attnlab.trace.run import Cancel


@dataclass(frozen=True)
class Heads:
    """The heads of one attention and what its keys and values take.

    Attributes:
        heads, kv_heads: H and K.
        key_size, value_size: D and E.
        layers: attentions of the role that keep keys and values.
        number_bytes: of one number.
        causal: whether it can write token by token, and so keeps a cache.
    """

    heads: int
    kv_heads: int
    key_size: int
    value_size: int
    layers: int
    number_bytes: int
    causal: bool

    def cache(self, kv_heads: int | None = None) -> int:
        """Bytes of cache a token; with as many key/value heads as said, all else alike."""
        kept = self.kv_heads if kv_heads is None else kv_heads
        each = sizes.cache_numbers(self.layers, kept, self.key_size, self.value_size)
        return each * self.number_bytes


@dataclass(frozen=True)
class Anatomy:
    """A block and what is around it.

    Attributes:
        tokens: n, how many the stream has.
        width: M of the stream; None where it was not seen.
        shapes: by stage, as in ``wiring.Pass``.
        hidden, gated: the width inside the feed-forward, and whether it has a gate; None where its
            matrices do not say.
        block: parameters of this block by class; ``counts``: of the whole model.
        steps: parameters of this block by the step that they belong to: "q", "k", "v" and "out" of
            its attention, the same behind "cross.", "wider" and "back" of its feed-forward. Of a
            part in which they could not be told apart they are missing; else they add up to it.
        blocks: how many blocks the stack has.
        norm, norm_place, parallel: as in ``wiring.Pass``; "" and None where not known.
        tied: whether the output head is the table of tokens.
        bytes: of all weights.
        heads: of the block's attention; None where it has none.
        measured: whether this was run; else it is computed from published sizes.
        other: paths of the modules that hold what is in no other class.
    """

    tokens: int
    width: int | None
    shapes: Mapping[str, Shape]
    hidden: int | None
    gated: bool | None
    block: Mapping[str, int]
    steps: Mapping[str, int]
    counts: Mapping[str, int]
    blocks: int
    norm: str
    norm_place: NormPlace
    parallel: bool | None
    tied: bool
    bytes: int
    heads: Heads | None
    measured: bool
    other: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return sum(self.counts.values())


def of_model(
    runner: Any,
    model: nn.Module,
    head: nn.Module | None,
    text: Any | None,
    role: Literal["encoder", "decoder"],
    layer: int,
    *,
    target: Any = None,
    cancel: Cancel | None = None,
) -> Anatomy:
    """The block of one layer of a loaded model, on a text.

    Args:
        model: the module that the paths of the runner's sites and blocks are relative to.
        head: the module that gives logits, None where there is none.
        text: None for no run: then there are no shapes, and how the block is wired is not known.

    Raises:
        AttnLabError: the text cannot be run, or the work was cancelled.
    """
    seen = Pass(0, {})
    if text is not None:
        seen = one_pass(runner, model, text, role, layer, target=target, cancel=cancel)
    counted = parameters(model, runner.sites, runner.blocks, head)
    here = counted.of(role, layer)
    form, steps = None, {}
    if here is not None and seen.width is not None:
        form = feed_forward_form(here.matrices, seen.width) if here.matrices else None
        options = {"target": target, "cancel": cancel}
        steps = matrices.of_attention(runner, model, counted.layers, text, role, layer, **options)
        if form is not None:
            held = here.weights["feed_forward"]
            steps |= matrices.of_feed_forward(model, held, seen.width, form[0])
    return Anatomy(
        tokens=seen.tokens,
        width=seen.width,
        shapes=seen.shapes,
        hidden=None if form is None else form[0],
        gated=None if form is None else form[1],
        block={} if here is None else here.counts,
        steps=steps,
        counts=counted.counts,
        blocks=sum(block.role == role for block in runner.blocks),
        norm=seen.norm,
        norm_place=seen.norm_place,
        parallel=seen.parallel,
        tied=counted.tied,
        bytes=counted.bytes,
        heads=_heads(runner, model, counted, role, layer),
        measured=True,
        other=counted.other,
    )


def _heads(
    runner: Any, model: nn.Module, counted: Parameters, role: str, layer: int
) -> Heads | None:
    site = next((s for s in runner.sites if (s.role, s.layer) == (role, layer)), None)
    if site is None:
        return None
    weight = next(model.parameters(), None)
    return Heads(
        site.heads,
        site.kv_heads,
        site.key_size,
        site.value_size,
        sum(other.role == role for other in runner.sites),
        4 if weight is None else weight.element_size(),
        site.causal,
    )


def of_preset(one: Preset, tokens: int, source: int | None = None) -> Anatomy:
    """A block of a preset's decoder on so many tokens; nothing is run.

    Args:
        source: tokens of what an encoder read, for an encoder-decoder; as many where None.

    Raises:
        InputError: there are no tokens.
    """
    if tokens < 1:
        raise InputError(f"A text has at least 1 token, not {tokens}.")
    c = one.decoder
    H, K, D, E = astuple(c.head_sizes())
    stream, shapes = (tokens, c.width), _attention_shapes(tokens, tokens, H, K, D, E)
    if one.encoder is not None:
        crossed = _attention_shapes(tokens, source or tokens, H, K, D, E)
        shapes |= {f"cross.{stage}": shape for stage, shape in crossed.items()}
        shapes["cross_out"] = stream
    for stage in ("resid_pre", "attn_out", "mlp_out", "resid_post", "final"):
        shapes[stage] = stream
    shapes["logits"] = (1, c.vocabulary)
    return Anatomy(
        tokens=tokens,
        width=c.width,
        shapes=shapes,
        hidden=c.hidden,
        gated=c.gated,
        block={name: count for name, count in one.block.items() if count},
        steps=one.steps,
        counts=one.counts,
        blocks=c.layers,
        norm={"layer": "LayerNorm", "rms": "RMSNorm"}[c.norm],
        norm_place={"pre": "before", "post": "after"}[c.norm_place],
        parallel=c.parallel,
        tied=c.tied,
        bytes=one.total * one.number_bytes,
        heads=Heads(H, K, D, E, c.layers, one.number_bytes, True),
        measured=False,
    )


def _attention_shapes(
    queries: int, keys: int, heads: int, kv_heads: int, key_size: int, value_size: int
) -> dict[str, Shape]:
    square = (heads, queries, keys)
    return {
        "q": (heads, queries, key_size),
        "k": (kv_heads, keys, key_size),
        "v": (kv_heads, keys, value_size),
        "scores": square,
        "weights": square,
        "z": (heads, queries, value_size),
    }
