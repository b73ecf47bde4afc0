"""Why it won: what must wait and how far apart two words are, beside measured time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from attnlab.analysis.measured import slopes
from attnlab.analysis.measured.ways import SHAPE, WINDOW
from attnlab.analysis.paths import Full, Recurrent, Structure, Window
from attnlab.ui import cost_view, explain, own, say
from attnlab.ui.cards.cost import parts
from attnlab.ui.cost_selection import Cost
from attnlab.ui.cost_view import LENGTHS
from attnlab.ui.engine import cost as engine
from attnlab.ui.engine.cost import Measured
from attnlab.ui.export import architecture as files
from attnlab.ui.mount_diagram import diagram
from attnlab.viz import curves
from attnlab.viz.curves import Curve
from attnlab.viz.diagram import Diagram

_STRUCTURES: Final[tuple[tuple[Structure, str, bool], ...]] = (
    (Recurrent(), "brown", False),
    (Window(WINDOW), "feed", True),
    (Full(), "attention", False),
)
_CHARTS: Final = (
    ("steps", "Steps that must wait for one another"),
    ("path", "Steps from the first word to the last"),
)
_MEASURED: Final = tuple(2**power for power in range(6, 13))  # 64 to 4,096 tokens
_LOOP: Final = (
    f"One layer over vectors of {SHAPE.width} numbers. The loop: h ← tanh(W h + U x), a step for "
    f"each token. Attention: all four projections and {SHAPE.heads} heads of {SHAPE.size}, causal. "
    "Processor time of one thread, each in a process of its own."
)
_WAYS: Final = (("recurrent", "recurrent loop", "brown"), ("layer", "attention", "attention"))
Held = dict[tuple[str, int], float | None]
"""Seconds by way and length."""


def draw(value: Cost) -> None:
    """Three charts on the same lengths: two counted, one measured.

    Raises:
        AttnLabError: the measurement was stopped, or failed.
    """
    with st.container(border=True, key="card-why"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-why"):
            st.markdown("**Against the length of the text**", width="stretch", help=explain.WHY)
            query = own.link_to("architecture") | {"show": "why"}
            st.page_link(
                "pages/architecture.py",
                label="On Architecture",
                query_params=query,
                width="content",
            )
        with st.container(key="cards"):
            columns = st.columns(2, gap="medium")
        for column, (what, title) in zip(columns, _CHARTS, strict=True):
            with column:
                _counted(what, title)
        say.remark(
            "A recurrent network reads word by word: each step needs the one before, and what the "
            "first word said passes through all of them. In attention every word looks at every "
            "word at once.",
            "why",
        )
    with st.container(border=True, key="card-loop"):
        st.markdown("**Measured: a loop against attention**", help=_LOOP)
        if value.looped:
            _measured()
        else:
            parts.start("looped", "Measure on this machine", "A few seconds.")


def _counted(what: str, title: str) -> None:
    lines = [
        Curve(one.name, [getattr(one, what)(n) for n in LENGTHS], colour, dashed)
        for one, colour, dashed in _STRUCTURES
    ]
    drawn = curves.curves(title, LENGTHS, lines, x_name="words", high=250, wide=540)
    diagram(f"cost-why-{what}", drawn)
    parts.keep(
        f"why-{what}",
        title,
        drawn,
        files.computed("the structure of each layer", "Vaswani et al. 2017, section 4"),
        what=f"{title}.",
        columns=("structure", "positions", what),
        rows=[[one.name, n, getattr(one, what)(n)] for one, *_ in _STRUCTURES for n in LENGTHS],
        notes=(f"The window holds {WINDOW} positions.",),
    )


def _measured() -> None:
    jobs = engine.jobs_of([name for name, *_ in _WAYS], _MEASURED)
    slot = st.empty()

    def show(found: Measured) -> None:
        if len(found) % len(_WAYS) == 0 and len(found) > len(_WAYS):
            with slot.container(key=f"looping-{len(found)}"):
                _chart(found, f"-{len(found)}")

    options = {"again": parts.again("looped"), "partly": show}
    found = engine.measured(jobs, "Measuring on this machine", **options)
    with slot.container(key="looped"):
        _chart(found, "")


def _chart(found: Measured, when: str) -> None:
    """The chart; once all is there, what it says beside it, and its files."""
    held = {(one.way, one.n): one.seconds for one in found}
    counts = [n for n in _MEASURED if all((name, n) in held for name, *_ in _WAYS)]
    drawn = _drawn(counts, held)
    with st.container(key=f"cards-loop{when}"):
        left, right = st.columns([1.3, 1], gap="medium")
    with left:
        diagram(f"loop{when}", drawn)
    if when:
        return
    said = _said(counts, held)
    with right, st.container(key="told-loop"):
        for at, sentence in enumerate(said):
            say.remark(sentence, f"loop-{at}")
    with left:
        parts.keep(
            "loop",
            "A recurrent loop against attention",
            drawn,
            parts.here(),
            what="Processor seconds of one layer, one thread.",
            columns=("way", "tokens", "seconds"),
            rows=[[name, n, held[name, n]] for name, *_ in _WAYS for n in counts],
            notes=said,
            measured="looped",
        )


def _drawn(counts: Sequence[int], held: Held) -> Diagram:
    lines = []
    for name, title, colour in _WAYS:
        values = [held[name, n] for n in counts]
        power = slopes.fitted(counts, [value or 0 for value in values])
        named = title if power is None else f"{title} {cost_view.raised(power)}"
        lines.append(Curve(named, values, colour, dots=True))
    options = {"write": cost_view.time, "ticks": cost_view.time_ticks, "high": 280, "wide": 620}
    return curves.curves("Time of one layer", counts, lines, x_name="tokens", **options)


def _said(counts: Sequence[int], held: Held) -> tuple[str, ...]:
    """What was measured, and what one thread cannot show."""
    there = [n for n in counts if held["recurrent", n] and held["layer", n]]
    n = there[-1]
    loop, attention = held["recurrent", n], held["layer", n]
    first = (
        f"At {n:,} tokens the loop takes {cost_view.time(loop)}, attention "
        f"{cost_view.time(attention)}."
    )
    if attention > loop:
        first += (
            " On one thread nobody waits for anybody, so the one with less to compute wins: the "
            "loop's time grows with n, attention's with n² in the end."
        )
    waits = (
        f"But the loop's {n:,} steps wait for one another, and more processors would not shorten "
        f"them. Attention is a few large products that any number of processors can share: that "
        "is how it learns from all words at once, and why it won."
    )
    return first, waits
