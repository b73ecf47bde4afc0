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
        text = "T" + _clause(draw)[1:]
        for place in range(3):
            joined = ".\n" if place == 1 and number % 2 else draw.choice(_JOINED)
            clause = _clause(draw)
            text += joined + (f"T{clause[1:]}" if joined[0] == "." else clause)
        probes.append(Probe(family, f"{text}.", number))
    return probes


def brackets(count: int, seed: int) -> list[Probe]:
    """Words with a pair, one pair inside another, and one more; each closing mark comes with the
    opening ones before it that it does not close."""
    probes = []
    for number in range(count):
        text = _bracketed(random.Random(f"brackets {seed} {number}"))
        probes.append(Probe("brackets", text, number, marks_in(text)))
    return probes


def marks_in(text: str) -> tuple[Mark, ...]:
    """Every closing mark of a text that has other opening ones before it than its own.

    A quotation mark closes where one is open.
    """
    stack: list[int] = []
    opened: list[int] = []
    marks = []
    for place, char in enumerate(text):
        if stack and text[stack[-1]] + char in _PAIRS:
            start = stack.pop()
            others = tuple(one for one in opened if one != start)
            if others:
                marks.append(Mark(place, (start,), others))
        elif any(char == pair[0] for pair in _PAIRS):
            stack.append(place)
            opened.append(place)
    return tuple(marks)


def _clause(draw: random.Random) -> str:
    first, second = draw.sample(_NOUNS, 2)
    verb, adjective = draw.choice(_VERBS), draw.choice(_ADJECTIVES)
    return f"the {adjective} {first} {verb} the {second}"


def _bracketed(draw: random.Random) -> str:
    first, second, third = draw.sample(_PAIRS, 3)
    inner = f"{second[0]}{_words(draw, 2)}{second[1]}"
    groups = [
        f"{first[0]}{_words(draw, 3)}{first[1]}",
        f"{first[0]}{_words(draw, 3)} {inner} {_words(draw, 1)}{first[1]}",
        f"{third[0]}{_words(draw, 3)}{third[1]}",
    ]
    draw.shuffle(groups)
    return " ".join(["The", *(f"{_words(draw, 2)} {group}" for group in groups), _words(draw, 1)])


def _words(draw: random.Random, most: int) -> str:
    return " ".join(draw.choice(_NOUNS) for _ in range(draw.randint(1, most)))
