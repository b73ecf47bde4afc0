"""Whose key/value cache is drawn, how large it is, and where it outweighs the weights.

Nothing is drawn or run here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from attnlab.analysis import published, sizes
from attnlab.analysis.anatomy import Anatomy
from attnlab.analysis.published import PUBLISHED
from attnlab.analysis.sizes import Preset
from attnlab.ui.cost_selection import LENGTHS, MODEL, TYPED, Cost
from attnlab.viz.figures import several


@dataclass(frozen=True)
class Kept:
    """What one model keeps of each token, and what it weighs.

    Attributes:
        name: of the link; ``title``; ``source``: where the sizes are from.
        way: multi-head, grouped-query or multi-query.
        formula: how ``each`` comes about.
        each: bytes of a token; ``weights``: bytes of the model.
    """

    name: str
    title: str
    source: str
    way: str
    formula: str
    each: int
    weights: int

    @property
    def crossing(self) -> int:
        """The first length at which the cache is heavier than the model."""
        return sizes.outweighs(self.weights, self.each)

    def cache(self, tokens: int) -> int:
        return self.each * tokens

    def shares(self, lengths: Sequence[int] = LENGTHS) -> list[float]:
        """The cache over the weights, at each length."""
        return [self.cache(n) / self.weights for n in lengths]


COLOURS: Final = {
    MODEL: "attention",
    "llama-2-7b": "ink",
    "llama-3-8b": "gold",
    "starcoder": "brown",
    TYPED: "edit",
}


def way_of(heads: int, kv_heads: int) -> str:
    """How query heads share key/value heads, as the field calls it."""
    if kv_heads == heads:
        return "multi-head"
    return "multi-query" if kv_heads == 1 else "grouped-query"


def of_preset(one: Preset, name: str) -> Kept:
    """A published or a typed model."""
    c = one.decoder
    of = c.head_sizes()
    return Kept(
        name,
        one.title,
        one.source,
        way_of(of.heads, of.kv_heads),
        _formula(c.layers, of.kv_heads, of.key_size + of.value_size, one.number_bytes),
        one.cache,
        one.total * one.number_bytes,
    )


def of_model(title: str, anatomy: Anatomy) -> Kept | None:
    """The loaded model; None where it keeps no cache."""
    heads = anatomy.heads
    if heads is None or not heads.causal or not heads.cache():
        return None
    numbers = heads.key_size + heads.value_size
    return Kept(
        MODEL,
        title,
        "the loaded model",
        way_of(heads.heads, heads.kv_heads),
        _formula(heads.layers, heads.kv_heads, numbers, heads.number_bytes),
        heads.cache(),
        anatomy.bytes,
    )


def _formula(layers: int, kv_heads: int, numbers: int, number_bytes: int) -> str:
    return (
        f"{several(layers, 'layer')} × {several(kv_heads, 'key/value head')} × "
        f"{several(numbers, 'number')} × {several(number_bytes, 'byte')}"
    )


def shown(value: Cost, loaded: Kept | None) -> list[Kept]:
    """All that are drawn: the loaded model, those that everybody quotes, and typed sizes.

    Raises:
        InputError: the typed sizes make no model; the message says why.
    """
    named = [name for name in COLOURS if name in PUBLISHED]
    found = [of_preset(PUBLISHED[name], name) for name in named]
    if value.of == TYPED:
        found.append(_typed(value))
    return found if loaded is None else [loaded, *found]


def _typed(value: Cost) -> Kept:
    one = published.typed(
        layers=value.layers,
        heads=value.heads,
        kv_heads=value.kv_heads,
        head_size=value.size,
        number_bytes=value.number,
    )
    return of_preset(one, TYPED)


def sentence(one: Kept, length: int, figure: str) -> str:
    """What one model keeps of a text, and when that outweighs it."""
    return (
        f"{one.title}, {one.way}: {one.each:,} bytes a token ({one.formula}), {figure} at "
        f"{length:,}. From {one.crossing:,} tokens on the cache is heavier than the model."
    )
