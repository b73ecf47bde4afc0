"""Every head taken away alone: estimates at once, exact effects over them as they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import streamlit as st

from attnlab.errors import AttnLabError, Cancelled
from attnlab.ui import engine, export, mount, mount_diagram, say, state, work
from attnlab.ui.ablate_measure import Measured, write
from attnlab.ui.ablate_selection import ESTIMATED
from attnlab.ui.cards.ablate.found import Found, feeds_said, how_found
from attnlab.ui.cards.ablate.gone import Gone, toggle
from attnlab.ui.engine import sweep
from attnlab.ui.engine.ask import Ask
from attnlab.ui.export import ablate as saved
from attnlab.ui.hosting import hosted
from attnlab.ui.selection import Head, Selection
from attnlab.viz import effects, scatter
from attnlab.viz.diagram import Diagram
from attnlab.viz.heads import short

ABOUT: Final = (
    "Every head is taken away, one at a time, and the model reads the text anew. The area of a "
    "square is what that changes. Outlined squares are estimated from one pass forward and one "
    "back; filled ones are exact. **Click a head, or a feed-forward, to take it away**; click it "
    "again to give it back."
)
_ESTIMATE: Final = (
    "A first-order estimate (attribution patching): what a head hands on, times the slope of the "
    "measure there; of a KL divergence, whose slope is zero, the second-order form. It is off "
    "where a head does much. Axes run in square roots."
)
_WIDE: Final = 1080
_FEW_LAYERS: Final = 12
"""Of models whose picture leaves room for what else is said, beside it."""
_LISTED: Final = 8
_STOPPED: Final = "_sweep_stopped"
_WANTED: Final = "_sweep_wanted"


def draw(ask: Ask, measured: Measured, gone: Gone) -> Found:
    """The picture, and below it the strongest heads and how good the estimate is.

    Raises:
        AttnLabError: something does not fit, or work other than the sweep was stopped.
    """
    say.remark(f"Measured: {measured.what}, in {measured.unit}.", "measured")
    places = None
    if len(ask.reader.layers) <= _FEW_LAYERS:
        with st.container(key="cards-effects"):
            places = st.columns([1, 1.6], gap="large")
    with places[0] if places else st.container():
        slot = st.empty()
    show = _Picture(slot, ask, measured, gone)
    waits = st.empty()  # what was said of an earlier stop goes as soon as the sweep goes on
    held = sweep.known(ask)
    guess = _estimate(ask)
    whole = len(held) == len(ask.units)
    if not whole:
        show(held, guess.values)
    found = None
    if whole or _goes(ask):
        try:
            found = sweep.swept(ask, lambda exact: show(exact, guess.values))
        except Cancelled:
            st.session_state[_STOPPED] = ask.key()
    if found is None:
        with waits.container():
            _paused(ask, sweep.known(ask))
        return Found(sweep.known(ask), guess.values)
    done = Found(found.exact, guess.values, found, guess.correlation(found.exact))
    drawn = show(found.exact, guess.values, last=True)
    _below(ask, measured, gone.chosen, done, drawn, places)
    return done


class _Picture:
    """Draws into one place, again and again; the last picture keeps its key from run to run."""

    def __init__(self, slot: Any, ask: Ask, measured: Measured, gone: Gone) -> None:
        self.slot, self.ask, self.measured, self.gone = slot, ask, measured, gone
        self.drawn = 0

    def __call__(
        self, exact: Mapping[Head, float], guess: Mapping[Head, float], *, last: bool = False
    ) -> Diagram:
        drawn = _squares(self.ask, self.measured, self.gone, exact, guess)
        key = "effects" if last else f"effects-{self.drawn}"
        self.drawn += 1
        with self.slot.container():
            clicked = partial(_clicked, key, self.ask.units)
            mount_diagram.choices(key, drawn, clicked)
        return drawn


def _squares(
    ask: Ask,
    measured: Measured,
    gone: Gone,
    exact: Mapping[Head, float],
    guess: Mapping[Head, float],
) -> Diagram:
    reader = ask.reader
    shown = effects.Effects(
        {layer: reader.heads_in(layer) for layer in reader.layers},
        exact,
        guess,
        gone.marked,
        gone.chosen.chosen,
        measured.unit,
        write,
        measured.words,
        measured.kinds,
        ask.layers,
    )
    most = max(exact, key=lambda unit: abs(exact[unit]), default=None)
    said = "" if most is None else f" The largest so far: {short(most)}, {write(exact[most])}."
    label = f"What each of {len(ask.heads)} heads does: {measured.what}.{said}"
    return effects.effects(shown, wide=_wide(ask), label=label)


def _wide(ask: Ask) -> float:
    return 440 if len(ask.reader.layers) <= _FEW_LAYERS else _WIDE


def _clicked(key: str, units: tuple[Head, ...]) -> None:
    """Takes a head or a feed-forward away, or gives it back; either way a head is looked at."""
    at = mount_diagram.spot_value(key)
    if at is not None and at < len(units):
        toggle(units[at])


def _estimate(ask: Ask) -> sweep.Estimated:
    """Estimates of all heads; none, and a sentence, where there are none."""
    if ask.fill not in ESTIMATED:
        say.remark("No estimate: it needs what a head hands on to be set to something.", "estimate")
        return sweep.Estimated({})
    try:
        return sweep.estimated(ask)
    except Cancelled:
        raise
    except AttnLabError as error:
        say.remark(f"No estimate: {error}", "estimate")
        return sweep.Estimated({})


def _goes(ask: Ask) -> bool:
    """Whether the sweep runs now: at once on short texts, else once it was asked for."""
    if st.session_state.get(_STOPPED) == ask.key():
        return False
    long = len(ask.reader.lab.tokens(ask.passage.text)) > engine.WHOLE_TOKENS
    return not (long or hosted()) or st.session_state.get(_WANTED) == ask.key()


def _paused(ask: Ask, exact: Mapping[Head, float]) -> None:
    """A sweep that was stopped, or that waits to be asked for."""
    stopped = st.session_state.get(_STOPPED) == ask.key()
    with st.container(horizontal=True, vertical_alignment="center", key="actions-paused"):
        what = "parts" if ask.layers else "heads"
        said = f"Stopped at {len(exact)} of {len(ask.units)} {what}." if stopped else ""
        label = f"Take away each of {len(ask.units)} {what}, exactly"
        label = "Run it again" if stopped else label
        if said:
            say.remark(said, "paused")
        st.button(label, key="sweep-run", on_click=_run, args=(ask.key(),))


def _run(key: Any) -> None:
    """Starts the sweep, also where it was stopped; a callback."""
    work.resume()
    st.session_state.pop(_STOPPED, None)
    st.session_state[_WANTED] = key


def _below(
    ask: Ask,
    measured: Measured,
    selection: Selection,
    found: Found,
    drawn: Diagram,
    places: Sequence[Any] | None,
) -> None:
    """The strongest heads, the estimate, and how the numbers were come by.

    Args:
        places: the picture's column and the one beside it, where it leaves room for one.
    """
    order = sorted(found.of_heads, key=lambda head: -abs(found.exact[head]))
    if places:
        with places[1]:
            strongest, estimate = st.container(), st.container()
    else:
        with st.container(key="cards-effects"):
            strongest, estimate = st.columns([1, 1.2], gap="large")
    with strongest:
        listed = [(*head, found.exact[head]) for head in order[:_LISTED]]
        mount.ranks(
            "strongest",
            columns=[(f"strongest, {measured.unit}", measured.kinds[0], listed)],
            selected=selection.chosen,
            label="The heads that do most",
            on_change=_listed,
        )
    with estimate:
        _scatter(found, measured)
    how = how_found(found, measured)
    if found.of_layers:
        say.remark(feeds_said(found, measured), "feeds")
    say.remark(how, "how")
    with st.container(horizontal=True, key="actions-effects", gap="medium"):
        export.menu("save-effects", saved.sweep(ask, measured, found, drawn, how))


def _listed() -> None:
    head = mount.ranks_value("strongest")
    if head is not None:
        state.choose(layer=head["layer"], head=head["head"])


def _scatter(found: Found, measured: Measured) -> None:
    if not found.estimate:
        return
    st.markdown("Estimate against exact", help=_ESTIMATE)
    points = [
        (short(head), found.estimate[head], value)
        for head, value in found.exact.items()
        if head in found.estimate
    ]
    drawn = scatter.scatter(points, unit=measured.unit, write=write)
    mount_diagram.diagram("estimate", drawn)
    if found.correlation is not None:
        say.remark(f"Rank correlation {found.correlation:.2f}.", "correlation")
