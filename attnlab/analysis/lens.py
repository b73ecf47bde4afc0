"""The logit lens: what the model would predict if it stopped after each layer.

nostalgebraist (2020), "interpreting GPT: the logit lens". The residual stream after a layer takes
the place of the stream after the last one, and the model's own last norm and head read it.

Where the norm and the head were found (``ending``), they are run on the stream of one plain run.
Elsewhere the whole model runs once a layer, its last block's output replaced: slower, the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.analysis.effects import BATCH_TOKENS, kl_divergence, length_of
from attnlab.analysis.ending import ending_of
from attnlab.attention import Where
from attnlab.errors import Cancelled, EditRefused, InputError
from attnlab.trace.capture import Capture
from attnlab.trace.edits import Bound, Edit
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.site import Block, Site
from attnlab.trace.token import Token
from attnlab.trace.trace import Trace

_STREAM = "resid_post"
_ROWS = 256
"""Vectors that the head reads at once."""
_TOGETHER = 64
"""Positions whose logits are held at once."""


@dataclass(frozen=True)
class StopAfter(Edit):
    """The stream after the last block is replaced by that after ``layer`` of a plain run."""

    layer: int
    kind: str = field(default="stop_after", init=False)

    @property
    def stages(self) -> frozenset[str]:
        return frozenset({_STREAM})

    def sites(self, runner: Any) -> list[Site | Block]:
        blocks = stream_of(runner)
        if self.layer not in [block.layer for block in blocks]:
            last = blocks[-1].layer
            raise EditRefused(f"{runner.name} has blocks 0 to {last}, so none is {self.layer}.")
        return [blocks[-1]]

    def needs(self, runner: Any) -> tuple[Capture, ...]:
        return (Capture(_STREAM, layers=self.layer, roles=runner.main_role),)

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        (last,) = self.sites(runner)
        stream = donor.role(runner.main_role).resid_post[self.layer]

        def change(stage: str, tensor: Tensor, where: Where) -> Tensor:
            changed = tensor.clone()
            changed[:, : len(stream)] = stream.to(tensor)
            return changed

        return Bound(self, self.stages, lambda place: place == last, change)


@dataclass(frozen=True)
class Lens:
    """What each layer would predict at each position, as small arrays.

    Attributes:
        layers: [L], the blocks, first to last; after the last one it is the model's prediction.
        positions: [P], of the text.
        top: [L, P], the likeliest token's id; ``top_share`` its probability.
        answer: [P], the id that is followed: what the model itself finds likeliest, or the one
            that was asked for.
        share: [L, P], its probability after each layer.
        rank: [L, P], how many tokens are likelier.
        kl: [L, P], KL(model ‖ layer) in nats: 0 after the last layer.
        tokens: of the ids in ``top`` and ``answer``.
    """

    layers: tuple[int, ...]
    positions: tuple[int, ...]
    top: np.ndarray
    top_share: np.ndarray
    answer: np.ndarray
    share: np.ndarray
    rank: np.ndarray
    kl: np.ndarray
    tokens: dict[int, Token]

    def knew(self, place: int = -1) -> int | None:
        """The first layer from which on the answer is the likeliest token at one of the positions
        (by its place in ``positions``); None where it never is."""
        others = np.flatnonzero(self.rank[:, place])
        first = 0 if not len(others) else int(others[-1]) + 1
        return self.layers[first] if first < len(self.layers) else None


def stream_of(runner: Runner) -> list[Block]:
    """The blocks of the main role, in order."""
    blocks = [block for block in runner.blocks if block.role == runner.main_role]
    if not blocks:
        raise EditRefused(f"{runner.name} has no residual stream that could be read.")
    return sorted(blocks, key=lambda block: block.layer)


def logit_lens(
    runner: Runner,
    text: Any,
    positions: tuple[int, ...] | None = (-1,),
    *,
    target: Any = None,
    cancel: Cancel | None = None,
) -> Float[Tensor, "L P V"]:
    """The logits that each layer's residual stream would give, at these positions (None: all).

    After the last layer they are the model's own. All of a long text with a large vocabulary take
    room: ``lens`` keeps no logits.

    Raises:
        InputError: the model has no language-model head.
        EditRefused: its residual stream could not be found.
    """
    reader = _Reader(runner, text, target, positions, cancel)
    return torch.stack(list(reader.layers(reader.places)))


def lens(
    runner: Runner,
    text: Any,
    positions: tuple[int, ...] | None = None,
    *,
    answer: int | None = None,
    target: Any = None,
    cancel: Cancel | None = None,
) -> Lens:
    """What each layer would predict, at these positions (None: all), without keeping logits.

    Args:
        answer: the id to follow through the layers; None: at each position the one that the model
            itself finds likeliest there.

    Raises:
        InputError: the model has no language-model head, or no such token.
        EditRefused: its residual stream could not be found.
    """
    reader = _Reader(runner, text, target, positions, cancel)
    most = reader.trace.logits.shape[-1] - 1
    if answer is not None and not 0 <= answer <= most:
        raise InputError(f"There is no token {answer}; the model predicts 0 to {most}.")
    parts, followed = [], []
    for start in range(0, len(reader.places), _TOGETHER):
        places = reader.places[start : start + _TOGETHER]
        own = reader.own(places)
        ids = own.argmax(-1) if answer is None else torch.full(own.shape[:-1], answer)
        rows = [_row(logits, own, ids) for logits in reader.layers(places)]
        parts.append([np.stack(column) for column in zip(*rows, strict=True)])
        followed.append(ids.numpy())
    top, top_share, share, rank, kl = map(np.hstack, zip(*parts, strict=True))
    right = np.concatenate(followed)
    ids = sorted({*top.flatten().tolist(), *right.tolist()})
    return Lens(
        layers=tuple(block.layer for block in reader.blocks),
        positions=reader.places,
        top=top,
        top_share=top_share,
        answer=right,
        share=share,
        rank=rank,
        kl=kl,
        tokens=dict(zip(ids, reader.trace.tokens_of(ids), strict=True)),
    )


def _row(
    logits: Float[Tensor, "P V"], own: Float[Tensor, "P V"], followed: Tensor
) -> tuple[np.ndarray, ...]:
    """One layer's numbers: top, top_share, share, rank, kl, each [P]."""
    shares = logits.double().softmax(-1)
    mine = shares.gather(-1, followed[:, None])
    best = shares.max(-1)
    rank = (shares > mine).sum(-1)
    found = (best.indices, best.values, mine[:, 0], rank, kl_divergence(own, logits))
    return tuple(value.numpy() for value in found)


class _Reader:
    """One text, and the logits after any layer at any of its positions.

    Attributes:
        trace: a plain run that kept the stream, and the last logits.
        places: the positions that were asked for, from the start.
    """

    def __init__(
        self,
        runner: Runner,
        text: Any,
        target: Any,
        positions: tuple[int, ...] | None,
        cancel: Cancel | None,
    ) -> None:
        self.runner, self.text, self.target, self.cancel = runner, text, target, cancel
        self.blocks = stream_of(runner)
        kept = [Capture(_STREAM, roles=runner.main_role), Capture("final")]
        kept = [one for one in kept if one.stage in runner.stages]
        self.trace = self._run(capture=kept, logits="last" if positions is None else positions)
        if self.trace.logits is None:
            raise InputError(f"{runner.name} has no language-model head, so it predicts no token.")
        every = range(len(self.trace.tokens) or len(self.trace.logits))
        self.places = tuple(every) if positions is None else self.trace.logit_positions
        found = None if len(kept) < 2 else ending_of(runner, self.trace)
        self.ending = None if found is None or found.bent else found

    def own(self, places: tuple[int, ...]) -> Float[Tensor, "P V"]:
        """The model's own logits."""
        if self.ending is None:
            return self._run(capture=(), logits=places).logits
        return self.ending.numbers(self._stream(self.blocks[-1], places))

    def layers(self, places: tuple[int, ...]) -> Iterator[Float[Tensor, "P V"]]:
        """The logits after each layer, the first one first."""
        if self.ending is None:
            yield from self._stopped(places)
            return
        rows = max(1, _ROWS // len(places))  # reading the head takes longer than multiplying by it
        for start in range(0, len(self.blocks), rows):
            if self.cancel is not None and self.cancel.is_set():
                raise Cancelled("Cancelled; the model is as it was.")
            some = [self._stream(block, places) for block in self.blocks[start : start + rows]]
            yield from self.ending.numbers(torch.stack(some))

    def _stream(self, block: Block, places: tuple[int, ...]) -> Float[Tensor, "P M"]:
        return self.trace.role(self.runner.main_role).resid_post[block.layer][list(places)]

    def _stopped(self, places: tuple[int, ...]) -> Iterator[Float[Tensor, "P V"]]:
        """The whole model once a layer, in batches of a row for each."""
        rows = max(1, BATCH_TOKENS // max(1, length_of(self.runner, self.text)))
        for start in range(0, len(self.blocks), rows):
            each = [(StopAfter(block.layer),) for block in self.blocks[start : start + rows]]
            goals = None if self.target is None else [self.target] * len(each)
            given = {"targets": goals, "capture": (), "each": each, "logits": places}
            texts = [self.text] * len(each)
            for trace in self.runner.run_many(texts, **given, cancel=self.cancel):
                yield trace.logits

    def _run(self, **options: Any) -> Trace:
        more = {} if self.target is None else {"target": self.target}
        return self.runner.run(self.text, cancel=self.cancel, **options, **more)
