"""Caches that drop tokens, in a pretrained model: a layer of transformers' own cache that keeps
what ``KeepLast`` says.

Transformers counts on in the text, so queries and keys are rotated by their positions there. What
is dropped changes no distance between the last tokens; the sinks are turned on, as far as the cache
has moved away from them. That gives the weights of tokens numbered anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import torch
from jaxtyping import Float
from torch import Tensor
from transformers import DynamicCache, EncoderDecoderCache
from transformers.cache_utils import DynamicLayer

from attnlab.attention.cache import Cache
from attnlab.attention.keep import KeepLast
from attnlab.errors import EditError, EditRefused, InputError
from attnlab.pretrained.order.evidence import MISFITS
from attnlab.pretrained.turning import Turning
from attnlab.trace.edits import Edit, Temperature
from attnlab.trace.edits.mask import Mask
from attnlab.trace.edits.placed import STAGE
from attnlab.trace.given import brief
from attnlab.trace.positioning import BIAS, TABLE

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab

_BY_KEY: Final = frozenset({"mask", "masked", "scores", "weights", STAGE})
"""Stages whose edits count keys from the first of the text on."""
_TRIED: Final = (9, 4)
"""Tokens and window of the text on which a model is tried."""


class KeptLayer(DynamicLayer):
    """Keys and values of one layer, less what ``keep`` drops. Beyond its capacity it takes one new
    token at a time."""

    def __init__(self, keep: KeepLast, turning: Turning | None) -> None:
        super().__init__()
        self.keep, self.turning, self.read = keep, turning, 0

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any
    ) -> tuple[Float[Tensor, "B K S D"], Float[Tensor, "B K S E"]]:
        read, new = self.read, key_states.shape[-2]
        k, v = super().update(key_states, value_states)
        self.read = read + new
        k, v = (self.keep.cut(x, read, new) for x in (k, v))
        self.keys, self.values = (self.keep.cut(x, self.read, 0).contiguous() for x in (k, v))
        moved = self.read - self.keep.capacity
        if self.turning is None or moved <= 0:
            return k, v
        first, last = k.split([self.keep.sinks, k.shape[2] - self.keep.sinks], 2)
        return torch.cat([self.turning(first, moved), last], 2), v

    def get_seq_length(self) -> int:
        return self.read

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        count = len(self.keep.positions(self.read, query_length))
        return count, self.read + query_length - count

    @property
    def is_croppable(self) -> bool:
        """What was dropped does not come back."""
        return self.read <= self.keep.capacity

    def crop(self, tokens_to_remove: int) -> None:
        super().crop(tokens_to_remove)
        self.read -= abs(tokens_to_remove)


def kept_cache(lab: Lab, keep: KeepLast) -> Any:
    """An empty cache of a model that drops what ``keep`` does not hold.

    Raises:
        InputError: the model knows positions in a way that cannot be numbered anew, or has a cache
            that none of ours can take the place of. The sentence says which.
    """
    require_keep(lab, keep)
    if lab.tier == "ours":
        return Cache(keep)
    turning = lab.turning if keep.renumbers else None
    own: Any = DynamicCache(config=lab.model.config.get_text_config(decoder=True))
    cache: Any = DynamicCache()
    cache.layers = [KeptLayer(keep, turning) for _ in own.layers]
    return EncoderDecoderCache(cache, DynamicCache()) if lab.is_encoder_decoder else cache


def require_keep(lab: Lab, keep: KeepLast) -> None:
    """Raises InputError where a model cannot keep the last tokens only."""
    if not isinstance(keep, KeepLast):
        raise InputError(f"cache= is an al.KeepLast(window, sinks=0), not {brief(keep)}.")
    kinds = lab.positions[lab.main_role].kinds if lab.main_role in lab.positions else ()
    if keep.renumbers and TABLE in kinds:
        raise InputError(
            f"{lab.name} adds a vector for each position to its embeddings, so its tokens cannot "
            "be numbered anew; a cache of the last tokens alone, without sinks, leaves them."
        )
    if lab.tier == "ours":
        return
    if keep.renumbers and BIAS in kinds:
        raise InputError(
            f"{lab.name} works its bias out from positions in the text, so its tokens cannot be "
            "numbered anew; in our transformer they can."
        )
    if not lab.drops:
        raise InputError(
            f"{lab.name} does not run right with a cache that drops tokens; our transformer "
            "does, where it takes the model."
        )
    if lab.turns_by_length:
        raise InputError(
            f"{lab.name} turns its tokens by the length of the text, which counts on here though "
            "the cache does not grow: kept keys would no longer fit what follows."
        )


def endless(lab: Lab, keep: Any) -> bool:
    """Whether a text of any length can be read: tokens are numbered anew, by few enough places."""
    renumbers = isinstance(keep, KeepLast) and keep.renumbers
    return renumbers and (lab.longest is None or keep.capacity <= lab.longest)


def drops_right(lab: Lab) -> bool:
    """Whether a model whose cache keeps the last tokens gives what it gives under the mask of a
    window, tried on a short text."""
    length, window = _TRIED
    ids = [(7 * i) % lab.model.config.get_text_config().vocab_size for i in range(1, length + 1)]
    own: Any = DynamicCache(config=lab.model.config.get_text_config(decoder=True))
    if any(own.is_sliding) or any(own.is_linear) or lab.is_encoder_decoder:
        return False
    cache: Any = DynamicCache()
    cache.layers = [KeptLayer(KeepLast(window), None) for _ in own.layers]
    try:
        masked = lab.run(ids, capture=(), edits=[Mask("window", window=window)]).logits
        dropped = _one_by_one(lab, ids, cache)
    except (*MISFITS, EditError):
        return False
    off = float((masked[-1] - dropped).abs().max())
    half = torch.finfo(lab.model.dtype).bits < 32
    return off <= (0.03 if half else 1e-4) * max(1.0, float(masked.abs().max()))


def _one_by_one(lab: Lab, ids: list[int], cache: Any) -> Tensor:
    """The logits [V] after a text that is read a token at a time."""
    for place in range(len(ids)):
        one = torch.tensor([ids[place : place + 1]], device=lab.device)
        fed = {"input_ids": one, "cache": cache, "use_cache": True}
        if "position_ids" in lab._keywords:
            fed["position_ids"] = torch.tensor([[place]], device=lab.device)
        with lab.serial, torch.no_grad():
            outputs = lab._clone(**fed)
    return outputs.logits[0, -1].float().cpu()


def require_edits(lab: Lab, edits: tuple[Edit, ...]) -> None:
    """Raises EditRefused for edits that count keys from the first one on: some are not there."""
    for edit in edits:
        if edit.stages_in(lab) & _BY_KEY and not isinstance(edit, Temperature):
            raise EditRefused(
                f"{edit} names keys by their place in the text, and a cache that drops tokens has "
                "not all of them: leave out cache=."
            )
