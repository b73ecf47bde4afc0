"""Probes of generated sentences: plain ones with punctuation, and ones with brackets."""

from __future__ import annotations

import random

from attnlab.analysis.roles.probe import Mark, Probe

_ADJECTIVES = [
    "old",
    "young",
    "small",
    "large",
    "quiet",
    "happy",
    "clever",
    "tired",
    "green",
    "brown",
]
_NOUNS = [
    "farmer",
    "horse",
    "river",
    "teacher",
    "garden",
    "dog",
    "window",
    "boat",
    "child",
    "mountain",
    "letter",
    "bird",
]
_VERBS = ["saw", "found", "liked", "followed", "painted", "needed", "watched", "remembered"]
_JOINED = (", and ", "; ", ", but ", ": ", ". ", ", so ")
_PAIRS = ("()", "[]", "{}", '""')


def sentences(count: int, seed: int, family: str = "sentences") -> list[Probe]:
    """Four clauses with punctuation between them; every other text has a line end in it."""
    probes = []
    for number in range(count):
        draw = random.Random(f"sentences {seed} {number} {family}")
        text = _clause(draw)
        for place in range(3):
            split = place == 1 and number % 2
            text += ".\n" if split else draw.choice(_JOINED)
            text += _clause(draw)
        probes.append(Probe(family, f"{text[0].upper()}{text[1:]}.", number))
    return probes


def brackets(count: int, seed: int) -> list[Probe]:
    """Words with a closed pair, then one pair inside another, then one more; each closing mark
    comes with the opening ones before it that it does not close."""
    return [_bracketed(random.Random(f"brackets {seed} {n}"), n) for n in range(count)]


def _clause(draw: random.Random) -> str:
    first, second = draw.sample(_NOUNS, 2)
    verb, adjective = draw.choice(_VERBS), draw.choice(_ADJECTIVES)
    return f"the {adjective} {first} {verb} the {second}"


def _bracketed(draw: random.Random, number: int) -> Probe:
    kinds = draw.sample(_PAIRS, 3)
    inner, outer = kinds[1], kinds[0]
    plan = [kinds[0], (outer, inner), kinds[draw.randrange(3)]]
    draw.shuffle(plan)
    text, opened, marks = "The", [], []

    def opens(pair: str) -> None:
        nonlocal text
        text += f" {pair[0]}"
        opened.append(len(text) - 1)

    def closes(pair: str, start: int) -> None:
        nonlocal text
        text += pair[1]
        others = tuple(place for place in opened if place != start)
        if others:
            marks.append(Mark(len(text) - 1, (start,), others))

    def words(count: int, space: bool = True) -> None:
        nonlocal text
        said = " ".join(draw.choice(_NOUNS) for _ in range(count))
        text += f" {said}" if space else said

    for part in plan:
        words(draw.randint(1, 2))
        outside = part if isinstance(part, str) else part[0]
        opens(outside)
        start = opened[-1]
        words(draw.randint(1, 3), space=False)
        if not isinstance(part, str):
            opens(part[1])
            within = opened[-1]
            words(draw.randint(1, 2), space=False)
            closes(part[1], within)
            words(1)
        closes(outside, start)
    words(1)
    return Probe("brackets", text, number, tuple(marks))
