"""GPT-NeoX, Pythia (Black et al. 2022): partly rotary, attention and feed-forward in parallel."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from attnlab.pretrained.rebuild.attributes import Attributes
from attnlab.pretrained.rebuild.family import Family, Plan, activation
from attnlab.pretrained.rebuild.rotary import rotary
from attnlab.pretrained.rebuild.weights import Part, numbered
from attnlab.transformer import Config


def _of_each_head(index: int, heads: int) -> Callable[[Tensor], Tensor]:
    """q, k and v of one head side by side, then those of the next."""
    return lambda tensor: tensor.unflatten(0, (heads, 3, -1))[:, index].flatten(0, 1)


def plan(attributes: Attributes, prefix: str, head: bool) -> Plan:
    width, heads = attributes.take("hidden_size"), attributes.take("num_attention_heads")
    layers = attributes.take("num_hidden_layers")
    biased = attributes.take("attention_bias", True)
    attributes.only("is_decoder", True, False, default=False)  # causal either way
    config = Config(
        vocabulary=attributes.take("vocab_size"),
        width=width,
        layers=layers,
        heads=heads,
        hidden=attributes.take("intermediate_size"),
        positions=rotary(attributes, partial=True),
        eps=attributes.take("layer_norm_eps"),
        activation=activation(attributes, "hidden_act"),
        parallel=attributes.take("use_parallel_residual", True),
        qkv_bias=biased,
        out_bias=biased,
        tied=attributes.take("tie_word_embeddings", False),
        head=head,
    )
    layer = f"{prefix}layers.{{}}."
    sources = numbered(
        layers,
        {
            "blocks.{}.attention_norm": layer + "input_layernorm",
            **{
                f"blocks.{{}}.attention.w_{part}": Part(
                    layer + "attention.query_key_value", _of_each_head(i, heads)
                )
                for i, part in enumerate("qkv")
            },
            "blocks.{}.attention.w_o": layer + "attention.dense",
            "blocks.{}.feed_forward_norm": layer + "post_attention_layernorm",
            "blocks.{}.feed_forward.up": layer + "mlp.dense_h_to_4h",
            "blocks.{}.feed_forward.down": layer + "mlp.dense_4h_to_h",
        },
    )
    sources |= {
        "embed": prefix + "embed_in",
        "final_norm": prefix + "final_layer_norm",
        "head.unembed": "lm_head",
    }
    unneeded = ("*.attention.bias", "*.attention.masked_bias", "*.rotary_emb.inv_freq")
    return Plan(config, sources, unneeded=unneeded)


GPT_NEOX = Family(("gpt_neox",), ("GPTNeoXModel",), ("GPTNeoXForCausalLM",), plan)
