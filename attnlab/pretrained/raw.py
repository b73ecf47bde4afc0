"""Edits bound to a model's own inputs, of which no text is known: only what their masks say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool
from torch import Tensor

from attnlab.errors import EditRefused
from attnlab.pretrained.binding import bind
from attnlab.pretrained.donors import refuse_donors
from attnlab.pretrained.probe import batch_of
from attnlab.trace.edits import Bound, Edit
from attnlab.trace.edits.edit import main_or
from attnlab.trace.edits.placed import Placed

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab

_DEALT = ("shuffled", "reversed")
"""Schemes that deal a text's positions out anew, so that they must know how long it is."""


def bind_raw(
    lab: Lab, edits: Sequence[Edit], inputs: Mapping[str, Tensor]
) -> list[tuple[Bound, ...]]:
    """The edits bound to each row of a batch, padding included.

    Raises:
        InputError: an edit needs a plain run of the same text.
        EditError: an edit does not fit, or it is not told which positions are the text's.
    """
    refuse_donors(lab, edits)
    bounds, rows = bind(lab, edits, None), batch_of(inputs)
    lengths = {
        edit: _lengths(lab, edit, inputs)
        for edit in edits
        if getattr(edit, "scheme", None) in _DEALT
    }
    return [tuple(_of_row(bound, lengths, row) for bound in bounds) for row in range(rows)]


def _of_row(bound: Bound, lengths: Mapping[Edit, list[int] | None], row: int) -> Bound:
    known = lengths.get(bound.edit)
    if known is None or not isinstance(bound, Placed):
        return bound
    return replace(bound, length=known[row])


def _lengths(lab: Lab, edit: Edit, inputs: Mapping[str, Tensor]) -> list[int] | None:
    """How many tokens each row's text has; None where nothing is padded."""
    ahead = "decoder_" if lab.is_encoder_decoder and main_or(edit.role, lab) == "decoder" else ""
    mask = inputs.get(f"{ahead}attention_mask")
    if mask is None or mask.dim() != 2 or bool((mask != 0).all()):
        return None
    real = mask != 0
    given = inputs.get(f"{ahead}position_ids")
    if not (_comes_first(real) if given is None else _are_told(lab, real, given)):
        raise EditRefused(
            f"{edit} deals out the positions of the text, and here these cannot be told from the "
            "padding's: pad on the right, or pass texts or ids."
        )
    return real.sum(-1).tolist()


def _comes_first(real: Bool[Tensor, "B n"]) -> bool:
    """Whether all padding is on the right, so that the text has the first positions."""
    return bool((real.long().diff(dim=-1) <= 0).all())


def _are_told(lab: Lab, real: Bool[Tensor, "B n"], given: Tensor) -> bool:
    """Whether the text's positions are 0, 1, 2 …, or those from where else the model counts."""
    for own, places in zip(real, given.expand(real.shape), strict=True):
        found = places[own]
        first = int(found.min()) if len(found) else 0
        if not torch.equal(found, first + torch.arange(len(found), device=found.device)):
            return False
        if first and lab.counts_from_zero:
            return False
    return True
