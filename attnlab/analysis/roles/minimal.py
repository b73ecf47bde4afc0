"""Minimal pairs: two sentences in which the same two nouns change their parts.

A verb and its subject, a pronoun and whom it stands for; 44 pairs each, written for AttnLab. Both
nouns and the word looked from stand in the same places in the two sentences. So a head that likes
the first noun, the nearer one, or one of the two words gains in one sentence what it loses in the
other, and only a head that tells the parts apart has a score.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from attnlab.analysis.roles.probe import Mark, Probe

SETS = ("subject_verb", "pronoun")
_MARKED = re.compile(r"\[(?P<target>\w+)\]|\((?P<other>\w+)\)|<(?P<query>\w+)>")


@cache
def pairs(name: str) -> tuple[tuple[Probe, Probe], ...]:
    """The pairs of one of ``SETS``, as they ship."""
    lines = (Path(__file__).parent / "pairs" / f"{name}.txt").read_text(encoding="utf-8")
    kept = [line for line in lines.splitlines() if line and not line.startswith("#")]
    return tuple(
        tuple(_sentence(name, marked.strip(), number) for marked in line.split("|"))
        for number, line in enumerate(kept)
    )


def _sentence(name: str, marked: str, number: int) -> Probe:
    """A sentence without its marks; the query is the last letter of its word, where it is whole."""
    text, places, after = "", {}, 0
    for found in _MARKED.finditer(marked):
        text += marked[after : found.start()]
        word = found[found.lastgroup]
        places[found.lastgroup] = tuple(range(len(text), len(text) + len(word)))
        text += word
        after = found.end()
    text += marked[after:]
    mark = Mark(places["query"][-1], places["target"], places["other"])
    return Probe(name, text, number, (mark,))
