"""Heads: every head of a model on one or two texts, one head up close, and what it does."""

from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attnlab.errors import AttnLabError, Cancelled
from attnlab.ui import engine, fit, frame, guard, models, say, state
from attnlab.ui.cards import effect, find, grid, keep, panel, sentences, tries
from attnlab.ui.engine import Passage
from attnlab.ui.scene import Scene
from attnlab.ui.selection import Selection


def read_b(reader: engine.Reader, selection: Selection) -> engine.Reading | None:
    """Sentence B, or None where it is left empty or cannot be used; then the page says why."""
    if not selection.b:
        return None
    try:
        passage = Passage(selection.b, selection.target_b)
        return engine.read(reader, passage, "Sentence B", selection.chosen)
    except Cancelled:
        raise
    except AttnLabError as error:
        say.problem(str(error), "b")
        return None


def show(selection: Selection) -> None:
    """Everything that needs the model, from the targets down."""
    reader = models.open_model(selection)
    with st.sidebar:
        models.trust_line(reader)
        kept = st.container()
    if not reader.layers:
        # The trust line has said that, and why, there is no attention to show.
        return
    if reader.writes:
        targets["A"]()
        if selection.b:
            targets["B"]()
    selection = fit.fitted(selection, reader)
    passage = Passage(selection.a, selection.target_a)
    a = engine.read(reader, passage, "Sentence A", selection.chosen)
    b = read_b(reader, selection)
    scene = Scene(reader, fit.placed(selection, reader, a, b), a, b)
    cards(scene, selection, kept)


def cards(scene: Scene, selection: Selection, kept: DeltaGenerator) -> None:
    """Every head, the chosen one and what it does; ``kept``: where this view can be saved."""
    found = find.search(scene) if selection.panel == "find" else None
    first, second = st.container(key="first"), st.container(key="second")
    # What an experiment's sentence speaks of stands right under it; else every head comes first.
    above, below = (second, first) if selection.experiment else (first, second)
    with above:
        grid.draw(scene, None if found is None else found.marks(scene.view))
    wide = selection.panel in panel.WIDE
    with below, st.container(key="cards"):
        left, right = (
            (st.container(), st.container()) if wide else st.columns([2.17, 1], gap="small")
        )
    with left:
        panel.draw(scene, found)
    with right:
        changed = effect.draw(scene, wide)
    with kept:
        keep.draw(scene, changed)


frame.ensure(Path(__file__).parents[1] / "app.py")
chosen = state.current()
state.publish(chosen)
tries.draw(chosen)
targets = sentences.draw(chosen)
guard.report(chosen)
frame.troubles()
frame.attempt(lambda: show(chosen))
