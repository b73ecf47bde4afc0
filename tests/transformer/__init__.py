"""Small transformers of ours. No two axes have the same size, so that swapped axes cannot pass."""

import torch

from attnlab.attention.masks import Causal, Strided, Window
from attnlab.attention.positions import Learned, RelativeBuckets, Rope
from attnlab.transformer import Config, Decoder, Encoder, EncoderDecoder
from tests.attention import kinds
from tests.attention.kinds import BOTH_WAYS, FED, SCHEMES, D, N

__all__ = ["BOTH_WAYS", "FED", "SCHEMES", "D", "N"]

B, S = 2, 17
L, H, K, E, M, F, V = 4, 6, 3, 5, 22, 31, 37

MASKS = kinds.MASKS | {"one a layer": (Causal(), Window(3), Strided(4), Causal())}

BLOCKS = {
    "GPT-2": {"activation": "gelu_tanh", "tied": True},
    "Pythia": {"parallel": True, "positions": Rope(fraction=3 / 7)},
    "Llama": {
        "norm": "rms",
        "activation": "silu",
        "gated": True,
        "qkv_bias": False,
        "out_bias": False,
        "feed_forward_bias": False,
        "positions": Rope(),
        "kv_heads": K,
    },
    "BERT": {
        "norm_place": "post",
        "embedding_norm": True,
        "final_norm": False,
        "segments": 2,
        "tied": True,
        "transform": "gelu",
        "positions": Learned(longest=64),
    },
    "T5": {
        "norm": "rms",
        "activation": "relu",
        "qkv_bias": False,
        "out_bias": False,
        "feed_forward_bias": False,
        "positions": RelativeBuckets(8, 11),
        "scale": 1.0,
        "tied": True,
        "logits_scale": M**-0.5,
    },
}


def config(**changes) -> Config:
    sizes = {
        "vocabulary": V,
        "width": M,
        "layers": L,
        "heads": H,
        "hidden": F,
        "kv_heads": K,
        "key_size": D,
        "value_size": E,
    }
    return Config(**(sizes | changes))


def made(kind, *configs, dtype=torch.float64, seed=0, std=0.4):
    """A model with random weights, large enough that every token matters; norms and biases too."""
    torch.manual_seed(seed)
    model = kind(*configs).to(dtype)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn(weight.shape, dtype=dtype) * std)
    return model.eval().requires_grad_(False)


def decoder(**changes) -> Decoder:
    return made(Decoder, config(**changes))


def encoder(**changes) -> Encoder:
    return made(Encoder, config(**changes))


def both(**changes) -> EncoderDecoder:
    """The encoder is shallower than the decoder."""
    return made(EncoderDecoder, config(**changes | {"layers": 2, "head": False}), config(**changes))


def ids(batch=B, length=N, seed=1):
    return torch.randint(V, (batch, length), generator=torch.Generator().manual_seed(seed))


def furthest(a, b) -> float:
    return float((a - b).abs().max())
