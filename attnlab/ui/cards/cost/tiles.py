"""FlashAttention is not an approximation: one head tile by tile, and what that saves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import streamlit as st

from attnlab.analysis.in_tiles import InTiles
from attnlab.analysis.measured.ways import SHAPE
from attnlab.ui import engine, fit, models, mount_film, own, say, state
from attnlab.ui.cards import sentences
from attnlab.ui.cards.architecture.heads import size
from attnlab.ui.cards.cost import parts
from attnlab.ui.cards.parts import role_choice
from attnlab.ui.cost_selection import COST, TILED_UP_TO, TILES, Cost
from attnlab.ui.engine import Passage
from attnlab.ui.engine import cost as measuring
from attnlab.ui.engine.cost import Measured
from attnlab.ui.engine.in_tiles import in_tiles
from attnlab.ui.export import architecture as files
from attnlab.ui.mount_diagram import diagram
from attnlab.ui.phrases import title as full
from attnlab.ui.selection import Selection
from attnlab.viz import tile_film
from attnlab.viz.figures import several, tiny
from attnlab.viz.tile_film import Tile
from attnlab.viz.tokens import label

MOST: Final = 24
"""Words that are drawn."""
_ABOUT: Final = (
    "Softmax needs the highest score of a row and the sum over all of it, so it seems to need the "
    "whole row. But both can be kept up as scores come: where a higher score turns up, what was "
    "summed before is multiplied by exp(old − new highest), in pink. After the last tile the sum "
    "is that of the whole row. Dao et al. 2022, algorithm 1; Milakov & Gimelshein 2018."
)
_FRESH: Final = (
    f"One layer's attention over random numbers, {SHAPE.heads} heads of {SHAPE.size}, float32, "
    "causal; each in a process of its own that did nothing before."
)


def draw(selection: Selection, value: Cost) -> None:
    """The film of one head on sentence A, and the memory of both ways.

    Raises:
        AttnLabError: the model or the text does not fit; the message says why.
    """
    target = sentences.draw_one(selection)
    reader = models.open_model(selection)
    with st.sidebar:
        models.trust_line(reader)
    if reader.writes:
        target()
    selection = fit.fitted(selection, reader)
    with st.container(key="cards"):
        left, right = st.columns([1.75, 1], gap="small")
    with right:
        _memory(value)
    with left, st.container(border=True, key="card-tiles"):
        _head(selection, value, reader)


def _head(selection: Selection, value: Cost, reader: engine.Reader) -> None:
    _controls(selection, reader)
    passage = Passage(selection.a, selection.target_a)
    read = engine.tokens_only(reader, passage, "Sentence A")
    found = in_tiles(reader, passage, selection.chosen, value.tile, MOST)
    rows = [label(token) for token in read.tokens[: found.queries]]
    columns = [label(token) for token in read.sources[: found.keys]]
    shown = tile_film.tile_film([_tile(step) for step in found.steps], rows, columns)
    at = mount_film.film(
        "tiles",
        shown,
        what=(reader.key, reader.role, passage, selection.chosen, value.tile),
        frame=found.telling if value.at < 0 else value.at,
        on_change=_left,
    )
    if max(len(read.tokens), len(read.sources)) > MOST:
        say.remark(f"The first {MOST} tokens are shown, as if the text ended there.", "tiles-cut")
    said = _said(found)
    with st.container(key="told-tiles"):
        say.remark(said, "tiles")
    parts.keep(
        "tiles",
        f"{full(selection.chosen)} in tiles of {value.tile} × {value.tile}",
        shown.picture(at),
        files.of_model(reader, passage),
        what="After each tile, of each of its queries: highest score, sum of exp(score − highest).",
        columns=("tile", "first_key", "end_key", "query", "token", "highest", "sum", "shrunk_by"),
        rows=_rows(found, rows),
        notes=(said,),
    )


def _controls(selection: Selection, reader: engine.Reader) -> None:
    """Which head, in tiles of which size."""
    with st.container(horizontal=True, vertical_alignment="center", key="title-tiles"):
        st.markdown(f"**{full(selection.chosen)} in tiles**", width="stretch", help=_ABOUT)
        if len(reader.roles) > 1:
            role_choice(reader)
        _chooser("Layer", "layer", reader.layers)
        _chooser("Head", "head", range(reader.heads_in(selection.layer)))
        parts.slider("Tile", "tile", TILES, "tiles of {0} × {0}".format, 150)


def _tile(step: Any) -> Tile:
    return Tile(step.queries, step.keys, step.weights, step.highest, step.total, step.shrink)


def _left() -> None:
    at = mount_film.film_value("tiles")
    if at is not None:
        own.choose(COST, at=at)


def _said(found: InTiles) -> str:
    """What the tiles came to."""
    whole = found.queries * found.keys
    corrected = (
        f"{several(found.corrected, 'time')} a higher score turned up and a sum was corrected"
    )
    return (
        f"Never more than {found.most} of {whole:,} scores in memory, {found.computed:,} computed; "
        f"{corrected}. Largest difference from all at once: {tiny(found.difference)} in single "
        f"precision, {tiny(found.exact)} in double: rounding, nothing else."
    )


def _rows(found: InTiles, words: Sequence[str]) -> list[list[Any]]:
    finite = partial(_finite)
    return [
        [at, *step.keys, row, words[row], *map(finite, kept)]
        for at, step in enumerate(found.steps, start=1)
        for row, *kept in zip(
            range(*step.queries), step.highest, step.total, step.shrink, strict=True
        )
    ]


def _finite(value: float) -> float | None:
    return None if abs(value) == float("inf") else float(value)


def _chooser(name: str, field: str, numbers: Sequence[int]) -> None:
    st.selectbox(
        name,
        numbers,
        key=state.seeded(field),
        format_func=f"{name} {{}}".format,
        label_visibility="collapsed",
        width=112,
    )


def _memory(value: Cost) -> None:
    """Peak memory of both, each in a fresh process."""
    with st.container(border=True, key="card-memory"):
        st.markdown("**Memory, in fresh processes**", help=_FRESH)
        parts.slider("Tokens", "many", TILED_UP_TO, "{:,} tokens".format)
        if not value.compared:
            parts.start("compared", "Measure both", "A few seconds.")
            return
        jobs = (("naive", value.many), ("tiled", value.many))
        found = measuring.measured(jobs, "Measuring both", again=parts.again("memory"))
        if all(one.bytes for one in found):
            _taken(found, value.many)
        else:
            say.remark("This system does not say how much memory was taken.", "memory")


def _taken(found: Measured, tokens: int) -> None:
    """Both as bars, and how they compare."""
    naive, tiled = found
    said = (
        f"In tiles it takes 1/{naive.bytes / tiled.bytes:,.0f} of the memory. "
        f"All scores at once are {size(4 * SHAPE.heads * tokens**2)}; q, k, v and the "
        f"result are {size(16 * SHAPE.width * tokens)}."
    )
    both = [(size(one.bytes), one.bytes) for one in found]
    bars = tile_film.memory_bars(*both, label=f"Peak memory. {said}")
    diagram("memory", bars)
    say.remark(said, "memory")
    parts.keep(
        "tiles-memory",
        f"Peak memory of attention over {tokens:,} tokens",
        bars,
        parts.here(),
        what="Peak bytes of a fresh process, inputs and result included; seconds.",
        columns=("way", "tokens", "bytes", "seconds"),
        rows=[[one.way, one.n, one.bytes, one.seconds] for one in found],
        notes=(said,),
        measured="memory",
    )
