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
    passage: Passage
    layer: int


def stack_of(reader: Reader) -> str:
    """Whose blocks a reader shows: cross-attention is part of the decoder's."""
    return "decoder" if reader.role == "cross" else reader.role


def blocks(reader: Reader) -> tuple[int, ...]:
    """The layers of the stack that a reader shows, in order."""
    role = stack_of(reader)
    return tuple(block.layer for block in reader.lab.blocks if block.role == role)


def anatomy(reader: Reader, passage: Passage, layer: int, name: str) -> Anatomy:
    """The block of one layer on a passage.

    Args:
        name: how the page calls the passage ("Sentence A").

    Raises:
        AttnLabError: the text is empty or too long, or the work was stopped.
    """
    tokens_of(reader, passage, name)
    role = stack_of(reader)

    def run(job: Any) -> Anatomy:
        from attnlab.pretrained.install import output_head

        lab = reader.lab
        model = getattr(lab, "structure", lab.model)
        target = passage.target if reader.writes else None
        return of_model(
            lab,
            model,
            output_head(model),
            passage.text,
            role,
            layer,
            target=target,
            cancel=job.cancel,
        )

    key = BlockKey(reader.key, role, passage, layer)
    return work.perform(key, f"Reading layer {layer}", run, work.stores().maps)
