"""The cache: how large it grows, when it outweighs the model, and what it saves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from attnlab.analysis.measured import slopes
from attnlab.analysis.measured.tokens import TokenTime
from attnlab.analysis.passage import passage
from attnlab.ui import cost_cache, cost_view, engine, explain, fit, models, own, say
from attnlab.ui.cards.architecture.heads import size
from attnlab.ui.cards.cost import cache_long, parts
from attnlab.ui.cards.number import number
from attnlab.ui.cost_cache import COLOURS, Kept
from attnlab.ui.cost_selection import (
    BYTES,
    COST,
    LENGTHS,
    MODEL,
    MOST_HEADS,
    MOST_LAYERS,
    MOST_SIZE,
    OF,
    TYPED,
    Cost,
)
from attnlab.ui.engine import cost as measuring
from attnlab.ui.engine import longtext
from attnlab.ui.export import architecture as files
from attnlab.ui.mount_diagram import diagram
from attnlab.ui.selection import Selection
from attnlab.viz import curves
from attnlab.viz.curves import Curve

_TITLES: Final = {
    MODEL: "The loaded model",
    "llama-2-7b": "Llama 2 7B",
    "llama-3-8b": "Llama 3 8B",
    "starcoder": "StarCoder 15B",
    TYPED: "Typed sizes",
}
COUNTS: Final = (16, 32, 64, 128, 256, 512)
"""Tokens after which one more is timed."""
_TIMED: Final = (
    "Without a cache every new token means reading the whole text again; with one, only the newest "
    "token is read, and looks at what is kept. Both give the same logits. Processor time of one "
    "thread."
)
_SIZES: Final = (
    ("layers", "Layers", MOST_LAYERS),
    ("heads", "Query heads", MOST_HEADS),
    ("kv_heads", "Key/value heads", MOST_HEADS),
    ("size", "Head size", MOST_SIZE),
)


def draw(selection: Selection, value: Cost) -> None:
    """Size against length, the time of a token, and caches that drop tokens.

    Raises:
        AttnLabError: the model cannot be loaded, typed sizes make no model, or work was stopped.
    """
    reader = models.open_model(selection)
    with st.sidebar:
        models.trust_line(reader)
    selection = fit.fitted(selection, reader)
    loaded = _loaded(reader)
    with st.container(border=True, key="card-cache"):
        _sizes(value, reader, loaded)
    writes = loaded is not None and reader.lab.head_kind == "causal"
    with st.container(key="cards"):
        left, right = st.columns(2, gap="small")
    with left, st.container(border=True, key="card-timed"):
        _timed(value, reader, writes)
    with right, st.container(border=True, key="card-long"):
        cache_long.draw(selection, value, reader, loaded if writes else None)


def _loaded(reader: engine.Reader) -> Kept | None:
    role = "decoder" if "decoder" in reader.roles else reader.role
    reader = engine.with_role(reader, role)
    layers = engine.blocks(reader)
    if not layers:
        return None
    return cost_cache.of_model(reader.title, engine.anatomy(reader, None, layers[0]))


def _sizes(value: Cost, reader: engine.Reader, loaded: Kept | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="title-cache"):
        st.markdown("**Keys and values of every token**", width="stretch", help=explain.CACHE)
        parts.slider("Tokens", "length", LENGTHS, "{:,} tokens".format)
    st.segmented_control(
        "Whose",
        OF,
        key=own.seeded(COST, "of"),
        required=True,
        format_func=_TITLES.get,
        label_visibility="collapsed",
    )
    if value.of == TYPED:
        _typed()
    if loaded is None:
        say.remark(
            f"{reader.title} keeps no cache: it reads a text once and writes nothing.", "no-cache"
        )
    found = cost_cache.shown(value, loaded)
    here = next((one for one in found if one.name == value.of), found[0])
    with st.container(key="cards-cache"):
        left, right = st.columns(2, gap="medium")
    with left:
        _bytes(found, here, value.length)
    with right:
        _shares(found, here, value.length)
    kept = size(here.cache(value.length))
    figures = [
        (f"a token, {here.title}", size(here.each)),
        (f"at {value.length:,} tokens", kept),
        ("the model's weights", size(here.weights)),
        ("tokens from which the cache is heavier", f"{here.crossing:,}"),
    ]
    parts.figures("cache", figures)
    say.remark(cost_cache.sentence(here, value.length, kept), "cache")


def _typed() -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="sizes", gap="medium"):
        for field, title, most in _SIZES:
            number(COST, field, title, 1, most)
        parts.slider("Bytes", "number", BYTES, "{} bytes a number".format, 150)


def _lines(found: Sequence[Kept], here: Kept, values: dict[str, list[float]]) -> list[Curve]:
    """The chosen one last, over the others, and without dashes."""
    rest = [one for one in found if one is not here]
    return [
        Curve(one.title, values[one.name], COLOURS[one.name], one is not here)
        for one in (*rest, here)
    ]


def _bytes(found: Sequence[Kept], here: Kept, length: int) -> None:
    values = {one.name: [float(one.cache(n)) for n in LENGTHS] for one in found}
    options = {"x_name": "tokens", "write": size, "ticks": curves.binary, "at": length}
    drawn = curves.curves(
        "Bytes of cache", LENGTHS, _lines(found, here, values), **options, high=290, wide=540
    )
    diagram("cache-bytes", drawn)
    _keep("cache-bytes", "Bytes of cache against length", drawn, found)


def _shares(found: Sequence[Kept], here: Kept, length: int) -> None:
    lines = _lines(found, here, {one.name: one.shares() for one in found})
    lines.insert(0, Curve("as heavy as the model", [1.0] * len(LENGTHS), "mute", True))
    options = {"x_name": "tokens", "write": _times, "at": length, "high": 290, "wide": 540}
    drawn = curves.curves("Cache over weights", LENGTHS, lines, **options)
    diagram("cache-shares", drawn)
    _keep("cache-shares", "Cache over the model's weights, against length", drawn, found)


def _times(share: float) -> str:
    return f"× {share:,.0f}" if share >= 10 else f"× {share:,.2g}"


def _keep(key: str, title: str, drawn: object, found: Sequence[Kept]) -> None:
    rows = [
        [one.title, one.way, n, one.cache(n), one.weights, one.crossing]
        for one in found
        for n in LENGTHS
    ]
    parts.keep(
        key,
        title,
        drawn,
        files.computed("; ".join(f"{one.title}: {one.source}" for one in found)),
        what="Bytes of keys and values that are kept of a text, and of the model's weights.",
        columns=("model", "way", "tokens", "cache_bytes", "weights_bytes", "heavier_from"),
        rows=rows,
        notes=[f"{one.title}: {one.formula}" for one in found],
    )


def _timed(value: Cost, reader: engine.Reader, writes: bool) -> None:
    """Seconds of one more token, with the cache and without."""
    st.markdown("**One more token**", help=_TIMED)
    if not writes:
        say.remark(parts.no_decoder(reader), "timed-none")
        return
    if not value.timed:
        parts.start("timed", f"Time {reader.title}", "Some seconds, on this machine.")
        return
    counts = [n for n in COUNTS if reader.lab.longest is None or n + 8 <= reader.lab.longest]
    ids = longtext.ids_of(reader, passage(), counts[-1] + 8 if counts else 16)
    slot = st.empty()

    def show(found: tuple[TokenTime, ...]) -> None:
        if len(found) > 1:
            with slot.container(key=f"timing-{len(found)}"):
                _times_chart(reader, found, f"-{len(found)}")

    found = measuring.token_times(reader, ids, counts, again=parts.again("timed"), partly=show)
    with slot.container(key="all-timed"):
        _times_chart(reader, found, "")


def _times_chart(reader: engine.Reader, found: Sequence[TokenTime], when: str) -> None:
    counts = [one.n for one in found]
    lines = []
    for name, colour, field in (
        ("without a cache", "ink", "again"),
        ("with a cache", "attention", "cached"),
    ):
        values = [getattr(one, field) for one in found]
        power = slopes.fitted(counts, values)
        title = name if power is None else f"{name} {cost_view.raised(power)}"
        lines.append(Curve(title, values, colour, dots=True))
    options = {"x_name": "tokens before it", "write": cost_view.time, "high": 280, "wide": 540}
    ticks = {"ticks": cost_view.time_ticks}
    drawn = curves.curves("Time of one more token", counts, lines, **options, **ticks)
    diagram(f"timed{when}", drawn)
    if when:
        return
    last = found[-1]
    said = (
        f"After {last.n:,} tokens: {cost_view.time(last.again)} without, "
        f"{cost_view.time(last.cached)} with, {last.again / last.cached:,.0f} times faster."
    )
    with st.container(key="told-timed"):
        say.remark(said, "timed")
    with st.container(horizontal=True, key="again-timed-row"):
        parts.anew("timed")
    parts.keep(
        "token-time",
        f"Time of one more token of {reader.title}",
        drawn,
        files.of_model(reader, None),
        what="Processor seconds of one more token, one thread.",
        columns=("tokens_before", "without_cache_s", "with_cache_s"),
        rows=[[one.n, one.again, one.cached] for one in found],
        notes=(said,),
    )
