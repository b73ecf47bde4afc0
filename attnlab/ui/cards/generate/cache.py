"""The key/value cache as it grows, in bytes."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from attnlab.ui import engine, export, mount_diagram, say
from attnlab.ui.cards.architecture.heads import size
from attnlab.ui.export import generate as saved
from attnlab.ui.generate_runs import Shown
from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import several
from attnlab.viz.memory import Held, memory

_ABOUT: Final = (
    "What was read once is not read again: each layer keeps the key and the value of every token, "
    "and a new token adds its own. That is why a step costs one token, and what the memory of a "
    "long text is full of."
)
_STEPS: Final = (32, 64, 128, 256, 512, 1024, 2048, 4096)


def draw(reader: engine.Reader, runs: list[Shown]) -> None:
    """The cache of the first run, and of the other its size."""
    first = runs[0]
    with st.container(border=True, key="card-cache"):
        st.markdown("**The cache**", help=_ABOUT)
        if not first.written.bytes:
            say.remark("How this model keeps what it has read cannot be seen here.", "cache")
            return
        with st.container(key="answer-cache"):
            st.text(size(first.written.bytes))
        drawn = picture(reader, first)
        mount_diagram.diagram("cache", drawn)
        words = said(runs)
        say.remark(words, "cache")
        with st.container(horizontal=True, key="actions-cache"):
            export.menu("save-cache", saved.cache(reader, first, drawn, words))


def picture(reader: engine.Reader, run: Shown) -> Diagram:
    """A row for each layer; the axis has room for the next power of two of tokens."""
    kept = run.written.kept
    rows = [Held(_name(one, kept), one.key_bytes, one.value_bytes, _told(one)) for one in kept]
    fullest = max(kept, key=lambda one: one.key_bytes + one.value_bytes)
    each = (fullest.key_bytes + fullest.value_bytes) // max(fullest.positions, 1)
    room = next((count for count in _STEPS if count >= fullest.positions), fullest.positions)
    label = f"The cache holds {size(run.written.bytes)} after {len(run.written.tokens)} tokens."
    return memory(rows, max(each * room, 1), write=size, label=label)


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


def said(runs: list[Shown]) -> str:
    """What one more token adds."""
    first = runs[0]
    own = [one for one in first.written.kept if one.role != "cross" and one.positions]
    each = sum((one.key_bytes + one.value_bytes) // one.positions for one in own)
    parts = [f"{several(len(first.written.tokens), 'token')}; one more adds {size(each)}."]
    source = sum(one.bytes for one in first.written.kept if one.role == "cross")
    if source:
        parts.append(f"The source takes {size(source)}, however much is written.")
    for run in runs[1:]:
        parts.append(f"{run.track.whose} keeps {size(run.written.bytes)}.")
    return " ".join(parts)
