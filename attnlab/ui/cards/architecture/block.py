"""The block: its diagram, where the parameters are, and one full pass."""

import streamlit as st

from attnlab.ui import architecture_view, explain, say
from attnlab.ui.cards.architecture.keep import keep
from attnlab.ui.cards.architecture.subject import Subject, which_block
from attnlab.ui.mount_diagram import diagram
from attnlab.viz import blocks, passes, shares
from attnlab.viz.figures import several


def draw(of: Subject) -> None:
    """Three pictures of one block."""
    with st.container(key="cards"):
        left, right = st.columns(2, gap="small")
    with left:
        _block(of)
    with right:
        _shares(of)
        _pass(of)


def _block(of: Subject) -> None:
    view = architecture_view.block_view(of.anatomy)
    notes = architecture_view.remarks(of.anatomy, of.title)
    with st.container(border=True, key="card-block"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-block"):
            st.markdown("**One block**", width="content", help=explain.BLOCK)
            with st.container(width="stretch"):
                say.pill(of.title, "block")
            which_block(of)
        drawn = blocks.block(view)
        diagram("block", drawn)
        say.remark(" ".join(notes), "block")
        rows = [[kind, count] for kind, count in of.anatomy.block.items()]
        shapes = {stage: list(shape) for stage, shape in of.anatomy.shapes.items()}
        keep(
            *("block", "block", f"One block of {of.title}", drawn, of.source),
            what="Parameters of one block by class, and shapes by stage.",
            columns=("part", "parameters"),
            rows=rows,
            notes=notes,
            body={"shapes": shapes},
        )


def _shares(of: Subject) -> None:
    bars = architecture_view.share_bars(of.anatomy)
    said = architecture_view.share_sentence(of.anatomy)
    other = architecture_view.other_sentence(of.anatomy.other)
    with st.container(border=True, key="card-shares"):
        st.markdown("**Where the parameters are**", help=explain.PARAMETERS)
        drawn = shares.shares(bars, f"Where the parameters of {of.title} are. {said}")
        diagram("shares", drawn)
        for key, sentence in (("shares", said), ("other", other)):
            if sentence:
                say.remark(sentence, key)
        rows = [[title, name, count] for title, parts in bars for name, _, count in parts]
        title = f"Where the parameters of {of.title} are"
        keep(
            *("shares", "parameters", title, drawn, of.source),
            what="Parameters by class; one that several modules share counts once.",
            columns=("of", "class", "parameters"),
            rows=rows,
            notes=(said, other),
        )


def _pass(of: Subject) -> None:
    steps = architecture_view.steps_of(of.anatomy)
    count = of.anatomy.blocks
    with st.container(border=True, key="card-pass"):
        st.markdown("**One full pass**", help=explain.ONE_PASS)
        drawn = passes.one_pass(steps, f"× {count}", _said(of))
        diagram("pass", drawn)
        rows = [[step.name, step.shape, step.figure] for step in steps]
        keep(
            *("pass", "pass", f"One full pass through {of.title}", drawn, of.source),
            what="Every step with its shape; the parameters of a step that has its own.",
            columns=("step", "shape", "parameters"),
            rows=rows,
            notes=(f"The block runs {several(count, 'time')}.",),
        )


def _said(of: Subject) -> str:
    return f"One pass of {several(of.anatomy.tokens, 'token')} through {of.title}, step by step."
