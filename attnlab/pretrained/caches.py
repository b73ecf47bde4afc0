"""Key/value caches that keep every key, for models whose own drop what their windows hide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from transformers import Cache, DynamicCache, EncoderDecoderCache, PreTrainedModel

from attnlab.errors import EditRefused

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab


def full_cache(lab: Lab) -> Cache | None:
    """A cache of whole texts for a model with sliding windows; None where its own will do.

    Raises:
        EditRefused: some of its layers keep a state that such a cache has no place for.
    """
    if not isinstance(lab.model, PreTrainedModel) or lab.tier == "ours":
        return None
    own: Any = DynamicCache(config=lab.model.config.get_text_config(decoder=True))
    if not any(own.is_sliding):
        return None
    if any(own.is_linear):
        raise EditRefused(
            f"The cache of {lab.name} holds states of other layers beside its windows, so no "
            "fuller one can take its place: pass use_cache=False."
        )
    full = DynamicCache()
    return EncoderDecoderCache(full, DynamicCache()) if lab.is_encoder_decoder else full
