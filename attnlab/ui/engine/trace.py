"""Where a prediction comes from: through the layers, in parts, and between two texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from attnlab.analysis.attribution import Attribution, attribute
from attnlab.analysis.beside import COUNT, Beside, beside, other_feed_forwards, other_heads
from attnlab.analysis.lens import Lens, lens
from attnlab.analysis.meaning import Meaning, meaning
from attnlab.analysis.metrics import Metric
from attnlab.analysis.patching import Patching, activation_patching
from attnlab.trace import Edit, Patch, ZeroFeedForward, ZeroHead
from attnlab.ui import work
from attnlab.ui.engine.keys import LabKey, Passage
from attnlab.ui.engine.model import Reader
from attnlab.ui.engine.reading import as_array


@dataclass(frozen=True)
class TraceKey:
    """One question on one text or two; ``what`` names it and every argument of it."""

    lab: LabKey
    role: str
    passages: tuple[Passage, ...]
    what: tuple[Any, ...]


def lens_of(reader: Reader, passage: Passage, positions: Sequence[int], answer: int | None) -> Lens:
    """What each layer would predict at these positions.

    Raises:
        AttnLabError: the model predicts nothing, its stream cannot be read, or it was stopped.
    """
    places = tuple(positions)

    def run(job: Any) -> Lens:
        options = {"answer": answer, "target": target_of(reader, passage), "cancel": job.cancel}
        return lens(reader.lab, passage.text, places, **options)

    key = TraceKey(reader.key, reader.role, (passage,), ("lens", places, answer))
    return work.perform(key, "Reading every layer", run, work.stores().effects)


def attributed(
    reader: Reader, passage: Passage, position: int, token: int, against: int | None
) -> Attribution:
    """The share of each head and feed-forward in a logit.

    Raises:
        AttnLabError: the logit is no sum of parts, or the work was stopped.
    """

    def run(job: Any) -> Attribution:
        options = {"against": against, "position": position, "cancel": job.cancel}
        target = target_of(reader, passage)
        return attribute(reader.lab, passage.text, token, target=target, **options)

    what = ("attribution", position, token, against)
    key = TraceKey(reader.key, reader.role, (passage,), what)
    return work.perform(key, "Taking the logit apart", run, work.stores().effects)


def without(
    reader: Reader,
    passage: Passage,
    part: tuple[int, int | None],
    position: int,
    word: int,
    *,
    count: int = COUNT,
) -> Beside:
    """A head, or the feed-forward of a layer, taken away, beside ``count`` others.

    Args:
        part: a layer and a head; None for its feed-forward.
        word: the id that is followed; ``position``: whose prediction it is.

    Raises:
        AttnLabError: the part cannot be taken away, or the work was stopped.
    """
    layer, head = part
    role = reader.role

    def run(job: Any) -> Beside:
        if head is None:
            edit, others = ZeroFeedForward(layer), other_feed_forwards(reader.lab, layer, role)
        else:
            edit, others = ZeroHead(layer, head, role), other_heads(reader.lab, part, role)
        options = {"target": target_of(reader, passage), "cancel": job.cancel}
        options |= {"position": position, "word": word, "progress": job.progress}
        return beside(reader.lab, passage.text, edit, others[:count], **options)

    key = TraceKey(reader.key, role, (passage,), ("without", part, position, word, count))
    what = "the head" if head is not None else "the feed-forward"
    return work.perform(key, f"Taking {what} away, and others", run, work.stores().effects)


@dataclass(frozen=True)
class Exchange:
    """Values of one text put into another.

    Attributes:
        a, b: the texts; ``into``: the one that runs, "A" or "B", with values of the other.
        stage: what is put in; ``by``: "head" or "position".
        metric: None where the analysis chooses one.
        positions: of the text that runs; None: all.
    """

    reader: Reader
    a: Passage
    b: Passage
    into: str
    stage: str
    by: str
    metric: Metric | None
    positions: tuple[int, ...] | None = None

    @property
    def receives(self) -> Passage:
        """The text that runs."""
        return self.a if self.into == "A" else self.b

    @property
    def gives(self) -> Passage:
        """The text whose values are put in."""
        return self.b if self.into == "A" else self.a

    @property
    def key(self) -> TraceKey:
        """What its results are kept under."""
        measured = "" if self.metric is None else json.dumps(self.metric.to_json(), sort_keys=True)
        what = ("patching", self.into, self.stage, self.by, measured, self.positions)
        return TraceKey(self.reader.key, self.reader.role, (self.a, self.b), what)

    def patch(self, layer: int, head: int | None, at: tuple[tuple[int, int], ...]) -> Edit:
        """The edit behind one square; ``at``: pairs of positions (here, in the other text)."""
        options = {"donor": self.gives.text, "donor_target": target_of(self.reader, self.gives)}
        return Patch(self.stage, layer, head, at=at, role=self.reader.role, **options)


def held(of: Exchange) -> bool:
    """Whether the result is there already; nothing is run."""
    return work.stores().effects.get(of.key) is not None


def patched(of: Exchange, partly: Callable[[pd.DataFrame], None]) -> Patching:
    """Each head, or each layer at each position, exactly; ``partly`` sees the table as it fills.

    Raises:
        AttnLabError: the texts do not fit, the model lacks the stage, or the work was stopped.
    """
    reader = of.reader

    def run(job: Any) -> Patching:
        return activation_patching(
            reader.lab,
            of.a.text,
            of.b.text,
            of.stage,
            by=of.by,
            direction="noising" if of.into == "A" else "denoising",
            metric=of.metric,
            positions=of.positions,
            role=reader.role,
            targets=(target_of(reader, of.a), target_of(reader, of.b)),
            progress=job.progress,
            cancel=job.cancel,
            seen=lambda table, done: job.share(table),
        )

    words = f"Putting {'B' if of.into == 'A' else 'A'} into {of.into}, piece by piece"
    return work.perform(of.key, words, run, work.stores().effects, partly=partly)


def meant(reader: Reader, a: Passage, b: Passage, word: str, toward: Sequence[str]) -> Meaning:
    """One word in two texts, after each layer; its numbers are arrays.

    Raises:
        AttnLabError: a text lacks the word, the stream cannot be read, or the work was stopped.
    """
    others = tuple(toward)

    def run(job: Any) -> Meaning:
        options = {"toward": others, "cancel": job.cancel}
        found = meaning(reader.lab, a.text, b.text, word, **options)
        near = {name: as_array(both) for name, both in found.toward.items()}
        return replace(
            found, cosine=as_array(found.cosine), others=as_array(found.others), toward=near
        )

    key = TraceKey(reader.key, "", (a, b), ("meaning", word, others))
    return work.perform(key, "Following the word", run, work.stores().effects)


def target_of(reader: Reader, passage: Passage) -> str | None:
    """What an encoder-decoder writes; None for other models."""
    return passage.target if reader.writes else None
