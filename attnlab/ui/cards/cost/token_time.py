"""One more token: what it takes with a key/value cache and without, measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from attnlab.analysis.measured import slopes
from attnlab.analysis.measured.tokens import TokenTime
from attnlab.analysis.passage import passage
from attnlab.ui import cost_view, engine, say
from attnlab.ui.cards.cost import parts
from attnlab.ui.cost_selection import Cost
from attnlab.ui.engine import cost as measuring
from attnlab.ui.engine import longtext
from attnlab.ui.export import architecture as files
from attnlab.ui.mount_diagram import diagram
from attnlab.viz import curves
from attnlab.viz.curves import Curve
from attnlab.viz.diagram import Diagram

COUNTS: Final = (16, 32, 64, 128, 256, 512)
"""Tokens after which one more is timed."""
_MORE: Final = 8
"""Tokens of the text beyond those, for the ones that are timed."""
_TIMED: Final = (
    "Without a cache every new token means reading the whole text again; with one, only the newest "
    "token is read, and looks at what is kept. Both give the same logits. Processor time of one "
    "thread."
)
_WAYS: Final = (("without a cache", "ink", "again"), ("with a cache", "attention", "cached"))


def draw(value: Cost, reader: engine.Reader, writes: bool) -> None:
    """Seconds of one more token, measured where asked.

    Args:
        writes: whether the model writes a text on.

    Raises:
        AttnLabError: the text is too short, or the work was stopped.
    """
    st.markdown("**One more token**", help=_TIMED)
    if not writes:
        say.remark(parts.no_decoder(reader), "timed-none")
        return
    if not value.timed:
        parts.start("timed", f"Time {reader.title}", "Some seconds, on this machine.")
        return
    longest = reader.lab.longest
    counts = [n for n in COUNTS if longest is None or n + _MORE <= longest]
    ids = longtext.ids_of(reader, passage(), (counts[-1] if counts else _MORE) + _MORE)
    slot = st.empty()

    def show(found: tuple[TokenTime, ...]) -> None:
        if len(found) > 1:
            with slot.container(key=f"timing-{len(found)}"):
                diagram(f"timed-{len(found)}", _chart(found))

    found = measuring.token_times(reader, ids, counts, again=parts.again("timed"), partly=show)
    with slot.container(key="all-timed"):
        _told(reader, found)


def _chart(found: Sequence[TokenTime]) -> Diagram:
    counts = [one.n for one in found]
    lines = []
    for name, colour, field in _WAYS:
        values = [getattr(one, field) for one in found]
        power = slopes.fitted(counts, values)
        title = name if power is None else f"{name} {cost_view.raised(power)}"
        lines.append(Curve(title, values, colour, dots=True))
    options = {"x_name": "tokens before it", "write": cost_view.time, "high": 280, "wide": 540}
    ticks = cost_view.time_ticks
    return curves.curves("Time of one more token", counts, lines, ticks=ticks, **options)


def _told(reader: engine.Reader, found: Sequence[TokenTime]) -> None:
    """The chart, what it says, and its files."""
    drawn, last = _chart(found), found[-1]
    diagram("timed", drawn)
    said = (
        f"After {last.n:,} tokens: {cost_view.time(last.again)} without, "
        f"{cost_view.time(last.cached)} with, {last.again / last.cached:,.0f} times faster."
    )
    with st.container(key="told-timed"):
        say.remark(said, "timed")
    parts.keep(
        "token-time",
        f"Time of one more token of {reader.title}",
        drawn,
        files.of_model(reader, None),
        what="Processor seconds of one more token, one thread.",
        columns=("tokens_before", "without_cache_s", "with_cache_s"),
        rows=[[one.n, one.again, one.cached] for one in found],
        notes=(said,),
        measured="timed",
    )
