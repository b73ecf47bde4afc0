"""One text as trained and under edits, as a page asks for it; and tokens in another order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnlab.analysis import edited as analysis
from attnlab.analysis import effects
from attnlab.analysis.effects import Effect
from attnlab.ui import work
from attnlab.ui.engine.keys import EffectKey, LabKey, Passage
from attnlab.ui.engine.model import Reader
from attnlab.ui.engine.reading import as_array, tokens_of
from attnlab.ui.selection import Head

MOST_TOKENS = analysis.MOST_TOKENS


@dataclass(frozen=True)
class EditedKey:
    """One passage in one role as trained and under edits, spelled as JSON."""

    lab: LabKey
    role: str
    passage: Passage
    edits: str
    head: Head | None = None


@dataclass(frozen=True)
class Changed:
    """What edits change on one passage.

    Attributes:
        tokens: what was read, in the role that is shown.
        before, after: [n − 1] nats of each next token, None where nothing is predicted.
        shift: [Q] 1 − cosine of each token's last vector; ``turned``: of their mean.
        heads: [L, H] bits by which each head's rows moved, 0 to 1; NaN where a layer has fewer.
        layers: what the rows of ``heads`` are called.
        order: (layer, head, bits), the most changed first.
        hardest: the token whose loss rises most, and by how much; None where none rises.
        layer_means: bits of each layer, on average.
    """

    tokens: tuple[Any, ...]
    before: np.ndarray | None
    after: np.ndarray | None
    shift: np.ndarray
    turned: float
    heads: np.ndarray
    layers: tuple[int, ...]
    order: tuple[tuple[int, int, float], ...]
    hardest: tuple[int, float] | None
    layer_means: dict[int, float]


def spelled(edits: Sequence[Any]) -> str:
    """Edits as JSON, a key of a cache."""
    return json.dumps([edit.to_json() for edit in edits], sort_keys=True)


def changed(reader: Reader, passage: Passage | str, edits: Sequence[Any], name: str) -> Changed:
    """Everything that edits change on a passage.

    Args:
        name: how the page calls it ("Sentence A").

    Raises:
        AttnLabError: the text is empty or too long, an edit does not fit, or the work was stopped.
    """
    passage = Passage.of(passage)
    tokens, _ = tokens_of(reader, passage, name)

    def run(job: Any) -> Changed:
        found = analysis.edited(
            reader.lab,
            passage.text,
            edits,
            reader.role,
            predicts=reader.lab.head_kind == "causal",
            target=passage.target if reader.writes else None,
            progress=job.progress,
            cancel=job.cancel,
        )
        return _arrays(reader, tokens, found)

    key = EditedKey(reader.key, reader.role, passage, spelled(edits))
    words = f"Reading {name[0].lower()}{name[1:]} as trained and changed"
    return work.perform(key, words, run, work.stores().effects)


def _arrays(reader: Reader, tokens: tuple[Any, ...], found: analysis.Edited) -> Changed:
    layers = tuple(found.heads)
    heads = np.full((len(layers), reader.heads), np.nan, np.float32)
    for row, layer in zip(heads, layers, strict=True):
        row[: len(found.heads[layer])] = found.heads[layer].numpy()
    heads.setflags(write=False)
    return Changed(
        tokens,
        None if found.before is None else as_array(found.before),
        None if found.after is None else as_array(found.after),
        as_array(found.shift[0]),
        found.shift[1],
        heads,
        layers,
        tuple(found.order),
        found.hardest,
        found.layer_means,
    )


def predicted(
    reader: Reader, passage: Passage | str, edits: Sequence[Any], position: int = -1
) -> Effect:
    """What follows the token at ``position``, as trained and under edits.

    Raises:
        AttnLabError: the model predicts nothing, an edit does not fit, or the work was stopped.
    """
    passage = Passage.of(passage)
    target = passage.target if reader.writes else None

    def run(job: Any) -> Effect:
        options = {"position": position, "k": 5, "target": target, "cancel": job.cancel}
        return effects.compare(reader.lab, passage.text, tuple(edits), **options)

    key = EffectKey(reader.key, passage, spelled(edits), position)
    return work.perform(key, "Predicting with the change", run, work.stores().effects)


def head_of(
    reader: Reader, passage: Passage | str, edits: Sequence[Any], head: Head
) -> tuple[np.ndarray, np.ndarray]:
    """[Q, S] of one head, as trained and under edits."""
    passage = Passage.of(passage)
    target = passage.target if reader.writes else None

    def run(job: Any) -> tuple[np.ndarray, np.ndarray]:
        from attnlab.trace import Capture

        capture = Capture("weights", layers=head[0], heads=head[1], roles=reader.role)
        options = {"target": target, "capture": (capture,), "logits": None, "cancel": job.cancel}
        plain, other = (
            reader.lab.run(passage.text, edits=each, **options) for each in ((), tuple(edits))
        )
        return tuple(as_array(trace.role(reader.role).weights[head]) for trace in (plain, other))

    key = EditedKey(reader.key, reader.role, passage, spelled(edits), head)
    return work.perform(key, "Reading one head twice", run, work.stores().heads)
