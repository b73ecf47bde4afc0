"""How large a transformer is, from its configuration: parameters in closed form, and its cache.

    attention      M·H·D + M·K·D + M·K·E + H·E·M      W_Q, W_K, W_V, W_O, and their biases
    feed-forward   2·M·F, or 3·M·F where gated        and their biases
    cache          L·K·(D + E) numbers a token        keys and values of every layer

Letters as in ``attnlab.transformer``, whose ``Config`` is what is counted. The presets are models
that everybody quotes; their sizes come from here, so no weights are needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from attnlab.attention.positions import Learned, RelativeBuckets, Rope, Sinusoidal
from attnlab.errors import InputError
from attnlab.transformer import Config


@dataclass(frozen=True)
class Sizes:
    """Parameters of one stack of layers.

    Attributes:
        block: of one layer, by class: attention, cross, feed_forward, norms.
        counts: of the whole, by class: the same, embeddings and head.
        layers: how many there are.
    """

    block: Mapping[str, int]
    counts: Mapping[str, int]
    layers: int

    @property
    def of_block(self) -> int:
        return sum(self.block.values())

    @property
    def total(self) -> int:
        return sum(self.counts.values())


def attention_steps(config: Config, source_width: int | None = None) -> dict[str, int]:
    """Parameters of W_Q, W_K, W_V and W_O ("out"), their biases included.

    Args:
        source_width: of what keys and values are made of, in cross-attention of another width.
    """
    M, N = config.width, config.width if source_width is None else source_width
    of = config.head_sizes()
    queries, outputs = of.heads * of.key_size, of.heads * of.value_size
    keys, values = of.kv_heads * of.key_size, of.kv_heads * of.value_size
    bias = int(config.qkv_bias)
    return {
        "q": (M + bias) * queries,
        "k": (N + bias) * keys,
        "v": (N + bias) * values,
        "out": outputs * M + M * config.out_bias,
    }


def attention(config: Config, source_width: int | None = None) -> int:
    """Parameters of one attention: W_Q, W_K, W_V, W_O; in cross-attention of another width."""
    return sum(attention_steps(config, source_width).values())


def feed_forward_steps(config: Config) -> dict[str, int]:
    """Parameters of the matrices that read the stream, the gate among them, and of the way back."""
    M, F, ways_in, bias = config.width, config.hidden, 1 + config.gated, config.feed_forward_bias
    return {"wider": ways_in * F * (M + bias), "back": M * (F + bias)}


def feed_forward(config: Config) -> int:
    """Parameters of one feed-forward: in and out, and the gate where there is one."""
    return sum(feed_forward_steps(config).values())


def norm(config: Config) -> int:
    """Parameters of one norm: LayerNorm has a scale and a shift, RMSNorm a scale."""
    return config.width * (2 if config.norm == "layer" else 1)


def embeddings(config: Config) -> int:
    """Parameters of the tables: tokens, segments, and positions where they are learned."""
    places = config.positions
    learned = (places.longest + places.offset) if isinstance(places, Learned) else 0
    rows = config.vocabulary + config.segments + learned
    buckets = places.buckets * config.heads if isinstance(places, RelativeBuckets) else 0
    return rows * config.width + buckets


def head(config: Config) -> tuple[int, int]:
    """Parameters of the output head and of the norm in it, the table of tokens not counted."""
    if not config.head:
        return 0, 0
    M, V = config.width, config.vocabulary
    own = 0 if config.tied else M * V
    if config.transform is None:
        return own, 0
    return own + M * M + M + V, norm(config)


def sizes(config: Config, source_width: int | None = None) -> Sizes:
    """The parameters of a decoder or an encoder.

    Args:
        source_width: of the encoder whose output the layers read too; None where there is none.
    """
    crossed = source_width is not None
    block = {
        "attention": attention(config),
        "cross": attention(config, source_width) if crossed else 0,
        "feed_forward": feed_forward(config),
        "norms": norm(config) * (3 if crossed else 2),
    }
    own_head, head_norm = head(config)
    around = norm(config) * (config.embedding_norm + config.final_norm) + head_norm
    counts = {name: config.layers * count for name, count in block.items()}
    counts |= {"embeddings": embeddings(config), "head": own_head}
    counts["norms"] += around
    return Sizes(block, counts, config.layers)


def together(encoder: Config, decoder: Config) -> dict[str, int]:
    """The parameters of an encoder-decoder whose sides share the table of tokens, by class."""
    one, other = sizes(encoder), sizes(decoder, encoder.width)
    counts = {name: one.counts[name] + other.counts[name] for name in one.counts}
    counts["embeddings"] -= encoder.vocabulary * encoder.width
    return counts


def cache_numbers(layers: int, kv_heads: int, key_size: int, value_size: int) -> int:
    """Numbers that the cache keeps of each token: the keys and values of every layer."""
    return layers * kv_heads * (key_size + value_size)


def outweighs(weights: int, each: int) -> int:
    """The first length at which a cache of ``each`` bytes a token is larger than the weights.

    Raises:
        InputError: nothing is kept of a token.
    """
    if each < 1:
        raise InputError(f"A cache keeps at least a byte of each token, not {each}.")
    return weights // each + 1


def grouped_kv_heads(heads: int) -> int | None:
    """Key/value heads that a grouped-query model of so many heads might have: about a quarter.

    None where no number between one and all of them divides the heads.
    """
    ways = [count for count in range(2, heads) if heads % count == 0]
    return min(ways, key=lambda count: abs(4 * count - heads), default=None)


@dataclass(frozen=True)
class Preset:
    """A model by its published sizes.

    Attributes:
        name: of the link; ``title``: as it is called; ``source``: where the sizes are from.
        decoder: what writes; ``encoder``: what reads, where there are two.
        number_bytes: of one number as such a model is usually served.
    """

    name: str
    title: str
    source: str
    decoder: Config
    encoder: Config | None = None
    number_bytes: int = 2

    @property
    def block(self) -> Mapping[str, int]:
        """Parameters of one layer of the decoder by class."""
        return self._decoder.block

    @property
    def steps(self) -> Mapping[str, int]:
        """Parameters of one layer of the decoder by the step that they belong to."""
        steps = attention_steps(self.decoder) | feed_forward_steps(self.decoder)
        if self.encoder is None:
            return steps
        crossed = attention_steps(self.decoder, self.encoder.width)
        return steps | {f"cross.{step}": count for step, count in crossed.items()}

    @property
    def counts(self) -> Mapping[str, int]:
        """Parameters of the whole model by class."""
        if self.encoder is None:
            return self._decoder.counts
        return together(self.encoder, self.decoder)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def cache(self) -> int:
        """Bytes that the decoder's cache keeps of each token that it has written."""
        of = self.decoder.head_sizes()
        sides = (of.kv_heads, of.key_size, of.value_size)
        return self.number_bytes * cache_numbers(self.decoder.layers, *sides)

    @property
    def _decoder(self) -> Sizes:
        return sizes(self.decoder, None if self.encoder is None else self.encoder.width)


_ORIGINAL: Final = Config(
    vocabulary=37_000,
    width=512,
    layers=6,
    heads=8,
    hidden=2_048,
    positions=Sinusoidal(),
    norm_place="post",
    final_norm=False,
    activation="relu",
    qkv_bias=False,
    out_bias=False,
    tied=True,
)

PRESETS: Final = (
    Preset(
        "gpt2-small",
        "GPT-2 small",
        "Radford et al. 2019, and its published weights",
        Config(
            vocabulary=50_257,
            width=768,
            layers=12,
            heads=12,
            hidden=3_072,
            positions=Learned(1_024),
            activation="gelu_tanh",
            tied=True,
        ),
    ),
    Preset(
        "llama-2-7b",
        "Llama 2 7B",
        "Touvron et al. 2023, and its published configuration",
        Config(
            vocabulary=32_000,
            width=4_096,
            layers=32,
            heads=32,
            hidden=11_008,
            positions=Rope(),
            norm="rms",
            activation="silu",
            gated=True,
            qkv_bias=False,
            out_bias=False,
            feed_forward_bias=False,
        ),
    ),
    Preset(
        "original",
        "Original 512 × 8",
        "Vaswani et al. 2017, table 3, base; about 37,000 tokens",
        _ORIGINAL,
        replace(_ORIGINAL, head=False),
    ),
)


def preset(name: str) -> Preset | None:
    """The preset of this name, or None."""
    return next((one for one in PRESETS if one.name == name), None)
