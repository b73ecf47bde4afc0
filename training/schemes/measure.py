"""The loss at every position of texts eight times as long as those of training.

Measured on the shipped files, through the Lab that everybody else uses, on the two books that were
kept out of training.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from attnlab.analysis.by_position import average_by_position
from attnlab.analysis.passage import PASSAGES, passage
from attnlab.trace.edits import Edit
from training.schemes.model import LENGTH

LONGEST = 8 * LENGTH
STEP = 128
"""A window of `LONGEST` tokens begins every so many."""
RANGES = ((1, 8), (8, 32), (32, 63), (64, 128), (128, 256), (256, 511))
"""Positions whose losses are averaged: within the length of training, and beyond it."""


@dataclass(frozen=True)
class Curve:
    """The mean loss at each position, [n − 1], in nats, over `count` windows."""

    mean: torch.Tensor
    count: int

    def over(self, start: int, stop: int) -> float | None:
        """The mean over positions start .. stop − 1; None where the model does not reach them."""
        return float(self.mean[start:stop].mean()) if len(self.mean) >= stop else None


def curve(lab: Any, edits: Sequence[Edit] = (), step: int = STEP) -> Curve:
    """One model on both held-out books; windows never cross from one into the other."""
    found = [
        average_by_position(lab, passage(name), LONGEST, step=step, edits=edits)
        for name in PASSAGES
    ]
    count = sum(one.count for one in found)
    return Curve(sum(one.mean * one.count for one in found) / count, count)


def difference(lab: Any, other: Any) -> float:
    """How far apart two models' mean losses are, in texts as long as those of training; in nats."""
    ways = (
        average_by_position(one, passage("esther"), LENGTH, step=LENGTH) for one in (lab, other)
    )
    first, second = (float(found.mean.mean()) for found in ways)
    return abs(first - second)
