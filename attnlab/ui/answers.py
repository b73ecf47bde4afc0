"""A word that a prediction is asked about, and its id: as typed, or a likely one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from attnlab.analysis.metrics import token_id
from attnlab.errors import InputError
from attnlab.ui import engine
from attnlab.ui.engine import sweep
from attnlab.ui.engine.keys import Passage
from attnlab.viz.svg.text import spoken

Answer = tuple[str, int]
"""A word and its id."""
Found = TypeVar("Found")


def likely(reader: engine.Reader, passage: Passage, position: int, place: int = 0) -> Answer:
    """The word that the model finds likeliest, or a later one of its list."""
    token = sweep.next_words(reader, passage, position).before[place][0]
    return spoken(token).strip(), token.id


def typed(reader: engine.Reader, word: str, passage: Passage, position: int) -> Answer | None:
    """A typed word and its id: with a space before it where that is a token; None for nothing.

    Raises:
        InputError: it is several tokens; the sentence names some likely ones that are one.
    """
    word = word.strip()
    if not word:
        return None
    for spelled in (f" {word}", word):
        try:
            return word, token_id(reader.lab, spelled)
        except InputError as error:
            refused = error
    some = (likely(reader, passage, position, place)[0] for place in range(3))
    raise InputError(
        f"{reader.title} writes “{word}” in several pieces, and an answer is one: try "
        f"{', '.join(f'“{one}”' for one in some)}."
    ) from refused


def fitting(
    value: Any, boxes: Sequence[str], find: Callable[[Any], Found]
) -> tuple[Found, InputError | None]:
    """What is found with what is typed in some boxes; what does not fit there is left out.

    Args:
        value: a page's own values; ``boxes``: the names of those that hold words.

    Returns:
        What was found, and why something was left out.

    Raises:
        AttnLabError: it fails without any of it too, or the work was stopped.
    """
    typed_in = {name for name in boxes if getattr(value, name).strip()}
    refused: InputError | None = None
    for left_out in ((), *((name,) for name in reversed(boxes)), tuple(boxes)):
        if left_out and not typed_in & set(left_out):
            continue
        try:
            return find(replace(value, **dict.fromkeys(left_out, ""))), refused
        except InputError as error:
            refused = refused or error
    raise refused


def usual_position(reader: engine.Reader, tokens: Sequence[Any]) -> int:
    """Where a prediction is looked at before anything is chosen: at the mask, or the end."""
    mask = engine.mask_position(reader, tokens)
    return len(tokens) - 1 if mask is None else mask
