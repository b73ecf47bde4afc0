"""Why √d: scores of longer and longer vectors, and what becomes of the softmax over them."""

from collections.abc import Sequence

import streamlit as st

from attnlab.analysis import scaling
from attnlab.analysis.scaling import DRAWS, SIX, SIX_SIZE, SIZES
from attnlab.ui import (
    engine,
    explain,
    export,
    frame,
    mount_diagram,
    mount_strips,
    own,
    root_d,
    say,
)
from attnlab.ui.steps_selection import STEP_BY_STEP, StepByStep
from attnlab.viz.diagram import Diagram

_WORDS = {"random": "Random vectors", "six": "Six scores at d = 64"}


def draw(value: StepByStep) -> None:
    """One row of scores up close, and all of them against d."""
    frame.attempt(lambda: _show(_fitted(value)))


def _fitted(value: StepByStep) -> StepByStep:
    """The values with a d that the slider has."""
    d = scaling.nearest(value.d)
    if d == value.d:
        return value
    problem = f"The slider has no d = {value.d:,}; this is the nearest, {d:,}."
    say.problem(problem, "d")
    fits = own.correct(STEP_BY_STEP, problem, d=d)
    own.publish(STEP_BY_STEP, fits)
    return fits


def _show(value: StepByStep) -> None:
    drawn, six = engine.scores(), value.scores == "six"
    d = SIX_SIZE if six else value.d
    row = scaling.compared(SIX if six else drawn.sample.of(d, value.draw), d)
    with st.container(border=True, key="card-scaling"):
        _controls(value, six)
        mount_strips.strips(
            "scaling", sections=root_d.sections(row, d), label=f"Scores and weights at d = {d}"
        )
        say.remark(root_d.about_row(row), "scaling-row", help=explain.GRADIENT)
    with st.container(border=True, key="card-curves"):
        charts = root_d.charts(drawn.curves, d)
        _curves(charts, root_d.about_curves(drawn.curves, d))
        with st.container(horizontal=True, gap="medium", key="actions-scaling"):
            export.menu("save-scaling", export.scaling(drawn.curves, row, d, _what(value), charts))


def _controls(value: StepByStep, six: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="title-scaling"):
        st.markdown("**Why divide by √d?**", width="stretch", help=explain.SCALING)
        st.segmented_control(
            "Which scores",
            list(_WORDS),
            key=own.seeded(STEP_BY_STEP, "scores"),
            required=True,
            format_func=_WORDS.get,
            label_visibility="collapsed",
        )
    if six:
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="slide-scaling"):
        st.select_slider(
            "d: how many numbers q and k have",
            SIZES,
            key=own.seeded(STEP_BY_STEP, "d"),
            format_func=lambda size: f"{size:,}",
        )
        st.button(
            "Draw again",
            key="draw-again",
            on_click=_draw_again,
            args=(value.draw,),
            width="content",
        )


def _draw_again(draw: int) -> None:
    own.choose(STEP_BY_STEP, draw=(draw + 1) % DRAWS)


def _curves(charts: Sequence[Diagram], said: Sequence[str]) -> None:
    """The three charts beside each other, each with what it says at the chosen d."""
    with st.container(key="curves"):
        columns = st.columns(len(charts), gap="medium")
        for number, (place, chart, words) in enumerate(zip(columns, charts, said, strict=True)):
            with place:
                mount_diagram.diagram(f"curve-{number}", chart)
                say.remark(words, f"curve-{number}", help=explain.GRADIENT if number else None)


def _what(value: StepByStep) -> dict[str, str | int]:
    """Which row of scores is shown, for a file."""
    return {"of": value.scores} | ({"draw": value.draw} if value.scores == "random" else {})
