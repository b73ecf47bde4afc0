"""One head opened at one word, and the scores of random vectors: cached, through the gate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch

from attnlab.analysis import opened as core
from attnlab.analysis import scaling
from attnlab.analysis.opened import Opened, Turns
from attnlab.errors import RebuildRefused
from attnlab.trace import Site
from attnlab.ui import work
from attnlab.ui.engine.keys import LabKey, Passage
from attnlab.ui.engine.model import Reader, reader, with_role
from attnlab.ui.engine.reading import Reading, tokens_of
from attnlab.ui.selection import Head, Selection


@dataclass(frozen=True)
class OpenedKey:
    """One head at one query of a passage."""

    lab: LabKey
    role: str
    passage: Passage
    head: Head
    query: int


@dataclass(frozen=True)
class ScalingKey:
    """The scores of random vectors; what they are drawn with."""

    seed: int


@dataclass(frozen=True)
class Scaling:
    """Scores of random vectors at many lengths, and what a softmax makes of them."""

    sample: scaling.Sample
    curves: scaling.Curves


def ours(of: Reader, selection: Selection) -> tuple[Reader, str]:
    """The same model computed by our transformer; else the model itself, and why in a sentence."""
    if not {"q", "k"} <= of.lab.stages or of.key.ours:
        return of, ""
    try:
        return with_role(reader(replace(selection, ours=True)), of.role), ""
    except RebuildRefused as error:
        return of, str(error)


def tokens_only(of: Reader, passage: Passage, name: str) -> Reading:
    """A passage as it is read, without any weights: what a page needs to place a word.

    Raises:
        EmptyText, TextTooLong: nothing to show, or more than can be.
    """
    queries, keys = tokens_of(of, passage, name)
    return Reading(queries, keys, core.array(torch.zeros(1, 1, 0, 0)), False, 0.0)


def opened(of: Reader, passage: Passage, head: Head, query: int) -> Opened:
    """One head at one query: its own run, which keeps nothing of the others.

    Raises:
        AttnLabError: the text cannot be run, or the work was stopped.
    """
    site = site_of(of, head[0])

    def run(job: Any) -> Opened:
        trace = of.lab.run(
            passage.text,
            target=passage.target if of.writes else None,
            capture=core.captures(site, head[1], query, of.lab.stages),
            logits=None,
            progress=job.progress,
            cancel=job.cancel,
        )
        found = core.opened(trace, site, head[1], query)
        found = replace(found, turns=_turns(of, site, found))
        output = of.lab.module(site.out_proj) if site.out_proj else None
        return core.with_output(found, output)

    key = OpenedKey(of.key, of.role, passage, head, query)
    words = f"Opening layer {head[0]}, head {head[1]}"
    return work.perform(key, words, run, work.stores().heads)


def site_of(of: Reader, layer: int) -> Site:
    """Where a layer of the role that is shown computes attention."""
    return next(s for s in of.lab.sites if (s.role, s.layer) == (of.role, layer))


def _turns(of: Reader, site: Site, found: Opened) -> Turns | None:
    """The angles of a rotary scheme at every position of the text."""
    module = of.lab.rotation(site.role)
    if module is None or found.k is None:
        return None
    angles = module.angles(torch.arange(max(len(found.k), found.query + 1)))
    return Turns(tuple(module.pairs), core.array(angles), float(module.magnitude))


def scores(seed: int = scaling.SEED) -> Scaling:
    """Scores of random vectors, drawn once."""

    def run(job: Any) -> Scaling:
        drawn = scaling.sample(seed)
        return Scaling(drawn, scaling.curves(drawn))

    return work.perform(ScalingKey(seed), "Drawing random vectors", run, work.stores().effects)
