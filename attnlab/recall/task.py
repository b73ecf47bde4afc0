"""The task: k pairs of a key and a value, then every key again, whose value is asked for.

    ids     key value  key value  …  key value   key  key  …  key
            └──────────── 2 k ──────────────┘   └──── k ────┘   asked in any order

Keys and values are different ids and no key comes twice, so neither an earlier token nor how often
something came helps: the pair itself must have been kept. Chance is 1 / ``VALUES``. The models know
ids alone, so any words may stand for them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Int
from torch import Tensor

from attnlab.errors import InputError

KEYS: Final = 64
"""Keys are the ids from 0 on."""
VALUES: Final = 32
"""Values are the ids from ``KEYS`` on."""
LONGEST: Final = 32
"""Pairs of the longest lists in training."""

Pair = tuple[str, str]
"""A key and its value, as words."""

_ANIMALS: Final = """
ant ape bat bear bee boar bull calf carp cat clam cod colt cow crab crow deer dog dove duck eel
elk emu ewe fawn finch flea fly foal fox frog gnat goat goose gull hare hawk hen heron horse
ibex jay kite koi lamb lark lion lynx mink mole moth mouse mule newt owl ox pig pony ram rat
seal shrew slug toad
"""
WORDS: Final = tuple(_ANIMALS.split())
"""A word for each key; the values are numbers from 1 on."""
_SIGN: Final = re.compile(r"\s*(?:[:=→]|->)\s*")
"""Between a key and its value; where there is none, the first space is."""
_MOST_WORDS: Final = 3
"""Of a pair without such a sign: with more of them, commas between pairs were forgotten."""


@dataclass(frozen=True)
class Batch:
    """Lists of k pairs, and all of their keys asked.

    Attributes:
        ids: what is read, [B, 3k]; the last k are the questions.
        values: the right answer to each, from 0 to ``VALUES`` − 1, [B, k].
    """

    ids: Int[Tensor, "B n"]
    values: Int[Tensor, "B k"]

    @property
    def pairs(self) -> int:
        return self.values.shape[1]


def draw(pairs: int, count: int, generator: torch.Generator) -> Batch:
    """``count`` lists of ``pairs`` pairs: keys without repeats, any values, any order of questions.

    Raises:
        InputError: fewer than 1 pair, or more than there are keys.
    """
    if not 1 <= pairs <= KEYS:
        raise InputError(f"A list has from 1 to {KEYS} pairs, not {pairs}.")
    keys = torch.rand(count, KEYS, generator=generator).argsort(1)[:, :pairs]
    values = torch.randint(VALUES, (count, pairs), generator=generator)
    order = torch.rand(count, pairs, generator=generator).argsort(1)
    told = torch.stack([keys, values + KEYS], 2).flatten(1)
    return Batch(torch.cat([told, keys.gather(1, order)], 1), values.gather(1, order))


def random_pairs(pairs: int, seed: int) -> tuple[Pair, ...]:
    """A list in words: animals and numbers.

    Raises:
        InputError: fewer than 1 pair, or more than there are keys.
    """
    if not 1 <= pairs <= KEYS:
        raise InputError(f"A list has from 1 to {KEYS} pairs, not {pairs}.")
    pick = random.Random(seed)
    return tuple((word, str(pick.randint(1, VALUES))) for word in pick.sample(WORDS, pairs))


def pairs_of(text: str) -> tuple[Pair, ...]:
    """The pairs of a typed list: "cat 3, hot dog: 17; owl = 5", by comma, semicolon or line.

    Raises:
        InputError: a part is no pair, or what ``check`` says.
    """
    parts = [part.strip() for part in re.split(r"[,;\n]", text) if part.strip()]
    found = []
    for part in parts:
        words = _words(part)
        if len(words) != 2 or not all(words):
            raise InputError(f"“{part[:40]}” is no pair; write a key and its value: cat 3, dog 17.")
        found.append((words[0], words[1]))
    check(found)
    return tuple(found)


def _words(part: str) -> list[str]:
    """The key and the value of a part; something else than two of them where it is no pair."""
    if _SIGN.search(part):
        return _SIGN.split(part, maxsplit=1)
    return [] if len(part.split()) > _MOST_WORDS else part.split(maxsplit=1)


def check(pairs: Sequence[Pair]) -> None:
    """Raises InputError for a list that is empty, too long, or has a key twice."""
    if not pairs:
        raise InputError("The list is empty; write a key and its value: cat 3, dog 17.")
    keys = [key for key, _ in pairs]
    twice = next((key for place, key in enumerate(keys) if key in keys[:place]), None)
    if twice is not None:
        raise InputError(f"“{twice[:40]}” is in the list twice; a key has one value.")
    if len(keys) > KEYS:
        raise InputError(f"The list has {len(keys)} pairs; the models know {KEYS} keys.")
    values = len({value for _, value in pairs})
    if values > VALUES:
        raise InputError(f"The list has {values} different values; the models know {VALUES}.")


def encode(pairs: Sequence[Pair], asked: Sequence[str]) -> tuple[Tensor, dict[str, int]]:
    """The ids [1, 2k + asked] of a list and its questions, and the id of each value, from 0 on.

    Raises:
        InputError: what ``check`` says, or a question for a key that is not in the list.
    """
    check(pairs)
    keys = {key: place for place, (key, _) in enumerate(pairs)}
    values = {value: i for i, value in enumerate(dict.fromkeys(value for _, value in pairs))}
    missing = next((word for word in asked if word not in keys), None)
    if missing is not None:
        raise InputError(f"“{missing[:40]}” is not in the list; ask for one of its keys.")
    told = [number for key, value in pairs for number in (keys[key], KEYS + values[value])]
    return torch.tensor([[*told, *(keys[word] for word in asked)]]), values
