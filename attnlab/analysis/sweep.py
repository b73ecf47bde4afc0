"""The effect of every head, exact: each one zeroed, or replaced by its mean or by another text's.

    frame = sweep(lab, text)                    # layer, head, role, effect: KL in nats
    frame.nlargest(5, "effect")
    sweep(lab, text, edit="resample", donor=other, metric=LogProbability(" Paris"))

All heads run in one forward whose batch grows (``analysis.grow``); the numbers are those of one run
each. The effect of a set of heads is not the sum of its heads' effects: sweep sets as variants of
``grown`` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd
import torch

from attnlab.analysis.grow import BUDGET, GROUPS, Grown, Part, grown
from attnlab.analysis.metrics import Metric, default_metric
from attnlab.errors import EditRefused, InputError
from attnlab.trace.capture import whole
from attnlab.trace.edits import (
    Edit,
    MeanFeedForward,
    MeanHead,
    Patch,
    ResampleHead,
    ZeroFeedForward,
    ZeroHead,
)
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.site import Head

MakeEdit = Callable[[int, int | None, str], "Edit | Sequence[Edit]"]
"""The edits of one head, from its layer, head and role; no head: of the layer's feed-forward."""

Unit = tuple[str, int, int | None]
"""Role, layer, head; None for the feed-forward of a layer."""


def sweep(
    runner: Runner,
    text: Any,
    edit: str | MakeEdit = "zero",
    metric: Metric | None = None,
    heads: Iterable[Head] | None = None,
    *,
    role: str | None = None,
    target: Any = None,
    donor: Any = None,
    donor_target: Any = None,
    at: Any = None,
    positions: int | Sequence[int] | None = None,
    feed_forward: bool = False,
    groups: int = GROUPS,
    budget: int = BUDGET,
    progress: Callable[[float], None] | None = None,
    cancel: Cancel | None = None,
    seen: Callable[[pd.DataFrame], None] | None = None,
) -> pd.DataFrame:
    """What happens without each head.

    Args:
        edit: "zero", "mean" (over this text), "resample" (from ``donor``), or a function that makes
            the edits of a layer, a head and a role.
        metric: KL at the last position where None; an encoder's cosine distance.
        heads: (layer, head) pairs; all of the role where None.
        role: whose heads; the main role's where None.
        donor, donor_target, at: see ``ResampleHead``.
        positions: where heads are changed; everywhere where None.
        feed_forward: also every feed-forward layer, edited likewise; their ``head`` is missing, and
            a function is called with None for it.
        groups, budget: see ``grown``.
        seen: called with the rows of each group of heads as they come.

    Returns:
        layer, head, role, part ("head" or "feed-forward"), effect (of a metric by position the mean
        over positions, which follow as columns ``at 0``, ``at 1``, …). ``attrs`` says of what:
        model, tier, metric, unit, edit, how it was run, and how far from single runs are what is
        read of a run (``difference``) and effects (``noise``: smaller ones tell nothing).

    Raises:
        InputError: no such edit, no donor, or no heads.
        EditError: a head that the model does not have, or texts that do not fit each other.
        Cancelled: ``cancel`` was set.
    """
    make = maker(edit, donor=donor, donor_target=donor_target, at=at, positions=positions)
    units = units_of(runner, role, heads, feed_forward)
    variants = [edits_of(make, unit) for unit in units]

    def partial(part: Part) -> None:
        seen(frame_of([units[i] for i in part.which], part.values[0]))

    found = grown(
        runner,
        text,
        variants,
        default_metric(runner) if metric is None else metric,
        target=target,
        groups=groups,
        budget=budget,
        progress=progress,
        cancel=cancel,
        seen=None if seen is None else partial,
    )
    frame = frame_of(units, found.values[0])
    frame.attrs = about(runner, found, edit if isinstance(edit, str) else "own")
    return frame


def maker(
    edit: str | MakeEdit,
    *,
    donor: Any = None,
    donor_target: Any = None,
    at: Any = None,
    positions: int | Sequence[int] | None = None,
) -> MakeEdit:
    """How the edit of one head is made, by its name or by a function of the caller's own.

    Raises:
        InputError: there is no edit of this name, or it needs a donor.
    """
    if callable(edit):
        if positions is not None or donor is not None:
            raise InputError("An edit of your own says itself where it acts and from which donor.")
        return edit
    if edit == "resample":
        if donor is None:
            raise InputError("Resampling takes each head's output from another text: donor=.")
        more = {"donor_target": donor_target, "at": at, "positions": positions}
        return lambda layer, head, role: (
            Patch("mlp_out", layer, donor=donor, role=role, **more)
            if head is None
            else ResampleHead(layer, head, donor, role=role, **more)
        )
    if donor is not None or at is not None:
        raise InputError(f"A donor is for edit='resample', not for {edit!r}.")
    kinds = {"zero": (ZeroHead, ZeroFeedForward), "mean": (MeanHead, MeanFeedForward)}
    if edit not in kinds:
        raise InputError(f"edit is 'zero', 'mean', 'resample' or a function, not {edit!r}.")
    of_head, of_layer = kinds[edit]
    return lambda layer, head, role: (
        of_layer(layer, role=role, positions=positions)
        if head is None
        else of_head(layer, head, role, positions=positions)
    )


def units_of(
    runner: Runner,
    role: str | None = None,
    heads: Iterable[Head] | None = None,
    feed_forward: bool = False,
) -> list[Unit]:
    """What is swept: heads in order of layer, then feed-forward layers.

    Raises:
        InputError: there are none, or a pair names none.
    """
    role = role or runner.main_role
    known = [(s.layer, h) for s in runner.sites if s.role == role for h in range(s.heads)]
    if not known:
        raise InputError(f"{runner.name} has no heads in the role {role!r}.")
    chosen = sorted(known) if heads is None else list(map(_pair, heads))
    wrong = next((head for head in chosen if head not in set(known)), None)
    if wrong is not None:
        raise InputError(f"{runner.name} has no head {wrong} in {role}; name (layer, head) pairs.")
    units: list[Unit] = [(role, *head) for head in dict.fromkeys(chosen)]
    if feed_forward:
        layers = sorted(b.layer for b in runner.blocks if b.role == role and b.mlp_out)
        if not layers:
            raise EditRefused(f"No feed-forward layer of {runner.name} was found in {role}.")
        units += [(role, layer, None) for layer in layers]
    if not units:
        raise InputError("There is nothing to sweep; leave heads out for all.")
    return units


def _pair(head: Any) -> Head:
    """Layer and head. Raises InputError for anything else."""
    if not isinstance(head, Sequence) or isinstance(head, str) or len(head) != 2:
        raise InputError(f"heads= holds (layer, head) pairs, not {head!r}.")
    return whole("A layer", head[0], InputError), whole("A head", head[1], InputError)


def edits_of(make: MakeEdit, unit: Unit) -> tuple[Edit, ...]:
    """The edits of a head, or of a feed-forward layer."""
    role, layer, head = unit
    made = make(layer, head, role)
    return (made,) if isinstance(made, Edit) else tuple(made)


def frame_of(units: Sequence[Unit], values: torch.Tensor) -> pd.DataFrame:
    """A row for each unit; ``values`` [N] or [N, Q]."""
    by_position = values.dim() > 1
    frame = pd.DataFrame(
        {
            "layer": [layer for _, layer, _ in units],
            "head": pd.array([head for *_, head in units], dtype="Int64"),
            "role": [role for role, *_ in units],
            "part": ["feed-forward" if head is None else "head" for *_, head in units],
            "effect": (values.mean(-1) if by_position else values).double().numpy(),
        }
    )
    if by_position:
        columns = {f"at {i}": column.double().numpy() for i, column in enumerate(values.T)}
        frame = pd.concat([frame, pd.DataFrame(columns)], axis=1)
    return frame


def about(runner: Runner, found: Grown, edit: str) -> dict[str, Any]:
    """What the numbers are and how they were found, ready for JSON."""
    (metric,) = found.metrics
    value = metric.value(found.plain) if metric.signed else None
    return {
        "model": runner.name,
        "revision": found.plain.how.get("revision"),
        "tier": runner.tier,
        "metric": metric.to_json(),
        "name": metric.name,
        "unit": metric.unit,
        "plain": value.tolist() if value is not None else None,
        "edit": edit,
        "how": found.how,
        "why": found.why,
        "difference": found.difference,
        "noise": None if found.noise is None else found.noise[0],
        "forwards": found.forwards,
    }
