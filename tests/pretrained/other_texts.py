"""Two texts and a longer one, and runs of the first under edits that take from the others."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from attnlab.errors import EditRefused
from attnlab.trace import Edit
from tests.families import FAMILIES, lab, text

HERE, THERE, LONGER = text(13, seed=2), text(13, seed=9), text(17, seed=9)
GOAL, OTHER = text(7, seed=4), text(7, seed=5)
PROJECTION = {
    "gpt2": "transformer.h.1.attn.c_proj",
    "llama": "model.layers.1.self_attn.o_proj",
    "gemma2": "model.layers.1.self_attn.o_proj",
    "bert": "bert.encoder.layer.1.attention.output.dense",
    "gpt_neo": "transformer.h.1.attn.attention.out_proj",
}
"""Which module of the original model reads what heads of layer 1 hand on."""


def fed(name: str, goal: list[int] = GOAL) -> dict[str, Any]:
    """The target that an encoder-decoder is fed."""
    return {"target": goal} if FAMILIES[name].task == "seq2seq" else {}


def given(name: str, donor: list[int], goal: list[int] = GOAL) -> dict[str, Any]:
    """How an edit is told of another text."""
    target = {"donor_target": goal} if FAMILIES[name].task == "seq2seq" else {}
    return {"donor": donor, **target}


def out(name: str, *edits: Edit, source: list[int] = HERE, goal: list[int] = GOAL) -> Tensor:
    """The logits under edits, [n, V]."""
    return lab(name).run(source, **fed(name, goal), edits=edits, capture=()).logits


def reachable(edit: Edit, ours: Any) -> bool:
    """Whether the model has what an edit changes."""
    try:
        return bool(edit.sites(ours))
    except EditRefused:
        return False
