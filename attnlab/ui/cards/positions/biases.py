"""Biases on the scores: ALiBi's slopes, and T5's buckets."""

from math import isfinite
from typing import Final

import streamlit as st

from attnlab.ui import own, say
from attnlab.ui.cards.positions import parts
from attnlab.ui.cards.positions.subject import model_with
from attnlab.ui.engine import positions as engine
from attnlab.ui.export import architecture as files
from attnlab.ui.positions_selection import BUCKETS, FARTHEST, HEADS, POSITIONS, Positions
from attnlab.ui.selection import Selection
from attnlab.viz.figures import several
from attnlab.viz.lines import Line, lines
from attnlab.viz.spans import spans

_LENGTH: Final = 64
_MOST_NAMED: Final = 12
_ALIBI: Final = (
    "score − slope · distance. With H heads the slopes are 2^(−8/H), 2^(−16/H), …: the first head "
    "forgets within a few tokens, the last hardly at all. Press et al. 2022, section 3."
)
_EVEN: Final = (
    "What a softmax makes of the bias alone, where all keys would score the same: how a head "
    "shares out its attention by distance before anything is said."
)
_BUCKETS: Final = (
    "Half of the buckets hold one distance each. The others widen with the logarithm of the "
    "distance; everything from the farthest on shares the last. Raffel et al. 2020, section 2.1."
)
_OWN: Final = (
    "What each head of the model adds to a score at each distance, as it was learned: to the left "
    "keys before the query, to the right keys after it."
)
_COLOURS: Final = ("attention", "brown", "gold", "pink", "feed", "ink")


def slopes(value: Positions) -> None:
    """ALiBi's biases, and what they do to even scores."""
    found, bias, weights, reach = engine.alibi(value.heads, _LENGTH + 1)
    with st.container(key="cards"):
        left, right = st.columns(2, gap="small")
    with left, st.container(border=True, key="card-slopes"):
        st.markdown("**What is added to a score**", help=_ALIBI)
        parts.few("Heads", HEADS, "heads")
        _biases(found, bias.tolist())
    with right, st.container(border=True, key="card-even"):
        st.markdown("**How far each head looks**", help=_EVEN)
        _even(found, weights.tolist(), reach)


def _biases(found: list[float], bias: list[list[float]]) -> None:
    drawn = lines("", list(range(_LENGTH + 1)), _every(bias), x_name="tokens back")
    parts.picture("slopes", drawn)
    listed = ", ".join(f"{slope:.3g}" for slope in found)
    whose = f"Slopes of the {len(found)} heads" if len(found) > 1 else "The slope of the only head"
    said = f"{whose}: {listed}."
    say.remark(said, "slopes")
    parts.keep(
        "alibi",
        f"ALiBi with {several(len(found), 'head')}",
        drawn,
        files.computed("ALiBi", "Press et al. 2022, section 3"),
        what="What is added to a score at each distance.",
        columns=("head", "slope", "distance", "bias"),
        rows=[[h, found[h], d, b] for h, row in enumerate(bias) for d, b in enumerate(row)],
        notes=(said,),
    )


def _even(found: list[float], weights: list[list[float]], reach: list[tuple[int, int]]) -> None:
    names = tuple(f"{share:.0%} of its weight" for share in engine.SHARES)
    rows = [
        (f"head {at} · {slope:.3g}", *span)
        for at, (slope, span) in enumerate(zip(found, reach, strict=True))
    ]
    drawn = spans(rows, _LENGTH + 1, names=names, x_name="tokens back, the query’s own first")
    parts.picture("even", drawn)
    said = (
        f"All {_LENGTH + 1} keys score the same here. Half of head 0’s weight then lies on the "
        f"last {_tokens(reach[0][0])}"
    )
    if len(found) > 1:
        said += f", half of head {len(found) - 1}’s on the last {_tokens(reach[-1][0])}"
    say.remark(f"{said}.", "even")
    parts.keep(
        "alibi-even",
        f"Even scores under ALiBi, {several(len(found), 'head')}",
        drawn,
        files.computed("ALiBi", "Press et al. 2022, section 3"),
        what="Weight at each distance where every key scores the same.",
        columns=("head", "distance", "weight"),
        rows=[[h, d, w] for h, row in enumerate(weights) for d, w in enumerate(row)],
        notes=(f"{said}.",),
    )


def _tokens(count: int) -> str:
    return "token" if count == 1 else f"{count} tokens"


def _every(rows: list[list[float]]) -> list[Line]:
    """A line a head; of many only the first and the last are named."""
    few = len(rows) <= _MOST_NAMED
    return [
        Line(
            f"head {at}",
            row,
            _COLOURS[at % len(_COLOURS)],
            dashed=at // len(_COLOURS) % 2 == 1,
            named=few or at in (0, len(rows) - 1),
            thick=1.8,
        )
        for at, row in enumerate(rows)
    ]


def buckets(selection: Selection, value: Positions) -> None:
    """Which bucket a distance falls into, and what a model learned for each."""
    with st.container(key="cards"):
        left, right = st.columns(2, gap="small")
    with left, st.container(border=True, key="card-buckets"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-buckets"):
            st.markdown("**A bucket for each distance**", width="stretch", help=_BUCKETS)
            st.toggle("Both ways", key=own.seeded(POSITIONS, "both"))
        with st.container(horizontal=True, key="slide-buckets"):
            parts.few("Buckets", BUCKETS, "buckets")
            parts.few("Farthest", FARTHEST, "farthest")
        _buckets(value)
    with right, st.container(border=True, key="card-bias"):
        _own(selection)


def _buckets(value: Positions) -> None:
    ahead, found = engine.buckets_of(value.buckets, value.farthest, value.both, value.farthest + 32)
    drawn = lines(
        "bucket",
        ahead,
        [Line("bucket", found, "attention", named=False, stepped=True)],
        x_name="tokens ahead of the query" if value.both else "tokens ahead (the past)",
        write="{:.0f}".format,
    )
    parts.picture("buckets", drawn)
    last = next(-a for a, one in reversed(list(zip(ahead, found, strict=True))) if one == found[0])
    alone = sum(found.count(one) == 1 for one in set(found))
    said = (
        f"{alone} of {value.buckets} buckets hold a single distance; from {last} tokens back on "
        "all distances share one."
    )
    say.remark(said, "buckets")
    parts.keep(
        "buckets",
        f"{value.buckets} buckets up to a distance of {value.farthest}",
        drawn,
        files.computed("relative buckets", "Raffel et al. 2020, section 2.1"),
        what="The bucket of each distance; negative is the past.",
        columns=("ahead", "bucket"),
        rows=[list(one) for one in zip(ahead, found, strict=True)],
        notes=(said,),
    )


def _own(selection: Selection) -> None:
    """The loaded model's own biases, or those of the dates model, which is a T5."""
    reader, found, lacks = model_with(
        selection, "dates", lambda reader: engine.learned_bias(reader, 40)
    )
    with st.container(horizontal=True, vertical_alignment="center", key="title-bias"):
        st.markdown("**What a model adds**", width="content", help=_OWN)
        say.pill(reader.title, "bias-model")
    if found is None:
        say.remark("No model with such a bias can be opened here.", "bias-none")
        return
    length = (found.shape[1] - 1) // 2
    ahead = list(range(-length, length + 1))
    rows = [[value if isfinite(value) else None for value in row] for row in found.tolist()]
    drawn = lines("", ahead, _every(rows), x_name="tokens ahead of the query")
    parts.picture("bias", drawn)
    if lacks:
        say.remark(lacks, "bias-lacks")
    parts.keep(
        "bias",
        f"What {reader.title} adds to a score",
        drawn,
        files.of_model(reader, None),
        what="What each head adds to a scaled score at each distance; negative is the past.",
        columns=("head", "ahead", "bias"),
        rows=[
            [h, a, b]
            for h, row in enumerate(rows)
            for a, b in zip(ahead, row, strict=True)
            if b is not None
        ],
    )
