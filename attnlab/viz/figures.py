"""Numbers as they are written in sentences and on axes."""

from __future__ import annotations

import math

LEAST = 1e-3
"""Below it a share is written as a power of ten: it is rounding, not a share."""


def plain(value: float) -> str:
    """Three digits; a minus is as wide as a plus.

    >>> plain(-1234.5), plain(0.25)
    ('−1.23e+03', '0.25')
    """
    return minus(f"{value:,.3g}")


def tiny(value: float) -> str:
    """One digit and a power of ten, on one line.

    >>> tiny(2.4e-7), tiny(0.0)
    ('2e−7', '0')
    """
    return "0" if value == 0 else minus(f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e"))


def share(value: float) -> str:
    """A share in percent; what is only rounding as a power of ten.

    >>> share(0.815), share(2e-7)
    ('82%', '2e−7')
    """
    if math.isnan(value):
        return "–"
    return tiny(value) if value < LEAST else f"{value:.0%}"


def minus(words: str) -> str:
    """Hyphens as minus signs, at which no line is broken."""
    return words.replace("-", "−")


def several(count: int, thing: str) -> str:
    """A count with its noun, in the plural unless it is one.

    >>> several(1, "token"), several(1090, "token")
    ('1 token', '1,090 tokens')
    """
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def ordinal(number: int) -> str:
    """ "2nd", "5th", "11th"."""
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"
