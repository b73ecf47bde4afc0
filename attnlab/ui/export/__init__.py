"""Every card as files: pictures made on the server, numbers, and the view as one offline page."""

from attnlab.ui.export.cards import compare, grid, head
from attnlab.ui.export.effects import effect, find, moved
from attnlab.ui.export.menu import Savable, menu
from attnlab.ui.export.opening import opened
from attnlab.ui.export.scaling import scaling
from attnlab.ui.export.view import view

__all__ = [
    "Savable",
    "compare",
    "effect",
    "find",
    "grid",
    "head",
    "menu",
    "moved",
    "opened",
    "scaling",
    "view",
]
