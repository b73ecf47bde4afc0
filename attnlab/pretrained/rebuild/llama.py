"""Llama, Mistral and Qwen2 (Touvron et al. 2023; Jiang et al. 2023; Yang et al. 2024): RMSNorm
first, rotary positions, gated feed-forwards, key/value heads shared, in places a sliding window."""

from __future__ import annotations

from attnlab.attention.masks import Causal, Predicate, Window
from attnlab.pretrained.rebuild.attributes import Attributes
from attnlab.pretrained.rebuild.family import Family, Plan, activation
from attnlab.pretrained.rebuild.rotary import rotary
from attnlab.pretrained.rebuild.weights import numbered
from attnlab.transformer import Config

_LAYER = {
    "attention_norm": "input_layernorm",
    "attention.w_q": "self_attn.q_proj",
    "attention.w_k": "self_attn.k_proj",
    "attention.w_v": "self_attn.v_proj",
    "attention.w_o": "self_attn.o_proj",
    "feed_forward_norm": "post_attention_layernorm",
    "feed_forward.gate": "mlp.gate_proj",
    "feed_forward.up": "mlp.up_proj",
    "feed_forward.down": "mlp.down_proj",
}


def _plan(
    attributes: Attributes,
    prefix: str,
    head: bool,
    *,
    qkv_bias: bool = False,
    out_bias: bool = False,
    feed_forward_bias: bool = False,
    mask: Predicate | tuple[Predicate, ...] | None = None,
) -> Plan:
    """What the three have in common."""
    width, heads = attributes.take("hidden_size"), attributes.take("num_attention_heads")
    layers = attributes.take("num_hidden_layers")
    attributes.only("is_decoder", True, False, default=True)
    config = Config(
        vocabulary=attributes.take("vocab_size"),
        width=width,
        layers=layers,
        heads=heads,
        hidden=attributes.take("intermediate_size"),
        kv_heads=attributes.take("num_key_value_heads", heads),
        key_size=attributes.take("head_dim", width // heads),
        positions=rotary(attributes),
        mask=mask,
        norm="rms",
        eps=attributes.take("rms_norm_eps"),
        activation=activation(attributes, "hidden_act"),
        gated=True,
        qkv_bias=qkv_bias,
        out_bias=out_bias,
        feed_forward_bias=feed_forward_bias,
        tied=attributes.take("tie_word_embeddings", False),
        head=head,
    )
    sources = numbered(
        layers,
        {f"blocks.{{}}.{o}": f"{prefix}layers.{{}}.{theirs}" for o, theirs in _LAYER.items()},
    )
    sources |= {
        "embed": prefix + "embed_tokens",
        "final_norm": prefix + "norm",
        "head.unembed": "lm_head",
    }
    return Plan(config, sources, unneeded=("*.rotary_emb.inv_freq",))


def _llama(attributes: Attributes, prefix: str, head: bool) -> Plan:
    biased = attributes.take("attention_bias", False)
    attributes.only("rope_interleaved", False, default=False)
    return _plan(
        attributes,
        prefix,
        head,
        qkv_bias=biased,
        out_bias=biased,
        feed_forward_bias=attributes.take("mlp_bias", False),
    )


def _mistral(attributes: Attributes, prefix: str, head: bool) -> Plan:
    window = attributes.take("sliding_window")
    mask = None if window is None else Causal() & Window(window)
    return _plan(attributes, prefix, head, mask=mask)


def _qwen2(attributes: Attributes, prefix: str, head: bool) -> Plan:
    window, kinds = attributes.take("sliding_window"), attributes.take("layer_types")
    attributes.take("use_sliding_window")  # both have gone into the list of kinds
    attributes.take("max_window_layers")
    attributes.only("use_mrope", False, default=False)
    known = {"full_attention": Causal()}
    if window is not None:
        known["sliding_attention"] = Causal() & Window(window)
    for kind in kinds:
        if kind not in known:
            raise attributes.refusal("layer_types", kinds)
    return _plan(attributes, prefix, head, qkv_bias=True, mask=tuple(known[k] for k in kinds))


LLAMA = Family(("llama",), ("LlamaModel",), ("LlamaForCausalLM",), _llama)
MISTRAL = Family(("mistral",), ("MistralModel",), ("MistralForCausalLM",), _mistral)
QWEN2 = Family(("qwen2",), ("Qwen2Model",), ("Qwen2ForCausalLM",), _qwen2)
