"""The chosen head up close: words with arcs, a matrix, or its change from A to B."""

import streamlit as st

from attnlab.ui import explain, export, mount, phrases, say, scene, state
from attnlab.ui.cards.parts import action, choice, corrected_choice
from attnlab.ui.scene import Scene
from attnlab.ui.selection import MAX_PINS, MODES, Head
from attnlab.viz.heads import full


def draw(of: Scene) -> None:
    """The chosen head on each text."""
    head = of.selection.chosen
    a, b = of.weights("A", head), of.weights("B", head)
    with st.container(horizontal=True, vertical_alignment="center", key="title-head"):
        words = phrases.pinned_figures(of, a, b) or phrases.largest_change(of, a, b)
        width = "stretch" if words is None else "content"
        st.markdown(f"**{full(head)}**", width=width, help=explain.HEAD)
        if words is not None:
            with st.container(key="about-head", width="stretch"):
                say.pill(words, "head")
        _drawn_as(of)
    mount.head(
        "head",
        a=a,
        b=b,
        tokens_a=of.a.tokens,
        label=full(head),
        on_change=_clicked,
        **scene.head_options(of),
    )
    with st.container(horizontal=True, gap="medium", key="actions-head"):
        _pin(of, head)
        export.menu("save-head", export.head(of, a, b))


def _drawn_as(of: Scene) -> None:
    if of.mode == of.selection.mode:
        choice("Drawn as", MODES if of.b is not None else MODES[:2], "mode")
    else:
        corrected_choice("Drawn as", MODES[:2], of.mode, "mode_possible", "mode")


def _pin(of: Scene, head: Head) -> None:
    """Puts the head beside others, or takes it from there."""
    pins = of.selection.pins
    name = phrases.title(head)
    if head in pins:
        left = tuple(pin for pin in pins if pin != head)
        action(f"Unpin {name}", "pin", state.choose, kwargs={"pins": left})
    else:
        action(
            f"Pin {name} to compare",
            "pin",
            state.choose,
            kwargs={"pins": (*pins, head)},
            disabled=len(pins) >= MAX_PINS,
            help=explain.PINS if len(pins) >= MAX_PINS else None,
        )


def _clicked() -> None:
    """A word or a cell: the query, and the key where one was clicked."""
    pin = mount.head_value("head")
    if pin is not None:
        state.choose(side=pin["side"], position=pin["position"], key=pin.get("key"))
