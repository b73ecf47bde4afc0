"""Head roles: what every head looks for, scored on made texts; and one head up close."""

from pathlib import Path

from attnlab.ui import frame, lesson_links, own, roles_lessons, state
from attnlab.ui.cards.roles import panel, tries
from attnlab.ui.roles_selection import HEAD_ROLES

frame.ensure(Path(__file__).parents[1] / "app.py")
shown = own.restore(HEAD_ROLES)
shown = lesson_links.whole(HEAD_ROLES, shown, roles_lessons.named(shown.lesson))
chosen = state.current()
shown = lesson_links.kept(HEAD_ROLES, shown, roles_lessons.active(shown, chosen))
state.publish(chosen)
own.publish(HEAD_ROLES, shown)
frame.title("Head roles", "What every head looks for, found on made texts whose answer is known.")
tries.draw(chosen, shown)
frame.troubles(HEAD_ROLES)
frame.attempt(lambda: panel.draw(chosen, shown))
