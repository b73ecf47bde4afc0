"""What results are kept under: each key names every argument of its result."""

from __future__ import annotations

from dataclasses import dataclass

from attnlab.ui.selection import Head


@dataclass(frozen=True)
class LabKey:
    """How a model is loaded; `revision` is that of a Hub model, None for its main one.

    `ours`: its weights in our transformer.
    """

    model: str
    revision: str | None
    device: str
    dtype: str
    ours: bool = False


@dataclass(frozen=True)
class Passage:
    """What one side of a comparison is: a text, and for an encoder-decoder what it writes.

    An empty `target` is the decoder's start token alone.
    """

    text: str
    target: str = ""

    @classmethod
    def of(cls, given: Passage | str) -> Passage:
        """A text alone is a passage too."""
        return cls(given) if isinstance(given, str) else given


@dataclass(frozen=True)
class TextKey:
    """One passage read by one model, in one role.

    `rows` and `columns`: which positions of every head are kept; None: all.
    """

    lab: LabKey
    role: str
    passage: Passage
    rows: tuple[int, ...] | None = None
    columns: tuple[int, ...] | None = None


@dataclass(frozen=True)
class HeadKey:
    """The weights of one head on one passage."""

    lab: LabKey
    role: str
    passage: Passage
    head: Head


@dataclass(frozen=True)
class EffectKey:
    """What edits change on one passage; `edits` is their JSON, kinds included.

    `position` is that of the prediction, None where the whole output is compared; `random`: how
    many random sets of as many heads are ablated in place of these.
    """

    lab: LabKey
    passage: Passage
    edits: str
    position: int | None
    random: int = 0
