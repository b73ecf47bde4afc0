"""What taking heads away changes, beside what as many random heads change."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch

from attnlab.analysis import baseline as random_baseline
from attnlab.analysis import effects
from attnlab.trace import MeanHead, ZeroHead
from attnlab.ui import work
from attnlab.ui.engine.keys import EffectKey, Passage
from attnlab.ui.engine.model import Reader
from attnlab.ui.engine.reading import last_logits
from attnlab.ui.selection import Ablation, Head

_EDITS: Final[dict[str, Any]] = {"zero": ZeroHead, "mean": MeanHead}


@dataclass(frozen=True)
class Moved:
    """How far an output moves: cosine distances, 0 to 2.

    `mean` is that of the mean over positions, the text's vector; `tokens` [Q] of each position.
    """

    mean: float
    tokens: np.ndarray


def edits_of(reader: Reader, ablation: Ablation, heads: Sequence[Head]) -> tuple[Any, ...]:
    """One edit for each head, in rising order: the order of clicks makes no other result."""
    return tuple(_EDITS[ablation](*head, reader.role) for head in sorted(set(heads)))


def effect(
    reader: Reader,
    passage: Passage | str,
    ablation: Ablation,
    heads: Sequence[Head],
    position: int,
) -> effects.Effect:
    """What ablating heads together changes in the prediction at `position`."""
    passage, edits = Passage.of(passage), edits_of(reader, ablation, heads)

    def run(job: Any) -> effects.Effect:
        options = {"target": _target(reader, passage), "cancel": job.cancel}
        known = last_logits(reader, passage, position)
        options["before"] = None if known is None else torch.tensor(known)
        return effects.compare(reader.lab, passage.text, edits, position=position, k=5, **options)

    key = EffectKey(reader.key, passage, _spelled(edits), position)
    return work.perform(key, f"Ablating {_counted(heads)}", run, work.stores().effects)


def moved(
    reader: Reader, passage: Passage | str, ablation: Ablation, heads: Sequence[Head]
) -> Moved:
    """How far ablating heads together moves an encoder's output."""
    passage, edits = Passage.of(passage), edits_of(reader, ablation, heads)

    def run(job: Any) -> Moved:
        shift = effects.shift(reader.lab, passage.text, edits, cancel=job.cancel)
        tokens = np.array(shift.tokens.float().numpy())
        tokens.setflags(write=False)
        return Moved(shift.mean, tokens)

    key = EffectKey(reader.key, passage, _spelled(edits), None)
    return work.perform(key, f"Ablating {_counted(heads)}", run, work.stores().effects)


def baseline(
    reader: Reader,
    passage: Passage | str,
    ablation: Ablation,
    size: int,
    position: int | None,
    count: int = 20,
) -> random_baseline.Baseline:
    """What as many random heads change, `count` times over; `position` None: as `moved`."""
    passage = Passage.of(passage)

    def run(job: Any) -> random_baseline.Baseline:
        return random_baseline.baseline(
            reader.lab,
            passage.text,
            make=_EDITS[ablation],
            size=size,
            count=count,
            position=position,
            role=reader.role,
            target=_target(reader, passage),
            progress=job.progress,
            cancel=job.cancel,
        )

    edits = f"{ablation}, {size} of {reader.role}"
    key = EffectKey(reader.key, passage, edits, position, random=count)
    return work.perform(key, "Ablating random heads", run, work.stores().effects)


def _target(reader: Reader, passage: Passage) -> str | None:
    return passage.target if reader.writes else None


def _counted(heads: Sequence[Head]) -> str:
    return "the head" if len(set(heads)) == 1 else f"{len(set(heads))} heads"


def _spelled(edits: tuple[Any, ...]) -> str:
    return json.dumps([edit.to_json() for edit in edits], sort_keys=True)
