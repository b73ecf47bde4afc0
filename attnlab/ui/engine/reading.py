"""Attention read off a model: every head on a passage, one head of it, one cell of every head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from attnlab.analysis import maps
from attnlab.errors import EmptyText, TextTooLong
from attnlab.trace import Capture
from attnlab.ui import texts, work
from attnlab.ui.engine.keys import HeadKey, Passage, TextKey
from attnlab.ui.engine.model import Reader
from attnlab.ui.selection import Head

# Longer texts are pooled to this many rows and columns a head while they are computed; up to it
# every head's weights are kept as they are.
WHOLE_TOKENS: Final = 64


@dataclass(frozen=True)
class Reading:
    """Every head on one passage.

    Attributes:
        tokens: the queries, as the model was fed them.
        sources: the keys; other tokens than the queries in cross-attention only.
        maps: [L, H, q, s] float32; the weights themselves where `whole`, else pooled. Heads that a
            layer does not have, where layers differ, are blank.
        first_share: share of all attention on the first key.
        last: [V] the logits at the last position of a long text, which come with its reading; else
            None.
    """

    tokens: tuple[Any, ...]
    sources: tuple[Any, ...]
    maps: np.ndarray
    whole: bool
    first_share: float
    last: np.ndarray | None = None


def read(reader: Reader, passage: Passage | str, name: str, head: Head | None = None) -> Reading:
    """Every head's weights on a passage.

    Args:
        name: how the page calls it ("Sentence A").
        head: the (layer, head) that will be asked for in full: of a long text it comes with the
            same run.

    Raises:
        AttnLabError: the text is empty or too long, or the work was stopped.
    """
    passage = Passage.of(passage)
    queries, keys = tokens_of(reader, passage, name)
    whole = max(len(queries), len(keys)) <= WHOLE_TOKENS
    captures = (
        Capture("weights", roles=(reader.role,), thumbnails=None if whole else WHOLE_TOKENS),
    )
    if not whole and head is not None:
        captures += (_of_head(reader, head),)

    def run(job: Any) -> Reading:
        trace = _run(reader, passage, captures, job, logits=None if whole else "last")
        weights = trace.role(reader.role).weights
        if whole:
            every = [weights[layer] for layer in reader.layers]
            share = maps.share_of([layer[..., 0] for layer in every])
            return Reading(queries, keys, stacked(every), True, share)
        if head is not None:
            work.stores().heads.put(_head_key(reader, passage, head), as_array(weights[head]))
        small = [weights.small[layer] for layer in reader.layers]
        share = maps.share_of([layer.first for layer in small])
        last = None if trace.logits is None else as_array(trace.logits[-1])
        return Reading(queries, keys, stacked([s.map for s in small]), False, share, last)

    key = TextKey(reader.key, reader.role, passage)
    return work.perform(key, f"Reading {name[0].lower()}{name[1:]}", run, work.stores().maps)


def last_logits(reader: Reader, passage: Passage, position: int) -> np.ndarray | None:
    """[V] where the reading of a long passage has left them for this position, else None."""
    held = work.stores().maps.get(TextKey(reader.key, reader.role, passage))
    if held is None or held.last is None:
        return None
    # What an encoder-decoder predicts follows its target, which its encoder's reading lacks.
    count = 0 if reader.writes and reader.role == "encoder" else len(held.tokens)
    return held.last if position in (-1, count - 1) else None


def head_weights(
    reader: Reader, passage: Passage | str, reading: Reading, layer: int, head: int
) -> np.ndarray:
    """[Q, S] weights of one head: part of the reading, or one more run for a long text."""
    if reading.whole:
        return reading.maps[reader.layers.index(layer), head]
    passage, wanted = Passage.of(passage), (layer, head)

    def run(job: Any) -> np.ndarray:
        return as_array(_weights(reader, passage, _of_head(reader, wanted), job)[wanted])

    key = _head_key(reader, passage, wanted)
    return work.perform(key, f"Reading layer {layer}, head {head}", run, work.stores().heads)


def _of_head(reader: Reader, head: Head) -> Capture:
    return Capture("weights", layers=head[0], heads=head[1], roles=reader.role)


def _head_key(reader: Reader, passage: Passage, head: Head) -> HeadKey:
    return HeadKey(reader.key, reader.role, passage, head)


def layer_weights(reader: Reader, reading: Reading, layer: int) -> np.ndarray:
    """[H, Q, S] weights of one layer of a whole reading.

    Raises:
        TextTooLong: the reading is pooled.
    """
    if not reading.whole:
        raise TextTooLong(
            f"This text has {len(reading.tokens):,} tokens; every head of a layer is kept in full "
            f"up to {WHOLE_TOKENS}."
        )
    return reading.maps[reader.layers.index(layer), : reader.heads_in(layer)]


def pair(
    reader: Reader, passage: Passage | str, reading: Reading, query: int, key: int
) -> np.ndarray:
    """[L, H]: every head's exact weight from one token to another, also of a long text.

    NaN where a layer has fewer heads.
    """
    if reading.whole:
        found = reading.maps[:, :, query, key]
    else:
        found = _row(reader, Passage.of(passage), query)[:, :, key]
    there = np.array([reader.heads_in(layer) for layer in reader.layers])
    return np.where(np.arange(found.shape[1]) < there[:, None], found, np.nan)


def _row(reader: Reader, passage: Passage, query: int) -> np.ndarray:
    """[L, H, S]: where every head looks from one token of a long text."""
    capture = Capture("weights", roles=(reader.role,), queries=(query,))

    def run(job: Any) -> np.ndarray:
        weights = _weights(reader, passage, capture, job)
        return stacked([weights[layer][:, 0] for layer in reader.layers])

    key = TextKey(reader.key, reader.role, passage, rows=(query,))
    return work.perform(key, "Reading every head at this word", run, work.stores().heads)


def aligned(
    reader: Reader,
    passage: Passage | str,
    reading: Reading,
    rows: Sequence[int],
    columns: Sequence[int],
) -> np.ndarray:
    """[L, H, q, s] of every head on some of a passage's positions, as if there were no others.

    With the positions of two texts that correspond, their maps can be compared cell by cell,
    whatever else stands between. Reduced to at most WHOLE_TOKENS a side where there are more; two
    texts with as many rows and columns are reduced alike.
    """
    if reading.whole:
        return reading.maps[:, :, list(rows)][..., list(columns)]
    passage = Passage.of(passage)
    capture = Capture(
        "weights", roles=(reader.role,), thumbnails=WHOLE_TOKENS, queries=rows, keys=columns
    )

    def run(job: Any) -> np.ndarray:
        small = _weights(reader, passage, capture, job).small
        return stacked([small[layer].map for layer in reader.layers])

    key = TextKey(reader.key, reader.role, passage, tuple(rows), tuple(columns))
    return work.perform(key, "Reading the words that correspond", run, work.stores().maps)


def tokens_of(
    reader: Reader, passage: Passage | str, name: str
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The tokens that look and those looked at; each refusal names the text.

    Raises:
        EmptyText, TextTooLong: nothing to show, or more than can be.
    """
    passage = Passage.of(passage)
    texts.check_text(passage.text, name)
    sources = _checked(reader.lab.tokens, passage.text, name, reader.lab.longest)
    if not reader.writes:
        return sources, sources
    lab = reader.lab
    targets = _checked(lab.target_tokens, passage.target, f"{name}'s target", lab.longest_target)
    queries = sources if reader.role == "encoder" else targets
    return queries, targets if reader.role == "decoder" else sources


def _checked(tokenize: Any, text: str, name: str, longest: int | None) -> tuple[Any, ...]:
    """The tokens of a text; ``longest``: the most that the model takes."""
    try:
        tokens = tuple(tokenize(text))
    except EmptyText as error:
        raise EmptyText(f"{name}: {error}") from error
    except TextTooLong as error:
        less = longest is not None and longest > texts.MAX_TOKENS
        shown = f" Up to {texts.MAX_TOKENS:,} can be shown here." if less else ""
        raise TextTooLong(f"{name}: {error}{shown} Please shorten it.") from error
    texts.check_tokens(tokens, name)
    return tokens


def _weights(reader: Reader, passage: Passage, capture: Capture, job: Any) -> Any:
    """One plain run: the weights of the role that the page shows."""
    return _run(reader, passage, (capture,), job).role(reader.role).weights


def _run(
    reader: Reader, passage: Passage, captures: tuple[Capture, ...], job: Any, logits: Any = None
) -> Any:
    return reader.lab.run(
        passage.text,
        target=passage.target if reader.writes else None,
        capture=captures,
        logits=logits,
        progress=job.progress,
        cancel=job.cancel,
    )


def stacked(layers: list[Any]) -> np.ndarray:
    """[L, H, ...] of each layer's [h, ...]; heads that a layer does not have stay blank."""
    heads = max(len(layer) for layer in layers)
    stacked = np.zeros((len(layers), heads, *layers[0].shape[1:]), np.float32)
    for place, layer in zip(stacked, layers, strict=True):
        place[: len(layer)] = layer.detach().float().cpu().numpy()
    stacked.setflags(write=False)
    return stacked


def as_array(tensor: Any) -> np.ndarray:
    """A float32 copy on the CPU that no cache user can change."""
    array = np.array(tensor.detach().float().cpu().numpy())
    array.setflags(write=False)
    return array
