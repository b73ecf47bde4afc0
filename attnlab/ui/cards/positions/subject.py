"""The loaded model where it has what is drawn, else one that comes with AttnLab."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from attnlab.errors import StageNotAvailable
from attnlab.ui import engine, models
from attnlab.ui.selection import Selection

Found = TypeVar("Found")


def model_with(
    selection: Selection, other: str, read: Callable[[engine.Reader], Found | None]
) -> tuple[engine.Reader, Found | None, str]:
    """What is read off the loaded model, or off ``other`` where it has none.

    Returns:
        The model that is shown, what was read, and a sentence where it is the other one.

    Raises:
        AttnLabError: a model cannot be loaded or read.
    """
    reader = models.loaded(selection)
    lacks = "has none"
    try:
        found = read(reader)
    except StageNotAvailable:
        # What a model computes in code of its own is not seen before its softmax.
        found, lacks = None, "does not let it be seen"
    if found is not None or reader.key.model == other:
        return reader, found, ""
    stand_in = models.open_model(replace(selection, model=other, ours=False, role=""))
    said = f"{reader.title} {lacks}, so {stand_in.title} stands in."
    return stand_in, read(stand_in), said
