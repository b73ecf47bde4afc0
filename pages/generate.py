"""Generate: attention over a text while the model writes it, token by token."""

from functools import partial
from pathlib import Path
from typing import Final

from attnlab.ui import frame, generate_lessons, generate_play, opening, own, state
from attnlab.ui.cards import tryrow
from attnlab.ui.cards.generate import panel
from attnlab.ui.generate_selection import GENERATE

_TITLES: Final = {"one": "One run", "edited": "Plain and edited", "two": "Two prompts"}

frame.ensure(Path(__file__).parents[1] / "app.py")
chosen, shown = opening.restored(GENERATE, generate_lessons)
shown = generate_play.begun(shown, chosen)
state.publish(chosen)
if not generate_play.playing():
    own.publish(GENERATE, shown)
opening.top(
    GENERATE,
    "Generate",
    "One token at a time: where it looks, what may come, what is kept.",
    partial(tryrow.of_page, GENERATE, generate_lessons, chosen, shown),
    opening.Switch("runs", _TITLES, "What is written"),
)
frame.attempt(lambda: panel.draw(chosen, shown))
generate_play.go_on()
