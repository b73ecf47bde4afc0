"""What may come next, to be chosen by a click."""

from __future__ import annotations

from typing import Final

import streamlit as st

from attnlab.ui import engine, export, generate_play, mount_diagram, say
from attnlab.ui.export import generate as saved
from attnlab.ui.generate_runs import Shown
from attnlab.ui.generate_selection import MOST
from attnlab.viz.chances import Chance, chances
from attnlab.viz.diagram import Diagram
from attnlab.viz.svg.text import told_apart

_ABOUT: Final = (
    "The likeliest next tokens after the newest one. **Click one to write it**, whatever would "
    "have been drawn. What temperature, top-k and top-p make of the probabilities is the bar; the "
    "line is what the model itself says."
)
_LISTED: Final = 10
_BESIDE: Final = 6


def draw(reader: engine.Reader, runs: list[Shown]) -> None:
    """A list for each run."""
    with st.container(border=True, key="card-coming"):
        st.markdown("**What may come next**", help=_ABOUT)
        for run in runs:
            _list(reader, run, _LISTED if len(runs) == 1 else _BESIDE)


def _list(reader: engine.Reader, run: Shown, most: int) -> None:
    if run.track.name:
        say.pill(run.track.title, f"coming-{run.track.side}")
    coming = run.written.coming[:most]
    if not coming or run.made >= MOST:
        why = "The text has ended." if run.written.ended else "It goes no further here."
        say.remark(why, f"coming-{run.track.side}")
        return
    drawn = picture(run, most)
    key = f"coming-{run.track.side}"
    mount_diagram.choices(key, drawn, lambda: _clicked(key, run))
    with st.container(horizontal=True, key=f"actions-{key}"):
        export.menu(f"save-{key}", saved.coming(reader, run, drawn))


def picture(run: Shown, most: int) -> Diagram:
    """The list as bars."""
    coming = run.written.coming[:most]
    words = told_apart([one.token for one in coming])
    drawn = run.ask.heat > 0  # else nothing is: the likeliest one comes
    rows = [
        Chance(
            word.strip() or word,
            one.probability,
            one.chance if drawn else one.probability,
            (f"id {one.token.id}",),
        )
        for word, one in zip(words, coming, strict=True)
    ]
    label = f"The likeliest next tokens: {', '.join(row.word for row in rows[:3])}."
    return chances(rows, kind=run.track.kind, label=label)


def _clicked(key: str, run: Shown) -> None:
    at = mount_diagram.spot_value(key)
    if at is not None and at < len(run.written.coming):
        generate_play.take(run.track.side, run.made, run.written.coming[at].token.id)
