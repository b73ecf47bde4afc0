"""What a family of pretrained models has to say to be rebuilt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from attnlab.pretrained.rebuild.attributes import Attributes
from attnlab.pretrained.rebuild.weights import Sources
from attnlab.transformer import Config

ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}
"""transformers' names of the activations that we have."""


@dataclass(frozen=True)
class Plan:
    """Our transformer for one model, and where each of its weights is from.

    ``decoder``: of an encoder-decoder. ``causal``: whether a single stack is a decoder.
    ``unneeded``: patterns of weights that nothing we compute depends on. ``pad``: where positions
    count real tokens only, as RoBERTa's do, the id that does not count.
    """

    config: Config
    sources: Sources
    decoder: Config | None = None
    causal: bool = True
    unneeded: tuple[str, ...] = ()
    pad: int | None = None


@dataclass(frozen=True)
class Family:
    """Models that one table describes.

    ``types``: their ``model_type`` in transformers. ``bodies``: the classes without a head, which
    end in hidden states; ``heads``: those with one that we have. ``plan(attributes, prefix, head)``
    reads the configuration; ``prefix`` stands before the names of the body's weights.
    """

    types: tuple[str, ...]
    bodies: tuple[str, ...]
    heads: tuple[str, ...]
    plan: Callable[[Attributes, str, bool], Plan]


def activation(attributes: Attributes, name: str) -> str:
    """The activation of an attribute, in our words. Raises RebuildRefused for one we lack."""
    return ACTIVATIONS[attributes.only(name, *ACTIVATIONS)]


def prefix_of(model: Any) -> str:
    """What the names of the body's weights begin with: "" where the model is the body itself."""
    name = model.base_model_prefix
    return f"{name}." if hasattr(model, name) else ""
