"""T5 (Raffel et al. 2020), version 1.0 with ReLU and 1.1 with gated GELU: relative positions in
buckets, RMSNorm first, scores that are not scaled, and no biases at all."""

from __future__ import annotations

from dataclasses import replace

from attnlab.attention.positions import RelativeBuckets
from attnlab.pretrained.rebuild.attributes import Attributes
from attnlab.pretrained.rebuild.family import Family, Plan, activation
from attnlab.pretrained.rebuild.weights import numbered
from attnlab.transformer import Config

_PARTS = {"w_q": "q", "w_k": "k", "w_v": "v", "w_o": "o"}


def plan(attributes: Attributes, prefix: str, head: bool) -> Plan:
    width, gated = attributes.take("d_model"), attributes.take("is_gated_act", False)
    attributes.only("is_encoder_decoder", True)
    attributes.only("is_decoder", True, False, default=False)
    attributes.take("feed_forward_proj")  # has gone into is_gated_act and dense_act_fn
    attributes.take("n_positions")  # buckets know no longest text
    attributes.take("tie_word_embeddings")
    shrunk = attributes.take("scale_decoder_outputs", False)  # mT5 never does
    encoder = Config(
        vocabulary=attributes.take("vocab_size"),
        width=width,
        layers=attributes.take("num_layers"),
        heads=attributes.take("num_heads"),
        hidden=attributes.take("d_ff"),
        key_size=attributes.take("d_kv"),
        positions=RelativeBuckets(
            attributes.take("relative_attention_num_buckets"),
            attributes.take("relative_attention_max_distance"),
        ),
        scale=1.0,
        norm="rms",
        eps=attributes.take("layer_norm_epsilon"),
        activation=activation(attributes, "dense_act_fn"),
        gated=gated,
        qkv_bias=False,
        out_bias=False,
        feed_forward_bias=False,
        head=False,
    )
    decoder = replace(
        encoder,
        layers=attributes.take("num_decoder_layers"),
        logits_scale=width**-0.5 if shrunk else 1.0,
        head=head,
    )
    sources = _stack("encoder", encoder.layers, gated) | _stack("decoder", decoder.layers, gated)
    sources["decoder.head.unembed"] = "lm_head"
    return Plan(encoder, sources, decoder)


def _stack(side: str, layers: int, gated: bool) -> dict[str, str]:
    ours, theirs = f"{side}.blocks.{{}}.", f"{side}.block.{{}}.layer."
    crossed = side == "decoder"
    last = theirs + ("2" if crossed else "1")
    table = {
        ours + "attention_norm": theirs + "0.layer_norm",
        ours + "feed_forward_norm": last + ".layer_norm",
        ours + "feed_forward.down": last + ".DenseReluDense.wo",
        **{f"{ours}attention.{o}": f"{theirs}0.SelfAttention.{t}" for o, t in _PARTS.items()},
    }
    if gated:
        table[ours + "feed_forward.gate"] = last + ".DenseReluDense.wi_0"
        table[ours + "feed_forward.up"] = last + ".DenseReluDense.wi_1"
    else:
        table[ours + "feed_forward.up"] = last + ".DenseReluDense.wi"
    if crossed:
        table[ours + "cross_norm"] = theirs + "1.layer_norm"
        table |= {f"{ours}cross.{o}": f"{theirs}1.EncDecAttention.{t}" for o, t in _PARTS.items()}
    return numbered(layers, table) | {
        f"{side}.embed": "shared",
        f"{side}.positions.table": f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias",
        f"{side}.final_norm": f"{side}.final_layer_norm",
    }


T5 = Family(
    ("t5", "mt5"),
    ("T5Model", "MT5Model"),
    ("T5ForConditionalGeneration", "MT5ForConditionalGeneration"),
    plan,
)
