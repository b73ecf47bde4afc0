"""A long text under several masks: which text, the curves as they come, and what they come to."""

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
import streamlit as st

from attnlab.analysis.passage import passage
from attnlab.errors import EmptyText
from attnlab.ui import engine, export, masks_long, own, say, texts
from attnlab.ui.cards import losses
from attnlab.ui.cards.number import few
from attnlab.ui.engine import longtext
from attnlab.ui.export import architecture as files
from attnlab.ui.export.menu import Savable
from attnlab.ui.link import LINK_CHARACTERS
from attnlab.ui.masks_long import Mean, Way
from attnlab.ui.masks_selection import LENGTHS, MASKS, SOURCES, WIDE, Masks
from attnlab.ui.mount_diagram import diagram
from attnlab.ui.selection import MAX_CHARACTERS
from attnlab.viz.diagram import Diagram

slider: Final = partial(few, MASKS, wide=170)
"""One of a few numbers of the page."""
_TITLES: Final = {"ruth": "Ruth", "esther": "Esther", "pasted": "Your own text"}
_SHIPPED: Final = (
    "Ruth and Esther are books of the King James Version of 1611, long enough for 2,048 tokens and "
    "more. In the public domain, except in the United Kingdom."
)


def text_choice() -> None:
    """Which text, how much of it, and how wide the window is."""
    st.segmented_control(
        "Text",
        SOURCES,
        key=own.seeded(MASKS, "source"),
        required=True,
        format_func=_TITLES.get,
        label_visibility="collapsed",
        width=250,
    )
    slider("Length", "length", LENGTHS, "{:,} tokens".format)
    slider("Wide", "wide", WIDE, "window of {:,}".format)


def pasted(value: Masks) -> None:
    """The box of a text of one's own, and where the others are from."""
    if value.source == "pasted":
        key = own.seeded(MASKS, "pasted")
        st.text_area(
            "A long text",
            key=key,
            on_change=own.keep_first,
            args=(MASKS, "pasted", MAX_CHARACTERS),
            height=140,
        )
        if len(value.pasted) > LINK_CHARACTERS:
            say.remark("This text is too long for a link, which will ask for it anew.", "pasted")
    else:
        say.remark(_SHIPPED, "shipped")


def read(value: Masks, reader: engine.Reader) -> tuple[int, ...]:
    """The tokens that are read.

    Raises:
        AttnLabError: there is no text, it is too short, or the model cannot read it.
    """
    text = value.pasted if value.source == "pasted" else passage(value.source)
    if value.source == "pasted":
        if not text.strip():
            raise EmptyText("Paste a text of some hundred words above, or choose one that is here.")
        texts.check_text(text, "Your text")
    ids = longtext.ids_of(reader, text, value.length)
    if len(ids) < value.length:
        say.remark(f"{len(ids):,} tokens are read: the text, or the model, takes no more.", "fewer")
    return ids


def curves(
    key: str, value: Masks, reader: engine.Reader, ids: Sequence[int], ways: Sequence[Way]
) -> None:
    """Runs every way, one after the other; the picture grows as they come.

    Raises:
        AttnLabError: a mask does not fit the model, or the work was stopped.
    """
    place, found = st.empty(), []
    for at, way in enumerate(ways, start=1):
        found.append(longtext.losses(reader, ids, way.edits, way.under_way))
        if at == len(ways) or not longtext.known(reader, ids, ways[at].edits):
            with place.container(key=f"curves-{key}-{at}"):
                _draw(f"{key}-{at}", value, reader, ids, ways[:at], found, at == len(ways))


def _draw(
    key: str,
    value: Masks,
    reader: engine.Reader,
    ids: Sequence[int],
    ways: Sequence[Way],
    found: Sequence[np.ndarray],
    done: bool,
) -> None:
    means = masks_long.means(ways, found, len(ids))
    said = masks_long.repaired(means)
    mark = (value.wide, "the window leaves the first word")
    drawn = losses.chart(ways, found, len(ids), mark, high=320, wide=610)
    with st.container(key=f"cards-{key}"):
        picture, figures = st.columns([1.9, 1], gap="medium")
    with figures:
        _means(key, means)
        start = len(ids) // 2
        say.remark(f"Nats a token: the mean over positions {start:,} to {len(ids) - 2:,}.", key)
        with st.container(key=f"told-{key}"):
            say.remark(said, f"{key}-said")
    with picture:
        diagram(f"{key}-chart", drawn)
        if value.wide >= len(ids) - 1:
            say.remark(f"A window of {value.wide:,} holds all {len(ids):,} tokens.", f"{key}-whole")
        if done:
            with st.container(horizontal=True, key=f"actions-{key}"):
                export.menu(f"save-{key}", _kept(value, reader, ways, found, drawn, said))


def _means(key: str, means: Sequence[Mean]) -> None:
    """A figure for each way, above its name."""
    with st.container(horizontal=True, key=f"means-{key}", gap="large"):
        for number, mean in enumerate(means):
            with st.container(key=f"mean-{key}-{number}", gap=None, width="content"):
                with st.container(key=f"answer-{key}-{number}"):
                    st.text(f"{mean.nats:.2f}")
                say.remark(mean.name, f"{key}-{number}")


def _kept(
    value: Masks,
    reader: engine.Reader,
    ways: Sequence[Way],
    found: Sequence[np.ndarray],
    drawn: Diagram,
    said: str,
) -> Savable:
    return files.picture(
        f"attnlab-{value.panel}",
        f"Loss by position, {_TITLES[value.source]}, {len(found[0]) + 1:,} tokens",
        drawn,
        files.of_model(reader, None, ways[-1].edits),
        **losses.numbers(ways, found, said),
    )
