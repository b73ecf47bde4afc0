"""The key/value cache as it grows, in bytes."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from attnlab.ui import engine, export, mount_diagram, say
from attnlab.ui.cards.architecture.heads import size
from attnlab.ui.export import generate as saved
from attnlab.ui.generate_runs import Shown, keep_said
from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import several
from attnlab.viz.memory import Held, memory
from attnlab.viz.svg.text import spoken

_ABOUT: Final = (
    "What was read once is not read again: each layer keeps the key and the value of every token, "
    "and a new token adds its own. That is why a step costs one token, and what the memory of a "
    "long text is full of."
)
_STEPS: Final = (32, 64, 128, 256, 512, 1024, 2048, 4096)
_WIDE, _BESIDE = 460.0, 280.0  # CSS pixels of one run alone, and of two side by side


def draw(reader: engine.Reader, runs: list[Shown]) -> None:
    """The cache of each run, on one scale."""
    with st.container(border=True, key="card-cache"):
        st.markdown("**The cache**", help=_ABOUT)
        if not all(run.written.bytes for run in runs):
            say.remark("How this model keeps what it has read cannot be seen here.", "cache")
            return
        with st.container(horizontal=True, key="caches", gap="small"):
            drawn = [_one(run, runs) for run in runs]
        source = source_said(runs[0])
        if source:
            say.remark(source, "cache-source")
        words = " ".join(filter(None, (*map(said, runs), source)))
        with st.container(horizontal=True, key="actions-cache"):
            export.menu("save-cache", saved.cache(reader, runs, beside(drawn), words))


def _one(run: Shown, runs: list[Shown]) -> Diagram:
    """One run: how much it keeps, of what, and what it has forgotten."""
    alone, key = len(runs) == 1, f"cache-{run.track.side}"
    with st.container(width="stretch" if alone else int(_BESIDE), key=f"part-{key}"):
        if not alone:
            say.pill(run.track.title, key)
        with st.container(key=f"answer-{key}"):
            st.text(size(run.written.bytes))
        drawn = picture(run, axis(runs), _WIDE if alone else _BESIDE)
        mount_diagram.diagram(key, drawn)
        say.remark(said(run, named=False), key)
    return drawn


def axis(runs: list[Shown]) -> int:
    """Bytes of a layer at the end of the axis: a cache that forgets has room for what it keeps,
    another one for the next power of two of tokens."""
    kept = [one for run in runs for one in run.written.kept]
    fullest = max(kept, key=lambda one: one.key_bytes + one.value_bytes)
    each = (fullest.key_bytes + fullest.value_bytes) // max(fullest.positions, 1)
    return max(each * max(map(_room, runs)), 1)


def _room(run: Shown) -> int:
    """Tokens."""
    most = max(one.positions for one in run.written.kept)
    if run.track.keep is not None:
        return max(most, run.track.keep.capacity)
    return next((count for count in _STEPS if count >= most), most)


def picture(run: Shown, most: int, wide: float) -> Diagram:
    """A row for each layer, on an axis that ends at ``most`` bytes."""
    kept = run.written.kept
    rows = [Held(_name(one, kept), one.key_bytes, one.value_bytes, _told(one)) for one in kept]
    label = f"The cache holds {size(run.written.bytes)} after {len(run.written.tokens)} tokens."
    return memory(rows, most, write=size, wide=wide, label=label)


def beside(drawn: list[Diagram]) -> Diagram:
    """The pictures of the runs as one."""
    sheet = Diagram(0, 0, " ".join(one.label for one in drawn))
    for one in drawn:
        sheet.place(sheet.width, 0, one)
        sheet.width, sheet.height = sheet.width + one.width, max(sheet.height, one.height)
    return sheet


def _name(one: Any, kept: tuple[Any, ...]) -> str:
    several_roles = len({other.role for other in kept}) > 1
    return (
        f"L{one.layer} {'source' if one.role == 'cross' else 'own'}"
        if several_roles
        else (f"L{one.layer}")
    )


def _told(one: Any) -> tuple[str, ...]:
    heads = several(one.kv_heads, "key/value head")
    told = (f"{several(one.positions, 'token')} × {heads}",)
    return (*told, f"other state {size(one.other_bytes)}") if one.other_bytes else told


def said(run: Shown, named: bool = True) -> str:
    """What one more token adds, or what was forgotten.

    Args:
        named: whether the run is, where there are two.
    """
    whose = f"{run.track.whose}: " if named and run.track.name else ""
    count, keep = len(run.written.tokens), run.track.keep
    if keep is None or count < keep.capacity:
        own = [one for one in run.written.kept if one.role != "cross" and one.positions]
        each = sum((one.key_bytes + one.value_bytes) // one.positions for one in own)
        left = "" if keep is None else f", until it holds {several(keep.capacity, 'token')}"
        return f"{whose}{several(count, 'token')}; one more adds {size(each)}{left}."
    gone = run.forgotten
    words = [f"“{spoken(run.written.tokens[at]).strip()}”" for at in gone]
    forgotten = ""
    if words:
        which = words[0] if len(words) == 1 else f"{words[0]} to {words[-1]}"
        forgotten = f" {several(len(words), 'token')} forgotten: {which}."
    kept = keep_said(keep)
    return f"{whose}{count:,} tokens, {kept} kept: one more pushes another out.{forgotten}"


def source_said(run: Shown) -> str:
    """What an encoder-decoder keeps of its source; "" for others."""
    source = sum(one.bytes for one in run.written.kept if one.role == "cross")
    return f"The source takes {size(source)}, however much is written." if source else ""
