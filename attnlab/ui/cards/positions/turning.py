"""RoPE: pairs of coordinates that turn with the position."""

from typing import Final

import numpy as np
import streamlit as st

from attnlab.ui import say
from attnlab.ui.cards.positions import parts
from attnlab.ui.engine import positions as engine
from attnlab.ui.export import architecture as files
from attnlab.ui.positions_selection import BASES, KEY_SIZES, PLACES, Positions
from attnlab.viz import clocks
from attnlab.viz.figures import minus, tiny

_SHIFTS: Final = (0, 100, 10_000)
_PAIRS: Final = (
    "A head's query and key are taken apart into pairs of numbers. Each pair is turned like the "
    "hand of a clock, by its position times its own speed. A product of two hands depends on the "
    "angle between them only: the shaded one. Su et al. 2021, section 3.2."
)
_FANS: Final = (
    "The same pair of numbers, as it is turned at positions 0 to 8. The fastest pair tells "
    "neighbours apart, the slowest tells far from near."
)
_SOURCE: Final = files.computed("rotary positions", "Su et al. 2021, section 3.2")


def draw(value: Positions) -> None:
    """The pairs at two positions, and one pair at many."""
    with st.container(key="cards"):
        left, right = st.columns(2, gap="small")
    with left, st.container(border=True, key="card-pairs"):
        st.markdown("**A query and a key, turned**", help=_PAIRS)
        with st.container(horizontal=True, key="slide-pairs"):
            parts.whole("Position of the query", 0, PLACES - 1, "query")
            parts.whole("Position of the key", 0, PLACES - 1, "key")
        _pairs(value)
    with right, st.container(border=True, key="card-fans"):
        st.markdown("**Each pair at its own speed**", help=_FANS)
        with st.container(horizontal=True, key="slide-fans"):
            parts.few("Numbers in a head", KEY_SIZES, "size")
            parts.few("Base", BASES, "base", "{:,}".format)
        _fans(value)


def _pairs(value: Positions) -> None:
    pairs = value.size // 2
    hands = [engine.angles(value.size, value.base, at) for at in (value.key, value.query)]
    names = (f"key at {value.key}", f"query at {value.query}")
    label = f"{pairs} pairs turned, {names[0]} and {names[1]}."
    drawn = clocks.clocks(*hands, names, across=parts.across(pairs), label=label)
    parts.picture("pairs", drawn)
    scores, spread = engine.moved_scores(value.size, value.base, value.query, value.key, _SHIFTS)
    moved = ", ".join(
        f"{parts.signed(score)} at {value.query + by:,} and {value.key + by:,}"
        for score, by in zip(scores, _SHIFTS, strict=True)
    )
    said = (
        f"Only {value.query} − {value.key} = {minus(str(value.query - value.key))} counts: one "
        f"pair of random vectors scores {moved}. Largest difference {tiny(spread)}."
    )
    say.remark(said, "pairs")
    degrees = np.degrees(hands)
    parts.keep(
        "rope-pairs",
        f"Rotary pairs, {names[0]} and {names[1]}",
        drawn,
        _SOURCE,
        what="Angle of each pair at the two positions, in degrees, not reduced.",
        columns=("pair", "key", "query"),
        rows=[[i, float(a), float(b)] for i, (a, b) in enumerate(degrees.T)],
        notes=(said,),
    )


def _fans(value: Positions) -> None:
    speeds = engine.speeds(value.size, value.base)
    chosen = dict.fromkeys((0, len(speeds) // 4, len(speeds) - 1))
    shown = [(_name(at, len(speeds)), float(speeds[at])) for at in chosen]
    drawn = clocks.fans(
        shown, range(9), label=f"One vector at positions 0 to 8, pairs {list(chosen)}."
    )
    parts.picture("fans", drawn)
    rounds = 2 * np.pi / speeds
    said = (
        f"Pair 0 is round in {rounds[0]:.1f} tokens, the last in {rounds[-1]:,.0f}. A larger base "
        "makes the slow ones slower."
    )
    say.remark(said, "fans")
    parts.keep(
        "rope-speeds",
        f"Speed of each rotary pair, D = {value.size}, base {value.base:,}",
        drawn,
        _SOURCE,
        what="Radians a token, and tokens for a whole turn, of each pair.",
        columns=("pair", "radians_a_token", "tokens_a_turn"),
        rows=[[i, float(s), float(r)] for i, (s, r) in enumerate(zip(speeds, rounds, strict=True))],
        notes=(said,),
    )


def _name(at: int, count: int) -> str:
    if at == 0:
        return "fastest, pair 0"
    return f"slowest, pair {at}" if at == count - 1 else f"pair {at}"
