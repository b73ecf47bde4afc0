"""A head opened at one pair, and the scores of random vectors, as files."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from attnlab.ui import engine
from attnlab.ui.export import said
from attnlab.ui.export.menu import Savable
from attnlab.ui.scene import Scene
from attnlab.ui.sections import Shown, sections
from attnlab.viz.heads import full
from attnlab.viz.numbers import Numbers
from attnlab.viz.standalone import Part
from attnlab.viz.standalone import html as page
from attnlab.viz.strips import strips_payload

_COLUMNS = ("stage", "position", "token", "dimension", "value")
_ROWS = ("scores", "scaled", "masked", "weights")


def opened(of: Scene, ours: engine.Reader, shown: Shown) -> Savable:
    """Every number of the panel; `ours` is the reader that computed them."""
    chosen = of.selection.chosen
    return Savable(
        f"attnlab-head-{said.name(chosen)}-opened",
        numbers=partial(_numbers, of, ours, shown),
        page=partial(_page, of, shown),
    )


def _vectors(shown: Shown) -> dict[str, tuple[int, np.ndarray]]:
    """The vectors of the chosen pair by stage, each with the position that it belongs to."""
    head, query, key = shown.head, shown.head.query, shown.key
    found = {
        "q_unrotated": (query, head.q_before),
        "k_unrotated": (key, None if head.k_before is None else head.k_before[key]),
        "q": (query, head.q),
        "k": (key, None if head.k is None else head.k[key]),
        "q_times_k": (key, None if head.q is None or head.k is None else head.products(key)),
        "v": (key, None if head.v is None else head.v[key]),
        "z": (query, head.z),
        "through_w_o": (query, head.added),
    }
    return {stage: (at, values) for stage, (at, values) in found.items() if values is not None}


def _table(shown: Shown, tokens: list[str], sources: list[str]) -> Iterable[list[Any]]:
    for stage, (at, values) in _vectors(shown).items():
        of_query = stage in ("q_unrotated", "q", "z", "through_w_o")
        word = (tokens if of_query else sources)[at]
        yield from ([stage, at, word, i, float(value)] for i, value in enumerate(values))
    for stage in _ROWS:
        row = getattr(shown.head, stage)
        for at, value in enumerate(() if row is None else row):
            yield [stage, at, sources[at], "", float(value)]


def _numbers(of: Scene, ours: engine.Reader, shown: Shown) -> Numbers:
    text, head = said.text(of, of.side), shown.head
    tokens = [token["text"] for token in text.tokens]
    sources = [token["text"] for token in text.keys]
    rows = {stage: getattr(head, stage) for stage in _ROWS if getattr(head, stage) is not None}
    body = {
        "head": list(of.selection.chosen),
        "key_value_head": head.kv_head,
        "query": head.query,
        "key": shown.key,
        "scale": head.site.scale,
        "rotation": None if head.turns is None else _rotation(shown),
        "vectors": {stage: values for stage, (_, values) in _vectors(shown).items()},
        "row": rows,
    }
    return Numbers(
        "One attention head at one query and key: vectors, scores and weights.",
        engine.provenance(ours),
        [text],
        _COLUMNS,
        _table(shown, tokens, sources),
        body,
        [f"From position {head.query} to position {shown.key} of {of.side}, counted from 0."],
    )


def _rotation(shown: Shown) -> dict[str, Any]:
    turns = shown.head.turns
    return {
        "pairs": [list(pair) for pair in turns.pairs],
        "radians_at_query": turns.angles[shown.head.query],
        "radians_at_key": turns.angles[shown.key],
        "factor": turns.factor,
    }


def _page(of: Scene, shown: Shown) -> str:
    title = f"{full(of.selection.chosen)}, step by step"
    payload = strips_payload(sections(shown), side=of.side, label=title, chosen=shown.key)
    caption = said.caption(of, title, [of.side])
    return page([Part("strips", payload)], title, caption.sentences, [caption.facts])
