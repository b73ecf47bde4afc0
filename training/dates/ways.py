"""The ways of writing a date, and which of its letters say the day, the month and the year.

Every way can be read in one way only: no two dates are written alike (tested). Left out because
they could mean two dates: 03/07/2026 and 03-07-2026 (day or month first?), years of two digits,
dates without a year. Left out to keep the task small: numbers in words, other languages' months.
Years are 1900 to 2099.
"""

import datetime
import random
import string
from dataclasses import dataclass
from typing import Final

FIRST: Final = datetime.date(1900, 1, 1)
LAST: Final = datetime.date(2099, 12, 31)
DAYS: Final = (LAST - FIRST).days + 1

PARTS: Final = ("year", "month", "day")
"""What a letter of a written date may say, in ISO's order."""

HELD_OUT: Final = 20
"""One date in so many is never trained on, in any way of writing."""

# What stands in a way: a number without and with a leading zero, an ordinal, a name, its beginning.
_SAYS: Final = {
    "y": "year",
    "m": "month",
    "mm": "month",
    "mon": "month",
    "month": "month",
    "d": "day",
    "dd": "day",
    "nth": "day",
}

IN_WORDS: Final = (
    # the day first
    "{d} {month} {y}",
    "{d} {month}, {y}",
    "{dd} {month} {y}",
    "{nth} {month} {y}",
    "{nth} {month}, {y}",
    "{nth} of {month} {y}",
    "{nth} of {month}, {y}",
    "the {nth} of {month} {y}",
    "the {nth} of {month}, {y}",
    "{d} {mon} {y}",
    "{dd} {mon} {y}",
    "{d} {mon}. {y}",
    "{nth} {mon} {y}",
    "{d}-{mon}-{y}",
    "{dd}-{mon}-{y}",
    "{d}/{mon}/{y}",
    # the month first
    "{month} {d}, {y}",
    "{month} {d} {y}",
    "{month} {dd}, {y}",
    "{month} {nth}, {y}",
    "{month} {nth} {y}",
    "{month} the {nth}, {y}",
    "{mon} {d}, {y}",
    "{mon} {d} {y}",
    "{mon}. {d}, {y}",
    "{mon} {nth}, {y}",
    "{mon} {nth} {y}",
    # the year first
    "{y} {month} {d}",
    "{y}, {month} {d}",
    "{y} {month} {nth}",
    "{y} {mon} {d}",
    "{y} {mon} {dd}",
    "{y}-{mon}-{dd}",
)
IN_DIGITS: Final = (
    # ISO, and the same with other separators
    "{y}-{mm}-{dd}",
    "{y}/{mm}/{dd}",
    "{y}.{mm}.{dd}",
    "{y} {mm} {dd}",
    "{y}{mm}{dd}",
    "{y}-{m}-{d}",
    "{y}/{m}/{d}",
    # German: the day first, with dots
    "{d}.{m}.{y}",
    "{dd}.{mm}.{y}",
    "{d}. {m}. {y}",
)
# A weekday may stand before or after. It is the date's own, and says nothing that is needed.
FRAMES: Final = (
    "{weekday}, {}",
    "{weekday} {}",
    "{wkd} {}",
    "{wkd}, {}",
    "{wkd}. {}",
    "on {weekday}, {}",
    "{}, {weekday}",
    "{} ({weekday})",
    "{} ({wkd})",
)


@dataclass(frozen=True)
class Written:
    """A date as somebody wrote it.

    Attributes:
        text: what was written.
        iso: what it means, "YYYY-MM-DD".
        says: for each character of `text` one of `PARTS`, or "" where it says none of them.
    """

    text: str
    iso: str
    says: tuple[str, ...]


def write(date: datetime.date, way: str, frame: str = "{}", case: str = "as it is") -> Written:
    """`date` in one way, in a frame, in "as it is", "lower" or "upper" case."""
    values = _values(date)
    pieces = [
        (values[field] if field else literal, _SAYS.get(field, ""))
        for literal, field in _split(frame.replace("{}", way, 1))
    ]
    text = "".join(piece for piece, _ in pieces)
    says = tuple(part for piece, part in pieces for _ in piece)
    text = {"lower": text.lower(), "upper": text.upper()}.get(case, text)
    return Written(text, date.isoformat(), says)


def draw(pick: random.Random, held_out: bool) -> Written:
    """A date of those held out, or of the others, in any way."""
    date = _date(pick, held_out)
    way = pick.choice(IN_WORDS if pick.random() < 0.7 else IN_DIGITS)
    frame = pick.choice(FRAMES) if pick.random() < 0.4 else "{}"
    case = pick.choices(("as it is", "lower", "upper"), (6, 2, 1))[0]
    return write(date, way, frame, case)


def is_held_out(date: datetime.date) -> bool:
    """Whether a date is never trained on; a fixed scattering of one in `HELD_OUT`."""
    # Knuth's multiplicative hash: neighbours in the calendar land far apart.
    return (date.toordinal() * 2_654_435_761 % 2**32) * HELD_OUT >> 32 == 0


def _date(pick: random.Random, held_out: bool) -> datetime.date:
    while True:
        date = FIRST + datetime.timedelta(days=pick.randrange(DAYS))
        if is_held_out(date) == held_out:
            return date


def _values(date: datetime.date) -> dict[str, str]:
    """What each field of a way stands for. English whatever the locale."""
    month, weekday = _MONTHS[date.month - 1], _WEEKDAYS[date.weekday()]
    return {
        "y": str(date.year),
        "m": str(date.month),
        "mm": f"{date.month:02}",
        # "Sept" is as common as "Sep"; a fixed half of the days of September has it.
        "mon": "Sept" if date.month == 9 and date.day % 2 else month[:3],
        "month": month,
        "d": str(date.day),
        "dd": f"{date.day:02}",
        "nth": f"{date.day}{_suffix(date.day)}",
        "weekday": weekday,
        "wkd": weekday[:3],
    }


def _suffix(day: int) -> str:
    if day in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _split(way: str) -> list[tuple[str, str]]:
    """A way as pairs (letters, "") and ("", field), in order."""
    found = []
    for literal, field, _, _ in string.Formatter().parse(way):
        found += [(literal, "")] if literal else []
        found += [("", field)] if field else []
    return found


_MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
