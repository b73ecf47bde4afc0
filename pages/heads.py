"""Heads: every head of a model on one or two sentences, one head up close, and what it does."""

from pathlib import Path

import streamlit as st

from attnlab.errors import AttnLabError, Cancelled
from attnlab.ui import cards, engine, frame, models, say, state, texts, work
from attnlab.ui.scene import Scene
from attnlab.ui.selection import MAX_CHARACTERS, Selection


def sentence(side: str) -> None:
    """The box for one sentence, with its letter in its colour."""
    name = side.lower()
    with st.container(horizontal=True, vertical_alignment="center", key=f"row-{name}"):
        st.html(
            f'<span class="al-letter al-{name}" aria-hidden="true">{side}</span>', width="content"
        )
        st.text_input(
            f"Sentence {side}",
            key=state.seeded(name),
            label_visibility="collapsed",
            placeholder="A second sentence to compare with, or nothing"
            if side == "B"
            else "A sentence",
        )


def read_b(reader: engine.Reader, selection: Selection) -> engine.Reading | None:
    """Sentence B, or None where it is left empty or cannot be used; then the page says why."""
    if not selection.b:
        return None
    try:
        return engine.read(reader, selection.b, "Sentence B")
    except Cancelled:
        raise
    except AttnLabError as error:
        say.problem(str(error), "b")
        return None


def clamp(selection: Selection, reader: engine.Reader) -> Selection:
    """The nearest head that this model has; the page and the URL say so where it is another."""
    layer = min(reader.layers, key=lambda layer: abs(layer - selection.layer))
    head = min(selection.head, reader.heads - 1)
    if (layer, head) == (selection.layer, selection.head):
        return selection
    problem = (
        f"{reader.lab.name} has no head L{selection.layer} H{selection.head}; "
        f"this is the nearest, L{layer} H{head}."
    )
    say.problem(problem, "head")
    nearest = state.correct(problem, layer=layer, head=head)
    state.publish(nearest)
    return nearest


def show(selection: Selection) -> None:
    """Everything below the sentences."""
    reader = models.open_model(selection)
    with st.sidebar:
        models.trust_line(reader)
    if not reader.layers:
        # The trust line has said that, and why, there is no attention to show.
        return
    selection = clamp(selection, reader)
    reading_a = engine.read(reader, selection.a, "Sentence A")
    scene = Scene(reader, selection, reading_a, read_b(reader, selection))
    cards.grid_card(scene)
    with st.container(key="cards"):
        left, right = st.columns([2.17, 1], gap="small")
    with left:
        head = (selection.layer, selection.head)
        a = engine.head_weights(reader, selection.a, scene.a, *head)
        b = scene.b and engine.head_weights(reader, selection.b, scene.b, *head)
        cards.head_card(scene, a, b)
    with right:
        cards.effect_card(scene)


frame.ensure(Path(__file__).parents[1] / "app.py")
chosen = state.current()
state.publish(chosen)
with st.container(key="sentences", gap="xsmall"):
    sentence("A")
    sentence("B")
    st.caption(
        f"Enter applies. Up to {MAX_CHARACTERS:,} characters and {texts.MAX_TOKENS:,} tokens each; "
        "leave B empty for one sentence."
    )
for number, trouble in enumerate(state.link_problems()):
    say.problem(trouble, f"link-{number}")
try:
    show(chosen)
except Cancelled as error:
    say.problem(str(error), "stopped")
    st.button("Run it again", on_click=work.resume)
except AttnLabError as error:
    work.resume()
    say.problem(str(error), "page")
else:
    # Nothing that was stopped is wanted any more; when it is, it runs again.
    work.resume()
