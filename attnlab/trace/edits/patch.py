"""Patching: values of a stage replaced by those of a run of another text.

Interchange interventions (Geiger et al. 2021, "Causal Abstractions of Neural Networks"), also
called causal tracing (Meng et al. 2022) and activation patching.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from torch import Tensor

from attnlab.errors import EditError
from attnlab.trace.capture import Capture
from attnlab.trace.edits.donor import Donor, Words, as_words
from attnlab.trace.edits.edit import Bound, Edit, Fed, block_at, site_at
from attnlab.trace.edits.heads import OfHead, kept_head, stage_of
from attnlab.trace.edits.places import KEYED, as_positions, length_at, placed
from attnlab.trace.edits.writing import Rows, Written
from attnlab.trace.given import whole
from attnlab.trace.site import Block, Site

if TYPE_CHECKING:
    from attnlab.trace.trace import Trace

OF_ATTENTION = ("q", "k", "v", "weights", "z")
OF_STREAM = ("resid_pre", "attn_out", "cross_out", "mlp_out", "resid_post")
Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Patch(Edit):
    """Replace a stage at chosen positions by the same stage of a plain run of another text.

        Patch("z", 23, 4, donor="The capital of Spain is")
        Patch("mlp_out", 11, positions=3, donor="The capital of Spain is")
        Patch("resid_post", 8, donor=other, at=((5, 7), (6, 8)))      5 here gets what 7 has there

    Args:
        stage: "q", "k", "v", "weights", "z"; "resid_pre", "attn_out", "cross_out", "mlp_out",
            "resid_post".
        head: a query head; None: all. Where heads share keys and values, the head gets a copy of
            its own, and the others keep theirs.
        donor: the other text, or its token ids; None: this text itself, run without any edit.
        donor_target: what the decoder of an encoder-decoder is fed meanwhile.
        positions: the same places in both texts; negative counts from the end; None: all. They
            are those of queries, for "k" and "v" those of keys. Texts must be equally long.
        at: pairs (position here, position there), for texts of any lengths.
        role: None: the model's main role. A block's ``cross_out`` is of the decoder.

    Queries and keys carry the rotation of the position they come from. Rows of "weights" keep
    their keys where both texts have as many; else keys are paired by ``at`` as well, and a key
    that has no pair gets no weight. They are never made to sum to 1. Of a generation, the
    prompt is patched.

    Raises:
        EditError: an unknown stage, a head of the stream, or ``at`` and ``positions`` at once.
    """

    stage: str
    layer: int
    head: int | None = None
    _: KW_ONLY
    positions: tuple[int, ...] | None = None
    donor: Words | None = None
    donor_target: Words | None = None
    at: Pairs | None = None
    role: str | None = None
    kind: str = field(default="patch", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stage not in OF_ATTENTION + OF_STREAM:
            can = ", ".join(OF_ATTENTION + OF_STREAM)
            raise EditError(f"A patch takes one of the stages {can}, not {self.stage!r}.")
        object.__setattr__(self, "layer", whole("layer", self.layer, EditError))
        if self.head is not None:
            object.__setattr__(self, "head", whole("head", self.head, EditError))
            if self.stage in OF_STREAM:
                raise EditError(f"{self.stage} has no heads; leave head= out.")
        settle(self)

    @property
    def stages(self) -> frozenset[str]:
        return frozenset({self.stage})

    def sites(self, runner: Any) -> list[Site | Block]:
        if self.stage in OF_STREAM:
            return [block_at(self, self.stage, self.layer, self.role, runner)]
        return [site_at(self, self.layer, self.head or 0, self.role, runner)]

    def _capture(self, runner: Any) -> Capture:
        (place,) = self.sites(runner)
        heads = self.head
        if heads is not None:
            heads = kept_head(place, self.stage, heads)
        return Capture(self.stage, layers=self.layer, heads=heads, roles=place.role)

    def needs(self, runner: Any) -> tuple[Capture, ...]:
        return (self._capture(runner),) if self.donor is None else ()

    def donors(self, runner: Any) -> tuple[tuple[Donor, Capture], ...]:
        if self.donor is None:
            return ()
        return ((Donor(self.donor, self.donor_target), self._capture(runner)),)

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        return self.bind_to(runner, donor, Fed())

    def bind_to(self, runner: Any, donor: Trace | None, fed: Fed) -> Bound:
        (place,) = self.sites(runner)
        trace = giver(self, donor, fed)
        view = getattr(trace.role(place.role), self.stage)
        one = self.head is not None
        value = (
            view[self.layer, kept_head(place, self.stage, self.head)] if one else view[self.layer]
        )
        pairs = paired(self, fed, place.role, self.stage, value.shape[-2])
        here, there = zip(*pairs, strict=True)
        rows = value[..., list(there), :]
        if self.stage == "weights":
            change = self._rows(rows, here, fed, place.role)
        else:
            change = Written(rows, self.head, here)
        stages = frozenset({stage_of(self.stage) if one else self.stage})
        return Bound(self, stages, lambda other: other == place, change)

    def _rows(self, rows: Tensor, here: tuple[int, ...], fed: Fed, role: str) -> Rows:
        """Rows of weights with their keys named."""
        theirs = rows.shape[-1]
        ours = fed.sizes[role][1] if role in fed.sizes else theirs
        if ours == theirs:
            return Rows(str(self), rows, here, tuple(range(theirs)), self.head)
        if role == "cross":
            raise EditError(
                f"{self}: the source has {ours} tokens here and {theirs} in the donor; weights of "
                "cross-attention can be patched between sources of one length."
            )
        mine, other = zip(*self.at, strict=True)
        return Rows(str(self), rows[..., list(other)], here, mine, self.head)

    def __str__(self) -> str:
        head = "" if self.head is None else f", {self.head}"
        return f"Patch({self.stage!r}, {self.layer}{head})"


@dataclass(frozen=True)
class ResampleHead(OfHead):
    """Replace a head's output z by what the head hands on in another text.

        ResampleHead(9, 4, "The animal didn't cross the street because it was too tired.")

    A ``Patch`` of one head. From the same text it changes nothing.

    Args:
        donor, donor_target, at: see ``Patch``.
        positions, what: see ``OfHead``.
        role: None: the model's main role.

    Raises:
        EditError: no donor, or ``at`` and ``positions`` at once.
    """

    donor: Words | None = None
    _: KW_ONLY
    donor_target: Words | None = None
    at: Pairs | None = None
    role: str | None = None
    kind: str = field(default="resample_head", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.donor is None:
            raise EditError(f"{self} needs another text: donor=.")
        settle(self)

    def donors(self, runner: Any) -> tuple[tuple[Donor, Capture], ...]:
        return ((Donor(self.donor, self.donor_target), self.read(runner)),)

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        return self.bind_to(runner, donor, Fed())

    def bind_to(self, runner: Any, donor: Trace | None, fed: Fed) -> Bound:
        value = self.value(runner, giver(self, donor, fed))
        pairs = paired(self, fed, self.role_in(runner), self.what, len(value))
        here, there = zip(*pairs, strict=True)
        return self.written(runner, value[list(there)], here)


def settle(edit: Patch | ResampleHead) -> None:
    """Bring donor, positions and pairs into the form in which they compare and hash.

    Raises:
        EditError: one of them is none.
    """
    object.__setattr__(edit, "positions", as_positions(edit.positions))
    for name in ("donor", "donor_target"):
        if getattr(edit, name) is not None:
            object.__setattr__(edit, name, as_words(name, getattr(edit, name)))
    if edit.donor is None and edit.donor_target is not None:
        raise EditError("donor_target= goes with donor=.")
    if edit.at is not None:
        if edit.positions is not None:
            raise EditError("positions= names the same places in both texts, at= pairs: give one.")
        object.__setattr__(edit, "at", _as_pairs(edit.at))


def _as_pairs(at: Any) -> Pairs:
    pairs = tuple(at) if isinstance(at, Sequence) else ()
    if not pairs or not all(isinstance(p, Sequence) and len(p) == 2 for p in pairs):
        raise EditError(f"at= takes pairs (position here, position there), not {at!r}.")
    pairs = tuple(tuple(whole("at", place, EditError) for place in pair) for pair in pairs)
    twice = [place for place, count in Counter(here for here, _ in pairs).items() if count > 1]
    if twice:
        raise EditError(f"at= pairs position {twice[0]} here with several there.")
    if min(place for pair in pairs for place in pair) < 0:
        raise EditError("at= counts positions from the start of both texts.")
    return pairs


def giver(edit: Patch | ResampleHead, plain: Trace | None, fed: Fed) -> Trace:
    """The trace that an edit takes its values from."""
    if edit.donor is not None:
        return fed.run_of(Donor(edit.donor, edit.donor_target), edit)
    if plain is None:
        raise EditError(f"{edit} needs a plain run of the same text.")
    return plain


def paired(edit: Patch | ResampleHead, fed: Fed, role: str, stage: str, theirs: int) -> Pairs:
    """Positions here and in the donor, whose axis has ``theirs`` of them.

    Raises:
        EditError: the texts differ in length and nothing says what goes where, or a position is
            not there.
    """
    ours = length_at(fed, role, stage)
    if edit.at is not None:
        for side, length, who in ((0, ours, "here"), (1, theirs, "in the donor")):
            wrong = max(pair[side] for pair in edit.at)
            if length is not None and wrong >= length:
                raise EditError(f"{edit}: there is no position {wrong} {who}; it has {length}.")
        return edit.at
    if ours is not None and ours != theirs:
        raise EditError(_unequal(edit, role, stage, ours, theirs))
    here = placed(edit, edit.positions, fed, role, stage)
    here = tuple(range(theirs)) if here is None else here
    late = next((place for place in here if place >= theirs), None)
    if late is not None:
        raise EditError(f"{edit}: the donor has no position {late}; it has {theirs} tokens.")
    return tuple((place, place) for place in here)


def _unequal(edit: Edit, role: str, stage: str, ours: int, theirs: int) -> str:
    side = "source" if role == "encoder" or (role == "cross" and stage in KEYED) else "text"
    how = "give at=, pairs (position here, position there)"
    if role in ("decoder", "cross") and edit.donor_target is None and side == "text":
        how += ", or donor_target= in an encoder-decoder"
    return f"{edit}: this {side} has {ours} tokens and the donor {theirs}; {how}."
