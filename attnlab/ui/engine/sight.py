"""Who may see whom: in the three kinds of transformer, and in the loaded model on a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from attnlab.analysis import sight
from attnlab.ui import texts, work
from attnlab.ui.engine.keys import LabKey
from attnlab.ui.engine.model import Reader

MOST_WORDS: Final = 32
"""Of each text; longer ones are shown as far."""


@dataclass(frozen=True)
class SightKey:
    """What one model hides on a text, and on what is written for it."""

    lab: LabKey
    read: tuple[int, ...]
    written: tuple[int, ...]


@dataclass(frozen=True)
class Measured:
    """What a model's own attention leaves visible.

    Attributes:
        seen: by layer, bool [n, n], or [n + m, n + m] of an encoder-decoder.
        kinds: by layer, the kind of transformer whose mask that is, or "".
    """

    seen: dict[int, np.ndarray]
    kinds: dict[int, str]


def words_of(reader: Reader, text: str, written: str) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The first tokens of a text, and of what is written for it.

    Raises:
        AttnLabError: a text cannot be shown.
    """
    texts.check_text(text, "Sentence A")
    texts.check_text(written, "What is written")
    read = reader.lab.tokens(text)
    if reader.writes:
        return tuple(read[:MOST_WORDS]), tuple(reader.lab.target_tokens(written)[:MOST_WORDS])
    # Marks around a text, such as [CLS], belong to what an encoder reads.
    bare = [token for token in reader.lab.tokens(written) if not token.special]
    return tuple(read[:MOST_WORDS]), tuple(bare[:MOST_WORDS])


def kind(name: str, read: int, written: int) -> np.ndarray:
    """The mask of a kind of transformer, see :func:`attnlab.analysis.sight.table`."""
    return sight.table(name, read, written).numpy()


def measured(reader: Reader, read: tuple[Any, ...], written: tuple[Any, ...]) -> Measured:
    """What the model really hides on these tokens.

    Raises:
        AttnLabError: it does not show its scores.
    """
    # The start token is the model's own; it is put before what is passed.
    target = tuple(token.id for token in written[1:]) if reader.writes else ()
    key = SightKey(reader.key, tuple(token.id for token in read), target)

    def run(job: Any) -> Measured:
        options = {"progress": job.progress, "cancel": job.cancel}
        given = list(target) if reader.writes else None
        found = sight.measured(reader.lab, list(key.read), given, **options)
        kinds = {layer: sight.kind_of(one, len(read)) for layer, one in found.items()}
        return Measured({layer: one.numpy() for layer, one in found.items()}, kinds)

    return work.perform(key, "Reading who sees what", run, work.stores().maps)
