"""A real head, step by step: the typed text, the chosen head, one word that looks and its key."""

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from attnlab.analysis.opened import Opened, unasked_key
from attnlab.ui import (
    engine,
    explain,
    export,
    fit,
    frame,
    guard,
    models,
    mount,
    mount_strips,
    own,
    phrases,
    say,
    scene,
    state,
)
from attnlab.ui.cards import sentences
from attnlab.ui.cards.parts import role_choice
from attnlab.ui.engine import Passage
from attnlab.ui.scene import Scene
from attnlab.ui.sections import Shown, sections
from attnlab.ui.selection import SIDES, Selection, Side
from attnlab.ui.steps_selection import STEP_BY_STEP
from attnlab.viz.heads import full

_KEY = "real"
_TEXTS = "_texts_of_the_real_head"


def draw(selection: Selection) -> None:
    """The texts, the words of them, and every number of the head at the chosen pair."""
    selection = _at_what_was_typed(selection)
    targets = sentences.draw(selection)
    guard.report(selection)
    frame.attempt(partial(_show, selection, targets))


def _at_what_was_typed(selection: Selection) -> Selection:
    """With one text newly typed on this page, its words are those that look."""
    before, now = st.session_state.get(_TEXTS), (selection.a, selection.b)
    st.session_state[_TEXTS] = now
    if before is None or state.arrived() or own.current(STEP_BY_STEP).lesson:
        return selection
    typed = [side for side, old, new in zip(SIDES, before, now, strict=True) if old != new and new]
    if len(typed) != 1:
        return selection
    corrected = state.correct(side=typed[0], position=None, key=None)
    state.publish(corrected)
    return corrected


def _show(selection: Selection, targets: Mapping[Side, Callable[[], None]]) -> None:
    reader = models.loaded(selection)
    if not reader.layers:
        say.remark("This model has no attention that can be shown.", "no-attention")
        return
    if reader.writes:
        for side in ("A", "B") if selection.b else ("A",):
            targets[side]()
    of = _scene(reader, fit.fitted(selection, reader))
    query = dict(zip("AB", scene.pinned_rows(of), strict=True))[of.side]
    ours, why = engine.ours(reader, of.selection)
    head = engine.opened(ours, of.passage(of.side), of.selection.chosen, query)
    pinned = scene.pinned_key(of)
    key = unasked_key(head) if pinned is None else pinned
    reading = of.reading(of.side)
    shown = Shown(head, key, reading.tokens, reading.sources)
    with st.container(border=True, key="card-real"):
        _title(of, shown)
        _words(of, query, key)
        _how(of, ours, why, head)
        _steps(of, shown)
        with st.container(horizontal=True, gap="medium", key="actions-real"):
            export.menu("save-real", export.opened(of, ours, shown))


def _scene(reader: engine.Reader, selection: Selection) -> Scene:
    """The texts' tokens; no other head is read here."""
    a = engine.tokens_only(reader, Passage(selection.a, selection.target_a), "Sentence A")
    b = None
    if selection.b:
        passage = Passage(selection.b, selection.target_b)
        b = say.unless_refused(lambda: engine.tokens_only(reader, passage, "Sentence B"), "b")
    return Scene(reader, fit.placed(selection, reader, a, b), a, b)


def _title(of: Scene, shown: Shown) -> None:
    """Which head, which pair, and other heads."""
    reader, selection = of.reader, of.selection
    weight = shown.head.weights[shown.key]
    with st.container(horizontal=True, vertical_alignment="center", key="title-real"):
        st.markdown(f"**{full(selection.chosen)}**", width="content", help=explain.HEAD)
        with st.container(key="about-real", width="stretch"):
            pair = phrases.pair(of, of.side, shown.head.query, shown.key)
            say.pill(f"{pair} {weight:.4f} in {of.side}", "real")
        if len(reader.roles) > 1:
            role_choice(reader)
        _chooser("Layer", "layer", reader.layers)
        _chooser("Head", "head", range(reader.heads_in(selection.layer)))
        query = own.link_to("heads")
        st.page_link("pages/heads.py", label="All heads", query_params=query, width="content")


def _chooser(label: str, field: str, numbers: range | tuple[int, ...]) -> None:
    with st.container(key=f"choose-{field}", width=112):
        st.selectbox(
            label,
            numbers,
            key=state.seeded(field),
            format_func=lambda number: f"{label} {number}",
            label_visibility="collapsed",
        )


def _words(of: Scene, query: int, key: int) -> None:
    mount.pick(
        "real-words",
        tokens_a=of.a.tokens,
        tokens_b=None if of.b is None else of.b.tokens,
        side=of.side,
        query=query,
        key_position=key,
        causal=of.reader.causal,
        label="Click the word that looks, then the word looked at",
        on_change=_picked,
        **of.sources,
    )


def _picked() -> None:
    pair = mount.pick_value("real-words")
    if pair is not None:
        state.choose(side=pair["side"], position=pair["query"], key=pair["key"])


def _how(of: Scene, ours: engine.Reader, why: str, head: Opened) -> None:
    """Who computed the numbers, where that is not the model as it was loaded."""
    if ours.lab.tier == "ours":
        said = ours.lab.trust.sentence
        if of.reader.lab.tier != "ours":  # the sidebar speaks of the model itself
            said = f"{explain.OURS_HERE} {said.removeprefix('Our transformer. ')}"
        say.remark(said, "real-how", help=explain.OURS)
    elif head.q is None:
        say.remark(explain.HIDDEN_QUERIES, "real-how")
    elif why:
        say.remark(f"{explain.RECEIVED} {why}", "real-how")


def _steps(of: Scene, shown: Shown) -> None:
    words, query = of.reading(of.side).sources, shown.head.query
    mount_strips.strips(
        _KEY,
        sections=sections(shown),
        words=words,
        chosen=shown.key,
        side=of.side,
        label=f"{full(of.selection.chosen)}, step by step",
        on_change=partial(_key_chosen, of.side, query),
    )


def _key_chosen(side: Side, query: int) -> None:
    key = mount_strips.strips_value(_KEY)
    if key is not None:
        state.choose(side=side, position=query, key=key)
