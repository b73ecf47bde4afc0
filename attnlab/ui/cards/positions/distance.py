"""Distance: a rotary score depends on how far apart two tokens are, and what scaling does to it."""

from typing import Final

import streamlit as st

from attnlab.ui import say
from attnlab.ui.cards.positions import parts
from attnlab.ui.engine import positions as engine
from attnlab.ui.export import architecture as files
from attnlab.ui.positions_selection import (
    BASES,
    FACTORS,
    KEY_SIZES,
    SCALINGS,
    TRAINED,
    VECTORS,
    Positions,
)
from attnlab.viz.figures import tiny
from attnlab.viz.lines import Line, lines
from attnlab.viz.turns import turns

_STARTS: Final = (0, 100, 10_000)
_LENGTH: Final = 128
_STYLES: Final = (("ink", False, 5.0), ("gold", False, 3.0), ("a", True, 1.6))
_VECTORS: Final = {"alike": "q equals k", "ones": "all ones", "apart": "two random vectors"}
SCALED: Final = {
    "none": "None",
    "interpolated": "Interpolation",
    "ntk": "NTK-aware",
    "yarn": "YaRN",
}
_SAME: Final = (
    "The score of one query with one key, both turned by their positions, divided by √D. The key "
    "stands at three places far apart. Each curve is the same: (R(m) q)·(R(n) k) = q·R(n − m) k."
)
_STRETCH: Final = (
    "Past the training length the slow pairs show angles that no training example had. A scaling "
    "slows the turning. Interpolation slows every pair alike (Chen et al. 2023); NTK-aware takes a "
    "larger base, so that the fast pairs hardly change; YaRN leaves fast pairs, interpolates slow "
    "ones, and lengthens all by a factor (Peng et al. 2023)."
)
_TURNS: Final = (
    "How far each pair turns. Grey: within the training length. A pair that has been all the way "
    "round has shown every angle; one that has not meets new angles in a longer text: violet."
)
_SOURCE: Final = files.computed("rotary positions", "Su et al. 2021, section 3.2")


def draw(value: Positions) -> None:
    """Curves at several places; scaled curves; turns of each pair."""
    with st.container(border=True, key="card-same"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-same"):
            st.markdown("**Only the distance counts**", width="stretch", help=_SAME)
            parts.words("Which vectors", VECTORS, "vectors", _VECTORS.get)
        with st.container(key="cards-same"):
            left, right = st.columns([3, 2], gap="medium")
        with right:
            parts.few("Numbers in a head", KEY_SIZES, "long")
            parts.few("Base", BASES, "base", "{:,}".format)
            slot = st.container()
        with left:
            said = _same(value)
        with slot:
            say.remark(said, "same")
    with st.container(border=True, key="card-scaled"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-scaled"):
            st.markdown("**Reading further than it was trained**", width="stretch", help=_STRETCH)
            parts.words("Which scaling", SCALINGS, "scaling", SCALED.get)
        with st.container(horizontal=True, key="slide-scaled"):
            parts.few("Trained on", TRAINED, "trained", "{:,} tokens".format)
            parts.few("Factor", FACTORS, "factor", _farther)
        with st.container(key="cards"):
            left, right = st.columns(2, gap="medium")
        with left:
            _scaled(value)
        with right:
            _turns(value)


def _same(value: Positions) -> str:
    """The curves; returns how far apart they are, in a sentence."""
    scores, exact, rough = engine.distances(value.vectors, value.long, value.base, _STARTS, _LENGTH)
    shown = [
        Line(f"key at {start:,}", row, kind, dashed, thick=thick)
        for start, row, (kind, dashed, thick) in zip(_STARTS, scores, _STYLES, strict=True)
    ]
    x = list(range(_LENGTH + 1))
    drawn = lines("", x, shown, x_name="tokens between them", high=300)
    parts.picture("same", drawn)
    said = (
        f"Three curves, one on the other: the largest difference is {tiny(exact)} in double "
        f"precision, {tiny(rough)} in single, where large angles lose digits."
    )
    parts.keep(
        "rope-distance",
        "A rotary score against distance, at several places",
        drawn,
        _SOURCE,
        what="q·k/√D of one query and one key, both turned.",
        columns=("distance", *(f"key_at_{start}" for start in _STARTS)),
        rows=[[d, *row] for d, row in enumerate(zip(*scores, strict=True))],
        notes=(said,),
    )
    return said


def _scaled(value: Positions) -> None:
    options = (value.vectors, value.long, value.base)
    length = value.trained * max(value.factor, 2)
    plain = engine.scaled(*options, "none", 1, value.trained, length)
    other = engine.scaled(*options, value.scaling, value.factor, value.trained, length)
    count = len(plain)
    step = max(1, count // 512)
    x = list(range(0, count, step))
    shown = [Line("as trained", plain[::step], "ink", thick=1.6)]
    changed = value.scaling != "none" and value.factor > 1
    if changed:
        shown.append(Line(SCALED[value.scaling], other[::step], "edit", thick=2.2))
    drawn = lines(
        "The score against distance",
        x,
        shown,
        x_name="tokens between them",
        marks=[(value.trained, "trained")],
        high=300,
    )
    parts.picture("scaled", drawn)
    say.remark(_scaled_said(value, changed), "scaled")
    parts.keep(
        "rope-scaled",
        "A rotary score against distance, as trained and scaled",
        drawn,
        _SOURCE,
        what="q·k/√D of one query and one key, both turned.",
        columns=("distance", "as_trained", value.scaling),
        rows=[[d, *row] for d, row in enumerate(zip(plain, other, strict=True))],
    )


def _scaled_said(value: Positions, changed: bool) -> str:
    if not changed:
        return "Choose a scaling to see the curve stretched."
    if value.scaling == "interpolated":
        return (
            f"The curve of {value.trained:,} tokens is stretched over "
            f"{value.trained * value.factor:,}: nothing new, but neighbours blur."
        )
    if value.scaling == "yarn":
        return (
            "Every score grows by one factor. But for that the beginning keeps its shape, so "
            "neighbours stay apart; the rest is stretched."
        )
    return "The beginning hardly changes, so neighbours stay apart; the rest is stretched."


def _turns(value: Positions) -> None:
    length = value.trained * max(value.factor, 1)
    then, now, new = engine.turned(
        value.long, value.base, value.scaling, value.factor, value.trained, length
    )
    plain = engine.turned(value.long, value.base, "none", 1, value.trained, length)[2]
    drawn = turns(
        "How far each pair turns",
        then,
        now,
        new,
        names=(f"within {value.trained:,}", f"within {length:,}"),
    )
    parts.picture("turns", drawn)
    said = (
        f"In a text of {length:,} tokens {_pairs(sum(new))} of {len(new)} reach angles never "
        "trained on"
    )
    more = "" if value.scaling == "none" else f"; without the scaling {sum(plain)}"
    say.remark(f"{said}{more}.", "turns")
    parts.keep(
        "rope-turns",
        "Turns of each rotary pair",
        drawn,
        _SOURCE,
        what="Full turns within the training length, and within the longer text with the scaling.",
        columns=("pair", "turns_trained", "turns_then", "new_angles"),
        rows=[[i, a, b, int(c)] for i, (a, b, c) in enumerate(zip(then, now, new, strict=True))],
        notes=(f"{said}{more}.",),
    )


def _farther(factor: int) -> str:
    return "as far" if factor == 1 else f"{factor} times as far"


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count} pairs"
