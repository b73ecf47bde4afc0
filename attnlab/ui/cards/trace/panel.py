"""The page Trace a prediction below its experiments."""

from attnlab.ui.cards.trace import inside, one, pair, word
from attnlab.ui.selection import Selection
from attnlab.ui.trace_selection import Traced

_VIEWS = {"one": one.draw, "pair": pair.draw, "word": word.draw, "head": inside.draw}


def draw(selection: Selection, value: Traced) -> None:
    """The view that is chosen.

    Raises:
        AttnLabError: the model or a text does not fit; the message says why.
    """
    _VIEWS[value.view](selection, value)
