"""A word that a prediction is asked about, and its id: as typed, or a likely one."""

from __future__ import annotations

from attnlab.analysis.metrics import token_id
from attnlab.errors import InputError
from attnlab.ui import engine
from attnlab.ui.engine import sweep
from attnlab.ui.engine.keys import Passage
from attnlab.viz.svg.text import spoken

Answer = tuple[str, int]
"""A word and its id."""


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
