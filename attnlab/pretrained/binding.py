"""Binding edits to a runner: refused here, before the run, or made ready."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from attnlab.errors import EditRefused
from attnlab.trace.edits import Bound, Edit, Fed
from attnlab.trace.edits.placed import require_room
from attnlab.trace.given import brief, several
from attnlab.trace.trace import Trace

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab

_ALWAYS = frozenset({"sinks"})
"""Stages that exist only where a model has them, so no tier needs to offer them."""


def as_edits(edits: Edit | Iterable[Edit]) -> tuple[Edit, ...]:
    """``edits=`` in any form that ``run`` accepts.

    Raises:
        EditRefused: something is no edit.
    """
    given = several("edits=", edits, EditRefused, ordered=True)
    for edit in given:
        if not isinstance(edit, Edit):
            raise EditRefused(f"{brief(edit)} is no edit; try al.ZeroHead(layer, head).")
    return given


def bind(
    lab: Lab,
    edits: Sequence[Edit],
    donor: Trace | None,
    fed: Fed = Fed(),  # noqa: B008 (frozen)
    *,
    check_only: bool = False,
) -> tuple[Bound, ...]:
    """The edits bound to a model, to a text and, where they need one, to a plain run of it.

    Raises:
        EditError: an edit does not fit the text.
        EditRefused: a site that the model does not have, or a stage that its tier cannot change.
    """
    for edit in edits:
        edit.sites(lab)
        missing = edit.stages_in(lab) - lab.editable - _ALWAYS
        if missing:
            can = ", ".join(sorted(lab.editable)) or "nothing"
            raise EditRefused(
                f"{edit} changes {', '.join(sorted(missing))}, which cannot be changed in "
                f"{lab.name} (tier {lab.tier}); what can: {can}."
            )
    if check_only:
        return ()
    bounds = tuple(edit.bind_to(lab, donor, fed) for edit in edits)
    require_room(bounds, lab.name)
    return bounds


def require_alike(bounds: Sequence[tuple[Bound, ...]]) -> None:
    """Raises EditRefused where texts of a batch differ in what they must have in common."""
    shared = [tuple(b.edit for b in own if getattr(b, "shared", False)) for own in bounds]
    if len(set(shared)) > 1:
        edit = next(edits for edits in shared if edits)[0]
        raise EditRefused(
            f"{edit}: this model has one bias for all texts of a batch; run such texts apart."
        )


def distinct(
    sources: Sequence[list[int]], goals: Sequence[list[int] | None]
) -> tuple[list[tuple[list[int], list[int] | None]], list[int]]:
    """Every different (source, goal) once, and which of them each text of a batch is."""
    texts: list[tuple[list[int], list[int] | None]] = []
    which = []
    for pair in zip(sources, goals, strict=True):
        if pair not in texts:
            texts.append(pair)
        which.append(texts.index(pair))
    return texts, which
