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


def _layer(theirs: str, heads: int) -> dict[str, str | Part]:
    """Where the modules of one layer are from."""
    ours, joint = "blocks.{}.", theirs + "attention.query_key_value"
    return {
        ours + "attention_norm": theirs + "input_layernorm",
        **{
            f"{ours}attention.w_{part}": Part(joint, _of_each_head(i, heads))
            for i, part in enumerate("qkv")
        },
        ours + "attention.w_o": theirs + "attention.dense",
        ours + "feed_forward_norm": theirs + "post_attention_layernorm",
        ours + "feed_forward.up": theirs + "mlp.dense_h_to_4h",
        ours + "feed_forward.down": theirs + "mlp.dense_4h_to_h",
    }


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
    sources = numbered(layers, _layer(f"{prefix}layers.{{}}.", heads))
    sources |= {
        "embed": prefix + "embed_in",
        "final_norm": prefix + "final_layer_norm",
        "head.unembed": "lm_head",
    }
    unneeded = ("*.attention.bias", "*.attention.masked_bias", "*.rotary_emb.inv_freq")
    return Plan(config, sources, unneeded=unneeded)


GPT_NEOX = Family(("gpt_neox",), ("GPTNeoXModel",), ("GPTNeoXForCausalLM",), plan)
