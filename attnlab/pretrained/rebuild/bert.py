"""BERT and RoBERTa (Devlin et al. 2019; Liu et al. 2019): norms after the sums, learned positions,
a head with a layer of its own. RoBERTa counts positions from 2, and padding does not count."""

from __future__ import annotations

from attnlab.attention.positions import Learned
from attnlab.pretrained.rebuild.attributes import Attributes
from attnlab.pretrained.rebuild.family import Family, Plan, activation
from attnlab.pretrained.rebuild.weights import numbered
from attnlab.transformer import Config

_LAYER = {
    "attention.w_q": "attention.self.query",
    "attention.w_k": "attention.self.key",
    "attention.w_v": "attention.self.value",
    "attention.w_o": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "feed_forward.up": "intermediate.dense",
    "feed_forward.down": "output.dense",
    "feed_forward_norm": "output.LayerNorm",
}
_EMBEDDINGS = {
    "embed": "embeddings.word_embeddings",
    "segments": "embeddings.token_type_embeddings",
    "positions.table": "embeddings.position_embeddings",
    "embedding_norm": "embeddings.LayerNorm",
}
_BERT_HEAD = {
    "head.dense": "cls.predictions.transform.dense",
    "head.norm": "cls.predictions.transform.LayerNorm",
    "head.unembed": "cls.predictions.decoder",
}
_ROBERTA_HEAD = {
    "head.dense": "lm_head.dense",
    "head.norm": "lm_head.layer_norm",
    "head.unembed": "lm_head.decoder",
}
# A sentence vector that is made of the hidden states and goes nowhere; buffers; and the head's
# bias, which is held under two names, one of them without effect.
_UNNEEDED = (
    "*pooler.dense.*",
    "*embeddings.position_ids",
    "cls.predictions.bias",
    "lm_head.bias",
)


def _plan(
    attributes: Attributes,
    prefix: str,
    head: bool,
    head_sources: dict[str, str],
    transform: str,
    pad: int | None = None,
) -> Plan:
    layers = attributes.take("num_hidden_layers")
    causal = attributes.take("is_decoder", False)
    attributes.only("add_cross_attention", False, default=False)
    attributes.only("position_embedding_type", "absolute", default="absolute")
    offset = 0 if pad is None else pad + 1
    config = Config(
        vocabulary=attributes.take("vocab_size"),
        width=attributes.take("hidden_size"),
        layers=layers,
        heads=attributes.take("num_attention_heads"),
        hidden=attributes.take("intermediate_size"),
        positions=Learned(attributes.take("max_position_embeddings") - offset, offset),
        eps=attributes.take("layer_norm_eps"),
        norm_place="post",
        embedding_norm=True,
        final_norm=False,
        activation=activation(attributes, "hidden_act"),
        segments=attributes.take("type_vocab_size"),
        tied=attributes.take("tie_word_embeddings", True),
        transform=transform,
        head=head,
    )
    sources = numbered(
        layers,
        {f"blocks.{{}}.{o}": f"{prefix}encoder.layer.{{}}.{t}" for o, t in _LAYER.items()},
    )
    sources |= {o: prefix + theirs for o, theirs in _EMBEDDINGS.items()} | head_sources
    return Plan(config, sources, causal=causal, unneeded=_UNNEEDED, pad=pad)


def _bert(attributes: Attributes, prefix: str, head: bool) -> Plan:
    transform = activation(attributes, "hidden_act")
    return _plan(attributes, prefix, head, _BERT_HEAD, transform)


def _roberta(attributes: Attributes, prefix: str, head: bool) -> Plan:
    pad = attributes.take("pad_token_id")
    return _plan(attributes, prefix, head, _ROBERTA_HEAD, "gelu", pad)


BERT = Family(("bert",), ("BertModel",), ("BertForMaskedLM", "BertLMHeadModel"), _bert)
ROBERTA = Family(
    ("roberta", "xlm-roberta"),
    ("RobertaModel", "XLMRobertaModel"),
    (
        "RobertaForMaskedLM",
        "RobertaForCausalLM",
        "XLMRobertaForMaskedLM",
        "XLMRobertaForCausalLM",
    ),
    _roberta,
)
