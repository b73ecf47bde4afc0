"""Caches that forget: a long text beside the last tokens alone, and beside the first ones too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import streamlit as st

from attnlab.analysis.damage import width_for
from attnlab.analysis.passage import PASSAGES, passage
from attnlab.attention import KeepLast
from attnlab.ui import engine, own, say
from attnlab.ui.cards.architecture.heads import size
from attnlab.ui.cards.cost import parts
from attnlab.ui.cost_cache import Kept
from attnlab.ui.cost_selection import COST, FIRST, READ, WIDE, Cost
from attnlab.ui.engine import forgetting, longtext
from attnlab.ui.export import architecture as files
from attnlab.ui.mount_diagram import diagram
from attnlab.ui.selection import Selection
from attnlab.viz import lines
from attnlab.viz.diagram import Diagram

_ABOUT: Final = (
    "A cache that keeps the last tokens alone does not grow, but once the first token leaves it, "
    "losses jump: most heads rest their weight there. Kept for good, with all that is in the cache "
    "numbered anew from 0, losses stay low however long the text is. Xiao et al. 2023, figure 3."
)
_TITLES: Final = {"ruth": "Ruth", "esther": "Esther"}
_BEGIN: Final = 16
"""Positions at the very start, whose losses are too high for the picture."""


@dataclass(frozen=True)
class Way:
    """One cache: how its line is called and drawn, and what it keeps."""

    name: str
    keep: KeepLast | None
    colour: str
    dashed: bool = False


def ways_of(value: Cost) -> tuple[Way, ...]:
    """All of it, the last tokens, the last and the first."""
    first = "1 sink" if value.first == 1 else f"{value.first} sinks"
    rest = value.wide - value.first
    return (
        Way("all kept", None, "ink"),
        Way(f"the last {value.wide}", KeepLast(value.wide), "brown", True),
        Way(f"{first} + the last {rest}", KeepLast(rest, value.first), "attention"),
    )


def draw(selection: Selection, value: Cost, reader: engine.Reader, loaded: Kept | None) -> None:
    """Loss by position under each cache.

    Args:
        loaded: what the model keeps of each token; None where it cannot write text on.

    Raises:
        AttnLabError: the model cannot be read so, or the work was stopped.
    """
    st.markdown("**Caches that forget**", help=_ABOUT)
    if loaded is None:
        say.remark(parts.no_decoder(reader), "long-none")
        return
    with st.container(horizontal=True, vertical_alignment="center", key="which-forget"):
        st.segmented_control(
            "Text",
            PASSAGES,
            key=own.seeded(COST, "text"),
            required=True,
            format_func=_TITLES.get,
            label_visibility="collapsed",
            width=130,
        )
        parts.slider("Read", "read", READ, "{:,} tokens".format, 105)
        parts.slider("Cache", "wide", WIDE, "cache of {:,}".format, 105)
        parts.slider("First", "first", FIRST, "first {} kept".format, 95)
    if not value.forgetting:
        parts.start("forgetting", "Read it three times", "Half a minute, as it goes.")
        return
    ours, why = engine.ours(reader, selection)
    _read(value, ours, loaded)
    say.remark(_how(ours, why), "forget-how")


def _how(ours: engine.Reader, why: str) -> str:
    if ours.lab.tier == "ours":
        return (
            f"Read by our transformer with this model's weights, {forgetting.CHUNK} tokens at a "
            "time, beside a real cache."
        )
    return f"Read token by token beside transformers' own cache. {why}".strip()


def _read(value: Cost, reader: engine.Reader, loaded: Kept) -> None:
    ids = longtext.ids_of(reader, passage(value.text), value.read)
    if len(ids) < value.read:
        say.remark(f"{len(ids):,} tokens are read: the text, or the model, takes no more.", "fewer")
    ways, found = ways_of(value), []
    slot = st.empty()
    for at, way in enumerate(ways):

        def show(part: np.ndarray, before: tuple[np.ndarray, ...] = tuple(found)) -> None:
            if len(part) > 2 * _BEGIN:
                key = f"{len(before)}-{len(part)}"
                with slot.container(key=f"forgets-{key}"):
                    diagram(f"forget-{key}", _chart(value, len(ids), ways, [*before, part]))

        words = f"Reading beside {way.name}" if way.keep else "Reading with all kept"
        found.append(forgetting.losses(reader, ids, way.keep, words, show))
        if at + 1 < len(ways) and not forgetting.known(reader, ids, ways[at + 1].keep):
            with slot.container(key=f"forgot-{at}"):
                diagram(f"forgetting-{at}", _chart(value, len(ids), ways, found))
    resting = forgetting.resting_on(reader, ids, value.first)
    said = _said(value, ways, found, resting, loaded, len(ids))
    drawn = _chart(value, len(ids), ways, found)
    with slot.container(key="forgotten"):
        diagram("forget", drawn)
    with st.container(key="told-forget"):
        say.remark(said, "forget")
    parts.keep(
        "cache-forgets",
        f"Loss by position under three caches, {_TITLES[value.text]}, {len(ids):,} tokens",
        drawn,
        files.of_model(reader, None),
        what="−log of the probability of each token but the first, in nats; every position.",
        columns=("position", *(way.name for way in ways)),
        rows=[[at + 1, *map(float, row)] for at, row in enumerate(zip(*found, strict=True))],
        notes=(f"The picture shows means of {width_for(len(ids))} positions.", said),
    )


def _chart(value: Cost, count: int, ways: Sequence[Way], found: Sequence[np.ndarray]) -> Diagram:
    """What there is so far; a line ends where its reading has got to."""
    width = width_for(count)
    smooth = [longtext.drawn(curve, width) for curve in found]
    places = list(range(0, count - 1, max(1, count // 512)))
    shown = [v for line in smooth for v in line[min(_BEGIN, len(line) - 1) :]]
    return lines.lines(
        f"Loss by position, nats, each the mean of {width} around it",
        [at + 1 for at in places],
        [
            lines.Line(
                way.name,
                [line[at] if at < len(line) else None for at in places],
                way.colour,
                way.dashed,
            )
            for way, line in zip(ways, smooth, strict=False)
        ],
        x_name="position",
        write="{:.3g}".format,
        marks=[(value.wide, "the first token leaves")],
        span=(min(shown), max(shown)),
        high=300,
        wide=560,
    )


def _said(
    value: Cost,
    ways: Sequence[Way],
    found: Sequence[np.ndarray],
    resting: float,
    loaded: Kept,
    count: int,
) -> str:
    """Means of the second half, what each cache holds, and where attention rests."""
    means = [float(np.mean(curve[len(curve) // 2 :])) for curve in found]
    held = [loaded.cache(count if way.keep is None else value.wide) for way in ways]
    each = "; ".join(
        f"{way.name} {mean:.2f} nats ({size(kept)})"
        for way, mean, kept in zip(ways, means, held, strict=True)
    )
    first = "the first token gets" if value.first == 1 else f"the first {value.first} tokens get"
    return f"Second half: {each}. As trained, {first} {resting:.0%} of all attention."
