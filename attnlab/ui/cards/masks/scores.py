"""How many scores a mask computes at any length."""

from typing import Final

import streamlit as st

from attnlab.analysis import masking
from attnlab.analysis.masking import MOST_TOKENS
from attnlab.ui import export, masks_view, say
from attnlab.ui.cards.number import number
from attnlab.ui.export import architecture as files
from attnlab.ui.masks_selection import MASKS, Masks
from attnlab.ui.mount_diagram import diagram
from attnlab.viz import curves
from attnlab.viz.curves import Curve
from attnlab.viz.diagram import Diagram

LENGTHS: Final = tuple(2**power for power in range(7, 21))  # 128 to 1,048,576
_SCORES: Final = (
    "A score is the product of one query and one key. Every score that is not hidden must be "
    "computed, in every head of every layer; counted here exactly, without building the mask."
)
_WINDOWED: Final = ("window", "sinks", "strided", "global")


def draw(value: Masks) -> None:
    """The count at a typed length, and along all lengths."""
    st.markdown("**Scores at any length**", help=_SCORES)
    with st.container(horizontal=True, vertical_alignment="center", key="far", gap="medium"):
        number(MASKS, "far", "Tokens", 1, MOST_TOKENS, width=140)
        if value.kind in _WINDOWED:
            title = "Stride" if value.kind == "strided" else "Window"
            number(MASKS, "far_window", title, 1, MOST_TOKENS, width=130)
    pattern = value.far_pattern
    count, full = pattern.count(value.far), masking.full_count(value.far)
    with st.container(key="answer-far"):
        st.text(f"{count:,} of {full:,}")
    painted = " Painted cells are left out here." if value.cells else ""
    say.remark(_compared(value.kind, count, full) + painted, "far")
    drawn = _chart(value)
    diagram("scores", drawn)
    with st.container(horizontal=True, key="actions-scores"):
        kept = files.picture(
            "attnlab-scores",
            "Scores that must be computed",
            drawn,
            files.computed(f"the mask: {pattern}"),
            what="Scores of one head in one layer.",
            columns=("tokens", "mask", "full_causal"),
            rows=[[n, pattern.count(n), masking.full_count(n)] for n in _lengths(value)],
        )
        export.menu("save-scores", kept)


def _compared(kind: str, count: int, full: int) -> str:
    name = masks_view.TITLES[kind]
    if count == full:
        return f"{name}: all of them."
    if count > full:
        if count < 1.01 * full:
            return f"{name}: {count - full:,} more than full causal attention."
        return f"{name}: {count / full:.3g} times as many as full causal attention."
    return (
        f"{name}: {masks_view.percent(count / full)} of full causal attention, one in "
        f"{full / count:,.3g}."
    )


def _lengths(value: Masks) -> list[int]:
    return sorted({*LENGTHS, value.far})


def _chart(value: Masks) -> Diagram:
    lengths = _lengths(value)
    lines = [Curve("full causal", [masking.full_count(n) for n in lengths], "ink", True)]
    if value.kind != "causal":
        counts = [value.far_pattern.count(n) for n in lengths]
        lines.append(Curve(masks_view.TITLES[value.kind].lower(), counts, "attention"))
    return curves.curves(
        "Scores against the length of the text",
        lengths,
        lines,
        x_name="tokens",
        write=short,
        at=value.far,
        high=250,
        wide=470,
    )


def short(count: float) -> str:
    """A count in few characters: 131,072, 8.6 bn."""
    for size, name in ((1e12, "tn"), (1e9, "bn"), (1e6, "M")):
        if count >= size:
            return f"{count / size:,.3g} {name}"
    return f"{count:,.0f}"
