"""Step, play, undo: how far the runs of the page Generate go, one run of the script a token.

While it plays, each run of the script writes one token and asks for the next, so any click comes
through between two tokens, and other sessions have their turn at the model. The address is written
when it stops.
"""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from attnlab.ui import own, state
from attnlab.ui.generate_selection import GENERATE, MOST, Generate, until, with_choice
from attnlab.ui.selection import Selection, Side

_PLAYING: Final = "_generate_playing"
_BEFORE: Final = "_generate_before"
_AGAIN: Final = "_generate_again"


def playing() -> bool:
    """Whether it writes on by itself."""
    return bool(st.session_state.get(_PLAYING, False))


def play(on: bool) -> None:
    """Starts or stops; a callback."""
    st.session_state[_PLAYING] = on


def step() -> None:
    """One more token in each run; a callback."""
    play(False)
    now = own.chosen_now(GENERATE)
    own.choose(GENERATE, **_further(now))


def undo() -> None:
    """One token less, in the run that is longer; in both where they are even; a callback."""
    play(False)
    now = own.chosen_now(GENERATE)
    longest = max(now.made, now.made2 if now.runs != "one" else 0)
    changes: dict[str, Any] = {}
    for made, chose in (("made", "chose"), ("made2", "chose2")):
        if 0 < getattr(now, made) >= longest:
            changes[made] = longest - 1
            changes[chose] = until(getattr(now, chose), longest - 1)
    own.choose(GENERATE, **changes)


def start_over() -> None:
    """Back to the prompts; a callback."""
    play(False)
    own.choose(GENERATE, made=0, made2=0, chose=(), chose2=(), at=-1)


def take(side: Side, step_: int, token: int) -> None:
    """A token chosen by hand for the next step of a run; a callback."""
    play(False)
    made, chose = ("made", "chose") if side == "A" else ("made2", "chose2")
    chosen = with_choice(getattr(own.chosen_now(GENERATE), chose), step_, token)
    own.choose(GENERATE, at=-1, **{made: step_ + 1, chose: chosen})


def advanced(value: Generate) -> Generate:
    """What is to be written in this run of the script: while it plays, one token more."""
    return own.correct(GENERATE, **_further(value)) if playing() else value


def _further(value: Generate) -> dict[str, int]:
    more = {"made": min(value.made + 1, MOST), "at": -1}
    return more if value.runs == "one" else more | {"made2": min(value.made2 + 1, MOST)}


def settled(value: Generate, before: Generate, made: dict[str, int]) -> Generate:
    """The values with as many tokens as were written; playing ends where none came."""
    fits = {name: count for name, count in made.items() if getattr(value, name) != count}
    value = own.correct(GENERATE, **fits) if fits else value
    st.session_state[_AGAIN] = playing()  # also when it ends, for the buttons to say so
    if not any(count > getattr(before, name) for name, count in made.items()):
        play(False)
    return value


def go_on() -> None:
    """Called last: asks for the next run of the script while it plays, else writes the address."""
    if st.session_state.pop(_AGAIN, False):
        st.rerun()
    play(False)
    own.publish(GENERATE, own.current(GENERATE))


def begun(value: Generate, selection: Selection) -> Generate:
    """The values for these prompts: others begin anew, and a second run as long as the first."""
    prompts = (selection.model, selection.ours, selection.a, selection.target_a)
    if value.runs == "two":
        prompts += (selection.b, selection.target_b)
    before = st.session_state.get(_BEFORE)
    st.session_state[_BEFORE] = (prompts, value.runs)
    if before is None or state.arrived():
        play(False)
        return value
    if own.opened(GENERATE) or value.lesson:
        return value
    if before[0] != prompts and (before[1] == value.runs or before[0][:4] != prompts[:4]):
        play(False)
        return own.correct(GENERATE, made=0, made2=0, chose=(), chose2=(), at=-1)
    if before[1] != value.runs:
        return own.correct(GENERATE, made2=value.made, chose2=())
    return value
