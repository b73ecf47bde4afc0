"""What several cards share: a choice of a few words, the head of a card, a choice of texts."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import streamlit as st

from attnlab.ui import engine, scene, state, widget
from attnlab.ui.scene import Scene
from attnlab.ui.selection import SIDES, Head
from attnlab.viz.align import pairs

_WORDS: Final = {
    "B-A": "B − A",
    "zero": "set to zero",
    "mean": "set to its mean",
    "difference": "B − A",
    "head": "One head",
    "compare": "Compare",
    "find": "Find a head",
    "circuits": "CircuitsVis",
}


def group(name: str) -> Any:
    """A label that stays beside its control where a row is broken."""
    return st.container(
        horizontal=True,
        vertical_alignment="center",
        width="content",
        gap="small",
        key=f"group-{name}",
    )


def choice(label: str, options: Sequence[str], field: str, **more: Any) -> None:
    """One of a few words, which edits `field` of the selection."""
    st.segmented_control(
        label,
        options,
        key=state.seeded(field),
        required=True,
        format_func=lambda option: _WORDS.get(option, option),
        **{"label_visibility": "collapsed", **more},
    )


def corrected_choice(
    label: str, options: Sequence[str], shown: str, key: str, field: str, **more: Any
) -> None:
    """A choice that says what is shown, where the wish for another option cannot be met now.

    The wish stays in the selection until another option is chosen.
    """
    key = widget.mirrored(key, shown)
    st.segmented_control(
        label,
        options,
        key=key,
        required=True,
        format_func=lambda option: _WORDS.get(option, option),
        on_change=_chosen,
        args=(key, field),
        **{"label_visibility": "collapsed", **more},
    )


def _chosen(key: str, field: str) -> None:
    state.choose(**{field: st.session_state[key]})


def role_choice(reader: engine.Reader) -> None:
    """Whose attention; another role looks from other words, so what was clicked is let go."""
    key = f"role-{reader.role}"
    st.segmented_control(
        "Whose attention",
        reader.roles,
        key=key,
        default=reader.role,
        required=True,
        label_visibility="collapsed",
        on_change=_role_chosen,
        args=(key,),
    )


def _role_chosen(key: str) -> None:
    state.choose(role=st.session_state[key], position=None, key=None)


def side_choice(of: Scene, label: str, key: str = "") -> None:
    """A or B; the clicked token becomes the one that corresponds to it in the other text."""
    if of.b is None:
        return
    there = (pairs(of.a.tokens, of.b.tokens), pairs(of.a.sources, of.b.sources))
    if key:
        # Two switches for one field: each says what the field says.
        key = widget.mirrored(key, of.side)
        st.segmented_control(
            label,
            SIDES,
            key=key,
            required=True,
            label_visibility="collapsed",
            on_change=_other_side,
            args=(key, *there),
        )
    else:
        choice(label, SIDES, "side", on_change=_side_changed, args=there)


def _other_side(
    key: str, tokens: Sequence[tuple[int, int]], sources: Sequence[tuple[int, int]]
) -> None:
    state.choose(side=st.session_state[key])
    _side_changed(tokens, sources)


def _side_changed(tokens: Sequence[tuple[int, int]], sources: Sequence[tuple[int, int]]) -> None:
    now = state.chosen_now()
    if now.position is None:
        return
    position = scene.corresponding(tokens, now.position, now.side)
    key = None if now.key is None else scene.corresponding(sources, now.key, now.side)
    state.choose(position=position, key=None if position is None else key)


def open_head(head: Head | None) -> None:
    """Shows one head up close."""
    if head is not None:
        state.choose(layer=head[0], head=head[1], panel="head")


def action(label: str, key: str, call: Callable[..., None], **more: Any) -> None:
    """A quiet button of a card, drawn as underlined words."""
    st.button(label, key=key, type="tertiary", on_click=call, **more)
