"""Which heads look from one word to another: in A, in B, and where that changes most."""

from dataclasses import dataclass

import streamlit as st

from attnlab.ui import engine, explain, export, mount, phrases, say, scene, state
from attnlab.ui.cards.parts import open_head
from attnlab.ui.scene import Scene
from attnlab.ui.selection import Head, Side
from attnlab.viz.align import pairs

_COUNT = 8
_MARKED = 3
_IN = {"A": "in A", "B": "in B", "B-A": "by B − A"}

Column = tuple[str, str, list[tuple[int, int, float]]]


@dataclass(frozen=True)
class Found:
    """The heads that look from `query` to `key` of text `side`, best first in each column."""

    side: Side
    query: int
    key: int
    columns: list[Column]

    def marks(self, view: str) -> dict[Head, int]:
        """The first places, from 1, of the column that belongs to a view of the grid."""
        wanted = {"A": "a", "B": "b", "B-A": "d"}[view]
        column = next((c for c in self.columns if c[1] == wanted), self.columns[0])
        return {row[:2]: place for place, row in enumerate(column[2][:_MARKED], start=1)}


def search(of: Scene) -> Found:
    """Every head's weight from the clicked query to the clicked key, on each text."""
    head = of.selection.chosen
    side, query, key = scene.chosen_pair(of, of.weights("A", head), of.weights("B", head))
    weights = {}
    for other in ("A", "B") if of.b is not None else ("A",):
        place = _place(of, side, query, key, other)
        if place is not None:
            weights[other] = engine.pair(of.reader, of.passage(other), of.reading(other), *place)
    columns = [
        (f"in {name}", name.lower(), engine.ranked(of.reader, w, _COUNT))
        for name, w in weights.items()
    ]
    if len(weights) == 2:
        columns.append(
            ("B − A", "d", engine.ranked(of.reader, weights["B"] - weights["A"], _COUNT))
        )
    return Found(side, query, key, columns)


def draw(of: Scene, found: Found) -> None:
    """The text to click in, and the heads."""
    with st.container(horizontal=True, vertical_alignment="center", key="title-find"):
        st.markdown("**Which head looks from here to there?**", help=explain.FIND)
    mount.pick(
        "pick",
        tokens_a=of.a.tokens,
        tokens_b=None if of.b is None else of.b.tokens,
        side=found.side,
        query=found.query,
        key_position=found.key,
        causal=of.reader.causal,
        label="Click the word that looks, then the word looked at",
        on_change=_picked,
        **of.sources,
    )
    numbered = f"Numbers on the grid are the first places {_IN[of.view]}."
    say.remark(f"{_sentence(of, found)} {numbered}", "found")
    mount.ranks(
        "ranks",
        columns=found.columns,
        selected=of.selection.chosen,
        label=f"Heads by their weight {phrases.pair(of, found.side, found.query, found.key)}",
        on_change=_chosen,
    )
    export.menu("save-find", export.find(of, found.side, found.query, found.key, found.columns))


def _sentence(of: Scene, found: Found) -> str:
    """What is compared with what."""
    asked = phrases.pair(of, found.side, found.query, found.key)
    if of.b is None:
        return f"Heads by their weight {asked}."
    other: Side = "A" if found.side == "B" else "B"
    place = _place(of, found.side, found.query, found.key, other)
    if place is None:
        return f"Heads by their weight {asked} in {found.side}; {other} has no such pair."
    there = phrases.pair(of, other, *place)
    if there == asked:
        return f"Heads by their weight {asked}."
    return f"Heads by their weight {asked} in {found.side}, and {there} in {other}."


def _place(of: Scene, side: Side, query: int, key: int, to: Side) -> tuple[int, int] | None:
    """The same query and key in text `to`, or None where one of them has no counterpart."""
    if to == side:
        return query, key
    there = scene.corresponding(pairs(of.a.tokens, of.b.tokens), query, to)
    looked_at = scene.corresponding(pairs(of.a.sources, of.b.sources), key, to)
    return None if there is None or looked_at is None else (there, looked_at)


def _picked() -> None:
    pair = mount.pick_value("pick")
    if pair is not None:
        state.choose(side=pair["side"], position=pair["query"], key=pair["key"])


def _chosen() -> None:
    head = mount.ranks_value("ranks")
    if head is not None:
        open_head((head["layer"], head["head"]))
