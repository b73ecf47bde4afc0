"""Which mask: its kind, and the sizes that this kind has."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from attnlab.analysis.masking import KINDS
from attnlab.ui import masks_view, own, say
from attnlab.ui.cards.number import number
from attnlab.ui.masks_selection import MASKS, MOST_SIZE, Masks

_SIZES: Final = {
    "window": ("window",),
    "sinks": ("window", "sinks"),
    "strided": ("window",),
    "global": ("window",),
    "prefix": ("prefix",),
    "document": ("documents",),
}
_SIZE_TITLES: Final = {
    "window": "Window, itself counted in",
    "sinks": "First words kept",
    "prefix": "Words of the prefix",
    "documents": "Texts",
}


def draw(value: Masks, words: Sequence[str]) -> None:
    """The choice; ``words`` are those of the text, among which some may be seen by all."""
    with st.container(horizontal=True, key="which-mask"):
        st.pills(
            "Mask",
            KINDS,
            key=own.seeded(MASKS, "kind"),
            required=True,
            format_func=masks_view.TITLES.get,
            label_visibility="collapsed",
        )
    say.remark(masks_view.ABOUT[value.kind], "kind")
    if value.kind == "global":
        _there(len(words))
    with st.container(horizontal=True, vertical_alignment="center", key="sizes", gap="medium"):
        for field in _SIZES.get(value.kind, ()):
            title = "Stride" if value.kind == "strided" else _SIZE_TITLES[field]
            least = 0 if field in ("sinks", "prefix") else 1
            number(MASKS, field, title, least, MOST_SIZE, width=105)
        if value.kind == "global":
            _globals(words)


def _there(count: int) -> None:
    """Of the words seen by all those that the text has."""
    held = tuple(at for at in own.current(MASKS).globals if at < count)
    lost = [f"{at:,}" for at in own.current(MASKS).globals if at not in held]
    if lost:
        why = f"no word numbered {lost[0]}" if len(lost) == 1 else f"no words {', '.join(lost)}"
        say.problem(f"This text has {why}, so nothing is seen by all there.", "globals")
        own.publish(MASKS, own.correct(MASKS, globals=held))


def _globals(words: Sequence[str]) -> None:
    st.multiselect(
        "Words that see, and are seen by, all",
        range(len(words)),
        key=own.seeded(MASKS, "globals"),
        format_func=lambda at: words[at],
        placeholder="Words seen by all",
        label_visibility="collapsed",
        select_all=False,
        width=300,
    )
