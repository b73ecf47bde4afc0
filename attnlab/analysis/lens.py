"""The logit lens: what the model would predict if it stopped after each layer.

nostalgebraist (2020), "interpreting GPT: the logit lens". The residual stream after a layer takes
the place of the stream after the last one, and the model's own last norm and head read it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention import Where
from attnlab.errors import EditRefused, InputError
from attnlab.trace.capture import Capture
from attnlab.trace.edits import Bound, Edit
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.site import Block, Site
from attnlab.trace.trace import Trace

_STREAM = "resid_post"


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


def stream_of(runner: Runner) -> list[Block]:
    """The blocks of the main role, in order."""
    blocks = [block for block in runner.blocks if block.role == runner.main_role]
    if not blocks:
        raise EditRefused(f"{runner.name} has no residual stream that could be read.")
    return sorted(blocks, key=lambda block: block.layer)


def logit_lens(
    runner: Runner,
    text: Any,
    positions: tuple[int, ...] = (-1,),
    *,
    target: Any = None,
    cancel: Cancel | None = None,
) -> Float[Tensor, "L P V"]:
    """The logits that each layer's residual stream would give, at these positions.

    After the last layer they are the model's own. One batch: a row for each layer.

    Raises:
        InputError: the model has no language-model head.
        EditRefused: its residual stream could not be found.
    """
    layers = [block.layer for block in stream_of(runner)]
    rows = len(layers)
    traces = runner.run_many(
        [text] * rows,
        targets=None if target is None else [target] * rows,
        capture=(),
        each=[(StopAfter(layer),) for layer in layers],
        logits=positions,
        cancel=cancel,
    )
    if traces[0].logits is None:
        raise InputError(f"{runner.name} has no language-model head, so it predicts no token.")
    return torch.stack([trace.logits for trace in traces])
