"""A study kept as a file, and opened again: then it runs again and is compared."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from typing import Any, Final

import streamlit as st

from attnlab.analysis.tray import Together
from attnlab.errors import LoadError
from attnlab.ui import engine, models, own, say, state, study, viewfile
from attnlab.ui.ablate_measure import Measured, write
from attnlab.ui.ablate_selection import ABLATE, Ablate
from attnlab.ui.cards.ablate.gone import Gone
from attnlab.ui.engine.ask import Ask
from attnlab.ui.engine.edited import spelled
from attnlab.ui.selection import Head, Selection
from attnlab.viz.figures import minus
from attnlab.viz.heads import spelled as spelled_head

_SAVED: Final = "_study_found"
_PROBLEM: Final = "_study_problem"
_BEFORE: Final = "_study_before"
_OPEN: Final = "save-open-study"
_ABOUT: Final = (
    "A file with the texts, the heads, the measure and what was found. Opened here, it runs again. "
    "From Python, its edits are read by al.edit_from_json."
)


def draw(ask: Ask, gone: Gone, value: Ablate, found: Together) -> None:
    """A button that saves, and a popover that opens."""
    st.download_button(
        "Save the study",
        data=partial(_file, ask, gone, value, found),
        file_name=study.NAME,
        mime="application/json",
        key="save-study",
        on_click="ignore",
        type="tertiary",
        help=_ABOUT,
    )
    with st.popover("Open a study", key=_OPEN, type="tertiary", on_change="rerun"):
        st.file_uploader(
            "A saved study (.json)",
            type=["json"],
            key="study-file",
            max_upload_size=1,
            on_change=_chosen,
        )
    for number, trouble in enumerate(st.session_state.pop(_PROBLEM, ())):
        say.problem(trouble, f"study-{number}")


def loaded(selection: Selection) -> engine.Reader:
    """The chosen model; where a study just opened names one that is not there, all stays as it was.

    Raises:
        AttnLabError: the model cannot be loaded.
    """
    try:
        reader = models.loaded(selection)
    except LoadError as error:
        wanted, *before = st.session_state.pop(_BEFORE, ("",))
        if wanted != selection.model:  # asked for since, by hand
            raise
        _show(*before)
        st.session_state.pop(_SAVED, None)
        st.session_state[_PROBLEM] = (f"The study was not opened: {error}",)
        st.rerun()
    st.session_state.pop(_BEFORE, None)
    return reader


def _file(ask: Ask, gone: Gone, value: Ablate, found: Together) -> bytes:
    edits = ask.edits(gone.units)
    alone = dict(zip(map(spelled_head, gone.units), found.singles, strict=True))
    return study.dump(
        gone.chosen,
        value,
        edits=[edit.to_json() for edit in edits],
        metric=ask.metric.to_json(),
        found={
            "together": found.effect,
            "alone": alone,
            "random": list(found.random),
            "unit": ask.metric.unit,
        },
        provenance=engine.provenance(ask.reader, edits),
    )


def _chosen() -> None:
    """Opens the study of a file; whatever is wrong with it becomes a sentence."""
    file = st.session_state.get("study-file")
    if file is None:
        return
    opened = study.load(file.getvalue())
    if isinstance(opened, str):
        st.session_state[_PROBLEM] = (opened,)
        return
    st.session_state[_OPEN] = False
    typed, kept = state.chosen_now(), opened.selection
    st.session_state[_BEFORE] = (kept.model, typed, own.chosen_now(ABLATE))
    fields_ = [field for field in viewfile.TEXTS.values() if field not in opened.texts]
    kept = replace(kept, **{field: getattr(typed, field) for field in fields_})
    _show(kept, opened.value, opened.problems)
    st.session_state[_SAVED] = {"together": opened.together, "of": None}


def _show(selection: Selection, value: Ablate, problems: tuple[str, ...] = ()) -> None:
    """Both the shared selection and what is of this page alone."""
    state.open_whole(selection, problems)
    own.choose(ABLATE, **{one.name: getattr(value, one.name) for one in fields(Ablate)})


def _apart(then: float, now: float) -> tuple[str, str]:
    """Both in as few digits as tell them apart; of what is the same, as everywhere."""
    both = write(then), write(now)
    for digits in range(4, 12):
        if both[0] != both[1] or then == now:
            break
        both = minus(f"{then:.{digits}g}"), minus(f"{now:.{digits}g}")
    return both


def compared(ask: Ask, units: tuple[Head, ...], found: Together, measured: Measured) -> None:
    """A study that was opened, beside its new run, until something is changed."""
    held: dict[str, Any] | None = st.session_state.get(_SAVED)
    if held is None or held["together"] is None:
        return
    now = ask.key(spelled(ask.edits(units)))
    if held["of"] is None:
        st.session_state[_SAVED] = held = held | {"of": now}
    if held["of"] != now:
        del st.session_state[_SAVED]
        return
    then = held["together"]
    close = abs(then - found.effect) <= 1e-4 * max(1.0, abs(then))
    why = "another model, device or version, or not all of it"
    same = "the same" if close else f"not the same: {why}"
    saved, again = (write(then),) * 2 if close else _apart(then, found.effect)
    words = f"Saved: {saved} {measured.unit}; run again: {again}"
    say.remark(f"{words}, {same}.", "study")
