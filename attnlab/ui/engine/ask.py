"""A question to every head of a role, and the edits that it takes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from attnlab.analysis.metrics import Metric
from attnlab.analysis.roles.minimal import pairs as minimal_pairs
from attnlab.trace import (
    Edit,
    MeanFeedForward,
    MeanHead,
    Patch,
    Pattern,
    ResampleHead,
    ZeroFeedForward,
    ZeroHead,
)
from attnlab.ui.ablate_fills import CORPUS_TEXTS
from attnlab.ui.ablate_pattern import NONE, Weights
from attnlab.ui.ablate_selection import FROM_B, OF_LAYERS
from attnlab.ui.engine.keys import LabKey, Passage
from attnlab.ui.engine.model import Reader
from attnlab.ui.engine.reading import tokens_of
from attnlab.ui.selection import Head
from attnlab.viz.align import pairs
from attnlab.viz.heads import FEED


@dataclass(frozen=True)
class SweepKey:
    """One question asked of all heads of a role; ``what`` tells several answers apart."""

    lab: LabKey
    role: str
    passage: Passage
    donor: Passage | None
    fill: str
    metric: str
    what: str = ""


@dataclass(frozen=True)
class Ask:
    """A question to all heads: what replaces their output on which text, measured how.

    Attributes:
        donor: the other text, for what is taken from it; None else.
        weights: what is put in the place of a head's own, for a pattern.
        feed: whether feed-forwards are asked, too.
    """

    reader: Reader
    passage: Passage
    fill: str
    metric: Metric
    donor: Passage | None = None
    weights: Weights = NONE
    feed: bool = False

    @property
    def heads(self) -> tuple[Head, ...]:
        """All that the shown role has, layer after layer."""
        return heads_of(self.reader)

    @cached_property
    def feeds(self) -> tuple[int, ...]:
        """The layers whose feed-forward can be changed so."""
        return feeds_of(self.reader) if self.fill in OF_LAYERS else ()

    @property
    def layers(self) -> tuple[int, ...]:
        """Those whose feed-forward is asked."""
        return self.feeds if self.feed else ()

    @property
    def units(self) -> tuple[Head, ...]:
        """All that is asked: heads, then feed-forwards as (layer, FEED)."""
        return (*self.heads, *((layer, FEED) for layer in self.layers))

    @property
    def target(self) -> str | None:
        return self.passage.target if self.reader.writes else None

    def key(self, what: str = "") -> SweepKey:
        measured = json.dumps(self.metric.to_json(), sort_keys=True)
        reader = self.reader
        fill = f"{self.fill} {self.weights}" if self.weights.rows else self.fill
        fill = f"{fill} and feed-forwards" if self.layers else fill
        names = (reader.key, reader.role, self.passage, self.donor, fill, measured, what)
        return SweepKey(*names)

    def make(self, layer: int, head: int) -> Edit:
        """The edit that changes one head, or the feed-forward of a layer."""
        role, fill = self.reader.role, self.fill
        if head == FEED:
            return self._of_layer(layer)
        if fill == "zero":
            return ZeroHead(layer, head, role)
        if fill == "mean":
            return MeanHead(layer, head, role)
        if fill == "corpus":
            return MeanHead(layer, head, role, corpus=corpus())
        if fill == "pattern":
            rows, places = self.weights.rows, self.weights.places
            return Pattern(layer, head, rows, positions=places, role=role)
        if fill not in FROM_B:
            return Pattern(layer, head, fill, role=role)
        what = {"keys": "k", "values": "v"}.get(fill, "z")
        return ResampleHead(layer, head, self.donor.text, what=what, **self._given)

    def _of_layer(self, layer: int) -> Edit:
        role = self.reader.role
        if self.fill == "zero":
            return ZeroFeedForward(layer, role=role)
        if self.fill == "mean":
            return MeanFeedForward(layer, role=role)
        return Patch("mlp_out", layer, donor=self.donor.text, **self._given)

    @property
    def _given(self) -> dict[str, Any]:
        """Whose role is changed, and where in the other text its values stand."""
        target = self.donor.target if self.reader.writes else None
        return {"donor_target": target, "at": self._at, "role": self.reader.role}

    def edits(self, heads: Sequence[Head]) -> tuple[Edit, ...]:
        """One for each head, in rising order: the order of clicks makes no other result."""
        return tuple(self.make(*head) for head in sorted(set(heads)))

    @cached_property
    def _at(self) -> tuple[tuple[int, int], ...] | None:
        """Which positions of the donor go where; None where both texts are equally long."""
        here, _ = tokens_of(self.reader, self.passage, "Sentence A")
        there, _ = tokens_of(self.reader, self.donor, "Sentence B")
        if len(here) == len(there):
            return None
        return tuple(pairs(here, there)) or None


def heads_of(reader: Reader) -> tuple[Head, ...]:
    """All heads of the shown role, layer after layer."""
    return tuple((at, head) for at in reader.layers for head in range(reader.heads_in(at)))


def feeds_of(reader: Reader) -> tuple[int, ...]:
    """The layers of the shown role that have a feed-forward."""
    blocks = (one for one in reader.lab.blocks if one.role == reader.role and one.mlp_out)
    return tuple(sorted(one.layer for one in blocks))


@cache
def corpus() -> tuple[str, ...]:
    """The stated texts over which heads are averaged: sentences that ship with the roles."""
    return tuple(pair[0].given for pair in minimal_pairs("subject_verb")[:CORPUS_TEXTS])
