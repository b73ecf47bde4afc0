"""The experiments: one click sets everything up, one sentence says what to look for."""

from dataclasses import replace

import streamlit as st

from attnlab.ui import experiments, say, state
from attnlab.ui.selection import Selection


def draw(selection: Selection) -> None:
    """The row of experiments, and the sentence of the one that is open."""
    open_now = experiments.active(selection.experiment)
    with st.container(horizontal=True, vertical_alignment="center", key="tries", gap="xsmall"):
        st.html('<span class="al-section">Try</span>', width="content")
        for experiment in experiments.EXPERIMENTS:
            mine = open_now is not None and open_now[0] == experiment
            _button(experiment.title, experiment.name, experiment.selection, mine, "try")
    words = experiments.look_for(selection.experiment)
    if words is None:
        return
    with st.container(key="look-for", gap="xsmall"):
        say.remark(words, "look-for")
        if open_now is not None and len(open_now[0].steps) > 1:
            with st.container(horizontal=True, gap="xsmall", key="steps"):
                for step in open_now[0].steps:
                    _button(step.title, step.name, step.selection, step == open_now[1], "step")


def _button(title: str, name: str, opens: Selection, on: bool, kind: str) -> None:
    st.button(
        title,
        key=f"{kind}-{'on-' if on else ''}{name}",
        on_click=_open,
        args=(opens,),
    )


def _open(selection: Selection) -> None:
    """Opens an experiment in the numbers and on the device of this session; pins stay."""
    now = state.chosen_now()
    state.open_whole(replace(selection, device=now.device, dtype=now.dtype, pins=now.pins))
