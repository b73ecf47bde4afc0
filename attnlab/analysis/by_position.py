"""How well the next token is predicted, by how many tokens came before it.

Reading on helps: the loss falls with the position, as long as a model can use where it stands and
what is behind it. Where it rises again, something has broken: a window that has lost the first
tokens, or positions that training never reached.

    loss[i] = −log p(token i + 1 | tokens 0 .. i)        in nats
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.analysis.progress import Progress, part
from attnlab.errors import InputError
from attnlab.trace.edits import Edit
from attnlab.trace.given import several, whole
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.token import Token
from attnlab.trace.trace import at_least_one

BATCH_TOKENS = 4096
"""Tokens of windows run at once."""


@dataclass(frozen=True)
class Losses:
    """One text under some edits.

    ``values[i]`` is the loss at position i, where token i + 1 is predicted, [n − 1], in nats;
    ``tokens``: all n of them.
    """

    values: Float[Tensor, " n_1"]
    tokens: tuple[Token, ...]

    def mean(self, start: int = 0, stop: int | None = None) -> float:
        """The mean over positions start .. stop − 1, in nats.

        Raises:
            InputError: there are none.
        """
        start = whole("start", start, InputError)
        stop = None if stop is None else whole("stop", stop, InputError)
        within = self.values[start:stop]
        if not len(within):
            raise InputError(f"There is no loss at positions {start} to {stop}: shorten the range.")
        return float(within.double().mean())

    def smoothed(self, width: int = 65) -> Float[Tensor, " n_1"]:
        """See ``smoothed``: for a picture; an export takes ``values``."""
        return smoothed(self.values, width)


def loss_by_position(
    runner: Runner,
    text: Any,
    *,
    edits: Edit | Sequence[Edit] = (),
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Losses:
    """The loss at every position of one text, or of token ids.

    The head is applied in chunks: at 2,048 tokens all logits of a usual vocabulary are 384 MiB,
    their losses 8 KiB.

    Raises:
        InputError: the model predicts no next token, or the text cannot be run.
        EditError: the edits do not fit.
        Cancelled: ``cancel`` was set.
    """
    options = {"capture": (), "logits": "loss", "progress": progress, "cancel": cancel}
    trace = runner.run(text, edits=edits, **options)
    return Losses(trace.losses, trace.tokens)


@dataclass(frozen=True)
class Average:
    """Many windows of a text, each run by itself.

    ``mean[i]``: the loss at position i of a window, in nats, [n − 1]; ``error``: the standard error
    of that mean as if windows were independent (they overlap, so it is a little more); ``count``:
    windows. ``stopped``: the longest window that the model takes, where that is shorter than was
    asked; else None.
    """

    mean: Float[Tensor, " n_1"]
    error: Float[Tensor, " n_1"]
    count: int
    stopped: int | None = None


def average_by_position(
    runner: Runner,
    text: Any,
    length: int,
    *,
    step: int = 64,
    edits: Edit | Sequence[Edit] = (),
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Average:
    """The mean loss at every position of windows of ``length`` tokens, one every ``step`` tokens.

    The same words come at many positions, so the curve tells of positions, not of words. A
    window begins as every text does, with the special tokens that the tokenizer puts first. The
    same tokens are measured, whatever the model takes at most: a model with a shorter table is
    measured in shorter windows from the same starts.

    Raises:
        InputError: the text is shorter than one window, or the model predicts no next token.
        EditError, Cancelled: as in ``loss_by_position``.
    """
    length = at_least_one(length, "length")
    first, windows = windows_of(runner, text, length, step)
    longest = runner.longest
    stopped = longest if longest is not None and longest < length else None
    texts = [[*first, *window][:stopped] for window in windows]
    rows = max(1, BATCH_TOKENS // length)
    losses: list[Tensor] = []
    for start in range(0, len(texts), rows):
        batch = texts[start : start + rows]
        inner = part(progress, start / len(texts), len(batch) / len(texts))
        options = {"capture": (), "logits": "loss", "progress": inner, "cancel": cancel}
        losses += [trace.losses for trace in runner.run_many(batch, edits=edits, **options)]
    found = torch.stack(losses).double()
    spread = found.std(0) if len(found) > 1 else torch.zeros_like(found[0])
    return Average(found.mean(0), spread / len(found) ** 0.5, len(found), stopped)


def windows_of(
    runner: Runner, text: Any, length: int, step: int
) -> tuple[list[int], list[list[int]]]:
    """What every text begins with, and the windows of the rest, so that both are ``length`` ids.

    Raises:
        InputError: the text is shorter than one window.
    """
    length, step = at_least_one(length, "length"), at_least_one(step, "step")
    if isinstance(text, str):
        ids, special = _encoded(runner, text)
    else:
        given = several("A text of ids", text, InputError, ordered=True)
        ids, special = [whole("A text of ids", one, InputError) for one in given], set()
    begin = next((i for i, one in enumerate(ids) if one not in special), len(ids))
    first, rest = ids[:begin], ids[begin:]
    size = length - begin
    if size < 2 or len(rest) < size:
        raise InputError(
            f"The text has {len(ids):,} tokens, which is not one window of {length:,}: "
            "choose a shorter window, or a longer text."
        )
    return first, [rest[i : i + size] for i in range(0, len(rest) - size + 1, step)]


def _encoded(runner: Runner, text: str) -> tuple[list[int], set[int]]:
    """The ids of a text of any length, also of one that is too long to be run whole."""
    if runner.tokenizer is None:
        raise InputError(f"{runner.name} was loaded without a tokenizer: pass token ids.")
    ids = runner.tokenizer(text, verbose=False)["input_ids"]
    return ids, set(runner.tokenizer.all_special_ids)


def smoothed(values: Float[Tensor, " n"], width: int) -> Float[Tensor, " n"]:
    """The mean of each value and its neighbours, ``width`` of them (odd), fewer at the ends.

    Raises:
        InputError: the width is even, so that it has no middle.
    """
    width = at_least_one(width, "width")
    if width % 2 == 0:
        raise InputError(f"A width is odd, so that it has a middle; take {width + 1}.")
    half, count = width // 2, len(values)
    total = torch.cat([torch.zeros(1, dtype=torch.float64), values.double().cumsum(0)])
    here = torch.arange(count)
    start, stop = (here - half).clamp(min=0), (here + half + 1).clamp(max=count)
    return (total[stop] - total[start]) / (stop - start)
