"""Head roles: what every head looks for, scored on made texts; and one head up close."""

from pathlib import Path

from attnlab.ui import frame, opening, roles_lessons
from attnlab.ui.cards.roles import panel
from attnlab.ui.roles_selection import HEAD_ROLES

frame.ensure(Path(__file__).parents[1] / "app.py")
chosen, shown = opening.opened(
    HEAD_ROLES,
    roles_lessons,
    "Head roles",
    "What every head looks for, found on made texts whose answer is known.",
)
frame.attempt(lambda: panel.draw(chosen, shown))
