"""Five schemes: models that differ in nothing else, far beyond the length they were trained on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import streamlit as st

from attnlab.ui import own, say
from attnlab.ui.cards.positions import five_heads, parts
from attnlab.ui.cards.positions.five_heads import NAMES, SOURCE, STYLES
from attnlab.ui.engine import schemes as engine
from attnlab.ui.engine.schemes import SCHEMES, SEEDS, TRAINED, Curve
from attnlab.ui.link import LINK_CHARACTERS
from attnlab.ui.positions_selection import LONGEST, POSITIONS, TEXTS, Positions
from attnlab.viz.diagram import Diagram
from attnlab.viz.lines import Line, lines

_RESCUES: Final = {"interpolated": "interpolation", "ntk": "NTK-aware", "yarn": "YaRN"}
_RESCUE_STYLES: Final = {
    "interpolated": ("pink", False),
    "ntk": ("gold", False),
    "yarn": ("edit", False),
}
_TEXTS: Final = {"ruth": "Ruth", "esther": "Esther", "own": "Your text"}
_CURVES: Final = (
    "Five decoders of ours, trained on the same text in the same order with the same seed and, "
    "where shapes agree, the same first weights. Only where order enters differs. Each line is the "
    f"mean of {SEEDS} seeds, the band is from the best to the worst of them. Windows of the text "
    "are read one by one; the loss at a position is the mean over them, in nats a token."
)
_RESCUE: Final = (
    "The same trained RoPE models, their turning slowed down for this length; nothing is trained "
    "again."
)


def draw(value: Positions) -> None:
    """The curves, the rescue of RoPE, and heads side by side."""
    with st.container(horizontal=True, vertical_alignment="center", key="which-model"):
        parts.words("Which text", TEXTS, "text", _TEXTS.get)
        st.select_slider(
            "How far",
            LONGEST,
            key=own.seeded(POSITIONS, "times"),
            format_func=lambda times: f"to {times * TRAINED:,} tokens",
            label_visibility="collapsed",
            width=260,
        )
    if value.text == "own":
        st.text_area(
            "Your text",
            key=own.seeded(POSITIONS, "pasted"),
            height=128,
            on_change=own.keep_first,
            args=(POSITIONS, "pasted", engine.READ),
            placeholder="A few pages of English; the models know the King James Bible only",
            label_visibility="collapsed",
        )
        if len(value.pasted) > LINK_CHARACTERS:
            say.remark("This text is too long for a link, which will ask for it anew.", "no-link")
    text, length = engine.text_of(value.text, value.pasted), value.times * TRAINED
    with st.container(key="cards"):
        left, right = st.columns(2, gap="small")
    with left, st.container(border=True, key="card-family"):
        st.markdown("**Loss by position**", help=_CURVES)
        rope = _curves(value, text, length)
    with right, st.container(border=True, key="card-rescue"):
        st.markdown("**RoPE, slowed down**", help=_RESCUE)
        _rescue(value, text, length, rope)
    five_heads.draw(value)


def _curves(value: Positions, text: str, length: int) -> Curve:
    """A line for each scheme, drawn anew as each is read."""
    slot, shown = st.empty(), []
    for scheme in SCHEMES:
        fresh = not engine.known(scheme, text, length)
        one = engine.curve(scheme, text, length)
        shown.append((NAMES[scheme], one, STYLES[scheme]))
        if fresh and scheme != SCHEMES[-1]:
            with slot.container(gap=None):
                parts.picture(f"family-of-{len(shown)}", _picture(shown, length))
    found = [one for _, one, _ in shown]
    drawn = _picture(shown, length)
    with slot.container(gap=None):
        parts.picture("family", drawn)
    for at, sentence in enumerate(_said(found, length)):
        say.remark(sentence, f"family-{at}")
    parts.keep(
        "five-schemes",
        "Loss by position under five schemes",
        drawn,
        SOURCE,
        what="Mean loss of the next token at each position, in nats, of every scheme and seed.",
        columns=("scheme", "seed", "position", "nats"),
        rows=_rows(found),
        notes=(_read_from(value), *_said(found, length)),
    )
    return next(one for one in found if one.scheme == "rope")


def _read_from(value: Positions) -> str:
    """Which text the curves are of, for a file that is looked at alone."""
    if value.text == "own":
        return f"Read: a text of one’s own that begins “{' '.join(value.pasted[:80].split())}”."
    return f"Read: {_TEXTS[value.text]}, King James Version, which no model was trained on."


def _rows(found: Sequence[Curve]) -> list[list[Any]]:
    return [
        [one.scheme, seed, at, float(value)]
        for one in found
        for seed, values in enumerate(one.seeds)
        for at, value in enumerate(values)
    ]


def _picture(found: Sequence[tuple[str, Curve, tuple[str, bool]]], length: int) -> Diagram:
    """Curves on a logarithmic axis of positions; what stopped early has a gap."""
    at = engine.pieces(length)
    middle = [max(1.0, (a + b - 1) / 2 + 1) for a, b in pairwise(at)]
    shown = [
        Line(
            name,
            engine.binned(one.mean, at),
            *style,
            low=engine.binned(one.least, at),
            high=engine.binned(one.most, at),
        )
        for name, one, style in found
    ]
    return lines(
        "nats a token",
        middle,
        shown,
        x_name="tokens read before",
        write="{:.2f}".format,
        marks=[(TRAINED, "trained")] if length > TRAINED else (),
        log_x=True,
        high=330,
    )


def _said(found: Sequence[Curve], length: int) -> list[str]:
    """What is seen, computed: inside the training length, and in the last eighth."""
    inside = {one.scheme: engine.within(one.mean, TRAINED // 2, TRAINED - 1) for one in found}
    best = min(inside, key=lambda name: inside[name])
    worst = max(inside, key=lambda name: inside[name])
    said = [
        f"Within {TRAINED} tokens {NAMES[best]} is best ({inside[best]:.2f} nats), "
        f"{NAMES[worst]} worst ({inside[worst]:.2f})."
    ]
    if length > TRAINED:
        beyond = {
            one.scheme: engine.within(one.mean, length - length // 8 - 1, length - 1)
            for one in found
        }
        listed = ", ".join(
            f"{NAMES[name]} {value:.2f}"
            for name, value in sorted(beyond.items(), key=lambda item: item[1] or 0)
            if value is not None
        )
        said.append(f"At the end of {length:,} tokens: {listed}.")
        said += [
            f"The learned table stops at {one.stopped} tokens: it has no vector for the next one."
            for one in found
            if one.stopped
        ]
    said.append(
        f"{found[0].windows} windows of the first {engine.READ:,} characters, {SEEDS} seeds; "
        "bands from the best to the worst."
    )
    return said


def _rescue(value: Positions, text: str, length: int, rope: Curve) -> None:
    factor = value.times
    if factor == 1:
        say.remark("Choose a longer text: within the training length nothing needs help.", "rescue")
        return
    from attnlab.trace import Positions as Edit

    found = [("as trained", rope, STYLES["rope"])]
    for scheme, name in _RESCUES.items():
        options = {"original": TRAINED} if scheme == "yarn" else {}
        edit = Edit(scheme, factor=float(factor), **options)
        one = engine.curve("rope", text, length, (edit,))
        found.append((name, one, _RESCUE_STYLES[scheme]))
    drawn = _picture(found, length)
    parts.picture("rescue", drawn)
    said = _rescue_said(found, length)
    for at, sentence in enumerate(said):
        say.remark(sentence, f"rescue-{at}")
    rows = [
        [name, seed, at, float(value)]
        for name, one, _ in found
        for seed, values in enumerate(one.seeds)
        for at, value in enumerate(values)
    ]
    parts.keep(
        "rope-rescued",
        f"RoPE at {factor} times its training length",
        drawn,
        SOURCE,
        what="Mean loss of the next token at each position, in nats, of every scaling and seed.",
        columns=("scaling", "seed", "position", "nats"),
        rows=rows,
        notes=(_read_from(value), *said),
    )


def _rescue_said(found: Sequence[tuple[str, Curve, Any]], length: int) -> list[str]:
    ends = {
        name: engine.within(one.mean, length - length // 8 - 1, length - 1)
        for name, one, _ in found
    }
    starts = {name: engine.within(one.mean, 0, TRAINED - 1) for name, one, _ in found}
    best = min(ends, key=lambda name: ends[name])
    plain = found[0][0]
    return [
        f"At the end of {length:,} tokens: "
        + ", ".join(f"{name} {value:.2f}" for name, value in ends.items())
        + f". {best[0].upper()}{best[1:]} is best.",
        f"The price within the first {TRAINED}: "
        + ", ".join(
            f"{name} {value - starts[plain]:+.2f}"
            for name, value in starts.items()
            if name != plain
        )
        + ".",
    ]
