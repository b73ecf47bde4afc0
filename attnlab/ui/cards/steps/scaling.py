"""Why √d: scores of longer and longer vectors, and what becomes of the softmax over them."""

import streamlit as st

from attnlab.analysis import scaling
from attnlab.analysis.scaling import DRAWS, SIX, SIX_SIZE, SIZES, Compared
from attnlab.ui import engine, explain, export, frame, mount_strips, own, say
from attnlab.ui.steps_selection import STEP_BY_STEP, StepByStep
from attnlab.viz.strips import Strip, Strips

_WORDS = {"random": "Random vectors", "six": "Six scores at d = 64"}
_NAMES = ("divided by √d", "as they are")


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
            "scaling", sections=_sections(row, d), label=f"Scores and weights at d = {d}"
        )
        _row_figures(row)
    with st.container(border=True, key="card-curves"):
        _curves(drawn.curves, d)
        with st.container(horizontal=True, gap="medium", key="actions-scaling"):
            export.menu("save-scaling", export.scaling(drawn.curves, row, d, _what(value)))


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


def _sections(row: Compared, d: int) -> list[Strips]:
    scaled, raw = row.scores
    names = [f"key {number}" for number in range(len(raw))]
    soft, hard = row.weights
    return [
        Strips(
            "Scores",
            f"One query against {len(raw)} keys: q · k, and the same divided by √{d:,} = "
            f"{d**0.5:.4g}.",
            [
                Strip("q · k", raw, colour="edit", scale="scores"),
                Strip(f"q · k ÷ {d**0.5:.4g}", scaled, colour="ink", scale="scores"),
            ],
            names=names,
        ),
        Strips(
            "Softmax of them",
            "How the query’s attention is shared out: 1 in all.",
            [
                Strip(_NAMES[1], hard, colour="edit", scale="weights", upward=True),
                Strip(_NAMES[0], soft, colour="ink", scale="weights", upward=True),
            ],
            names=names,
        ),
    ]


def _row_figures(row: Compared) -> None:
    count = len(row.scores[0])
    say.remark(
        f"Entropy of this row: {row.entropy[0]:.3f} nats divided, {row.entropy[1]:.3f} as they "
        f"are; an even blend of {count} would have log {count} = {row.even:.3f}. "
        f"Size of its gradient: {row.gradient[0]:.3g} divided, {row.gradient[1]:.3g} as they are.",
        "scaling-row",
        help=explain.GRADIENT,
    )


def _curves(curves: scaling.Curves, d: int) -> None:
    pass


def _what(value: StepByStep) -> dict[str, str | int]:
    """Which row of scores is shown, for a file."""
    return {"of": value.scores} | ({"draw": value.draw} if value.scores == "random" else {})
