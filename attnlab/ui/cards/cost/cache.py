"""The cache: how large it grows, when it outweighs the model, and what it saves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from attnlab.ui import cost_cache, engine, explain, fit, models, own, say
from attnlab.ui.cards.architecture.heads import size
from attnlab.ui.cards.cost import cache_long, parts, token_time
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
        token_time.draw(value, reader, writes)
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
    """Whose cache, how large it is at each length, and beside the model's weights."""
    _whose(value)
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
    _figures(here, value.length)


def _whose(value: Cost) -> None:
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


def _figures(here: Kept, length: int) -> None:
    """What the chosen one keeps at the chosen length."""
    kept = size(here.cache(length))
    figures = [
        (f"a token, {here.title}", size(here.each)),
        (f"at {length:,} tokens", kept),
        ("the model's weights", size(here.weights)),
        ("tokens from which the cache is heavier", f"{here.crossing:,}"),
    ]
    parts.figures("cache", figures)
    say.remark(cost_cache.sentence(here, length, kept), "cache")


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
