"""Architecture: what a transformer is made of, who sees what in it, and why it won."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import streamlit as st

from attnlab.ui import architecture_lessons, frame, lesson_links, own, state
from attnlab.ui.architecture_selection import ARCHITECTURE, PANELS
from attnlab.ui.cards import sentences
from attnlab.ui.cards.architecture import block, cross, heads, sees, subject, tries, why

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
shown = own.restore(ARCHITECTURE)
shown = lesson_links.whole(ARCHITECTURE, shown, architecture_lessons.named(shown.lesson))
chosen = state.current()
open_now = architecture_lessons.active(shown, chosen)
shown = lesson_links.kept(ARCHITECTURE, shown, open_now)
state.publish(chosen)
own.publish(ARCHITECTURE, shown)
frame.title("Architecture", "What a transformer is made of, and who sees what in it.")
tries.draw(chosen, shown)
with st.container(key="switch"):
    st.segmented_control(
        "What stands here",
        PANELS,
        key=own.seeded(ARCHITECTURE, "panel"),
        required=True,
        format_func=_TITLES.get,
        label_visibility="collapsed",
    )
frame.troubles(ARCHITECTURE)


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
