"""Caches that forget: a long text beside the last tokens alone, and beside the first ones too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import streamlit as st

from attnlab.analysis.passage import passage
from attnlab.attention import KeepLast
from attnlab.ui import engine, own, say
from attnlab.ui.cards import losses
from attnlab.ui.cards.architecture.heads import size
from attnlab.ui.cards.cost import own_text, parts
from attnlab.ui.cost_cache import Kept
from attnlab.ui.cost_selection import COST, FIRST, LONG, OWN, READ, TEXTS, WIDE, Cost
from attnlab.ui.engine import forgetting, longtext
from attnlab.ui.export import architecture as files
from attnlab.ui.mount_diagram import diagram
from attnlab.ui.selection import Selection
from attnlab.viz.diagram import Diagram

_ABOUT: Final = (
    "A cache that keeps the last tokens alone does not grow, but once the first token leaves it, "
    "losses jump: most heads rest their weight there. Kept for good, with all that is in the cache "
    "numbered anew from 0, losses stay low however long the text is. Xiao et al. 2023, figure 3."
)
_TITLES: Final = {"ruth": "Ruth", "esther": "Esther", OWN: "Its own"}
_SHOWN: Final = 32
"""Tokens from which on a curve can be seen."""


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
    with st.container(horizontal=True, vertical_alignment="center", key="title-long"):
        st.markdown("**Caches that forget**", width="stretch", help=_ABOUT)
        if loaded is not None:
            parts.slider("Cache", "wide", WIDE, "cache of {:,}".format, 120)
            parts.slider("First", "first", FIRST, "first {} kept".format, 120)
    if loaded is None:
        say.remark(parts.no_decoder(reader), "long-none")
        return
    _which(value)
    if not value.forgetting:
        first = "Write it, then read it" if value.text == OWN else "Read it"
        parts.start("forgetting", f"{first} three times", "Half a minute, as it goes.")
        return
    ours, why = engine.ours(reader, selection)
    _read(value, ours, loaded, _text(value, ours))
    say.remark(_how(ours, why), "forget-how")


def _which(value: Cost) -> None:
    """Which text, and how much of it."""
    with st.container(horizontal=True, vertical_alignment="center", key="which-forget"):
        st.segmented_control(
            "Text",
            TEXTS,
            key=own.seeded(COST, "text"),
            required=True,
            format_func=_TITLES.get,
            label_visibility="collapsed",
            width=190,
        )
        if value.text == OWN:
            parts.slider("Write", "long", LONG, "{:,} tokens".format, 130)
        else:
            parts.slider("Read", "read", READ, "{:,} tokens".format, 130)
    if value.text == OWN:
        own_text.controls()


def _text(value: Cost, reader: engine.Reader) -> tuple[int, ...]:
    """The tokens that are read: of a passage, or the model's own."""
    if value.text == OWN:
        ids, wished = own_text.written(value, reader), value.long
    else:
        ids, wished = longtext.ids_of(reader, passage(value.text), value.read), value.read
    if len(ids) < wished:
        say.remark(f"{len(ids):,} tokens are read: the text, or the model, takes no more.", "fewer")
    return ids


def _how(ours: engine.Reader, why: str) -> str:
    if ours.lab.tier == "ours":
        return (
            f"Read by our transformer with this model's weights, {forgetting.CHUNK} tokens at a "
            "time, beside a real cache."
        )
    return f"Read token by token beside transformers' own cache. {why}".strip()


def _read(value: Cost, reader: engine.Reader, loaded: Kept, ids: Sequence[int]) -> None:
    """Reads the text beside each cache, one after the other; the picture grows as they come."""
    ways, found = ways_of(value), []
    slot = st.empty()

    def draw(key: str, curves: Sequence[np.ndarray]) -> Diagram:
        drawn = _chart(value, len(ids), ways, curves)
        with slot.container(key=f"forgets{key}"):
            diagram(f"forget{key}", drawn)
        return drawn

    for at, way in enumerate(ways):

        def show(part: np.ndarray, before: tuple[np.ndarray, ...] = tuple(found)) -> None:
            if len(part) > _SHOWN:
                draw(f"-{len(before)}-{len(part)}", [*before, part])

        words = f"Reading beside {way.name}" if way.keep else "Reading with all kept"
        found.append(forgetting.losses(reader, ids, way.keep, words, show))
        if at + 1 < len(ways) and not forgetting.known(reader, ids, ways[at + 1].keep):
            draw(f"-{at}", found)
    resting = forgetting.resting_on(reader, ids, value.first)
    said = _said(value, found, resting, loaded, len(ids))
    drawn = draw("", found)
    with st.container(key="told-forget"):
        say.remark(said, "forget")
    _keep(value, reader, ids, found, drawn, said)


def _chart(value: Cost, tokens: int, ways: Sequence[Way], found: Sequence[np.ndarray]) -> Diagram:
    mark = (value.wide, "the first token leaves")
    return losses.chart(ways, found, tokens, mark, high=300, wide=560)


def _said(
    value: Cost, found: Sequence[np.ndarray], resting: float, loaded: Kept, tokens: int
) -> str:
    """Means of the second half, what each cache holds, and where attention rests."""
    means = [float(np.mean(curve[len(curve) // 2 :])) for curve in found]
    ways = ways_of(value)
    most = min(value.wide, tokens)
    held = [loaded.cache(tokens if way.keep is None else most) for way in ways]
    each = "; ".join(
        f"{way.name} {mean:.2f} nats ({size(kept)})"
        for way, mean, kept in zip(ways, means, held, strict=True)
    )
    first = "the first token gets" if value.first == 1 else f"the first {value.first} tokens get"
    said = f"Second half: {each}. As trained, {first} {resting:.0%} of all attention."
    whole = f" A cache of {value.wide:,} holds all {tokens:,} tokens: nothing is forgotten."
    return said + whole if value.wide >= tokens else said


def _keep(
    value: Cost,
    reader: engine.Reader,
    ids: Sequence[int],
    found: Sequence[np.ndarray],
    drawn: Diagram,
    said: str,
) -> None:
    own_one = value.text == OWN
    title = "a text of the model's own" if own_one else _TITLES[value.text]
    notes = (said, own_text.told(value, reader)) if own_one else (said,)
    parts.keep(
        "cache-forgets",
        f"Loss by position under three caches, {title}, {len(ids):,} tokens",
        drawn,
        files.of_model(reader, None),
        body=own_text.filed(value, reader, ids) if own_one else None,
        **losses.numbers(ways_of(value), found, *notes),
    )
