"""Values of one sentence put into the other: what is shown of them, and what is said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attnlab.analysis.beside import typical
from attnlab.analysis.patching import Patching
from attnlab.ui.cards.trace.parts import figure
from attnlab.ui.engine.trace import Exchange
from attnlab.ui.phrases import title
from attnlab.ui.trace_answers import Contrast
from attnlab.viz.svg.text import spoken


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
    answers_ = shown.measured.answers
    lead = found.metric.name
    if answers_ is not None:
        lead = f"lead of “{answers_[0][0]}” over “{answers_[1][0]}”"
    ends = (
        f"{lead[0].upper()}{lead[1:]}: {figure(found.clean)} in A, {figure(found.corrupted)} in B"
    )
    moved = found.table.share.map(shown.moved)
    if not moved.notna().any():
        return f"{ends}: nothing lies between them that could be moved."
    most = found.table.loc[moved.idxmax()]
    unit = int(most[shown.of.by])
    which = title((int(most.layer), unit))
    if shown.of.by == "position":
        which = f"layer {int(most.layer)} at “{spoken(shown.tokens[unit]).strip()}”"
    best = f"{which[0].upper()}{which[1:]} goes {moved.max():.0%} of the way."
    return f"{ends} {found.unit}. {best} {_usual(shown, moved.dropna().tolist())}".strip()


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
    """A share of the way; below one percent with a digit more."""
    return "0.1%" if share < 0.001 else f"{share:.1%}" if share < 0.0095 else f"{share:.0%}"
