"""Values of one sentence put into the other: what is shown of them, and what is said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from attnlab.analysis.beside import typical
from attnlab.analysis.patching import Patching
from attnlab.ui.ablate_measure import write
from attnlab.ui.cards.trace.parts import figure
from attnlab.ui.engine.trace import Exchange
from attnlab.ui.phrases import HARDLY, title
from attnlab.ui.trace_answers import Contrast
from attnlab.viz.figures import minus
from attnlab.viz.svg.text import spoken

_UNITS: Final = ("nats", "logits")
_WHOLE: Final = 0.995
"""From here on a patch goes all the way."""
_ALL: Final = (
    "Every layer goes all the way, as it must: the words before are the same in both sentences, so "
    "what a layer holds at the last word is all that differs."
)


@dataclass(frozen=True)
class Shown:
    """What is patched, and how it is measured."""

    of: Exchange
    measured: Contrast
    tokens: tuple[Any, ...]
    others: tuple[Any, ...]

    @property
    def towards(self) -> str:
        """Whose values move the answer."""
        return "B" if self.of.into == "A" else "A"

    def moved(self, share: float) -> float:
        """How far a patch moves the answer to the other sentence: 0 not at all, 1 all the way."""
        return 1 - share if self.of.into == "A" else share


def name_of(shown: Shown, unit: int) -> str:
    """A head, or a word of the text that runs."""
    return f"H{unit}" if shown.of.by == "head" else spoken(shown.tokens[unit]).strip()


def said(shown: Shown, found: Patching) -> str:
    """Both ends of the scale, and the patch that moves the answer most."""
    ends, moved = ends_of(shown, found), found.table.share.map(shown.moved)
    if not moved.notna().any():
        return f"{ends}: nothing lies between them that could be moved."
    if found.unit == "nats" and found.corrupted < HARDLY:
        ends = f"{ends}, which is next to nothing"
    most = found.table.loc[moved.idxmax()]
    unit = int(most[shown.of.by])
    which = title((int(most.layer), unit))
    if shown.of.by == "position":
        which = f"layer {int(most.layer)} at “{spoken(shown.tokens[unit]).strip()}”"
    every = moved.dropna().tolist()
    if shown.of.stage == "resid_post" and len(every) > 1 and min(every) > _WHOLE:
        return f"{ends}. {_ALL}"
    best = f"{which[0].upper()}{which[1:]} goes {way(moved.max())} of the way."
    return f"{ends}. {best} {_usual(shown, every)}".strip()


def _usual(shown: Shown, moved: list[float]) -> str:
    """What a head, or a square, drawn at random does: the yardstick for a chosen one."""
    if len(moved) < 2:
        return ""
    half, most = typical(moved)
    what = "head" if shown.of.by == "head" else "square"
    return (
        f"A {what} drawn at random moves it by less than {percent(half)} in half of all cases, "
        f"{percent(most)} in nine of ten."
    )


def percent(share: float) -> str:
    """A share of the way that others stay below; below one percent with a digit more."""
    return "0.1%" if share < 0.001 else f"{share:.1%}" if share < 0.0095 else f"{share:.0%}"


def way(share: float) -> str:
    """How far one goes: a share of the way, below 0 where it leads away."""
    written = f"{share:.1%}" if abs(share) < 0.0095 else f"{share:.0%}"
    return "0%" if float(written[:-1]) == 0 else minus(written)


def ends_of(shown: Shown, found: Patching) -> str:
    """What is measured, and its value in A and in B: both ends of the scale."""
    answers_ = shown.measured.answers
    what = found.metric.name
    if answers_ is not None:
        what = f"lead of “{answers_[0][0]}” over “{answers_[1][0]}”"
    unit = f" {found.unit}" if found.unit in _UNITS else ""  # of a distance the formula is no unit
    in_a, in_b = (
        write(value) if abs(value) < 0.1 else figure(value)
        for value in (found.clean, found.corrupted)
    )
    return f"{what[0].upper()}{what[1:]}: {in_a} in A, {in_b} in B{unit}"
