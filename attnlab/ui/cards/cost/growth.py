"""n²: what each way of computing attention takes as the text grows, counted and measured here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import streamlit as st

from attnlab.analysis.measured.slopes import FITTED
from attnlab.analysis.measured.ways import SHAPE
from attnlab.ui import cost_view, say
from attnlab.ui.cards.architecture.heads import size
from attnlab.ui.cards.cost import parts
from attnlab.ui.cards.masks.scores import short
from attnlab.ui.cost_selection import UP_TO, Cost
from attnlab.ui.cost_view import GROWTH, Series
from attnlab.ui.engine import cost as engine
from attnlab.ui.engine.cost import Measured
from attnlab.ui.export import architecture as files
from attnlab.ui.mount_diagram import diagram
from attnlab.viz import curves
from attnlab.viz.curves import Curve
from attnlab.viz.diagram import Diagram

_ABOUT: Final = (
    f"Attention of one layer: {SHAPE.heads} heads of {SHAPE.size} numbers, float32, causal, random "
    "inputs. Both axes are logarithmic, so that c·nˢ is a straight line of slope s; the exponent "
    f"beside each name is fitted to its {FITTED} longest texts. Thin dashes go on where "
    "nobody measured. Time is the processor's, one thread; memory is the peak, inputs and result "
    "included, each in a process of its own."
)
_COUNTED: Final = (
    "For every pair of tokens that is looked at, D multiplications for the score and E for the "
    "value; linear attention and a state space model have no pairs, only a state to keep up."
)
_WAIT: Final = "About 20 seconds: each way at each length, in processes of their own."


def draw(value: Cost) -> None:
    """Time and memory, measured where asked; multiplications, and what twice the text takes.

    Raises:
        AttnLabError: the measurement was stopped, or failed.
    """
    with st.container(border=True, key="card-growth"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-growth"):
            st.markdown("**Against the length of the text**", width="stretch", help=_ABOUT)
            parts.slider("Measured up to", "up_to", UP_TO, "measured up to {:,}".format)
        if not value.measured:
            parts.start("measured", "Measure on this machine", _WAIT)
        place = st.container()
        with st.container(key="cards-counted"):
            left, right = st.columns(2, gap="medium")
        with left:
            _count()
        with place:
            found = _measured(value) if value.measured else ()
        with right:
            _told(found)


def _measured(value: Cost) -> Measured:
    """The charts of time and memory, which grow while it is measured."""
    jobs = engine.jobs_of([way.name for way in GROWTH], cost_view.lengths(value.up_to))
    slot, drawn = st.empty(), []

    def show(found: Measured) -> None:
        # One chart for each length, not for each figure.
        if len(found) % len(GROWTH) == 0 and len(found) > len(GROWTH):
            drawn.append(len(found))
            with slot.container(key=f"measuring-{len(found)}"):
                _charts(found, f"-{len(found)}")

    again = parts.again("growth")
    found = engine.measured(jobs, "Measuring on this machine", again=again, partly=show)
    with slot.container(key="measured-growth"):
        _charts(found, "")
    left_out = cost_view.too_big(found)
    if left_out:
        say.remark(f"{left_out} Dashes go on as the measured lengths suggest.", "too-big")
    return found


def _charts(found: Measured, when: str) -> None:
    with st.container(key=f"cards-measured{when}"):
        columns = st.columns(2, gap="medium")
    charts = (
        ("seconds", "Time", cost_view.time, cost_view.time_ticks),
        ("bytes", "Peak memory", size, curves.binary),
    )
    for column, (what, title, write, ticks) in zip(columns, charts, strict=True):
        lines = cost_view.series(found, what)
        with column:
            drawn = _chart(title, lines, write, ticks)
            diagram(f"growth-{what}{when}", drawn)
            if not when:
                _keep(what, title, lines, drawn)


def _chart(
    title: str,
    lines: Sequence[Series],
    write: Callable[[float], str],
    ticks: Callable[[float, float], Sequence[float]] | None = None,
) -> Diagram:
    shown = [
        Curve(one.title, one.values, one.way.colour, beyond=one.beyond, dots=True) for one in lines
    ]
    options = {"x_name": "tokens", "write": write, "ticks": ticks, "high": 330, "wide": 540}
    return curves.curves(title, cost_view.LENGTHS, shown, **options)


def _keep(what: str, title: str, lines: Sequence[Series], drawn: Diagram) -> None:
    rows = [
        [one.way.title, n, value, more]
        for one in lines
        for n, value, more in zip(cost_view.LENGTHS, one.values, one.beyond, strict=True)
    ]
    slopes = {one.way.title: one.power.slope for one in lines if one.power}
    parts.keep(
        f"cost-{what}",
        f"{title} of attention against the length of the text",
        drawn,
        parts.here(),
        what=f"{what.capitalize()} of one layer's attention; extrapolated where not measured.",
        columns=("way", "tokens", f"measured_{what}", f"extrapolated_{what}"),
        rows=rows,
        body={"slopes": slopes},
        measured="growth" if what == "seconds" else "",
    )


def _count() -> None:
    lines = cost_view.counted()
    drawn = _chart("Multiplications", lines, short)
    diagram("growth-count", drawn)
    say.remark(_COUNTED, "counted")
    rows = [
        [one.way.title, n, count]
        for one in lines
        for n, count in zip(cost_view.LENGTHS, one.values, strict=True)
    ]
    parts.keep(
        "cost-multiplications",
        "Multiplications of attention against the length of the text",
        drawn,
        files.computed(f"{SHAPE.heads} heads of {SHAPE.size}", "closed forms"),
        what="Multiplications of one layer's attention.",
        columns=("way", "tokens", "multiplications"),
        rows=rows,
    )


def _told(found: Measured) -> None:
    """What twice the text takes, and what each way is."""
    lines = cost_view.series(found, "seconds") or cost_view.counted()
    what = "time grows" if found else "multiplications grow"
    with st.container(key="told-growth", gap="small"):
        st.markdown(f"**With twice the text {what}**")
        parts.figures("doubling", cost_view.doubling(lines))
    with st.container(key="about-ways", gap="xsmall"):
        for way in GROWTH:
            say.remark(f"{way.title.capitalize()}: {way.about}", f"way-{way.name}")
