"""The runs of the page Generate: what each one writes on, under which edits, and how far it got."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from attnlab.attention import KeepLast
from attnlab.errors import EditRefused, InputError
from attnlab.trace import Mask, Positions, Temperature, ZeroHead
from attnlab.ui import engine
from attnlab.ui.engine import generation, underway
from attnlab.ui.engine.edited import spelled
from attnlab.ui.engine.generation import Written
from attnlab.ui.engine.keys import Passage
from attnlab.ui.engine.underway import Ask
from attnlab.ui.generate_selection import EDITS, Chosen, Generate, until
from attnlab.ui.phrases import title
from attnlab.ui.selection import Selection, Side
from attnlab.viz.align import first_difference
from attnlab.viz.figures import ordinal, several
from attnlab.viz.svg.text import spoken

_SHARP, _FLAT = 0.5, 2.0
_TITLES: Final = {"plain": "A plain", "edited": "B edited", "forgetting": "B forgets"}
_COUNTING: Final = {"window": "A window over the text", "order": "A text without positions"}
"""Edits that count the tokens of the whole text."""


@dataclass(frozen=True)
class Track:
    """One run.

    Attributes:
        side: "A" or "B"; ``name``: what it is, "" where that goes without saying; ``kind``: its
            colour in pictures.
        passage: the prompt; ``edits``: what is changed while it is written on; ``keep``: what its
            cache keeps, None for everything.
        chosen, made: the tokens chosen by hand, and how many there are to be.
    """

    side: Side
    name: str
    kind: str
    passage: Passage
    edits: tuple[Any, ...]
    keep: KeepLast | None
    chosen: Chosen
    made: int

    @property
    def title(self) -> str:
        """A few words before its text."""
        return _TITLES.get(self.name, self.name)

    @property
    def whose(self) -> str:
        """How a sentence begins with it."""
        if not self.name:
            return "The model"
        return f"Run {self.name}" if self.name in ("A", "B") else f"The {self.name} run"


@dataclass(frozen=True)
class Shown:
    """A run as far as it is written.

    Attributes:
        role: whose attention is shown.
        weights: [Q, S] of the chosen head, a row for each token.
        at: the word that is looked from.
    """

    track: Track
    ask: Ask
    role: str
    written: Written
    weights: np.ndarray
    at: int

    @property
    def made(self) -> int:
        """Tokens that are written."""
        return len(self.written.came)

    @property
    def chosen(self) -> Chosen:
        """Of the choices those that were met."""
        return until(self.track.chosen, self.made)

    @property
    def forgets(self) -> tuple[int, int] | None:
        """How many of the last and of the first words can be looked at, where others were
        forgotten; None where all can."""
        keep = self.track.keep
        return None if keep is None or self.role == "cross" else (keep.window, keep.sinks)

    @property
    def forgotten(self) -> range:
        """The words that the cache has dropped, by position."""
        keep, read = self.track.keep, len(self.written.tokens)
        if keep is None:
            return range(0)
        first, last = keep.held(read)
        return range(first.stop, last.start)

    @property
    def sources(self) -> tuple[Any, ...] | None:
        """The words looked at where they are others than those that look."""
        return self.written.sources if self.role == "cross" else None


def keep_said(keep: KeepLast) -> str:
    """What a cache keeps, in a few words."""
    first = f"the first {_counted(keep.sinks)} and " if keep.sinks else ""
    return f"{first}the last {_counted(keep.window)}"


def _counted(count: int) -> str:
    return "one" if count == 1 else f"{count:,}"


def keep_of(value: Generate) -> KeepLast | None:
    """What the chosen cache keeps.

    Raises:
        EditRefused: an edit needs tokens that it drops.
        InputError: the first tokens alone would fill it.
    """
    if value.cache == "all":
        return None
    for name in value.edits:
        if name in _COUNTING:
            raise EditRefused(
                f"{_COUNTING[name]} counts all tokens, and a cache that forgets has not all of "
                "them: keep all, or choose another change."
            )
    first = value.first if value.cache == "ends" else 0
    if first >= value.held:
        raise InputError(
            f"A cache of {several(value.held, 'token')} has no room beside the first {first}: let "
            "it hold more, or keep fewer of the first."
        )
    return KeepLast(value.held - first, first)


def edits_of(value: Generate, selection: Selection, reader: engine.Reader) -> tuple[Any, ...]:
    """What is changed while the text is written."""
    role = reader.role
    own = "decoder" if reader.writes else reader.role
    made: dict[str, Any] = {
        "heads": [ZeroHead(*head, role) for head in sorted(set(selection.taken_away))],
        "window": [Mask("window", window=value.window, sinks=value.sinks, role=own)],
        "order": [Positions("none", role=own)],
        "sharp": [Temperature(_SHARP, role=role)],
        "flat": [Temperature(_FLAT, role=role)],
    }
    return tuple(edit for name in EDITS if name in value.edits for edit in made[name])


def edit_titles(value: Generate, selection: Selection) -> dict[str, str]:
    """What each edit is called."""
    gone = sorted(set(selection.taken_away))
    heads = title(gone[0]) if len(gone) == 1 else f"{len(gone)} heads"
    return {
        "heads": f"without {heads}",
        "window": "window",
        "order": "no positions",
        "sharp": "attention sharper",
        "flat": "attention flatter",
    }


def tracks(
    value: Generate,
    selection: Selection,
    edits: tuple[Any, ...],
    keep: KeepLast | None,
) -> list[Track]:
    """One run or two; ``edits`` and ``keep`` are the second's where the first is plain."""
    a = Passage(selection.a, selection.target_a)
    b = Passage(selection.b, selection.target_b)
    first: dict[str, Any] = {"chosen": value.chose, "made": value.made}
    second: dict[str, Any] = {"chosen": value.chose2, "made": value.made2}
    if value.runs == "two":
        return [
            Track("A", "A", "a", a, edits, keep, **first),
            Track("B", "B", "b", b, edits, keep, **second),
        ]
    if value.runs == "edited":
        name = "edited" if edits or keep is None else "forgetting"
        return [
            Track("A", "plain", "a", a, (), None, **first),
            Track("B", name, "edit", a, edits, keep, **second),
        ]
    kind = "a" if not edits and keep is None else "edit"
    return [Track("A", "", kind, a, edits, keep, **first)]


def shown(
    reader: engine.Reader, track: Track, value: Generate, head: tuple[int, int], name: str
) -> Shown:
    """A run taken to where it is to be.

    Raises:
        AttnLabError: the prompt cannot be written on, an edit does not fit, or it was stopped.
    """
    count = len(generation.prompt_tokens(reader, track.passage, name))
    ask = Ask(
        reader.key,
        track.passage,
        spelled(track.edits),
        value.heat,
        value.topk,
        value.topp,
        value.seed,
        underway.only_head(reader, count, head),
        track.keep,
    )
    chosen = until(track.chosen, track.made)
    look = (reader.role, head)
    words = f"{name[0].lower()}{name[1:]}"
    written = generation.written(reader, ask, chosen, track.made, look, track.edits, words)
    weights = generation.head_weights(reader, ask, chosen, track.made, look, track.edits)
    at = value.at if 0 <= value.at < len(written.tokens) else len(written.tokens) - 1
    return Shown(track, ask, reader.role, written, weights, at)


def edited_sides(runs: list[Shown]) -> str:
    """The sides that an edited model wrote, such as "b"."""
    return "".join(run.track.side.lower() for run in runs if run.track.kind == "edit")


def parted(runs: list[Shown]) -> int | None:
    """The first token that came at which two runs part, counted among those that came; None where
    they are the same as far as both go."""
    if len(runs) < 2:
        return None
    first, second = ([step.token for step in run.written.came] for run in runs)
    both = min(len(first), len(second))
    at = first_difference(first, second)
    return at if at is not None and at < both else None


def parted_said(runs: list[Shown]) -> str:
    """Where two runs part, in a sentence; "" for one run."""
    if len(runs) < 2:
        return ""
    at, both = parted(runs), min(run.made for run in runs)
    if both == 0:
        return "Both are drawn with the same luck, token by token. Step or play."
    if at is None:
        count = "the first token" if both == 1 else f"all {both} tokens so far"
        return f"The two are the same in {count}."
    words = [spoken(run.written.tokens[run.written.given + at]).strip() for run in runs]
    where = f"new token {at + 1}" if at else "the first new token"
    named = [
        f"“{word}” in {_lower(run.track.whose)}" for word, run in zip(words, runs, strict=True)
    ]
    return f"They part at {where}: {', '.join(named)}."


def _lower(words: str) -> str:
    return f"{words[0].lower()}{words[1:]}"


def step_said(step: Any) -> tuple[str, ...]:
    """How a token came, line by line."""
    rank = "the likeliest" if step.rank == 0 else f"the {ordinal(step.rank + 1)} likeliest"
    lines = [f"the model gave it {step.probability:.3g}: {rank}"]
    if step.chosen:
        lines.append("chosen by hand")
    elif step.chance not in (0.0, 1.0):
        lines.append(f"drawn with {step.chance:.3g}")
    return tuple(lines)
