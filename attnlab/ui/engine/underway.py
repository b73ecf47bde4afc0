"""Texts that are being written on: each session keeps its runs between two tokens.

So the next token costs one token. A run follows the choices that lead to what is asked for, and
goes back where others were made.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from attnlab.attention import KeepLast
from attnlab.errors import TextTooLong
from attnlab.trace import Capture
from attnlab.ui.engine.keys import LabKey, Passage
from attnlab.ui.engine.model import Reader
from attnlab.ui.generate_selection import MOST, Chosen
from attnlab.ui.selection import Head
from attnlab.ui.store import Store

_MOST_BYTES: Final = 192 * 2**20
"""That every head of one run may take; of a longer run one head is kept."""


@dataclass(frozen=True)
class Ask:
    """What is written on, and how: all but how far, and what was chosen by hand.

    Attributes:
        edits: what is changed meanwhile, as JSON.
        heat, topk, topp, seed: how tokens are drawn; no ``topk`` of 0 and no ``topp`` of 1.
        only: the one head that is kept of a long run; None: every head.
        keep: what the key/value cache keeps; None: everything.
    """

    lab: LabKey
    passage: Passage
    edits: str
    heat: float = 0.0
    topk: int = 0
    topp: float = 1.0
    seed: int = 0
    only: tuple[str, Head] | None = None
    keep: KeepLast | None = None


@dataclass(frozen=True)
class WritingKey:
    """How far a text was written, and which tokens were chosen."""

    ask: Ask
    chosen: Chosen
    count: int


class Live:
    """A run that goes on; its lock is held by the one job that moves it."""

    def __init__(self) -> None:
        self.generation: Any = None
        self.came: list[Any] = []
        self.lock = threading.Lock()


@st.cache_resource(max_entries=1)
def runs() -> Store:
    """The runs of every session, by session and question; bounded, since any can be made anew."""
    return Store(max_entries=64, ttl=1800.0, max_bytes=512 * 2**20, size=lambda one: one[1])


def only_head(reader: Reader, count: int, head: Head) -> tuple[str, Head] | None:
    """The one head that is kept where all heads of a prompt of ``count`` tokens take too much."""
    return (reader.role, head) if _weights_bytes(reader, count, MOST) > _MOST_BYTES else None


def _weights_bytes(reader: Reader, given: int, more: int) -> int:
    """Every head's weights of a prompt and of the rows that follow it."""
    heads = sum(site.heads for site in reader.lab.sites if site.role != "encoder")
    return 4 * heads * (given**2 + more * (given + more))


@contextmanager
def moved(
    held_runs: Store, reader: Reader, key: WritingKey, edits: Sequence[Any], job: Any
) -> Iterator[Live]:
    """This session's run, taken to where its choices lead."""
    place = (job.owner, key.ask)
    held = held_runs.get(place)
    live = Live() if held is None else held[0]
    with live.lock:
        if live.generation is None:
            live.generation = _begun(reader, key.ask, edits, job)
        try:
            _follow(live, key, job)
            yield live
        finally:
            held_runs.put(place, (live, _size(reader, live.generation)))


def _begun(reader: Reader, ask: Ask, edits: Sequence[Any], job: Any) -> Any:
    lab, passage = reader.lab, ask.passage
    if ask.only is None:
        roles = tuple(role for role in reader.roles if role != "encoder")
        capture = Capture("weights", roles=roles)
    else:
        role, (layer, head) = ask.only
        capture = Capture("weights", layers=layer, heads=head, roles=role)
    return lab.steps(
        passage.text,
        target=passage.target if reader.writes else None,
        max_new_tokens=_room(reader, ask),
        capture=capture,
        edits=tuple(edits),
        temperature=ask.heat,
        top_k=ask.topk or None,
        top_p=ask.topp if ask.topp < 1 else None,
        seed=ask.seed,
        cache=ask.keep,
        cancel=job.cancel,
    )


def _room(reader: Reader, ask: Ask) -> int:
    """How many tokens there may be after the prompt."""
    from attnlab.pretrained.keeping import endless

    lab, passage = reader.lab, ask.passage
    count = len(lab.target_tokens(passage.target) if reader.writes else lab.tokens(passage.text))
    longest = lab.longest_target if reader.writes else lab.longest
    if longest is None or (endless(lab, ask.keep) and not reader.writes):
        return MOST
    if longest <= count:
        raise TextTooLong(
            f"{reader.title} takes {longest:,} tokens and the text has {count:,}, so there is "
            "no room to write; shorten it."
        )
    return min(MOST, longest - count)


def _follow(live: Live, key: WritingKey, job: Any) -> None:
    """Go on, or back, to where the choices lead; what is shared with them stays."""
    generation, by_hand = live.generation, dict(key.chosen)
    count = min(key.count, generation.most)
    choices = [by_hand.get(step) for step in range(count)]
    same = 0
    while same < min(count, len(live.came)) and choices[same] == generation.choices[same]:
        same += 1
    del live.came[same:]
    if len(generation) > same:
        generation.undo(len(generation) - same)
    generation.look(progress=lambda share: job.progress(share, "what is there"), cancel=job.cancel)
    while len(live.came) < count and not generation.ended:
        live.came.append(generation.step(choices[len(live.came)], cancel=job.cancel))
        job.progress((len(live.came) - same) / max(count - same, 1), f"token {len(live.came)}")


def _size(reader: Reader, generation: Any) -> int:
    """The bytes of a run: weights, logits and cache, none of which is ever small."""
    if generation is None:
        return 0
    vocabulary = int(getattr(reader.lab.model.config, "vocab_size", 0) or 0)
    rows = 4 * vocabulary * (len(generation) + 1)
    return _weights_bytes(reader, generation.prompt, len(generation)) + rows
