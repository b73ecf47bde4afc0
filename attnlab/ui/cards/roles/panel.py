"""Everything on the page Head roles that needs the model."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from attnlab.analysis.roles import HeadRoles
from attnlab.errors import Cancelled
from attnlab.ui import engine, fit, models, roles_look
from attnlab.ui.cards import sentences
from attnlab.ui.cards.roles import atlas, probe, scores, typed
from attnlab.ui.engine import roles as engine_roles
from attnlab.ui.roles_selection import Roles
from attnlab.ui.scene import Scene
from attnlab.ui.selection import Selection


def draw(selection: Selection, value: Roles) -> None:
    """The map, the chosen head's scores, the text made for it, and the typed text.

    Raises:
        AttnLabError: the model or a text cannot be read, or the work was stopped.
    """
    reader = models.loaded(selection)
    if not reader.layers:
        # The trust line has said that, and why, there is no attention to show.
        return
    selection = fit.fitted(selection, reader)
    if reader.role == "cross":
        atlas.alone(reader)
        return
    try:
        found = engine_roles.scored(reader)
    except Cancelled:
        atlas.alone(reader)
        raise
    atlas.draw(reader, value, found, selection.chosen)
    on = _probe(value, found, selection)
    with st.container(key="cards"):
        left, right = st.columns(2, gap="small")
    with left:
        scores.draw(reader, found, selection.chosen, on)
    with right:
        probe.draw(reader, selection.chosen, on)
    _typed(selection, reader)


def _probe(value: Roles, found: HeadRoles, selection: Selection) -> str:
    """The role whose text is shown: the one asked for, else the head's clearest."""
    there, head = dict(found.probes), selection.chosen
    wished = next((one for one in (value.probe, value.only) if one in there), "")
    return wished or roles_look.clearest(found.of(*head), found.names().get(head, ()))


def _typed(selection: Selection, reader: engine.Reader) -> None:
    """The head on sentence A, and without it."""
    target = sentences.draw_one(selection)
    if reader.writes:
        target()
    passage = engine.Passage(selection.a, selection.target_a)
    reading = engine.read(reader, passage, "Sentence A", selection.chosen)
    alone = replace(selection, b="", gone=(), side="A", position=None, key=None)
    of = Scene(reader, alone, reading, None)
    with st.container(key="cards-typed"):
        left, right = st.columns(2, gap="small")
    with left:
        typed.pattern(of)
    with right:
        typed.gone(of)
