"""The selection that fits a model: a link may name heads, or a role, that it does not have."""

from collections.abc import Sequence
from typing import Any

from attnlab.ui import engine, say, state
from attnlab.ui.phrases import title
from attnlab.ui.selection import DEFAULT, Head, Selection
from attnlab.viz.figures import several


def fitted(selection: Selection, reader: engine.Reader) -> Selection:
    """The nearest head that the model has, and of the pinned and taken away those that it has.

    What had to change is said on the page until the next choice, and the URL follows.
    """
    changes, problems = {}, []
    if selection.role and selection.role not in reader.roles:
        changes["role"] = ""
        has = ", ".join(reader.roles)
        problems.append(f"{reader.title} has no {selection.role} attention, only {has}.")
    layer, head = nearest(selection.chosen, reader)
    if (layer, head) != selection.chosen:
        changes |= {"layer": layer, "head": head}
        if selection.chosen != DEFAULT.chosen:  # which nobody asked for
            problems.append(
                f"{reader.title} has no head {title(selection.chosen)}; "
                f"this is the nearest, {title((layer, head))}."
            )
    for field in ("pins", "gone"):
        named = getattr(selection, field)
        there = tuple(head for head in named if head[1] < reader.heads_in(head[0]))
        if there != named:
            changes[field] = there
            problems.append(_missing(reader, [head for head in named if head not in there]))
    return _corrected(selection, changes, problems, "fit")


def placed(
    selection: Selection, reader: engine.Reader, a: engine.Reading, b: engine.Reading | None
) -> Selection:
    """A clicked query and key that the text has, and that the one can see the other."""
    side, position, key = selection.side, selection.position, selection.key
    if side == "B" and b is None:
        return selection
    reading = b if side == "B" and b is not None else a
    if position is None:
        if key is None:
            return selection
        problem = "A key is chosen for a word that looks, and none is chosen here."
        return _corrected(selection, {"key": None}, [problem], "place")
    if position >= len(reading.tokens):
        problem = (
            f"{side} has {several(len(reading.tokens), 'token')} and none numbered {position:,}."
        )
        return _corrected(selection, {"position": None, "key": None}, [problem], "place")
    if key is None:
        return selection
    if key >= len(reading.sources):
        problem = f"{side} has {several(len(reading.sources), 'token')} and none numbered {key:,}."
        return _corrected(selection, {"key": None}, [problem], "place")
    if reader.causal and key > position:
        problem = f"In this model no word of {side} sees the words after it, so no pair is chosen."
        return _corrected(selection, {"key": None}, [problem], "place")
    return selection


def _corrected(
    selection: Selection, changes: dict[str, Any], problems: Sequence[str], where: str
) -> Selection:
    """`selection` with changes that are said on the page and written to the URL."""
    if not changes:
        return selection
    problem = " ".join(dict.fromkeys(problems))
    if problem:
        say.problem(problem, where)
    fits = state.correct(problem, **changes)
    state.publish(fits)
    return fits


def nearest(head: Head, reader: engine.Reader) -> Head:
    """The head of this model that is nearest to `head`."""
    layer = min(reader.layers, key=lambda layer: abs(layer - head[0]))
    return layer, min(head[1], reader.heads_in(layer) - 1)


def _missing(reader: engine.Reader, heads: Sequence[Head]) -> str:
    named = ", ".join(map(title, heads[:3])) + ("…" if len(heads) > 3 else "")
    them = "it was" if len(heads) == 1 else "they were"
    return f"{reader.title} has no {named}, so {them} left out."
