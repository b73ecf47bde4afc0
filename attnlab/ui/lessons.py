"""What the experiments of every page have in common; nothing here imports Streamlit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from attnlab.ui.selection import Selection


@dataclass(frozen=True)
class Lesson:
    """One question, what to look for, and the page that shows it.

    Attributes:
        name: its spelling in a link; also ``value.lesson``.
        title: a few words, for a button.
        value: the page's own values; ``shared``: what it needs of the selection of all pages.
        also: fields that it sets, and whose change does not end it.
    """

    name: str
    title: str
    look_for: str
    value: Any
    shared: Mapping[str, Any] = field(default_factory=dict)
    also: tuple[str, ...] = ()


class Course(Protocol):
    """The experiments of a page: a module such as ``ablate_lessons``.

    Attributes:
        LESSONS: in the order of their buttons.
        set_up: the page's own values that an experiment speaks of; what it does not stays.
        named: the experiment of a name, or None.
        active: the experiment that is open, or None.
    """

    LESSONS: Sequence[Lesson]
    set_up: Callable[[Lesson], dict[str, Any]]
    named: Callable[[str], Lesson | None]
    active: Callable[[Any, Selection], Lesson | None]


def named(lessons: Sequence[Lesson], name: str) -> Lesson | None:
    """The experiment of this name, or None."""
    return next((lesson for lesson in lessons if lesson.name == name), None)


def active(
    lessons: Sequence[Lesson],
    set_up: Callable[[Lesson], Mapping[str, Any]],
    value: Any,
    selection: Selection,
) -> Lesson | None:
    """The experiment that is open; None once something that it set up was changed.

    Args:
        set_up: the page's own values that an experiment speaks of.
    """
    found = named(lessons, value.lesson)
    if found is None:
        return None
    kept = {name: v for name, v in set_up(found).items() if name not in found.also}
    same = all(getattr(value, name) == wanted for name, wanted in kept.items())
    same = same and all(getattr(selection, name) == v for name, v in found.shared.items())
    return found if same else None
