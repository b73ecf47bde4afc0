"""What a Lab finds out about its model by trying, when it is first asked."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import torch

from attnlab.pretrained.inputs import output_of, runs_on_text
from attnlab.pretrained.keeping import drops_right
from attnlab.pretrained.turning import Turning, turning_of, turns_by_length

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab


class Tried:
    """Part of a Lab."""

    @cached_property
    def counts_from_zero(self: Lab) -> bool:
        """Whether positions 0, 1, 2 … are what the model goes by itself; RoBERTa starts at 2."""
        if "position_ids" not in self._keywords:
            return False
        inputs = self.inputs([[1, 1]], [None])
        told = inputs | {"position_ids": torch.tensor([[0, 1]], device=self.device)}
        with self.serial, torch.no_grad():
            return torch.equal(*(output_of(self._clone(**fed)) for fed in (inputs, told)))

    @cached_property
    def reads_texts(self: Lab) -> bool:
        """Whether token ids are all that it has to be fed."""
        with self.serial:
            return not self.own_inputs or runs_on_text(self._clone)

    @cached_property
    def turning(self: Lab) -> Turning:
        """What turns a decoder's keys on; see ``attnlab.pretrained.turning.turning_of``."""
        return turning_of(self, self._rotaries)

    @cached_property
    def drops(self: Lab) -> bool:
        """Whether it runs right with a cache that keeps the last tokens only."""
        return drops_right(self)

    @cached_property
    def turns_by_length(self: Lab) -> bool:
        """Whether its tokens turn otherwise in a longer text."""
        return turns_by_length(self, self._rotaries)
