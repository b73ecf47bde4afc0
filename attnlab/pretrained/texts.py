"""From what a person typed to the ids that are fed, with a sentence where that fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor

from attnlab.errors import CaptureError, EmptyText, InputError, StageNotAvailable, TextTooLong
from attnlab.pretrained.inputs import longest_text
from attnlab.pretrained.tokens import readable
from attnlab.trace.capture import ATTENTION_STAGES, Capture
from attnlab.trace.site import layers_in
from attnlab.trace.token import Token

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab


def ids_of(lab: Lab, text: Any) -> list[int]:
    """The ids that are fed for a text, special tokens as the tokenizer adds them.

    Raises:
        EmptyText: no token but special ones.
        TextTooLong: more tokens than the model takes.
        InputError: not a text, no tokenizer, or an id outside the vocabulary.
    """
    ids = _encoded(lab, text) if isinstance(text, str) else _given(lab, text)
    limit = longest_text(lab.model.config)
    if limit is not None and len(ids) > limit:
        raise TextTooLong(f"This is {len(ids):,} tokens; {lab.name} takes at most {limit:,}.")
    return ids


def _encoded(lab: Lab, text: str) -> list[int]:
    if lab.tokenizer is None:
        raise InputError(f"{lab.name} was loaded without a tokenizer: pass token ids.")
    if not text:
        raise EmptyText("There is no text; type at least one word.")
    ids = lab.tokenizer(text, verbose=False)["input_ids"]
    # An unknown or masked word is special to the tokenizer, but somebody typed it.
    typed = {lab.tokenizer.unk_token_id, lab.tokenizer.mask_token_id}
    if not set(ids) - (set(lab.tokenizer.all_special_ids) - typed):
        raise EmptyText(f"{lab.name} makes no token of this text; type at least one word.")
    return ids


def _given(lab: Lab, ids: Sequence[int] | Tensor) -> list[int]:
    if isinstance(ids, Tensor):
        ids = ids.reshape(-1).tolist()
    ids = list(ids) if isinstance(ids, Sequence) else None
    if ids is None or not all(isinstance(i, int) and not isinstance(i, bool) for i in ids):
        raise InputError("A text is a string or a list of token ids.")
    if not ids:
        raise EmptyText("There are no token ids; pass at least one.")
    size = lab.model.config.get_text_config().vocab_size
    wrong = next((i for i in ids if not 0 <= i < size), None)
    if wrong is not None:
        raise InputError(f"{wrong} is no token id of {lab.name}; its ids are 0 to {size - 1}.")
    return ids


def target_ids(lab: Lab, target: str | Sequence[int] | None) -> list[int] | None:
    """What the decoder of an encoder-decoder is fed: its start token, then the target."""
    if not lab.is_encoder_decoder:
        if target is not None:
            raise InputError(f"{lab.name} is no encoder-decoder, so it takes no target.")
        return None
    config = lab.model.config
    marks = (getattr(config, f"{name}_token_id", None) for name in ("decoder_start", "bos", "pad"))
    start = next((mark for mark in marks if mark is not None), 0)
    if target is None or not len(target):
        return [start]
    if not isinstance(target, str):
        return [start, *_given(lab, target)]
    if lab.tokenizer is None:
        raise InputError(f"{lab.name} was loaded without a tokenizer: pass token ids.")
    ids = lab.tokenizer(text_target=target, verbose=False)["input_ids"]
    ids = ids[:-1] if ids and ids[-1] == lab.tokenizer.eos_token_id else ids
    return [start, *(ids[1:] if ids[:1] == [start] else ids)]


def tokens_of(lab: Lab, ids: Sequence[int]) -> list[Token]:
    """Readable tokens of a text's ids; numbers where there is no tokenizer."""
    if lab.tokenizer is None:
        return [Token(int(i), f"#{i}", f"#{i}") for i in ids]
    return readable(lab.tokenizer, ids)


def check_capture(lab: Lab, capture: Capture) -> None:
    """Raises CaptureError for a stage, role, layer or head that the model does not have."""
    if capture.stage not in lab.stages:
        raise StageNotAvailable(
            f"{lab.name} (tier {lab.tier}) does not expose {capture.stage!r}; it has "
            f"{', '.join(sorted(lab.stages)) or 'none'}."
        )
    places = lab.sites if capture.stage in ATTENTION_STAGES else lab.blocks
    if capture.stage == "final":
        return
    for role in capture.roles or ():
        if role not in {place.role for place in places}:
            raise CaptureError(f"{lab.name} has no {capture.stage} in the role {role!r}.")
    places = [p for p in places if capture.roles is None or p.role in capture.roles]
    for layer in capture.layers or ():
        if layer not in {place.layer for place in places}:
            raise CaptureError(
                f"{lab.name} has no {capture.stage} in layer {layer}; "
                f"its layers are {layers_in(places)}."
            )
    _check_heads(lab, capture)


def _check_heads(lab: Lab, capture: Capture) -> None:
    if capture.heads is None or capture.stage not in ATTENTION_STAGES:
        return
    for site in lab.sites:
        count = site.kv_heads if capture.stage in ("k", "v") else site.heads
        wrong = [head for head in capture.heads if not 0 <= head < count]
        if capture.covers(site.role, site.layer) and wrong:
            raise CaptureError(
                f"{site.name} of {lab.name} has {count} heads of {capture.stage}, "
                f"0 to {count - 1}; there is no head {wrong[0]}."
            )
