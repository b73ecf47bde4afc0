"""Edits: frozen values that change attention for one run.

An edit holds no tensors: it can be hashed, compared, written as JSON and put in a URL. Binding
it to a runner and to the tokens of a run makes what it needs; the bound edit is what
``attend`` calls. The order of a tuple of edits is the order in which they act.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from torch import Tensor

from attnlab.attention import Where
from attnlab.errors import EditError, EditRefused
from attnlab.trace.capture import Capture
from attnlab.trace.edits.donor import Corpus, Donor
from attnlab.trace.given import brief, chosen
from attnlab.trace.site import ROLES, Block, Site, layers_in

if TYPE_CHECKING:
    from attnlab.trace.trace import Trace

Change = Callable[[str, Tensor, Where], Tensor]


@dataclass(frozen=True)
class Bound:
    """An edit made ready for one text: which stages, at which sites, and what to do there.

    ``whole_rows``: the change needs rows over all keys, so tiles may not skip the future.
    ``alike``: it makes the same of the same mask at every site of a role, so that a run works it
    out once for all of them. ``looks_far``: it may show keys that a model's own cache drops.
    ``fresh``: what ``change`` hands back is nobody's, and may be overwritten.
    """

    edit: Edit
    stages: frozenset[str]
    reaches: Callable[[Any], bool]
    change: Change
    whole_rows: bool = False
    alike: bool = False
    looks_far: bool = False
    fresh: bool = False


@dataclass(frozen=True)
class Fed:
    """What an edit may have to know of the text that a run feeds.

    ``sizes``: by role, how many queries and keys it has; empty for a model's own inputs, of which
    nothing is known. ``more``: the tokens that a generation feeds after it, one at a time.
    ``cached``: they are read beside a key/value cache, so nobody looks back at them. ``donors``:
    plain runs of the other texts that edits name.
    """

    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    more: int = 0
    cached: bool = False
    donors: Mapping[Donor | Corpus, Trace] = field(default_factory=dict)

    def run_of(self, donor: Donor | Corpus, edit: Edit) -> Trace:
        """The run of a text that an edit names. Raises EditError where nobody ran it."""
        if donor not in self.donors:
            raise EditError(f"{edit} needs a run of its donor; lab.run makes one by itself.")
        return self.donors[donor]


@dataclass(frozen=True)
class Edit:
    """Base of every edit. ``kind`` is a field, so that two edits never share a cache key."""

    def __post_init__(self) -> None:
        """What most edits have: ``layers`` and ``heads`` in order, each once, and a ``role``.

        Raises:
            EditError: one of them is something else.
        """
        for name in ("layers", "heads"):
            some = chosen(name, getattr(self, name, None), int, EditError)
            if some is not None:
                object.__setattr__(self, name, tuple(sorted(set(some))))
        role = getattr(self, "role", None)
        if role is not None and not (isinstance(role, str) and role in ROLES):
            raise EditError(f"role= is one of {', '.join(ROLES)}, or left out; not {brief(role)}.")

    def sites(self, runner: Any) -> list[Site | Block]:
        """The sites that the edit reaches, or the blocks.

        Raises:
            EditRefused: there are none; the sentence says what would work.
        """
        raise EditError(f"{type(self).__name__} does not say where it acts.")

    @property
    def stages(self) -> frozenset[str]:
        """The stages that a tier must let it change."""
        return frozenset()

    def stages_in(self, runner: Any) -> frozenset[str]:
        """The same for the tier of a runner, where an edit can do its work at one or another."""
        return self.stages

    def needs(self, runner: Any) -> tuple[Capture, ...]:
        """What must be captured in a plain run of the same text before binding."""
        return ()

    def donors(self, runner: Any) -> tuple[tuple[Donor | Corpus, Capture], ...]:
        """Other texts that must be run plain before binding, and what must be captured of each."""
        return ()

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        """Make the edit ready for one text; ``donor`` holds what ``needs`` asked for."""
        raise EditError(f"{type(self).__name__} cannot be bound.")

    def bind_to(self, runner: Any, donor: Trace | None, fed: Fed) -> Bound:
        """``bind`` for an edit that has to know which text it is for.

        Raises:
            EditRefused: it would not do with this text what it says, or not with a cache.
        """
        return self.bind(runner, donor)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def main_or(role: str | None, runner: Any) -> str:
    return runner.main_role if role is None else role


def site_at(edit: Edit, layer: int, head: int, role: str | None, runner: Any) -> Site:
    """The site of a layer and head, or a sentence that says which there are."""
    role = main_or(role, runner)
    sites = [site for site in runner.sites if site.role == role]
    if not sites:
        roles = ", ".join(sorted({site.role for site in runner.sites})) or "none"
        raise EditRefused(f"{edit} names the role {role!r}, but {runner.name} has: {roles}.")
    site = next((site for site in sites if site.layer == layer), None)
    if site is None:
        layers = layers_in(sites)
        raise EditRefused(f"{edit} names layer {layer}, but {runner.name} has layers {layers}.")
    if not 0 <= head < site.heads:
        raise EditRefused(
            f"{edit} names head {head}, but layer {layer} of {runner.name} has heads "
            f"0 to {site.heads - 1}."
        )
    return site


def block_at(edit: Edit, stage: str, layer: int, role: str | None, runner: Any) -> Block:
    """The block of a layer whose stream has a stage, or a sentence that says which there are."""
    role = main_or(role, runner)
    blocks = [block for block in runner.blocks if block.role == role]
    if not blocks:
        roles = ", ".join(sorted({block.role for block in runner.blocks})) or "none"
        raise EditRefused(
            f"{edit} names the stream of {role!r}, but {runner.name} has streams in: {roles}."
        )
    if not stage.startswith("resid"):
        blocks = [block for block in blocks if getattr(block, stage)]
    if not blocks:
        raise EditRefused(f"{edit}: no {stage} was found in the {role} of {runner.name}.")
    block = next((block for block in blocks if block.layer == layer), None)
    if block is None:
        raise EditRefused(
            f"{edit} names layer {layer}, but {runner.name} has {stage} in layers "
            f"{layers_in(blocks)}."
        )
    return block
