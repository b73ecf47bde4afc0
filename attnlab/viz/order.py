"""Words before and after they change places, and how far each one's vector moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import share
from attnlab.viz.svg.text import cut

WIDE: Final = 340
_ROW, _TOP, _WORD, _LINES, _SIZE = 27.0, 30.0, 84.0, 46.0, 13.0


def order(
    words: Sequence[str], places: Sequence[int], changes: Sequence[float], *, label: str
) -> Diagram:
    """Two columns of words, a line from each to itself, and its change as a bar and a figure.

    Args:
        places: which word stands at each place afterwards.
        changes: of each afterwards, in its new order: relative to the length of its vector.
    """
    bottom = _TOP + _ROW * len(words)
    drawn = Diagram(WIDE, bottom + 4, label)
    after = _WORD + _LINES
    drawn.words(_WORD, 9, "before", size=11.5, kind="mute", anchor="end")
    drawn.words(after, 9, "after", size=11.5, kind="mute")
    bar = after + _WORD + 6
    drawn.words(bar, 9, "its vector changed by", size=11.5, kind="mute")
    room = WIDE - bar - 52
    for at, word in enumerate(words):
        y = _TOP + _ROW * (at + 0.5)
        drawn.words(_WORD, y, cut(word, _WORD, _SIZE), size=_SIZE, anchor="end")
    for at, (place, change) in enumerate(zip(places, changes, strict=True)):
        y, before = _TOP + _ROW * (at + 0.5), _TOP + _ROW * (place + 0.5)
        moved = place != at
        line = [(_WORD + 6, before), (after - 6, y)]
        drawn.line(line, "ink" if moved else "line", width=1.6 if moved else 1.2, arrow=True)
        drawn.words(after, y, cut(words[place], _WORD, _SIZE), size=_SIZE, bold=moved)
        drawn.box(bar, y - 6, room, 12, "tile", radius=3)
        drawn.box(bar, y - 6, max(0.0, min(change, 1.0)) * room, 12, "edit", radius=3)
        drawn.words(WIDE, y, share(change), size=12, anchor="end")
        drawn.spot(
            _WORD,
            y - _ROW / 2,
            WIDE - _WORD,
            _ROW,
            words[place],
            f"from place {place + 1} to {at + 1}",
            f"its vector changed by {share(change)} of its length",
        )
    return drawn
