"""One head of the loaded model, cut into tiles: cached, through the gate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attnlab.analysis import in_tiles as core
from attnlab.analysis.in_tiles import InTiles
from attnlab.ui import work
from attnlab.ui.engine.keys import LabKey, Passage
from attnlab.ui.engine.model import Reader
from attnlab.ui.engine.opening import site_of
from attnlab.ui.selection import Head


@dataclass(frozen=True)
class TilesKey:
    """One head on one passage in tiles of one size."""

    lab: LabKey
    role: str
    passage: Passage
    head: Head
    tile: int
    most: int


def in_tiles(of: Reader, passage: Passage, head: Head, tile: int, most: int) -> InTiles:
    """The head over at most ``most`` words, tile by tile.

    Raises:
        AttnLabError: the model hides its queries, the text cannot be run, or it was stopped.
    """
    site = site_of(of, head[0])
    kept = core.captures(site, head[1], set(of.lab.stages))

    def run(job: Any) -> InTiles:
        trace = of.lab.run(
            passage.text,
            target=passage.target if of.writes else None,
            capture=kept,
            logits=None,
            progress=job.progress,
            cancel=job.cancel,
        )
        return core.in_tiles(trace, site, head[1], tile, most)

    key = TilesKey(of.key, of.role, passage, head, tile, most)
    return work.perform(key, "Cutting one head into tiles", run, work.stores().heads)
