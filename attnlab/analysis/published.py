"""Models of the catalogue, and some that everybody quotes, by their published sizes.

What a model costs follows from its configuration, so none of them need be loaded. Each is a
``Preset``; tests compare their totals with the published numbers of parameters. ``typed`` makes the
same of sizes that somebody types.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from attnlab.analysis.sizes import PRESETS, Preset
from attnlab.attention.positions import Learned, RelativeBuckets, Rope
from attnlab.errors import InputError
from attnlab.transformer import Config

_LLAMA: Final = {
    "positions": Rope(),
    "norm": "rms",
    "activation": "silu",
    "gated": True,
    "qkv_bias": False,
    "out_bias": False,
    "feed_forward_bias": False,
}
_MOST: Final = 10**9
"""Of any size that is typed."""


def _llama(
    vocabulary: int, width: int, layers: int, heads: int, hidden: int, **more: Any
) -> Config:
    return Config(vocabulary, width, layers, heads, hidden, **(_LLAMA | more))


_T5: Final = Config(
    vocabulary=32_128,
    width=512,
    layers=6,
    heads=8,
    hidden=2_048,
    positions=RelativeBuckets(32, 128),
    scale=1.0,
    norm="rms",
    activation="relu",
    qkv_bias=False,
    out_bias=False,
    feed_forward_bias=False,
    tied=True,
)
_BART: Final = Config(
    vocabulary=50_265,
    width=768,
    layers=6,
    heads=12,
    hidden=3_072,
    positions=Learned(1_024, offset=2),
    norm_place="post",
    embedding_norm=True,
    final_norm=False,
    tied=True,
)
_PYTHIA: Final = Config(50_304, 512, 6, 8, 2_048, positions=Rope(), parallel=True)
_STARCODER: Final = Config(
    vocabulary=49_152,
    width=6_144,
    layers=40,
    heads=48,
    hidden=24_576,
    kv_heads=1,
    positions=Learned(8_192),
    activation="gelu_tanh",
    tied=True,
)

_OTHERS: Final = (
    Preset(
        "smollm2-135m",
        "SmolLM2 135M",
        "Allal et al. 2025, and its published configuration",
        _llama(49_152, 576, 30, 9, 1_536, kv_heads=3, tied=True),
    ),
    Preset(
        "smollm2-360m",
        "SmolLM2 360M",
        "Allal et al. 2025, and its published configuration",
        _llama(49_152, 960, 32, 15, 2_560, kv_heads=5, tied=True),
    ),
    Preset("pythia-70m", "Pythia 70M", "Biderman et al. 2023, table 1", _PYTHIA),
    Preset(
        "qwen3-0.6b",
        "Qwen3 0.6B",
        "Yang et al. 2025, and its published configuration; norms of queries and keys left out",
        _llama(151_936, 1_024, 28, 16, 3_072, kv_heads=8, key_size=128, tied=True),
    ),
    Preset(
        "llama-3.2-1b",
        "Llama 3.2 1B",
        "Grattafiori et al. 2024, and its published configuration",
        _llama(128_256, 2_048, 16, 32, 8_192, kv_heads=8, tied=True),
    ),
    Preset(
        "t5-small",
        "T5 small",
        "Raffel et al. 2020, section 3.1, and its published configuration",
        _T5,
        replace(_T5, head=False),
    ),
    Preset(
        "bart-base",
        "BART base",
        "Lewis et al. 2020, and its published configuration",
        _BART,
        replace(_BART, head=False),
    ),
    Preset(
        "mistral-7b",
        "Mistral 7B",
        "Jiang et al. 2023, table 1",
        _llama(32_000, 4_096, 32, 32, 14_336, kv_heads=8),
    ),
    Preset(
        "llama-3-8b",
        "Llama 3 8B",
        "Grattafiori et al. 2024, table 3",
        _llama(128_256, 4_096, 32, 32, 14_336, kv_heads=8),
    ),
    Preset("starcoder", "StarCoder 15B", "Li et al. 2023, table 4", _STARCODER),
)

PUBLISHED: Final = {one.name.removesuffix("-small") if one.name == "gpt2-small" else one.name: one
                    for one in (*PRESETS, *_OTHERS)}  # fmt: skip
"""By catalogue name, where the catalogue has it."""


def typed(
    *,
    layers: int,
    heads: int,
    kv_heads: int | None = None,
    head_size: int,
    width: int | None = None,
    hidden: int | None = None,
    gated: bool = True,
    vocabulary: int = 32_000,
    tied: bool = False,
    number_bytes: int = 2,
) -> Preset:
    """A decoder of typed sizes, otherwise built like Llama.

    Args:
        kv_heads: K; as many as ``heads`` where None.
        width: M; heads · head_size where None.
        hidden: F; where None, 8/3 M with a gate and 4 M without: as many parameters either way.
        number_bytes: of one number: 4, 2 or 1.

    Raises:
        InputError: a size is no whole number from 1 to a billion, or K does not divide H.
    """
    given = {"layers": layers, "heads": heads, "head_size": head_size, "vocabulary": vocabulary}
    given |= {"kv_heads": kv_heads, "width": width, "hidden": hidden, "number_bytes": number_bytes}
    for name, size in given.items():
        if size is not None and (type(size) is not int or not 1 <= size <= _MOST):
            raise InputError(f"{name} is a whole number from 1 to {_MOST:,}, not {size!r}.")
    width = heads * head_size if width is None else width
    hidden = (8 * width // 3 if gated else 4 * width) if hidden is None else hidden
    more = {"kv_heads": kv_heads, "key_size": head_size, "gated": gated, "tied": tied}
    try:
        config = _llama(vocabulary, width, layers, heads, hidden, **more)
    except ValueError as error:
        raise InputError(f"{error}.") from error
    return Preset("typed", "Typed sizes", "typed", config, number_bytes=number_bytes)
