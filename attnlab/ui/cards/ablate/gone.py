"""What is taken away together: heads, which all pages share, and feed-forwards, of this page."""

from __future__ import annotations

from dataclasses import dataclass

from attnlab.ui import own, say, state
from attnlab.ui.ablate_selection import ABLATE, Ablate
from attnlab.ui.engine.ask import Ask, feeds_of
from attnlab.ui.selection import MAX_GONE, Head, Selection
from attnlab.viz.figures import several
from attnlab.viz.heads import FEED


@dataclass(frozen=True)
class Gone:
    """What is taken away together.

    Attributes:
        chosen: the selection, with its heads.
        layers: those whose feed-forward is taken away.
    """

    chosen: Selection
    layers: tuple[int, ...] = ()

    @property
    def marked(self) -> tuple[Head, ...]:
        """What somebody took away, in rising order; feed-forwards, as (layer, FEED), last."""
        return (*sorted(set(self.chosen.gone)), *((layer, FEED) for layer in self.layers))

    @property
    def units(self) -> tuple[Head, ...]:
        """What the effect is of: all of it, or the chosen head where nothing was taken away."""
        return self.marked or (self.chosen.chosen,)

    @property
    def heads(self) -> tuple[Head, ...]:
        """The heads among ``units``."""
        return tuple(unit for unit in self.units if unit[1] != FEED)

    @property
    def full(self) -> bool:
        """Whether no more can be taken away."""
        return len(self.marked) >= MAX_GONE


def layers_there(value: Ablate, ask: Ask, heads: int) -> tuple[int, ...]:
    """The layers whose feed-forward is taken away here; what of the wish is left out is said.

    Args:
        heads: how many are taken away with them.
    """
    known = feeds_of(ask.reader)
    there = tuple(layer for layer in value.layers if layer in known)
    why = "that this model does not have"
    if len(there) > MAX_GONE - heads:
        there, why = there[: MAX_GONE - heads], f"beyond the {MAX_GONE} parts of a set"
    if there != value.layers:
        say.problem(f"Feed-forwards {why} were left out.", "layers")
        own.publish(ABLATE, own.correct(ABLATE, layers=there))
    if there and not ask.feeds:
        say.remark(
            f"{several(len(there), 'feed-forward')} of the set left as trained: a feed-forward can "
            "be set to zero, to its mean, or to what it is in B.",
            "layers-stay",
        )
    return there if ask.feeds else ()


def toggle(unit: Head) -> None:
    """Takes a head or a feed-forward away, or gives it back; a callback. A head is looked at."""
    now = Gone(state.chosen_now(), own.chosen_now(ABLATE).layers)
    gone = now.marked
    left = tuple(one for one in gone if one != unit)
    left = left if unit in gone or now.full else (*gone, unit)
    choose(left)
    if unit[1] != FEED:
        state.choose(layer=unit[0], head=unit[1])


def choose(units: tuple[Head, ...]) -> None:
    """Takes just these away; a callback."""
    layers = tuple(sorted(layer for layer, head in units if head == FEED))
    state.choose(gone=tuple(unit for unit in units if unit[1] != FEED))
    own.choose(ABLATE, layers=layers)
