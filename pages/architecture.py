"""Architecture: what a transformer is made of, who sees what in it, and why it won."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from attnlab.ui import architecture_lessons, frame, opening
from attnlab.ui.architecture_selection import ARCHITECTURE
from attnlab.ui.cards import sentences
from attnlab.ui.cards.architecture import block, cross, heads, sees, subject, why

_TITLES: Final = {
    "block": "The block",
    "heads": "Heads and cache",
    "sees": "Who sees what",
    "cross": "Cross-attention",
    "why": "Why it won",
}


def panel(target: Callable[[], None]) -> None:
    """The panels that are about a model or a preset."""
    of = subject.found(chosen, shown, target)
    if of is None:
        return
    if shown.panel == "block":
        block.draw(of)
    else:
        heads.draw(of, shown.length)


frame.ensure(Path(__file__).parents[1] / "app.py")
chosen, shown = opening.opened(
    ARCHITECTURE,
    architecture_lessons,
    "Architecture",
    "What a transformer is made of, and who sees what in it.",
    opening.Switch("panel", _TITLES),
)
if shown.panel in ("block", "heads"):
    with_target = subject.choose(chosen, shown)
    frame.attempt(lambda: panel(with_target))
elif shown.panel == "sees":
    sentences.draw_one(chosen)
    frame.attempt(lambda: sees.draw(chosen))
elif shown.panel == "cross":
    frame.attempt(lambda: cross.draw(chosen))
elif shown.panel == "why":
    why.draw(shown.window)
