"""From what a person typed to the ids that are fed, with a sentence where that fails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any

from torch import Tensor

from attnlab.errors import CaptureError, EmptyText, InputError, StageNotAvailable, TextTooLong
from attnlab.pretrained.tokens import readable
from attnlab.trace.capture import ATTENTION_STAGES, KEY_VALUE_STAGES, Capture
from attnlab.trace.given import whole
from attnlab.trace.site import layers_in
from attnlab.trace.token import Token

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab


def ids_of(lab: Lab, text: Any, endless: bool = False) -> list[int]:
    """The ids that are fed for a text, special tokens as the tokenizer adds them.

    Raises:
        EmptyText: no token but special ones.
        TextTooLong: more tokens than the model takes, unless it is read ``endless``ly.
        InputError: not a text, no tokenizer, an id outside the vocabulary, or a model that reads
            something else.
    """
    if not lab.reads_texts:
        raise InputError(
            f"{lab.name} does not run on a text alone: pass its own inputs, tensors by name "
            f"({', '.join(lab.own_inputs)})."
        )
    ids = _encoded(lab, text) if isinstance(text, str) else _given(text)
    return _fitting(lab, ids, None if endless else lab.longest)


def _fitting(lab: Lab, ids: list[int], longest: int | None) -> list[int]:
    """Ids that the model's tables hold, and no more of them than it takes."""
    _check_length(lab, len(ids), longest)
    return _check_ids(lab, ids)


def _check_length(lab: Lab, count: int, longest: int | None) -> None:
    """Raises TextTooLong beyond what the model takes."""
    if longest is not None and count > longest:
        raise TextTooLong(f"This is {count:,} tokens; {lab.name} takes at most {longest:,}.")


def check_raw(lab: Lab, inputs: Mapping[str, Tensor]) -> None:
    """Raises InputError for a model's own inputs that would fail inside it, or exhaust memory."""
    if not inputs or not all(isinstance(value, Tensor) for value in inputs.values()):
        raise InputError("A model's own inputs are tensors by name, at least one.")
    if lab.model.main_input_name not in inputs:
        raise InputError(f"{lab.name} reads {lab.model.main_input_name}, which is not among these.")
    if any(value.dim() == 0 or not value.numel() for value in inputs.values()):
        raise InputError("A model's own inputs have a batch axis, and are not empty.")
    limits = {"input_ids": lab.longest, "decoder_input_ids": lab.longest_target}
    for name, longest in limits.items():
        if (ids := inputs.get(name)) is None:
            continue
        if ids.dim() != 2 or ids.is_floating_point():
            raise InputError(f"{name} is a tensor [B, n] of whole numbers.")
        _check_length(lab, ids.shape[1], longest)
        _check_ids(lab, ids.reshape(-1).tolist())


def texts_of(texts: Any) -> list:
    """The texts of a batch. Raises InputError for a single one, or for no batch at all."""
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise InputError("run_many takes a list of texts; for a single one there is run.")
    return list(texts)


def _encoded(lab: Lab, text: str) -> list[int]:
    if lab.tokenizer is None:
        raise InputError(f"{lab.name} was loaded without a tokenizer: pass token ids.")
    if not text:
        raise EmptyText("There is no text; type at least one word.")
    ids = _words(lab, text)
    # An unknown or masked word is special to the tokenizer, but somebody typed it.
    typed = {lab.tokenizer.unk_token_id, lab.tokenizer.mask_token_id}
    if not set(ids) - (set(lab.tokenizer.all_special_ids) - typed):
        raise EmptyText(f"{lab.name} makes no token of this text; type at least one word.")
    return ids


def _given(ids: Sequence[int] | Tensor) -> list[int]:
    if isinstance(ids, Tensor):
        if ids.dim() > 1 and ids.shape[0] > 1:
            raise InputError(f"These are {ids.shape[0]} texts; pass them to run_many.")
        ids = ids.reshape(-1).tolist()
    if isinstance(ids, bytes) or not isinstance(ids, Sequence):
        raise InputError("A text is a string or a list of token ids.")
    ids = [whole("A list of token ids", i, InputError) for i in ids]
    if not ids:
        raise EmptyText("There are no token ids; pass at least one.")
    return ids


def _words(lab: Lab, text: str, name: str = "text") -> list[int]:
    """What the tokenizer makes of a text; a character cut in half it could not take."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"U+{ord(text[error.start]):04X}"
        raise InputError(
            f"Character {error.start + 1} is half of one (a lone surrogate, {half}); remove it."
        ) from error
    return lab.tokenizer(**{name: text}, verbose=False)["input_ids"]


def _check_ids(lab: Lab, ids: list[int]) -> list[int]:
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
    if target is None or (isinstance(target, Sized) and not len(target)):
        return [start]
    if not isinstance(target, str):
        return _fitting(lab, [start, *_given(target)], lab.longest_target)
    if lab.tokenizer is None:
        raise InputError(f"{lab.name} was loaded without a tokenizer: pass token ids.")
    ids = _words(lab, target, "text_target")
    ids = ids[:-1] if ids and ids[-1] == lab.tokenizer.eos_token_id else ids
    return _fitting(lab, [start, *(ids[1:] if ids[:1] == [start] else ids)], lab.longest_target)


def tokens_of(lab: Lab, ids: Sequence[int]) -> list[Token]:
    """Readable tokens of a text's ids; numbers where there is no tokenizer."""
    return _shown(lab.tokenizer, ids)


def each_alone(tokenizer: Any, ids: Sequence[int]) -> list[Token]:
    """Readable tokens of ids that do not follow each other."""
    return [_shown(tokenizer, [i])[0] for i in ids]


def _shown(tokenizer: Any, ids: Sequence[int]) -> list[Token]:
    if tokenizer is None:
        return [Token(int(i), f"#{i}", f"#{i}") for i in ids]
    return readable(tokenizer, ids)


def check_captures(lab: Lab, captures: Sequence[Capture]) -> None:
    """Raises CaptureError for what the model does not have, or does not let be seen."""
    if lab.tier == "none" and any(c.stage == "weights" for c in captures):
        raise StageNotAvailable(lab.trust.sentence)
    for capture in captures:
        check_capture(lab, capture)
    reduced = [c for c in captures if c.thumbnails]
    for site in lab.sites:
        ways = {
            (c.thumbnails, c.queries, c.keys) for c in reduced if c.covers(site.role, site.layer)
        }
        if len(ways) > 1:
            raise CaptureError(
                f"The weights of {site.name} are reduced in {len(ways)} ways; ask one."
            )


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


def check_places(
    captures: Sequence[Capture], sizes: Sequence[Mapping[str, tuple[int, int]]], sites: Any
) -> None:
    """Raises CaptureError for a row or a column that one of the texts does not have.

    ``sizes``: of each text, the queries and keys by role.
    """
    for capture in captures:
        roles = sorted({site.role for site in sites if capture.covers(site.role, site.layer)})
        for axis, name in enumerate(("queries", "keys")):
            places = getattr(capture, name)
            counts = [(size[role][axis], role) for size in sizes for role in roles if role in size]
            if places is None or not counts or places[-1] < min(counts)[0]:
                continue
            count, role = min(counts)
            one = "query" if name == "queries" else "key"
            raise CaptureError(
                f"There is no {one} {places[-1]}; the {role} has {count} {name} here."
            )


def _check_heads(lab: Lab, capture: Capture) -> None:
    if capture.heads is None or capture.stage not in ATTENTION_STAGES:
        return
    for site in lab.sites:
        count = site.kv_heads if capture.stage in KEY_VALUE_STAGES else site.heads
        wrong = [head for head in capture.heads if not 0 <= head < count]
        if capture.covers(site.role, site.layer) and wrong:
            raise CaptureError(
                f"{site.name} of {lab.name} has {count} heads of {capture.stage}, "
                f"0 to {count - 1}; there is no head {wrong[0]}."
            )
