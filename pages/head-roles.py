"""Head roles: what every head looks for, scored on made texts; and one head up close."""

from dataclasses import replace
from pathlib import Path

import streamlit as st

from attnlab.analysis.roles import HeadRoles
from attnlab.errors import Cancelled
from attnlab.ui import (
    engine,
    fit,
    frame,
    lesson_links,
    own,
    roles_lessons,
    roles_look,
    state,
)
from attnlab.ui.cards import sentences
from attnlab.ui.cards.positions.subject import loaded
from attnlab.ui.cards.roles import atlas, probe, scores, tries, typed
from attnlab.ui.engine import roles as engine_roles
from attnlab.ui.roles_selection import HEAD_ROLES, Roles
from attnlab.ui.scene import Scene
from attnlab.ui.selection import Selection


def show(selection: Selection, value: Roles) -> None:
    """The map, the head's scores, the text made for it, and the typed text."""
    reader = loaded(selection)
    if not reader.layers:
        # The trust line has said that, and why, there is no attention to show.
        return
    selection = fit.fitted(selection, reader)
    try:
        found = engine_roles.scored(reader)
    except Cancelled:
        atlas.title(reader)
        raise
    atlas.draw(reader, value, found, selection.chosen)
    head_of(selection, reader, value, found)


def head_of(selection: Selection, reader: engine.Reader, value: Roles, found: HeadRoles) -> None:
    """One head."""
    head = selection.chosen
    there, names = dict(found.probes), found.names().get(head, ())
    wished = next((one for one in (value.probe, value.only) if one in there), "")
    on = wished or roles_look.clearest(found.of(*head), names)
    with st.container(key="cards"):
        left, right = st.columns(2, gap="small")
    with left:
        scores.draw(reader, found, head, on)
    with right:
        probe.draw(reader, found, head, on)
    target = sentences.draw_one(selection)
    if reader.writes:
        target()
    passage = engine.Passage(selection.a, selection.target_a)
    reading = engine.read(reader, passage, "Sentence A", head)
    alone = replace(selection, b="", gone=(), side="A", position=None, key=None)
    of = Scene(reader, alone, reading, None)
    with st.container(key="cards-typed"):
        left, right = st.columns(2, gap="small")
    with left:
        typed.pattern(of)
    with right:
        typed.gone(of)


frame.ensure(Path(__file__).parents[1] / "app.py")
shown = own.restore(HEAD_ROLES)
shown = lesson_links.whole(HEAD_ROLES, shown, roles_lessons.named(shown.lesson))
chosen = state.current()
shown = lesson_links.kept(HEAD_ROLES, shown, roles_lessons.active(shown, chosen))
state.publish(chosen)
own.publish(HEAD_ROLES, shown)
frame.title("Head roles", "What every head looks for, found on made texts whose answer is known.")
tries.draw(chosen, shown)
frame.troubles(HEAD_ROLES)
frame.attempt(lambda: show(chosen, shown))
