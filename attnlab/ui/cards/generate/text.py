"""The texts as they are written, with the arcs of the word that is looked from."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from attnlab.ui import (
    engine,
    export,
    generate_play,
    generate_runs,
    mount_strand,
    own,
    say,
    state,
    widget,
)
from attnlab.ui.export import generate as saved
from attnlab.ui.generate_runs import Shown
from attnlab.ui.generate_selection import GENERATE
from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import several
from attnlab.viz.svg.text import spoken
from attnlab.viz.writing import Strand, room_of, writing

_ABOUT: Final = (
    "What the model has written is underlined. Arcs and ink: what the framed word, at first the "
    "newest, takes from each word before it, in the chosen head. Out of it comes the next token. "
    "What the cache has forgotten is pale. "
    "**Click a word to look from there.**"
)
_WIDE: Final = 1080.0
_ROLES: Final = {"decoder": "at what is written", "cross": "at the source"}


def title(reader: engine.Reader) -> None:
    """What the card is, and whose attention where there are several."""
    with st.container(horizontal=True, vertical_alignment="center", key="title-writing"):
        st.markdown("**The text so far**", width="content", help=_ABOUT)
        roles = [role for role in reader.roles if role in _ROLES]
        if reader.writes and len(roles) > 1:
            _role(reader.role, roles)


def _role(shown: str, roles: list[str]) -> None:
    key = widget.mirrored("generate-role", shown)
    st.segmented_control(
        "Where it looks",
        roles,
        key=key,
        required=True,
        format_func=_ROLES.get,
        label_visibility="collapsed",
        on_change=lambda: state.choose(role=st.session_state[key], position=None, key=None),
    )


def draw(reader: engine.Reader, runs: list[Shown]) -> None:
    """A text for each run, and where they part."""
    at = generate_runs.parted(runs)
    for run in runs:
        key = f"writing-{run.track.side}"
        mount_strand.strand(
            key,
            on_change=lambda key=key, run=run: _clicked(key, run),
            weights=run.weights,
            **_options(run, at),
        )
    words = said(runs)
    playing = " The address follows when it stops." if generate_play.playing() else ""
    say.remark(f"{words}{playing}", "writing")
    with st.container(horizontal=True, key="actions-writing", gap="medium"):
        left = max(room_of(run.track.title) for run in runs)
        drawn = [_picture(run, at, left) for run in runs]
        export.menu("save-writing", saved.texts(reader, runs, drawn, words))


def _options(run: Shown, parted: int | None) -> dict[str, Any]:
    """What a text is drawn of, in the browser and in a file."""
    written = run.written
    name = f"{run.track.whose}: " if run.track.name else ""
    newest = spoken(written.tokens[run.at]).strip()
    return {
        "tokens": written.tokens,
        "given": written.given,
        "at": run.at,
        "kind": run.track.kind,
        "sources": run.sources,
        "parted": None if parted is None else written.given + parted,
        "told": [
            *[()] * written.given,
            *[generate_runs.step_said(step) for step in written.came],
        ],
        "name": run.track.title,
        "forgets": run.forgets,
        "label": f"{name}{several(run.made, 'new token')}, looked at from “{newest}”.",
    }


def _picture(run: Shown, parted: int | None, left: float) -> Diagram:
    options = _options(run, parted)
    label = options.pop("label")
    of = Strand(weights=run.weights[run.at].tolist(), left=left, **options)
    return writing(of, wide=_WIDE, label=label)


def _clicked(key: str, run: Shown) -> None:
    at = mount_strand.strand_value(key)
    if at is not None:
        last = len(run.written.tokens) - 1
        own.choose(GENERATE, at=-1 if at >= last else at)


def said(runs: list[Shown]) -> str:
    """Where the runs part, and which have ended."""
    parts = [generate_runs.parted_said(runs)]
    for run in runs:
        if run.written.ended:
            parts.append(f"{run.track.whose} has put an end to its text.")
    if not any(parts) and not runs[0].made:
        parts.append("Step writes one token, Play goes on; or choose one of the next tokens below.")
    return " ".join(filter(None, parts)) or f"{several(runs[0].made, 'token')} written."
