"""Sentence pairs worth trying, read from gallery.toml once and checked.

The file says what each entry means. What an entry claims holds for the packaged SmolLM2-135M and
is recomputed by tests/ui/test_gallery.py. Nothing here imports Streamlit.
"""

import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from attnlab.ui.link import LINK_CHARACTERS, unspell
from attnlab.ui.selection import DEFAULT, SIDES, Head, Selection, Side

GROUPS: Final = (
    "agreement",
    "coreference",
    "repetition",
    "brackets and quotes",
    "facts",
    "code",
)
_FILE: Final = Path(__file__).with_name("gallery.toml")
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")


@dataclass(frozen=True)
class Look:
    """On text `side`, `head` looks from token `query` to token `key` with this `weight`.

    Positions count from 0; `words` spells the two tokens, as in "is → Italy".
    """

    side: Side
    head: Head
    query: int
    key: int
    words: str
    weight: float


@dataclass(frozen=True)
class Next:
    """After text `side`, `word` comes next with the probability `share`."""

    side: Side
    word: str
    share: float


@dataclass(frozen=True)
class Off:
    """After text `side`, the share of `word` with the opened head intact, and set to zero."""

    side: Side
    word: str
    before: float
    after: float


@dataclass(frozen=True)
class Pair:
    """Two texts, what to look for, and what is claimed of them; the first look is opened."""

    name: str
    group: str
    a: str
    b: str
    look_for: str
    looks: tuple[Look, ...] = ()
    next: tuple[Next, ...] = ()
    off: tuple[Off, ...] = ()

    @property
    def head(self) -> Head | None:
        """The head that the page opens, in SmolLM2; None where finding one is the exercise."""
        return self.looks[0].head if self.looks else None

    def applied(self, selection: Selection) -> Selection:
        """`selection` with these texts, and with the head and the word where they are known.

        Another model keeps its chosen head and says nothing of this one: the heads that a pair
        names, and its sentence speaks of, are SmolLM2's.
        """
        speaks = not self.looks or selection.model == DEFAULT.model
        fresh = replace(
            selection,
            a=self.a,
            b=self.b,
            target_a="",
            target_b="",
            side="B",
            position=None,
            key=None,
            gone=(),
            ablation="zero",
            experiment=self.name if speaks else "",
        )
        if not self.looks or not speaks:
            return fresh
        look = self.looks[0]
        layer, head = look.head
        return replace(
            fresh,
            layer=layer,
            head=head,
            panel="head",
            view="B-A",
            side=look.side,
            position=look.query,
        )


@cache
def pairs() -> tuple[Pair, ...]:
    """Every pair, in the order of the file.

    Raises:
        ValueError: an entry is not as the file says; the message names it.
    """
    entries = tomllib.loads(_FILE.read_text("utf-8"))["pair"]
    found = tuple(_pair(entry) for entry in entries)
    if len({pair.name for pair in found}) < len(found):
        raise ValueError(f"{_FILE.name}: two pairs share a name.")
    return found


def groups() -> tuple[tuple[str, tuple[Pair, ...]], ...]:
    """Each group's name and its pairs."""
    return tuple((group, tuple(p for p in pairs() if p.group == group)) for group in GROUPS)


def named(name: str) -> Pair | None:
    """The pair of this name, or None."""
    return next((pair for pair in pairs() if pair.name == name), None)


def _pair(entry: dict[str, Any]) -> Pair:
    """One checked entry."""
    try:
        pair = Pair(
            **{
                **entry,
                "looks": tuple(_look(**look) for look in entry.get("looks", ())),
                "next": tuple(Next(**claim) for claim in entry.get("next", ())),
                "off": tuple(Off(**claim) for claim in entry.get("off", ())),
            }
        )
        _check(pair)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{_FILE.name}, pair {entry.get('name')!r}: {error}") from error
    return pair


def _look(side: Side, head: str, words: str, weight: float, **ends: int) -> Look:
    spelled = unspell(head)
    if spelled is None or set(ends) != {"from", "to"}:
        raise ValueError("a look needs a head such as L4H2, and the tokens `from` and `to`")
    return Look(side, spelled, ends["from"], ends["to"], words, weight)


def _check(pair: Pair) -> None:
    """Raises ValueError where a pair cannot be shown."""
    if not _NAME.fullmatch(pair.name) or pair.group not in GROUPS:
        raise ValueError("a name is lower-case letters, and the group one of the six")
    if pair.a == pair.b or not all(0 < len(t) <= LINK_CHARACTERS for t in (pair.a, pair.b)):
        raise ValueError("two different texts that fit a link are needed")
    if not pair.look_for.strip():
        raise ValueError("it does not say what to look for")
    if any(claim.side not in SIDES for claim in (*pair.looks, *pair.next, *pair.off)):
        raise ValueError("a side is A or B")
