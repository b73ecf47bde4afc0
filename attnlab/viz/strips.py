"""The payload of long vectors and what is made of them: strips, dials, sums, a row of words.

A strip is a vector as bars up and down from a middle line: sign and size are read off positions,
not colours, so that a number of 64 can be compared with its neighbours. Strips of one section
share their columns: what is pointed at in one is marked in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from attnlab.viz.payload import pack
from attnlab.viz.tokens import row as token_row

COLOURS: Final = ("side", "ink", "edit")


@dataclass(frozen=True)
class Strip:
    """One vector [N].

    Attributes:
        name: what stands before it ("q", "0.46 × v"); ``word``: the token that it belongs to.
        colour: "side" (that of the text), "ink" or "edit".
        marked: places that stand out.
        scale: strips of a section with the same name here share the height of their bars.
        upward: no value is below 0, and bars stand on the lower edge.
    """

    name: str
    values: np.ndarray
    word: Any = None
    colour: str = "side"
    marked: tuple[int, ...] = ()
    scale: str = ""
    upward: bool = False


@dataclass(frozen=True)
class Strips:
    """Vectors below each other; ``places`` says what a column is ("dimension"), ``first`` where
    counting starts, ``names`` names columns one by one."""

    title: str
    note: str
    strips: Sequence[Strip]
    places: str = "dimension"
    names: Sequence[str] = ()

    def packed(self, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
        return {
            "kind": "strips",
            "places": self.places,
            "names": list(self.names),
            "strips": [_strip(strip, self.strips, arrays) for strip in self.strips],
        }


@dataclass(frozen=True)
class Dials:
    """A rotation: of each pair of dimensions the angle, in radians, at the query and the key."""

    title: str
    note: str
    pairs: Sequence[tuple[int, int]]
    at_query: np.ndarray
    at_key: np.ndarray
    each: np.ndarray
    """The angle from one position to the next."""
    positions: tuple[int, int] = (0, 0)

    def packed(self, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
        angles = np.stack([self.at_query, self.at_key, self.each])
        return {
            "kind": "dials",
            "pairs": [list(pair) for pair in self.pairs],
            "positions": list(self.positions),
            "angles": _put(arrays, angles),
        }


@dataclass(frozen=True)
class Sum:
    """The largest of many terms, (place, left factor, right factor, product), and all others."""

    title: str
    note: str
    terms: Sequence[tuple[int, float, float, float]]
    others: tuple[int, float]
    total: float

    def packed(self, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
        return {
            "kind": "sum",
            "terms": [[int(place), *map(_number, rest)] for place, *rest in self.terms],
            "others": [self.others[0], _number(self.others[1])],
            "total": _number(self.total),
        }


@dataclass(frozen=True)
class Word:
    """A key in the row of a query, with a figure for each column; None is what is not shown.

    ``hidden``: the mask hides it, so that its weight is 0 whatever the score.
    """

    token: Any
    position: int
    figures: Sequence[float | None]
    weight: float
    hidden: bool = False


@dataclass(frozen=True)
class Row:
    """What a query's row is made of, key by key; ``others`` = (how many, their weight).

    ``columns`` names the figures before the weight ("q · k").
    """

    title: str
    note: str
    columns: Sequence[str]
    words: Sequence[Word]
    others: tuple[int, float] = (0, 0.0)

    def packed(self, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
        return {
            "kind": "row",
            "columns": list(self.columns),
            "words": [self._word(word) for word in self.words],
            "others": [self.others[0], _number(self.others[1])],
        }

    def _word(self, word: Word) -> list[Any]:
        if len(word.figures) != len(self.columns):
            raise ValueError(f"{len(word.figures)} figures do not fit {len(self.columns)} columns")
        figures = list(map(_number, word.figures))
        return [token_row(word.token), word.position, figures, _number(word.weight), word.hidden]


Section = Strips | Dials | Sum | Row


def strips_payload(
    sections: Sequence[Section],
    *,
    side: str = "A",
    label: str = "",
    chosen: int | None = None,
    serial: int = 0,
) -> bytes:
    """Pack sections in order; ``chosen`` is the position of the key that is chosen in rows.

    Raises:
        ValueError: the side, a colour or a shape does not fit.
    """
    if side not in ("A", "B"):
        raise ValueError(f"side {side!r} is not 'A' or 'B'")
    arrays: dict[str, np.ndarray] = {}
    packed = [
        {"title": section.title, "note": section.note, **section.packed(arrays)}
        for section in sections
    ]
    header = {
        "sections": packed,
        "side": side.lower(),
        "label": label,
        "chosen": chosen,
        "serial": serial,
    }
    return pack(header, arrays)


def _strip(strip: Strip, strips: Sequence[Strip], arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    if strip.colour not in COLOURS:
        raise ValueError(f"colour {strip.colour!r} is not one of {COLOURS}")
    if strip.values.ndim != 1 or not strip.values.size:
        raise ValueError(f"a strip is one vector, not {strip.values.shape}")
    together = [s.values for s in strips if s is strip or (strip.scale and s.scale == strip.scale)]
    return {
        "name": strip.name,
        "word": None if strip.word is None else token_row(strip.word),
        "colour": strip.colour,
        "marked": [int(place) for place in strip.marked],
        "values": _put(arrays, strip.values),
        "full": max(map(_largest, together)),
        "upward": strip.upward,
    }


def _largest(values: np.ndarray) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size else 0.0


def _put(arrays: dict[str, np.ndarray], values: np.ndarray) -> str:
    """The name under which an array travels."""
    name = f"s{len(arrays)}"
    arrays[name] = np.asarray(values, np.float32)
    return name


def _number(value: float | None) -> float | None:
    """JSON knows neither infinity nor NaN."""
    return None if value is None or not np.isfinite(value) else float(value)
