"""What is taken away together: what it does, beside the sum of its parts and random sets."""

from __future__ import annotations

from typing import Final

import streamlit as st

from attnlab.analysis.tray import COUNT, Together
from attnlab.ui import (
    ablate_fills,
    engine,
    explain,
    export,
    mount,
    mount_diagram,
    say,
    state,
    widget,
)
from attnlab.ui.ablate_measure import Measured, write
from attnlab.ui.ablate_selection import Ablate
from attnlab.ui.cards import edited
from attnlab.ui.cards.ablate import study
from attnlab.ui.cards.ablate.gone import Gone, choose
from attnlab.ui.cards.parts import action
from attnlab.ui.engine import edited as engine_edited
from attnlab.ui.engine import sweep
from attnlab.ui.engine.ask import Ask
from attnlab.ui.export import ablate as saved
from attnlab.ui.hosting import hosted
from attnlab.ui.phrases import title
from attnlab.ui.selection import MAX_GONE, Head
from attnlab.viz import together as picture
from attnlab.viz.figures import several
from attnlab.viz.heads import FEED, short

_ASKED: Final = "_random_sets_asked"
_SUM: Final = (
    "Effects do not add up: later layers read what earlier ones write, and one head may do the "
    "work of another that is gone. So a set is measured as a set. Random sets: as many heads and "
    "as many feed-forwards, drawn at random, on the same text."
)


def draw(ask: Ask, measured: Measured, gone: Gone, value: Ablate) -> None:
    """Which heads and feed-forwards, and the picture of their effect.

    Raises:
        AttnLabError: something does not fit, or the work was stopped.
    """
    units = gone.units
    with st.container(border=True, key="card-tray"):
        st.markdown(f"**{ablate_fills.together(ask.fill)}**", help=_SUM)
        _tray(ask, gone)
        waits = _waits(ask)
        together = sweep.set_of(ask, units, 0 if waits else COUNT)
        drawn = picture.together(
            together.effect,
            [(short(unit), one) for unit, one in zip(units, together.singles, strict=True)],
            together.random,
            unit=measured.unit,
            write=write,
            others="" if gone.heads else f"random {_kind(units, brief=True)}",
        )
        with st.container(key="answer-together"):
            st.text(f"{write(together.effect)} {measured.unit}")
        mount_diagram.diagram("together", drawn)
        words = said(units, together, measured)
        if words:
            say.remark(words, "together")
        with st.container(horizontal=True, key="actions-tray", gap="medium"):
            if gone.marked:
                action("Give all back", "give-all-back", choose, args=((),))
            if waits:
                label, asked = f"Compare with {COUNT} random sets", {_ASKED: True}
                action(label, "compare-sets", st.session_state.update, args=(asked,))
            study.draw(ask, gone, value, together)
            export.menu("save-tray", saved.tray(ask, measured, units, together, drawn))
        study.compared(ask, units, together, measured)


def _waits(ask: Ask) -> bool:
    """Whether random sets are not run unasked: twenty more runs, on a server for many too."""
    long = len(ask.reader.lab.tokens(ask.passage.text)) > engine.WHOLE_TOKENS
    return (long or hosted()) and not st.session_state.get(_ASKED, False)


def _tray(ask: Ask, gone: Gone) -> None:
    key = widget.mirrored("ablate-gone", gone.marked)
    st.multiselect(
        "Heads and feed-forwards taken away" if ask.feeds else "Heads taken away",
        (*ask.heads, *((layer, FEED) for layer in ask.feeds)),
        key=key,
        format_func=short,
        max_selections=MAX_GONE,
        placeholder=f"{title(gone.chosen.chosen)}, the chosen head; click others above",
        label_visibility="collapsed",
        select_all=False,
        on_change=_chosen,
        args=(key, bool(ask.feeds)),
    )


def _chosen(key: str, feeds: bool) -> None:
    """Takes away what is in the box; feed-forwards that it does not list stay in the address."""
    units = tuple(map(tuple, st.session_state[key]))
    if feeds:
        choose(units)
    else:
        state.choose(gone=units)


def _kind(units: tuple[Head, ...], *, brief: bool = False) -> str:
    """What a random set is made of: "single heads", "sets of 2 heads and 1 feed-forward"."""
    feeds = sum(head == FEED for _, head in units)
    heads = len(units) - feeds
    if len(units) == 1:
        thing = "heads" if heads else "feed-forwards"
        return thing if brief else f"single {thing}"
    counted = ((heads, "head"), (feeds, "feed-forward"))
    parts = " and ".join(several(count, thing) for count, thing in counted if count)
    return "sets" if brief else f"sets of {parts}"


def said(units: tuple[Head, ...], found: Together, measured: Measured) -> str:
    """A set beside its parts, and beside random sets."""
    parts = f"Alone, they do {write(found.sum)} {measured.unit} if added up"
    parts = f"{parts}; together {write(found.effect)}." if len(units) > 1 else ""
    if not found.random:
        return parts
    count, (least, middle, most) = len(found.random), found.spread
    some = "1 does" if found.beats == 1 else f"{found.beats} do"
    beats = {0: "none does", count: "all do"}.get(found.beats, some)
    less = "less" if least >= 0 else "less, up or down"
    words = (
        f"Of {count} random {_kind(units)}, {beats} {less}: {write(least)} to {write(most)}, "
        f"half below {write(middle)}."
    )
    return f"{parts} {words}".strip()


def after(ask: Ask, measured: Measured, gone: Gone) -> None:
    """Before and after: the next word, and the loss of each token.

    Raises:
        AttnLabError: the text is too long, or the work was stopped.
    """
    heads, kind = gone.heads, ask.reader.lab.head_kind
    edits = ask.edits(gone.units)
    what = ablate_fills.changed(heads, ask.fill, len(edits) - len(heads))
    # Cross-attention has no vectors of its own: what it changes is seen in the decoder's.
    cross = ask.reader.role == "cross"
    reader = engine.with_role(ask.reader, "decoder") if cross else ask.reader
    shown = edited.Shown(
        "gone",
        reader,
        ask.passage,
        edits,
        what,
        position=measured.position,
        look=None if cross else gone.chosen.chosen,
        on_look=None if cross else _looked,
    )
    with st.container(key="cards-gone"):
        left, right = st.columns(2, gap="small")
    if kind in ("masked", "seq2seq"):
        with left:
            _prediction(ask, measured, edits, what)
    edited.draw(shown, (left, right))


def _looked(head: Head) -> None:
    state.choose(layer=head[0], head=head[1])


def _prediction(ask: Ask, measured: Measured, edits: tuple, what: str) -> None:
    """The prediction of a model that does not write the text on: at its mask, or of its answer."""
    effect = engine_edited.predicted(ask.reader, ask.passage, edits, measured.position)
    with st.container(border=True, key="card-gone-word"):
        st.markdown("**What the model puts there**", help=explain.KL)
        names = ("as trained", what)
        mount.bars("gone-word", rows=effect.rows, names=names, label="The likeliest words")
        say.remark(f"KL {write(effect.kl)} nats.", "gone-word")
