"""transformers' rope_parameters as our rotary scheme."""

from __future__ import annotations

from typing import Any

from attnlab.attention.positions import (
    Llama3,
    PositionInterpolation,
    Rope,
    Scaling,
    Yarn,
)
from attnlab.pretrained.rebuild.attributes import Attributes


def rotary(attributes: Attributes, *, partial: bool = False) -> Rope:
    """The rotary scheme that a configuration asks for; how it is stretched included.

    Args:
        partial: whether the family turns a part of each head only.

    Raises:
        RebuildRefused: a scaling that we do not have, such as one that depends on the text.
    """
    longest = attributes.take("max_position_embeddings")
    given = Attributes(attributes.take("rope_parameters", {}), attributes.title)
    kind = given.only("rope_type", "default", "linear", "yarn", "llama3", default="default")
    base = given.take("rope_theta", 10000.0)
    fraction = given.take("partial_rotary_factor", 1.0)
    if not partial and fraction != 1.0:
        raise given.refusal("partial_rotary_factor", fraction)
    scaling = _scaling(kind, given, longest)
    given.finish()
    return Rope(base=base, fraction=fraction, scaling=scaling)


def _scaling(kind: str, given: Attributes, longest: int) -> Scaling | None:
    if kind == "default":
        given.take("factor")  # left behind by configurations that were stretched once
        return None
    original = given.take("original_max_position_embeddings", longest)
    factor = given.take("factor")
    factor = longest / original if factor is None else factor
    if kind == "linear":
        return PositionInterpolation(factor)
    if kind == "llama3":
        low, high = given.take("low_freq_factor"), given.take("high_freq_factor")
        return Llama3(factor, original, low, high)
    return _yarn(factor, original, given)


def _yarn(factor: float, original: int, given: Attributes) -> Yarn:
    options: dict[str, Any] = {
        "beta_fast": given.take("beta_fast", 32.0),
        "beta_slow": given.take("beta_slow", 1.0),
        "attention_factor": given.take("attention_factor"),
        "truncate": given.take("truncate", True),
    }
    return Yarn(factor, original, **options)
