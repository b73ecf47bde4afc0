"""GPT-2 (Radford et al. 2019): learned positions, LayerNorm first, tied embeddings."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from attnlab.attention.positions import Learned
from attnlab.pretrained.rebuild.attributes import Attributes
from attnlab.pretrained.rebuild.family import Family, Plan, activation
from attnlab.pretrained.rebuild.weights import Part, numbered
from attnlab.transformer import Config


def _turned(tensor: Tensor) -> Tensor:
    """GPT-2 keeps its matrices as [in, out]."""
    return tensor.mT if tensor.dim() == 2 else tensor


def _third(index: int) -> Callable[[Tensor], Tensor]:
    """q, k and v side by side in one matrix."""
    return lambda tensor: _turned(tensor).chunk(3)[index]


def _layer(theirs: str) -> dict[str, str | Part]:
    """Where the modules of one layer are from."""
    ours = "blocks.{}."
    return {
        ours + "attention_norm": theirs + "ln_1",
        **{
            f"{ours}attention.w_{part}": Part(theirs + "attn.c_attn", _third(i))
            for i, part in enumerate("qkv")
        },
        ours + "attention.w_o": Part(theirs + "attn.c_proj", _turned),
        ours + "feed_forward_norm": theirs + "ln_2",
        ours + "feed_forward.up": Part(theirs + "mlp.c_fc", _turned),
        ours + "feed_forward.down": Part(theirs + "mlp.c_proj", _turned),
    }


def plan(attributes: Attributes, prefix: str, head: bool) -> Plan:
    width, heads = attributes.take("n_embd"), attributes.take("n_head")
    layers = attributes.take("n_layer")
    scale = (width // heads) ** -0.5 if attributes.take("scale_attn_weights", True) else 1.0
    if attributes.take("scale_attn_by_inverse_layer_idx"):
        scale = tuple(scale / (layer + 1) for layer in range(layers))
    attributes.only("add_cross_attention", False, default=False)
    attributes.take("n_ctx")  # an older name of n_positions
    config = Config(
        vocabulary=attributes.take("vocab_size"),
        width=width,
        layers=layers,
        heads=heads,
        hidden=attributes.take("n_inner", 4 * width),
        positions=Learned(attributes.take("n_positions")),
        eps=attributes.take("layer_norm_epsilon"),
        activation=activation(attributes, "activation_function"),
        scale=scale,
        tied=attributes.take("tie_word_embeddings", True),
        head=head,
    )
    sources = numbered(layers, _layer(f"{prefix}h.{{}}."))
    sources |= {
        "embed": prefix + "wte",
        "positions.table": prefix + "wpe",
        "final_norm": prefix + "ln_f",
        "head.unembed": "lm_head",
    }
    # Older files hold the causal mask as a buffer.
    unneeded = ("*.attn.bias", "*.attn.masked_bias")
    return Plan(config, sources, unneeded=unneeded)


GPT2 = Family(("gpt2",), ("GPT2Model",), ("GPT2LMHeadModel",), plan)
