"""Our transformer, read top to bottom: encoder, decoder, encoder-decoder (Vaswani et al. 2017).

    ids → embed, positions → block × L → norm → hidden states → head → logits
    block:  x ← x + attention(norm(x))        tokens read each other
            x ← x + cross(norm(x), source)    and a source, in an encoder-decoder
            x ← x + feed_forward(norm(x))     each token by itself

Letters: B batch, n new tokens, L layers, H query heads, K key/value heads, Q queries, S keys
(source), D key size, E value size, M model width, F feed-forward size, V vocabulary.

The same lines are GPT-2, Pythia, Llama, Mistral, Qwen2, BERT, RoBERTa and T5; ``Config`` says
which. Values on the way are shown to the run under way, if any, to keep or change (``Layer``).

    model = Decoder(Config(vocabulary=97, width=64, layers=2, heads=4, hidden=256))
    logits = model.logits(model(ids))                          # [B, n, V]
    cache = Cache()
    model(ids[:, :-1], cache=cache)
    last = model.logits(model(ids[:, -1:], cache=cache))       # [B, 1, V], logits' last row again
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attnlab.attention import Cache, Mask, MultiHead
from attnlab.attention.checks import require_ids, require_rows
from attnlab.attention.masks import Bidirectional, Causal, Predicate
from attnlab.config import ACTIVATIONS, NORMS, Config
from attnlab.trace.kept import Kept
from attnlab.trace.layer import Layer, show_final
from attnlab.trace.order import Order


def norm_of(c: Config) -> nn.Module:
    return NORMS[c.norm](c.width, eps=c.eps)


class FeedForward(nn.Module):
    """down(act(up x)), or gated: down(act(gate x) · up x) (Shazeer 2020, "GLU Variants")."""

    def __init__(self, c: Config) -> None:
        super().__init__()
        self.up = nn.Linear(c.width, c.hidden, bias=c.feed_forward_bias)  # [F, M]
        self.gate = nn.Linear(c.width, c.hidden, bias=c.feed_forward_bias) if c.gated else None
        self.down = nn.Linear(c.hidden, c.width, bias=c.feed_forward_bias)  # [M, F]
        self.activation = ACTIVATIONS[c.activation]

    def forward(self, x: Float[Tensor, "B n M"]) -> Float[Tensor, "B n M"]:
        up = self.up(x)
        up = self.activation(up) if self.gate is None else self.activation(self.gate(x)) * up
        return self.down(up)


@dataclass(frozen=True)
class Shared:
    """What the blocks of one forward have in common, worked out once."""

    masks: dict[Predicate, Mask]  # each [#B, 1, Q, S]
    order: Order  # how queries and keys turn, and what is added to the scores
    source: Float[Tensor, "B T N"] | None
    source_mask: Mask  # [#B, 1, 1, T]
    keys: int  # S, the positions in the cache that are seen, and the new ones
    kept: dict[str, Any]  # where attention keeps keys, values, and memory it can use again


class Block(nn.Module):
    """One layer. ``layer`` knows what a run calls it, and shows the run what it computes."""

    def __init__(self, c: Config, name: tuple[str, str, int], source_width: int | None, main: bool):
        super().__init__()
        _, role, number = name
        sizes = (c.width, c.heads, c.kv_heads, c.key_size, c.value_size)
        options = {"qkv_bias": c.qkv_bias, "out_bias": c.out_bias, "scale": c.of("scale", number)}
        self.attention_norm, self.attention = norm_of(c), MultiHead(*sizes, **options)
        crossed = source_width is not None
        self.cross_norm = norm_of(c) if crossed else None
        self.cross = MultiHead(*sizes, source_width=source_width, **options) if crossed else None
        self.feed_forward_norm, self.feed_forward = norm_of(c), FeedForward(c)
        self.pre, self.parallel = c.norm_place == "pre", c.parallel
        self.pattern = c.of("mask", number) or (Causal() if role == "decoder" else Bidirectional())
        seen = (self.pattern.causal, self.pre, c.layers if main else None)
        self.layer = Layer(*name, self.attention, self.cross, *seen)

    def forward(self, x: Float[Tensor, "B n M"], shared: Shared) -> Float[Tensor, "_ n M"]:
        """What the next block reads. A run may have more rows join the batch here."""
        x = self.layer.enter(x)
        if self.parallel:
            read = 0 if self.cross is None else self.attend_source(self.cross_norm(x), shared)
            attended = self.attend(self.attention_norm(x), shared)
            fed = self.feed(self.feed_forward_norm(x), shared)
            return self.layer.show("resid_post", x + attended + read + fed)
        x = self.add(x, self.attend, self.attention_norm, shared)
        if self.cross is not None:
            x = self.add(x, self.attend_source, self.cross_norm, shared)
        x = self.add(x, self.feed, self.feed_forward_norm, shared)
        return self.layer.show("resid_post", x)

    def add(self, x: Tensor, layer: Callable, norm: nn.Module, shared: Shared) -> Tensor:
        """x + layer(norm(x)), or post-norm: norm(x + layer(x))."""
        return x + layer(norm(x), shared) if self.pre else norm(x + layer(x, shared))

    def attend(self, x: Tensor, shared: Shared) -> Tensor:
        watched = self.layer.watch(self.layer.site, x.shape[1], shared.keys)
        how = {"mask": shared.masks[self.pattern], **shared.order.at(self.layer.site)}
        return self.layer.show("attn_out", self.attention(x, **how, **watched, **shared.kept))

    def attend_source(self, x: Tensor, shared: Shared) -> Tensor:
        watched = self.layer.watch(self.layer.cross, x.shape[1], shared.source.shape[1])
        read = self.cross(x, shared.source, mask=shared.source_mask, **watched, **shared.kept)
        return self.layer.show("cross_out", read)

    def feed(self, x: Tensor, shared: Shared) -> Tensor:
        return self.layer.show("mlp_out", self.feed_forward(x))


class Head(nn.Module):
    """From hidden states to logits; a masked model's starts with a layer of its own (BERT)."""

    def __init__(self, c: Config, embed: nn.Embedding) -> None:
        super().__init__()
        masked = c.transform is not None
        self.dense = nn.Linear(c.width, c.width) if masked else None  # [M, M]
        self.norm, self.activation = norm_of(c) if masked else None, ACTIVATIONS.get(c.transform)
        self.unembed = nn.Linear(c.width, c.vocabulary, bias=masked)  # [V, M]
        if c.tied:
            self.unembed.weight = embed.weight
        self.scale = c.logits_scale

    def forward(self, x: Float[Tensor, "B n M"]) -> Float[Tensor, "B _ V"]:
        if self.dense is not None:
            x = self.norm(self.activation(self.dense(x)))
        return self.unembed(x if self.scale == 1.0 else x * self.scale)


class Stack(nn.Module):
    """Embeddings, L blocks, a last norm and a head: what ``Encoder`` and ``Decoder`` are."""

    role: str

    def __init__(
        self,
        c: Config,
        source_width: int | None = None,  # M of a source that every block reads too
        embed: nn.Embedding | None = None,  # one to share
        path: str = "",  # where a run finds it
        main: bool = True,  # whether it is the stack that predicts
    ) -> None:
        super().__init__()
        self.config = c
        self.embed = embed or nn.Embedding(c.vocabulary, c.width)  # [V, M]
        self.segments = nn.Embedding(c.segments, c.width) if c.segments else None
        self.embedding_norm = norm_of(c) if c.embedding_norm else nn.Identity()
        names = ((f"{path}blocks.{number}", self.role, number) for number in range(c.layers))
        self.blocks = nn.ModuleList(Block(c, name, source_width, main) for name in names)
        sizes = {"width": c.width, "heads": c.heads, "key_size": c.head_sizes().key_size}
        self.positions = c.positions.build(**sizes, bidirectional=self.role == "encoder")
        self.final_norm = norm_of(c) if c.final_norm else nn.Identity()
        self.head = Head(c, self.embed) if c.head else None
        for matrix in (weight for weight in self.parameters() if weight.dim() > 1):
            nn.init.normal_(matrix, std=0.02)  # as GPT-2 starts

    def forward(
        self,
        ids: Int[Tensor, "B n"],
        *,
        real: Bool[Tensor, "B S"] | None = None,  # False: padding, also among those in the cache
        positions: Int[Tensor, "#B n"] | None = None,  # where they stand; biases only count tokens
        segments: Int[Tensor, "B n"] | None = None,  # which of two texts each is of
        source: Float[Tensor, "B T N"] | None = None,  # what cross-attention reads
        source_real: Bool[Tensor, "B T"] | None = None,  # False: padding
        cache: Cache | None = None,
    ) -> Float[Tensor, "_ n M"]:
        """Hidden states of the tokens ``ids``, which follow those in the cache.

        Raises:
            ValueError: there is no token, a shape is another, a source is read by nothing or is
                missing, the cache is another model's, or numbers tokens anew where positions are
                added to the embeddings.
        """
        require_ids(ids)
        if (source is None) != (self.blocks[0].cross is None):
            raise ValueError("a source is read where there is cross-attention, and only there")
        past = 0 if cache is None else cache.length_of(self.blocks[0].attention)
        n = ids.shape[1]
        own = {"positions": (positions, n), "segments": (segments, n), "real": (real, past + n)}
        read = (source_real, past + n if source is None else source.shape[1])
        require_rows(len(ids), **own, source_real=read)
        kept = Kept.of(cache, past, n, self.positions, ids.device)
        positions = kept.new if positions is None else positions
        x = self.embed(ids)
        if self.segments is not None:
            x = x + self.segments(torch.zeros_like(ids) if segments is None else segments)
        order = Order(self.positions, self.role, positions, kept.spans, x.dtype, kept.renumbered)
        x = self.embedding_norm(order.embed(x))
        patterns = {block.pattern for block in self.blocks}
        shared = Shared(
            masks={pattern: kept.mask(pattern, real) for pattern in patterns},
            order=order,
            source=source,
            source_mask=Mask().without(source_real),
            keys=kept.keys.shape[1],
            kept={"cache": cache, "workspace": {}},
        )
        for block in self.blocks:
            x = block(x, shared)
        return show_final(self.role, self.final_norm(x))

    def logits(self, hidden: Float[Tensor, "B n M"]) -> Float[Tensor, "B _ V"]:
        if self.head is None:
            raise ValueError("this transformer has no head (Config.head): it predicts nothing")
        return self.head(hidden)


class Encoder(Stack):
    """Every token sees every other (BERT)."""

    role = "encoder"


class Decoder(Stack):
    """Every token sees itself and the past (GPT), and a source where there is one."""

    role = "decoder"


class EncoderDecoder(nn.Module):
    """An encoder reads a source; a decoder writes, and looks at what was read (T5)."""

    def __init__(self, encoder: Config, decoder: Config, shared: bool = True) -> None:
        super().__init__()
        self.encoder = Encoder(encoder, path="encoder.", main=False)
        embed = self.encoder.embed if shared else None  # one table for both
        self.decoder = Decoder(decoder, encoder.width, embed, path="decoder.")

    def forward(
        self, source_ids: Int[Tensor, "B T"], ids: Int[Tensor, "B n"], **options: Any
    ) -> Float[Tensor, "_ n M"]:
        """The decoder's hidden states. In steps: call ``encoder`` once and ``decoder`` for each."""
        source = self.encoder(source_ids, real=options.get("source_real"))
        return self.decoder(ids, source=source, **options)

    def logits(self, hidden: Float[Tensor, "B n M"]) -> Float[Tensor, "B _ V"]:
        return self.decoder.logits(hidden)
