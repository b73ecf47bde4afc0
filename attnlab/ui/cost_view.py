"""The words and figures of the Cost page. Nothing is drawn, run or measured here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from attnlab.analysis.measured import counts, slopes
from attnlab.analysis.measured.apart import Measurement
from attnlab.analysis.measured.slopes import Power
from attnlab.analysis.measured.ways import WINDOW


@dataclass(frozen=True)
class Way:
    """How a way of computing attention is called and drawn.

    Attributes:
        name: of ``measured.ways``.
        title: in a word or two; ``about``: in a sentence.
        colour: of ``diagram.KINDS``.
    """

    name: str
    title: str
    about: str
    colour: str


GROWTH: Final = (
    Way("naive", "naive", "Every score at once, as the formula is written.", "ink"),
    Way("tiled", "tiled", "The same numbers, tile by tile: FlashAttention.", "attention"),
    Way("window", "window", f"Each token sees the last {WINDOW}.", "brown"),
    Way("linear", "linear", "No softmax: a sum is carried along.", "pink"),
    Way("state", "state space", "A state is carried along, as in Mamba.", "gold"),
    Way("cached", "cached step", "One new token looks at all that are kept.", "feed"),
)
LENGTHS: Final = tuple(2**power for power in range(7, 18))
"""Lengths that the charts show, in tokens: 128 to 131,072."""
_RAISED: Final = str.maketrans("0123456789.−", "⁰¹²³⁴⁵⁶⁷⁸⁹·⁻")


def lengths(up_to: int) -> tuple[int, ...]:
    """Those that are measured."""
    return tuple(n for n in LENGTHS if n <= up_to)


@dataclass(frozen=True)
class Series:
    """One way's figures at LENGTHS: measured ones, beyond them what the fit says.

    ``power`` is None where too little was measured.
    """

    way: Way
    values: tuple[float | None, ...]
    beyond: tuple[float | None, ...]
    power: Power | None

    @property
    def title(self) -> str:
        """Its name, and how it grows."""
        return self.way.title if self.power is None else f"{self.way.title} {raised(self.power)}"


def raised(power: Power) -> str:
    """n with the slope as its exponent.

    >>> raised(Power(1.96, 1.0))
    'n²·⁰'
    """
    return "n" + f"{power.slope:.1f}".replace("-", "−").translate(_RAISED)


def series(found: Sequence[Measurement], what: str) -> list[Series]:
    """Each way's "seconds" or "bytes" so far; a way of which nothing is known is left out."""
    lines = []
    for way in GROWTH:
        held = {one.n: getattr(one, what) for one in found if one.way == way.name}
        values = tuple(held.get(n) or None for n in LENGTHS)
        if any(values):
            lines.append(_series(way, values))
    return lines


def counted() -> list[Series]:
    """The multiplications of each way, which nobody needs to measure."""
    return [_series(way, tuple(counts.COUNTS[way.name](n) for n in LENGTHS)) for way in GROWTH]


def _series(way: Way, values: tuple[float | None, ...]) -> Series:
    there = [(n, value) for n, value in zip(LENGTHS, values, strict=True) if value]
    power = slopes.fitted(*zip(*there, strict=True))
    last = there[-1][0]
    beyond = tuple(power.at(n) if power and n > last else None for n in LENGTHS)
    return Series(way, values, beyond, power)


def too_big(found: Sequence[Measurement]) -> str:
    """What was not run, and why, in a sentence; "" where everything was."""
    said = []
    for way in GROWTH:
        left = [one for one in found if one.way == way.name and one.why]
        if left:
            reason = "takes too long" if left[0].why == "time" else "takes too much memory"
            said.append(f"{way.title} {reason} from {left[0].n:,} tokens on")
    return f"Not run: {'; '.join(said)}." if said else ""


def doubling(lines: Sequence[Series]) -> list[tuple[str, str]]:
    """What twice the text takes, by way: ("naive", "× 3.9")."""
    return [(one.way.title, f"× {2**one.power.slope:.1f}") for one in lines if one.power]


def time(seconds: float) -> str:
    """A time in words, two figures.

    >>> time(0.00058), time(2.31), time(95), time(9_000)
    ('0.58 ms', '2.3 s', '1.6 min', '2.5 h')
    """
    for size, name in ((86_400, "days"), (3_600, "h"), (60, "min"), (1, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{_two(seconds / size)} {name}"
    return f"{_two(seconds * 1e6)} µs" if seconds < 1e-4 else f"{_two(seconds * 1e3)} ms"


def time_ticks(low: float, high: float) -> list[float]:
    """Times at the side of a chart: every hundredfold, or finer where that would be few."""
    wide = [1e-5, 1e-3, 0.1, 10.0, 600.0, 36_000.0]
    fine = [10.0**power for power in range(-6, 6)]
    finest = [step * by for step in fine for by in (1, 2, 5)]
    for every in (wide, fine, finest):
        found = [step for step in every if low <= step <= high]
        if len(found) > 2:
            break
    return found


def _two(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
