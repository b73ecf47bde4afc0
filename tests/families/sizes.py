"""The table of families, and the sizes and names that their configurations share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

VOCABULARY, WIDTH, HEADS, KV_HEADS, HEAD, HIDDEN, LAYERS = 97, 60, 6, 2, 10, 37, 3
"""WIDTH is HEADS × HEAD, for the families in which it must be."""
NARROW = 48
"""A width for families that let the head size differ from width / heads."""
EXPERT = 24
"""Expert kernels want rows that are multiples of 16 bytes."""
LENGTH = 64
SLIDING = ["sliding_attention", "full_attention", "sliding_attention"]
FIRST_ORDINARY = 5
"""Ids from here on are no special tokens in any family."""


@dataclass(frozen=True)
class Family:
    """One tiny configuration. ``task`` names what it is fed and which head it gets."""

    name: str
    config: str
    task: str
    options: Mapping[str, Any] = field(hash=False)


FAMILIES: dict[str, Family] = {}


def add(task: str, name: str, config: str, **options: Any) -> None:
    FAMILIES[name] = Family(name, f"{config}Config", task, options)


def usual(**more: Any) -> dict[str, Any]:
    """The names that most configurations share."""
    return {
        "vocab_size": VOCABULARY,
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": HIDDEN,
        "max_position_embeddings": LENGTH,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    } | more


def grouped(**more: Any) -> dict[str, Any]:
    """Grouped-query attention."""
    return usual(num_key_value_heads=KV_HEADS) | more


def free(**more: Any) -> dict[str, Any]:
    """Grouped-query attention whose head size is free of the width."""
    return grouped(hidden_size=NARROW, head_dim=HEAD) | more


def gpt(**more: Any) -> dict[str, Any]:
    """The names of GPT-2's configuration."""
    return {
        "vocab_size": VOCABULARY,
        "n_embd": WIDTH,
        "n_layer": LAYERS,
        "n_head": HEADS,
        "n_positions": LENGTH,
        "bos_token_id": 1,
        "eos_token_id": 2,
    } | more
