"""One block of a loaded model on a passage: shapes from a run, parameters as they are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attnlab.analysis.anatomy import Anatomy, of_model
from attnlab.ui import work
from attnlab.ui.engine.keys import LabKey, Passage
from attnlab.ui.engine.model import Reader
from attnlab.ui.engine.reading import tokens_of


@dataclass(frozen=True)
class BlockKey:
    """One block of a model on one passage."""

    lab: LabKey
    role: str
    passage: Passage | None
    layer: int


def stack_of(reader: Reader) -> str:
    """Whose blocks a reader shows: cross-attention is part of the decoder's."""
    return "decoder" if reader.role == "cross" else reader.role


def blocks(reader: Reader) -> tuple[int, ...]:
    """The layers with attention of the stack that a reader shows, in order."""
    role, there = stack_of(reader), set(reader.layers)
    found = (block.layer for block in reader.lab.blocks if block.role == role)
    return tuple(layer for layer in found if layer in there)


def anatomy(reader: Reader, passage: Passage | None, layer: int, name: str = "") -> Anatomy:
    """The block of one layer on a passage; without one nothing is run, and there are no shapes.

    Args:
        name: how the page calls the passage ("Sentence A").

    Raises:
        AttnLabError: the text is empty or too long, or the work was stopped.
    """
    if passage is not None:
        tokens_of(reader, passage, name)
    role = stack_of(reader)

    def run(job: Any) -> Anatomy:
        lab = reader.lab
        text = None if passage is None else passage.text
        target = None if passage is None or not reader.writes else passage.target
        options = {"target": target, "cancel": job.cancel}
        return of_model(lab, *lab.structure(), text, role, layer, **options)

    key = BlockKey(reader.key, role, passage, layer)
    return work.perform(key, f"Reading layer {layer}", run, work.stores().maps)
