"""The values that one page has for itself, in the address; `own.py` keeps them in a session.

As for the shared selection (``link.py``), any address gives values that work and one sentence for
each part that was not understood. Nothing here imports Streamlit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Generic, TypeVar

from attnlab.ui.link import LINK_CHARACTERS, literal, url_names
from attnlab.ui.selection import Head
from attnlab.viz.heads import spelled

Value = TypeVar("Value")
Reader = tuple[str, Callable[[str], Any], Callable[[Any], str]]
"""A field, what reads it from an address, and what writes it there.

Reading raises ValueError with the rest of a sentence: "is not a number from 1 to 9".
"""


@dataclass(frozen=True)
class Page(Generic[Value]):
    """A page's own values.

    Attributes:
        name: its path in the address, as in app.py ("step-by-step").
        default: what it shows when nothing is asked for; a frozen dataclass.
        readers: by query parameter. Those of the shared selection are taken.

    Raises:
        ValueError: a parameter is taken, or a field does not exist.
    """

    name: str
    default: Value
    readers: Mapping[str, Reader]

    def __post_init__(self) -> None:
        taken = set(self.readers) & set(url_names())
        if taken:
            raise ValueError(f"the shared selection has the parameters {sorted(taken)} already")
        there = {field.name for field in fields(self.default)}
        unknown = {field for field, _, _ in self.readers.values()} - there
        if unknown:
            raise ValueError(f"{type(self.default).__name__} has no fields {sorted(unknown)}")


def parse(
    page: Page[Value], url: Mapping[str, str], most: int = LINK_CHARACTERS
) -> tuple[Value, tuple[str, ...]]:
    """The values that parameters spell, and a sentence for each part not understood.

    Args:
        most: characters of one parameter.
    """
    value, problems = page.default, []
    for name, (field, read, _) in page.readers.items():
        if name not in url:
            continue
        try:
            if len(url[name]) > most:
                raise ValueError(f"is longer than {most:,} characters")
            value = replace(value, **{field: read(literal(url[name]))})
        except ValueError as error:
            problems.append(f"The link's “{name}” {error}, so it was left out.")
    return value, tuple(problems)


def format_own(page: Page[Value], value: Value) -> dict[str, str]:
    """The parameters that reopen `value`; what equals the default, or is too long, is left out."""
    spelled = {
        name: literal(write(getattr(value, field)))
        for name, (field, _, write) in page.readers.items()
        if getattr(value, field) != getattr(page.default, field)
    }
    return {name: text for name, text in spelled.items() if len(text) <= LINK_CHARACTERS}


def one_of(field: str, choices: Sequence[str]) -> Reader:
    """One word out of `choices`."""

    def read(given: str) -> str:
        if given not in choices:
            raise ValueError(f"is none of {', '.join(filter(None, choices))}")
        return given

    return field, read, str


def one_number_of(field: str, choices: Sequence[float]) -> Reader:
    """One out of a few numbers, spelled as Python does: 4 or 0.7."""
    known = {str(number): number for number in choices}
    _, read, _ = one_of(field, list(known))
    return field, lambda given: known[read(given)], str


def head(field: str, missing: Head | None = None) -> Reader:
    """A head as L0H2; `missing` where nothing is given."""

    def read(given: str) -> Head | None:
        found = re.fullmatch(r"L([0-9]{1,4})H([0-9]{1,4})", given)
        if given and found is None:
            raise ValueError("is not a head such as L0H2")
        return (int(found[1]), int(found[2])) if found else missing

    return field, read, lambda head: "" if head is None else spelled(head)


def whole(field: str, least: int, most: int) -> Reader:
    """A whole number from `least` to `most`."""

    def read(given: str) -> int:
        # Not \d, which takes the digits of every script.
        if not re.fullmatch(r"-?[0-9]{1,12}", given) or not least <= int(given) <= most:
            raise ValueError(f"is not a whole number from {least:,} to {most:,}")
        return int(given)

    return field, read, str


def numbers(field: str, most: int, what: str) -> Reader:
    """Several whole numbers below `most`, in rising order, spelled as 0.7.12."""

    def read(given: str) -> tuple[int, ...]:
        if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,4}){0,31}|", given):
            raise ValueError(f"is not a list of {what} such as 0.7")
        found = sorted({int(part) for part in given.split(".")}) if given else []
        if found and found[-1] >= most:
            raise ValueError(f"names {what} beyond {most - 1:,}")
        return tuple(found)

    return field, read, lambda found: ".".join(map(str, found))


def typed(field: str, most: int) -> Reader:
    """What somebody typed, at most `most` characters of it."""

    def read(given: str) -> str:
        if len(given) > most:
            raise ValueError(f"is longer than {most:,} characters")
        return given

    return field, read, str


def pasted(field: str) -> Reader:
    """A text of any length. One that is too long for a link leaves its name there and no more.

    So whoever opens the link is told that there was one.
    """

    def read(given: str) -> str:
        if not given:
            raise ValueError("stands for a text that was too long for a link")
        return given

    return field, read, lambda text: text if len(text) <= LINK_CHARACTERS else ""


def switch(field: str, on: str, off: str) -> Reader:
    """True or False, spelled as two words."""

    def read(given: str) -> bool:
        if given not in (on, off):
            raise ValueError(f"is neither {on} nor {off}")
        return given == on

    return field, read, lambda value: on if value else off
