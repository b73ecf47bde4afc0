"""The three cards of the Heads page: all heads, the chosen head, and what it does.

Each draws a scene; what is clicked ends up in the selection, by a callback.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import streamlit as st

from attnlab.analysis.effects import random_heads
from attnlab.errors import AttnLabError, Cancelled
from attnlab.ui import engine, explain, export, mount, say, scene, state
from attnlab.ui.scene import Scene
from attnlab.ui.selection import ABLATIONS, MODES, SIDES, VIEWS
from attnlab.viz.align import pairs

_WORDS: Final = {"B-A": "B − A", "zero": "set to zero", "mean": "set to its mean"}
_RANDOM_HEADS: Final = 20
_COMPARE: Final = "_compare_with_random_heads"


def grid_card(of: Scene) -> None:
    """Every head on one canvas."""
    with st.container(border=True, key="card-grid", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", key="head-grid"):
            st.markdown("**All heads**", width="content", help=explain.heads(of.reader.causal))
            with st.container(key="about-grid", width="stretch"):
                st.text(scene.about_grid(of))
            _grid_controls(of)
        if of.obstacle and of.selection.view == "B-A":
            say.problem(f"{of.obstacle} This is B.", "difference")
        with st.container(
            horizontal=True, vertical_alignment="center", key="guide-grid", gap="medium"
        ):
            st.markdown(explain.CHOOSE, width="content")
            _way_on(of)
        mount.grid(
            "grid",
            a=of.a.maps,
            b=None if of.b is None else of.b.maps,
            tokens_a=of.a.tokens,
            tokens_b=None if of.b is None else of.b.tokens,
            view=of.view,
            drop_first=of.selection.drop_first,
            causal=of.reader.causal,
            layers=of.reader.layers,
            selected=(of.reader.layers.index(of.selection.layer), of.selection.head),
            on_change=partial(_head_chosen, of.reader.layers),
        )


def head_card(of: Scene, a: np.ndarray, b: np.ndarray | None) -> None:
    """The chosen head on each sentence: [Q, S] weights."""
    row_a, row_b = scene.pinned_rows(of)
    with st.container(border=True, key="card-head", height="stretch"):
        with st.container(horizontal=True, vertical_alignment="center", key="head-head"):
            st.markdown(
                f"**Layer {of.selection.layer} · Head {of.selection.head}**",
                width="content",
                help=explain.HEAD,
            )
            with st.container(key="about-head", width="stretch"):
                change = scene.largest_change(of, a, b)
                if change is not None:
                    say.pill(change, "head")
            _choice("Drawn as", MODES[:2], "mode")
        mount.head(
            "head",
            a=a,
            b=b,
            tokens_a=of.a.tokens,
            tokens_b=None if of.b is None else of.b.tokens,
            mode=of.selection.mode,
            row_a=row_a,
            row_b=row_b,
            causal=of.reader.causal,
            label=f"Layer {of.selection.layer} · Head {of.selection.head}",
            on_change=_word_pinned,
        )
        export.button(
            f"head-L{of.selection.layer}H{of.selection.head}",
            partial(export.head_numbers, of, a, b),
        )


def effect_card(of: Scene) -> None:
    """What the prediction becomes without the head."""
    predicts = of.reader.lab.head_kind != "none"
    with st.container(border=True, key="card-effect", height="stretch"):
        with st.container(horizontal=True, vertical_alignment="center", key="head-effect"):
            st.markdown("**What if it were gone?**", width="stretch", help=explain.ABLATION)
            if of.b is not None:
                matching = pairs(of.a.tokens, of.b.tokens)
                _choice(
                    "Sentence to predict from",
                    SIDES,
                    "side",
                    on_change=_side_changed,
                    args=(matching,),
                )
        _choice(
            "What this head hands on is",
            ABLATIONS,
            "ablation",
            label_visibility="visible",
            help=explain.REPLACED,
        )
        try:
            _effect(of) if predicts else _moved(of)
        except Cancelled:
            raise
        except AttnLabError as error:
            say.problem(str(error), "effect")


def _grid_controls(of: Scene) -> None:
    st.toggle(
        "Leave out the first token",
        key=state.seeded("drop_first"),
        help=explain.FIRST_TOKEN,
    )
    if of.b is None:
        return
    if of.view == of.selection.view:
        _choice("Sentence", VIEWS, "view")
    else:
        # The switch says what is shown; B − A stays what was wished, for texts that allow it.
        st.segmented_control(
            "Sentence",
            SIDES,
            key="view_possible",
            default=of.view,
            required=True,
            label_visibility="collapsed",
            on_change=_view_chosen,
        )


def _view_chosen() -> None:
    state.choose(view=st.session_state["view_possible"])


def _way_on(of: Scene) -> None:
    """A way to the head worth opening: after new sentences the chosen one may show nothing."""
    way = scene.way_on(of)
    if way is None:
        return
    why, layer, head = way
    st.button(
        f"Go to the head that {why}: L{layer} H{head}",
        key="way-on",
        type="tertiary",
        on_click=state.choose,
        kwargs={"layer": layer, "head": head},
    )


def _choice(label: str, options: Sequence[str], field: str, **more: Any) -> None:
    """One of a few words, which edits `field` of the selection."""
    st.segmented_control(
        label,
        options,
        key=state.seeded(field),
        required=True,
        format_func=lambda option: _WORDS.get(option, option),
        **{"label_visibility": "collapsed", **more},
    )


def _effect(of: Scene) -> None:
    chosen, position = of.selection, scene.effect_position(of)
    found = engine.effect(
        of.reader, of.text(of.side), chosen.ablation, chosen.layer, chosen.head, position
    )
    anywhere = chosen.position is None and of.reader.lab.head_kind != "seq2seq"
    hint = " Click a word of the head to predict there instead." if anywhere else ""
    say.remark(f"{scene.prediction(of)} {scene.size(found.kl)}{hint}", "effect")
    # Figures only: nothing typed by anyone reaches this Markdown.
    st.markdown(f"**KL {found.kl:.4f}** nats", help=explain.KL)
    mount.bars("bars", rows=found.rows, label="Most likely words with and without the head")
    _compared(of, found.kl)
    if not _comparable(of):
        st.caption(
            f"Comparing with random heads takes {_RANDOM_HEADS} more predictions, so it is offered "
            f"up to {engine.WHOLE_TOKENS} tokens."
        )
    with st.container(horizontal=True, gap="medium", key="effect-actions"):
        if not st.session_state.get(_COMPARE) and _comparable(of):
            st.button(
                f"Compare with {_RANDOM_HEADS} random heads",
                key="compare",
                type="tertiary",
                on_click=st.session_state.update,
                args=({_COMPARE: True},),
            )
        export.button(
            f"effect-L{chosen.layer}H{chosen.head}", partial(export.effect_numbers, of, found)
        )
        if chosen.position is not None:
            st.button(
                "Back to the last word",
                type="tertiary",
                on_click=state.choose,
                kwargs={"position": None},
            )


def _moved(of: Scene) -> None:
    """An encoder without a language-model head: how far its output moves."""
    chosen = of.selection
    found = engine.moved(of.reader, of.text(of.side), chosen.ablation, chosen.layer, chosen.head)
    say.remark(
        "This model gives each text a vector and predicts no word, so there is no prediction to "
        f"compare. {scene.movement(of, found)}",
        "effect",
    )
    st.markdown(f"**Cosine distance {found.mean:.4f}**", help=explain.COSINE)


def _comparable(of: Scene) -> bool:
    """Whether twenty more runs of this text are a matter of seconds."""
    return len(of.reading(of.side).tokens) <= engine.WHOLE_TOKENS


def _compared(of: Scene, kl: float) -> None:
    """The effect beside that of random heads, once someone in this session has asked for it."""
    if not st.session_state.get(_COMPARE) or not _comparable(of):
        return
    line, others = st.empty(), []
    chosen, position = of.selection, scene.effect_position(of)
    for layer, head in random_heads(of.reader.lab, _RANDOM_HEADS, role=of.reader.role):
        line.caption(f"Ablating random heads: {len(others)} of {_RANDOM_HEADS}")
        effect = engine.effect(of.reader, of.text(of.side), chosen.ablation, layer, head, position)
        others.append(effect.kl)
    with line:
        say.remark(scene.beside_others(kl, others), "compared")


def _head_chosen(layers: tuple[int, ...]) -> None:
    chosen = mount.grid_value("grid")
    if chosen is not None:
        state.choose(layer=layers[min(chosen[0], len(layers) - 1)], head=chosen[1])


def _word_pinned() -> None:
    pin = mount.head_value("head")
    if pin is not None:
        state.choose(side=pin["side"], position=int(pin["position"]))


def _side_changed(matching: list[tuple[int, int]]) -> None:
    """The clicked token becomes the one that corresponds to it in the other sentence."""
    chosen = state.chosen_now()
    if chosen.position is not None:
        state.choose(position=scene.corresponding(matching, chosen.position, chosen.side))
