"""Every variant of every family that our transformer takes, and every edit: later edits go here.

A variant is a tiny model of ``tests.families`` with some switch of its configuration set.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

import attnlab as al
from tests import families
from tests.families import FAMILIES, text

SOURCE, TARGET = text(13, seed=2), text(7, seed=4)


def _rope(kind: str, **options: Any) -> dict[str, Any]:
    return {"rope_parameters": {"rope_type": kind, "rope_theta": 1e4, **options}}


_YARN = {"factor": 4.0, "original_max_position_embeddings": 16}
_LLAMA3 = _YARN | {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
_PARTIAL = {"partial_rotary_factor": 0.4}
_SLIDING = ["sliding_attention", "full_attention", "sliding_attention"]

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "gpt2": ("gpt2", {}),
    "gpt2 untied": ("gpt2", {"tie_word_embeddings": False}),
    "gpt2 unscaled": ("gpt2", {"scale_attn_weights": False}),
    "gpt2 scaled by layer": ("gpt2_inverse_layer", {}),
    "gpt2 narrow, relu": ("gpt2", {"n_inner": 37, "activation_function": "relu"}),
    "gpt2 upcast": ("gpt2", {"reorder_and_upcast_attn": True}),
    "pythia": ("gpt_neox", {}),
    "pythia sequential": ("gpt_neox_sequential", {}),
    "pythia tied": ("gpt_neox", {"tie_word_embeddings": True}),
    "pythia without biases": ("gpt_neox", {"attention_bias": False}),
    "pythia all turning": ("gpt_neox", _rope("default", partial_rotary_factor=1.0)),
    "pythia partly turning": ("gpt_neox", _rope("default", **_PARTIAL)),
    "pythia partly turning, yarn": ("gpt_neox", _rope("yarn", **_YARN, **_PARTIAL)),
    "pythia tanh gelu": ("gpt_neox", {"hidden_act": "gelu_new"}),
    "llama": ("llama", {}),
    "llama tied": ("llama", {"tie_word_embeddings": True}),
    "llama biased attention": ("llama", {"attention_bias": True}),
    "llama biased feed-forward": ("llama", {"mlp_bias": True}),
    "llama multi-head": ("llama", {"num_key_value_heads": 6}),
    "llama multi-query": ("llama", {"num_key_value_heads": 1}),
    "llama base": ("llama", {"rope_parameters": {"rope_type": "default", "rope_theta": 5e5}}),
    "llama interpolated": ("llama", _rope("linear", factor=3.0)),
    "llama yarn": ("llama", _rope("yarn", **_YARN)),
    "llama yarn, set": ("llama", _rope(
        "yarn", **_YARN, beta_fast=8.0, beta_slow=2.0, attention_factor=1.3, truncate=False)),
    "llama 3": ("llama", _rope("llama3", **_LLAMA3)),
    "llama gelu": ("llama", {"hidden_act": "gelu"}),
    "mistral": ("mistral", {}),
    "mistral without a window": ("mistral", {"sliding_window": None}),
    "qwen2": ("qwen2", {}),
    "qwen2 windows from a layer on": ("qwen2", {
        "use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1}),
    "qwen2 windows by layer": ("qwen2", {
        "use_sliding_window": True, "sliding_window": 3, "layer_types": _SLIDING}),
    "qwen2 tied": ("qwen2", {"tie_word_embeddings": True}),
    "bert": ("bert", {}),
    "bert untied": ("bert", {"tie_word_embeddings": False}),
    "bert relu, one segment": ("bert", {"hidden_act": "relu", "type_vocab_size": 1}),
    "roberta": ("roberta", {}),
    "roberta untied": ("roberta", {"tie_word_embeddings": False}),
    "roberta tanh gelu": ("roberta", {"hidden_act": "gelu_new"}),
    "roberta reading forwards": ("roberta_decoder", {}),
    "xlm-roberta": ("xlm_roberta", {}),
    "t5": ("t5", {}),
    "t5 1.1": ("t5", {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}),
    "t5 gated silu": ("t5", {"feed_forward_proj": "gated-silu"}),
    "t5 unshrunk": ("t5", {"tie_word_embeddings": False}),
    "t5 as deep": ("t5", {"num_decoder_layers": 2}),
    "mt5": ("mt5", {}),
}  # fmt: skip
BODIES = {
    "gpt2": "transformer", "pythia": "gpt_neox", "llama": "model", "mistral": "model",
    "qwen2": "model", "bert": "bert", "roberta": "roberta"}  # fmt: skip
"""Variants whose body alone is a model too, and where it hangs in the whole."""


def _mask(role: str | None) -> al.Edit:
    """A mask that any text of at least seven tokens can take."""
    if role == "cross":
        return al.Mask("bidirectional", hidden=((5, 2), (6, 0), (6, 1)), role=role)
    return al.Mask("window", window=2, sinks=2, role=role)


EDITS: dict[str, Callable[[str], tuple[al.Edit, ...]]] = {
    "zero": lambda role: (al.ZeroHead(1, 4, role),),
    "mean": lambda role: (al.MeanHead(0, 2, role),),
    "temperature": lambda role: (al.Temperature(2.5),),
    "temperature of some": lambda role: (al.Temperature(0.4, layers=1, heads=(0, 5), role=role),),
    "no positions": lambda role: (al.Positions("none", role=_self(role)),),
    "shuffled": lambda role: (al.Positions("shuffled", seed=3, role=_self(role)),),
    "ALiBi": lambda role: (al.Positions("alibi", heads=(1, 4), role=_self(role)),),
    "mask": lambda role: (_mask(role),),
    "mask of some": lambda role: (
        al.Mask("bidirectional", hidden=((5, 2), (7, 1)), layers=1, heads=(0, 5), role=role),
    ),
    "patch": lambda role: (
        al.Patch("z", 1, 3, donor=(5, 6, 7, 8), at=((2, 0),), role=role),
        al.Patch("resid_post", 0, donor=(9, 8, 7), at=((1, 0),), role=_self(role)),
    ),
    "resampled": lambda role: (al.ResampleHead(0, 4, (5, 6, 7), at=((2, 0),), role=role),),
    "pattern": lambda role: (al.Pattern(1, 2, "uniform", role=role),),
    "no feed-forward": lambda role: (
        al.ZeroFeedForward(1, role=_self(role)),
        al.MeanFeedForward(0, role=_self(role)),
    ),
    "several": lambda role: (
        al.MeanHead(1, 1, role),
        al.Temperature(1.7),
        al.ZeroHead(0, 3, role),
    ),
}
"""Every edit, on some head of a role."""


def _self(role: str | None) -> str | None:
    """A role that has positions: between two texts there are none."""
    return "decoder" if role == "cross" else role


@functools.cache
def pair(name: str) -> tuple[al.Lab, Any]:
    """The Lab of a variant, and our transformer with its weights; shared, so leave them be."""
    family, changes = VARIANTS[name]
    lab = al.load(families.build(family, **changes))
    return lab, al.rebuild(lab)


@functools.cache
def body_pair(name: str) -> tuple[al.Lab, Any]:
    """The same of the body alone, which ends in hidden states."""
    family, changes = VARIANTS[name]
    lab = al.load(getattr(families.build(family, **changes), BODIES[name]))
    return lab, al.rebuild(lab)


def writes(name: str) -> bool:
    """Whether a variant is an encoder-decoder, with a target."""
    return FAMILIES[VARIANTS[name][0]].task == "seq2seq"


def fed(name: str) -> dict[str, Any]:
    """What ``run`` and ``generate`` are given."""
    return {"text": SOURCE} | ({"target": TARGET} if writes(name) else {})


def fed_many(name: str, count: int) -> dict[str, Any]:
    """The same text so many times, as ``run_many`` is given it."""
    targets = {"targets": [TARGET] * count} if writes(name) else {}
    return {"texts": [SOURCE] * count} | targets


def largest(a: torch.Tensor, b: torch.Tensor) -> float:
    """The largest difference; −∞ where both are does not count."""
    assert a.shape == b.shape
    return float(torch.where(a == b, 0, a - b).abs().max())


def same(found: al.Trace, right: al.Trace, atol: float = 1e-5) -> None:
    """Two traces keep the same, up to rounding, and say the same of the text."""
    assert found.tokens == right.tokens
    assert found.source_tokens == right.source_tokens
    assert found.logit_positions == right.logit_positions
    if right.logits is not None:
        assert largest(found.logits, right.logits) <= atol
    assert found.values.keys() == right.values.keys()
    for key, layers in right.values.items():
        assert found.values[key].keys() == layers.keys(), key
        for layer, kept in layers.items():
            here = found.values[key][layer].tensor
            size = max(1.0, float(kept.tensor[kept.tensor.isfinite()].abs().max()))
            assert largest(here, kept.tensor) <= atol * size, (key, layer)
