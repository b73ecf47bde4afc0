"""A text that a model writes on, token by token, as a page asks for it.

What was seen of it is kept by every choice that led there, so that a link shows it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from attnlab.errors import InputError, TextTooLong
from attnlab.ui import work
from attnlab.ui.engine import underway
from attnlab.ui.engine.keys import Passage
from attnlab.ui.engine.model import Reader
from attnlab.ui.engine.reading import as_array, stacked, tokens_of
from attnlab.ui.engine.underway import Ask, Live, WritingKey
from attnlab.ui.generate_selection import Chosen
from attnlab.ui.selection import Head
from attnlab.viz.pooling import reduced

MOST_PROMPT: Final = 768
"""Tokens of a prompt."""
LISTED: Final = 12
"""Of the next tokens."""
_SMALL: Final = 64


@dataclass(frozen=True)
class LookKey:
    """One head of a role on a text as far as it is written; ``head`` None: every head, small."""

    writing: WritingKey
    role: str
    head: Head | None


@dataclass(frozen=True)
class Written:
    """A text as far as it is written.

    Attributes:
        tokens: the prompt's, ``given`` of them, then those that came.
        sources: what an encoder read, () for models without one.
        came: those that came, each with the probability that it had: ``sampling.Step``.
        coming: the likeliest next ones: ``sampling.Candidate``.
        kept: the key/value cache by role and layer: ``caches.Held``.
        ended: whether the model has put an end to it.
    """

    tokens: tuple[Any, ...]
    sources: tuple[Any, ...]
    given: int
    came: tuple[Any, ...]
    coming: tuple[Any, ...]
    kept: tuple[Any, ...]
    ended: bool

    @property
    def bytes(self) -> int:
        """Of the whole cache."""
        return sum(one.bytes for one in self.kept)


def prompt_tokens(reader: Reader, passage: Passage, name: str) -> tuple[Any, ...]:
    """The tokens that are fed first; each refusal names the text.

    Raises:
        AttnLabError: nothing to go on from, more than is written on here, or a model that does not
            write.
    """
    if reader.lab.head_kind not in ("causal", "seq2seq"):
        raise InputError(
            f"{reader.title} does not write: it reads a whole text at once. Choose a decoder such "
            "as SmolLM2, or an encoder-decoder."
        )
    tokens, _ = tokens_of(reader, passage, name)
    if len(tokens) > MOST_PROMPT:
        raise TextTooLong(
            f"{name} has {len(tokens):,} tokens; texts of up to {MOST_PROMPT} are written on "
            "here, so shorten it."
        )
    return tokens


def written(
    reader: Reader,
    ask: Ask,
    chosen: Chosen,
    count: int,
    look: tuple[str, Head],
    edits: Sequence[Any],
    name: str,
) -> Written:
    """The text after ``count`` tokens, or at its end if that comes before.

    Args:
        look: the role and the head whose weights will be asked for; they come with it.
        edits: those of ``ask``.
        name: how the page calls the text ("A").

    Raises:
        AttnLabError: the text cannot be written on, an edit does not fit, or it was stopped.
    """
    key = WritingKey(ask, chosen, count)

    runs = underway.runs()

    def run(job: Any) -> Written:
        with underway.moved(runs, reader, key, edits, job) as live:
            head = LookKey(key, *look)
            work.stores().heads.put(head, _weights(live.generation, *look))
            return _told(live, job)

    return work.perform(key, f"Writing {name}", run, work.stores().maps)


def head_weights(
    reader: Reader, ask: Ask, chosen: Chosen, count: int, look: tuple[str, Head], edits: Any
) -> np.ndarray:
    """[Q, S] of one head on the text as far as it is written, a row for each of its tokens."""
    key = LookKey(WritingKey(ask, chosen, count), *look)

    runs = underway.runs()

    def run(job: Any) -> np.ndarray:
        with underway.moved(runs, reader, key.writing, edits, job) as live:
            return _weights(live.generation, *look)

    return work.perform(key, "Reading the head", run, work.stores().heads)


def every_head(
    reader: Reader, ask: Ask, chosen: Chosen, count: int, edits: Sequence[Any]
) -> np.ndarray:
    """[L, H, q, s] of every head of the reader's role, at most 64 a side.

    Raises:
        TextTooLong: one head is kept of a text as long as this one.
    """
    if ask.only is not None:
        raise TextTooLong("Of a text as long as this one head is kept, not every head.")
    key = LookKey(WritingKey(ask, chosen, count), reader.role, None)

    runs = underway.runs()

    def run(job: Any) -> np.ndarray:
        with underway.moved(runs, reader, key.writing, edits, job) as live:
            layers = [live.generation.weights(at, role=reader.role) for at in reader.layers]
            small = reduced(stacked(layers), _SMALL)
            small.setflags(write=False)
            return small

    return work.perform(key, "Reading every head", run, work.stores().maps)


def _told(live: Live, job: Any) -> Written:
    generation = live.generation
    return Written(
        tokens=generation.tokens,
        sources=generation.source_tokens,
        given=generation.prompt,
        came=tuple(live.came),
        coming=() if generation.ended else tuple(generation.top(LISTED, cancel=job.cancel)),
        kept=generation.held(cancel=job.cancel),
        ended=generation.ended,
    )


def _weights(generation: Any, role: str, head: Head) -> np.ndarray:
    return as_array(generation.weights(*head, role=role))
