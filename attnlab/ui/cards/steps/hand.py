"""By hand: a worked example, one step at a time, with every number open to change."""

from typing import Any, Final

import streamlit as st

from attnlab.attention.steps import LARGEST, work
from attnlab.ui import export, mount_steps, own, say, steps_presets, steps_scene, widget
from attnlab.ui.cards.parts import action
from attnlab.ui.cards.steps import lookup
from attnlab.ui.export import steps as saved
from attnlab.ui.steps_presets import Preset
from attnlab.ui.steps_selection import HEADS, STEP_BY_STEP, VALUES, Example, StepByStep, example_of
from attnlab.viz.steps import Figures

_KEY: Final = "by-hand"
_ANEW: Final = {"cells": (), "cell": None, "heads": None, "causal": None, "scaled": None}
"""What another example starts with: its own."""


def draw(value: StepByStep) -> None:
    """The example, and below it one query's lookup and a row that sees nothing."""
    example = example_of(value)
    steps = work(example.worked)
    with st.container(border=True, key="card-by-hand"):
        _choices(example)
        say.remark(example.preset.about, "preset")
        figures = steps_scene.figures(example, steps)
        mount_steps.steps(
            _KEY,
            figures,
            scope=(example.preset.name, example.worked.heads, example.worked.size("w_v")),
            step=value.step,
            cell=value.cell,
            cells=example.cells,
            reasons=steps_scene.reasons(steps),
            sentences=steps_scene.sentences(example.worked),
            products=steps_scene.products(example.worked),
            limit=LARGEST,
            label=f"Attention step by step: {example.preset.title}",
            on_change=_changed,
        )
        _below(value, figures, example)
    lookup.draw(value, figures, example, steps)


def _choices(example: Example) -> None:
    """Which example, and what is switched on in it."""
    with st.container(horizontal=True, vertical_alignment="center", key="title-by-hand"):
        _which(example.preset)
        _switches(example)


def _which(preset: Preset) -> None:
    titles = {one.family: one.title for one in steps_presets.families()}
    _one_of("Example", list(titles), preset.family, "family", _family, titles.get)
    variants = {one.name: one.variant for one in steps_presets.variants(preset.family)}
    if len(variants) > 1:
        _one_of("Which one", list(variants), preset.name, "preset", _preset, variants.get)


def _switches(example: Example) -> None:
    worked = example.worked
    with st.container(
        horizontal=True, vertical_alignment="center", key="switches", gap="medium", width="content"
    ):
        _one_of("Heads", list(HEADS), worked.heads, "heads", _heads, _heads_called)
        for field, label, about in (("causal", "Mask", _MASK), ("scaled", "Scaling", _SCALING)):
            key = widget.mirrored(f"by-hand-{field}", getattr(worked, field))
            st.toggle(label, key=key, on_change=_switched, args=(field, key), help=about)
        columns = worked.size("w_v")[1]
        key = widget.mirrored("by-hand-columns", columns)
        st.selectbox(
            "Columns of W_V",
            sorted({columns, *(size for size in VALUES if size % worked.heads == 0)}),
            key=key,
            on_change=_columns,
            args=(key,),
            format_func=lambda size: f"W_V: {size} column{'s' if size > 1 else ''}",
            label_visibility="collapsed",
            width=160,
        )


_MASK: Final = "On: no word may look at a word that comes after it, as in a GPT."
_SCALING: Final = "On: scores are divided by the square root of how long a key is."


def _one_of(label: str, options: list[Any], shown: Any, key: str, act: Any, words: Any) -> None:
    """A choice that says what is shown, and calls ``act`` with what was chosen instead."""
    key = widget.mirrored(f"by-hand-{key}", shown)
    st.segmented_control(
        label,
        options,
        key=key,
        required=True,
        format_func=words,
        on_change=lambda: act(st.session_state[key]),
        label_visibility="collapsed",
    )


def _heads_called(heads: int) -> str:
    return "One head" if heads == 1 else "Two heads"


def _family(family: str) -> None:
    _preset(steps_presets.variants(family)[0].name)


def _preset(name: str) -> None:
    """Another example as it opens; of the same family, with the switches as they are."""
    now = own.chosen_now(STEP_BY_STEP)
    same = steps_presets.preset(name).family == steps_presets.preset(now.preset).family
    anew = {"cells": ()} if same else {**_ANEW, "values": None, "query": None}
    own.choose(STEP_BY_STEP, preset=name, lesson="", **anew)


def _heads(heads: int) -> None:
    own.choose(STEP_BY_STEP, heads=heads, cell=None, lesson="")
    _keep_what_fits()


def _switched(field: str, key: str) -> None:
    own.choose(STEP_BY_STEP, lesson="", **{field: st.session_state[key]})


def _columns(key: str) -> None:
    own.choose(STEP_BY_STEP, values=st.session_state[key], cell=None, lesson="")
    _keep_what_fits()


def _keep_what_fits() -> None:
    """Edits of columns that are gone are gone with them."""
    now = own.chosen_now(STEP_BY_STEP)
    own.choose(STEP_BY_STEP, cells=example_of(now).cells)


def _changed() -> None:
    """A step, a cell or an edit of the browser."""
    done = mount_steps.steps_value(_KEY)
    if done is not None:
        own.choose(STEP_BY_STEP, **done)


def _below(value: StepByStep, figures: Figures, example: Example) -> None:
    """What it costs, a way back, and files."""
    say.remark(steps_scene.cost(example.worked), "cost")
    with st.container(horizontal=True, gap="medium", key="actions-by-hand"):
        if not _as_it_opens(example):
            action("Back to the example's own numbers", "reset", _reset)
        export.menu("save-by-hand", saved.example(value, figures, example))


def _as_it_opens(example: Example) -> bool:
    return example.worked == example.preset.example


def _reset() -> None:
    own.choose(STEP_BY_STEP, **_ANEW, values=None, lesson="")
