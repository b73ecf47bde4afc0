"""What a head takes from where it looks, what all looks add up to, and what it does to words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from attnlab.analysis import circuits
from attnlab.analysis.normweighted import norm_weighted
from attnlab.analysis.rollout import roll_out
from attnlab.errors import InputError, StageNotAvailable
from attnlab.ui import work
from attnlab.ui.engine.keys import Passage
from attnlab.ui.engine.model import Reader
from attnlab.ui.engine.reading import as_array
from attnlab.ui.engine.trace import TraceKey, target_of
from attnlab.ui.selection import Head
from attnlab.viz.svg.text import spoken

MOST_WORDS: Final = 8
"""Tokens whose circuits are shown."""
_PROMOTED: Final = 3


@dataclass(frozen=True)
class Took:
    """One head on a text.

    Attributes:
        looks: [Q, S], attention.
        takes: [Q, S], the share of each word in what is taken, by length; rows of zeros where
            nothing is.
        lengths: [Q, S], norm-weighted attention, in units of the stream.
    """

    looks: np.ndarray
    takes: np.ndarray
    lengths: np.ndarray


@dataclass(frozen=True)
class Rolled:
    """What is left of each word in one position after each layer.

    Attributes:
        layers: those that attend.
        own: [L, Q], of the words of the main role; ``source`` [L, S] of the source's, or None.
    """

    layers: tuple[int, ...]
    own: np.ndarray
    source: np.ndarray | None


@dataclass(frozen=True)
class Looking:
    """A query-key circuit: ``scores`` [n, n] query by key, ``bias`` of the distance among them."""

    scores: np.ndarray
    bias: float
    bent: bool


@dataclass(frozen=True)
class Writing:
    """An output-value circuit: ``logits`` [n, n], looked at by promoted.

    Attributes:
        promoted: of each token those that it adds most to, and how much.
        copying: near 1 where each token makes itself likelier.
    """

    logits: np.ndarray
    promoted: tuple[tuple[tuple[str, float], ...], ...]
    copying: float


def took(reader: Reader, passage: Passage, head: Head) -> Took:
    """Attention and norm-weighted attention of a head.

    Raises:
        AttnLabError: the model does not show its values, or the work was stopped.
    """

    def run(job: Any) -> Took:
        options = {"target": target_of(reader, passage), "cancel": job.cancel}
        found = norm_weighted(reader.lab, passage.text, layers=head[0], role=reader.role, **options)
        lengths = found.heads[head[0]][head[1]].double()
        whole = lengths.sum(-1, keepdim=True)
        takes = lengths / whole.clamp(min=1e-30)
        looks = found.weights[head[0]][head[1]]
        return Took(as_array(looks), as_array(takes), as_array(lengths))

    return _kept(reader, passage, ("took", head), "Weighing what is taken", run)


def rolled(reader: Reader, passage: Passage, position: int) -> Rolled:
    """Rollout to one position of the main role, by layer.

    Raises:
        AttnLabError: the model, or its encoder, shows no attention, or the work was stopped.
    """

    def run(job: Any) -> Rolled:
        options = {"target": target_of(reader, passage), "cancel": job.cancel}
        found = roll_out(reader.lab, passage.text, **options)
        source = None if found.source is None else as_array(found.source[:, position])
        return Rolled(found.layers, as_array(found.own[:, position]), source)

    return _kept(reader, passage, ("rollout", position), "Rolling attention out", run)


def looking(reader: Reader, head: Head, ids: Sequence[int], apart: int) -> Looking:
    """Who would look at whom, of these tokens alone, ``apart`` positions back.

    Raises:
        AttnLabError: cross-attention, no stream to skip layers in, or the work was stopped.
    """

    def run(job: Any) -> Looking:
        options = {"distance": apart, "role": reader.role, "cancel": job.cancel}
        found = circuits.query_key(reader.lab, *head, list(ids), **options)
        return Looking(as_array(found.scores), found.bias, found.bent)

    what = ("query-key", head, tuple(ids), apart)
    return _kept(reader, None, what, "Asking who looks at whom", run)


def writing(reader: Reader, head: Head, ids: Sequence[int]) -> Writing:
    """What each of these tokens makes likelier where the head looks at it.

    Raises:
        AttnLabError: cross-attention, a model that predicts no word, or the work was stopped.
    """
    if reader.lab.head_kind == "none" or (reader.writes and reader.role == "encoder"):
        whose = f"The encoder of {reader.title}" if reader.writes else reader.title
        raise StageNotAvailable(
            f"{whose} writes no logits: it turns a text into vectors. So there is no table of what "
            "its heads make likelier."
        )

    def run(job: Any) -> Writing:
        options = {"k": _PROMOTED, "role": reader.role, "cancel": job.cancel}
        found = circuits.output_value(reader.lab, *head, list(ids), **options)
        top = tuple(
            tuple((spoken(token).strip(), float(value)) for token, value in row)
            for row in found.top
        )
        return Writing(as_array(found.logits), top, found.copying)

    what = ("output-value", head, tuple(ids))
    return _kept(reader, None, what, "Asking what is written", run)


def words_of(reader: Reader, typed: str, tokens: Sequence[Any]) -> tuple[Any, ...]:
    """The distinct tokens that are typed; of nothing typed, the last few of a text.

    Raises:
        InputError: they are too many.
    """
    given = reader.lab.tokens(f" {typed}") if typed.strip() else tokens
    distinct = {token.id: token for token in given if not token.special}
    found = tuple(distinct.values())
    if not typed.strip():
        return found[-(MOST_WORDS - 2) :]
    if len(found) > MOST_WORDS:
        raise InputError(
            f"These words are {len(found)} tokens of {reader.title}; up to {MOST_WORDS} have room "
            "in the tables."
        )
    return found


def _kept(
    reader: Reader, passage: Passage | None, what: tuple[Any, ...], words: str, run: Any
) -> Any:
    passages = () if passage is None else (passage,)
    key = TraceKey(reader.key, reader.role, passages, what)
    return work.perform(key, words, run, work.stores().effects)
