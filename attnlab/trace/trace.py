"""What a run gave back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from attnlab.errors import CaptureError, InputError, NotCaptured
from attnlab.trace import show
from attnlab.trace.capture import ATTENTION_STAGES, STAGES
from attnlab.trace.given import brief, whole
from attnlab.trace.token import Token


@dataclass(frozen=True)
class Kept:
    """One stage at one layer: [H, Q, ...], or [Q, M].

    ``heads`` and ``queries`` say which of them, None for all; a row then stands where it comes in
    ``queries``.
    """

    tensor: Tensor
    heads: tuple[int, ...] | None = None
    queries: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Small:
    """One layer's maps reduced, [H, q, s], and the exact weights on the first key, [H, Q]."""

    map: Tensor
    first: Tensor


@dataclass(frozen=True)
class StageView:
    """One stage of one role, read as ``view[layer, head]`` or ``view[layer]``.

    Raises NotCaptured, which names what was asked for and what there is.
    """

    stage: str
    role: str
    layers: Mapping[int, Kept]
    small: Mapping[int, Small] = field(default_factory=dict)

    def __repr__(self) -> str:
        kept = f"layers {_listed(self.layers)}" if self.layers else "thumbnails"
        return f"<{self.stage} of {self.role}: {kept}; read as [layer, head]>"

    def __getitem__(self, index: int | tuple[int, int]) -> Tensor:
        layer, head, *more = (*index, None) if isinstance(index, tuple) else (index, None)
        if isinstance(layer, slice) or more[1:]:
            raise NotCaptured(f"Read {self.stage} as [layer, head]; what comes back is a tensor.")
        kept = self.layers.get(layer)
        if kept is None:
            raise NotCaptured(
                f"{self.stage} of {self.role} layer {layer} was not captured; "
                f"captured layers: {_listed(self.layers)}."
            )
        if head is None:
            return kept.tensor
        if self.stage not in ATTENTION_STAGES:
            raise NotCaptured(f"{self.stage} has no heads; read it as [{layer}].")
        heads = range(kept.tensor.shape[0]) if kept.heads is None else kept.heads
        if head not in heads:
            raise NotCaptured(
                f"{self.stage} of {self.role} layer {layer} head {head} was not captured; "
                f"captured heads: {_listed(heads)}."
            )
        return kept.tensor[list(heads).index(head)]

    def stack(self) -> Tensor:
        """All captured layers, [L, H, Q, S] (or [L, Q, M]), in order of layer.

        Raises:
            NotCaptured: nothing was captured, or layers differ in shape.
        """
        tensors = [self.layers[layer].tensor for layer in sorted(self.layers)]
        if not tensors or len({tensor.shape for tensor in tensors}) > 1:
            raise NotCaptured(f"{self.stage} of {self.role} has no layers that can be stacked.")
        return torch.stack(tensors)

    @property
    def thumbnails(self) -> Tensor:
        """Every head's map, reduced in flight: [L, H, q, s], the largest weight of each cell."""
        return torch.stack([small.map for small in self._reduced()])

    @property
    def on_first(self) -> Tensor:
        """With thumbnails: every query's exact weight on the first key, [L, H, Q]."""
        return torch.stack([small.first for small in self._reduced()])

    def _reduced(self) -> list[Small]:
        if not self.small:
            raise NotCaptured(f"No thumbnails of {self.stage} were captured for {self.role}.")
        return [self.small[layer] for layer in sorted(self.small)]


def _listed(items: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(items))) or "none"


@dataclass(frozen=True)
class Trace:
    """The outcome of one run of one text. All values are float32 on the CPU.

    ``tokens`` are those of the main role, ``source_tokens`` those of the encoder. ``logits`` is
    [Q, V] at ``logit_positions``, None where the model has no language-model head. ``how`` says
    how it was obtained: model, revision, tier, difference from eager, dtype, edits, versions.
    A stage reads as an attribute: ``trace.weights[layer, head]`` is [Q, S].
    """

    tokens: tuple[Token, ...]
    source_tokens: tuple[Token, ...]
    main_role: str
    values: Mapping[tuple[str, str], Mapping[int, Kept]]
    small: Mapping[str, Mapping[int, Small]] = field(default_factory=dict)
    logits: Tensor | None = None
    logit_positions: tuple[int, ...] = ()
    losses: Tensor | None = None
    """With logits="loss": −log p of each next token, in nats, [Q − 1]."""
    how: Mapping[str, Any] = field(default_factory=dict)
    tokens_of: Any = None
    """How a runner turns ids into Tokens."""
    graph: Mapping[tuple[str, str, int], Tensor] = field(default_factory=dict)
    """With gradients kept: by stage, role and layer, the captured tensors [B, ...] as they stand in
    the graph, for ``torch.autograd.grad``."""

    def __repr__(self) -> str:
        kept = sorted(
            {stage for stage, _ in self.values} | ({"thumbnails"} if self.small else set())
        )
        return (
            f"<Trace of {len(self.tokens)} tokens in {self.how.get('model')}; "
            f"kept: {', '.join(kept) or 'nothing'}>"
        )

    def _repr_html_(self) -> str | None:
        return show.html(self)

    def __getattr__(self, name: str) -> Any:
        if name == "final":
            return self._stream_end(self.main_role)
        if name in STAGES:
            return self._view(name, self.main_role)
        raise AttributeError(name)

    def role(self, name: str) -> RoleView:
        """The stages of one role: ``trace.role("cross").weights``."""
        return RoleView(self, name)

    def _view(self, stage: str, role: str) -> StageView:
        layers = self.values.get((stage, role), {})
        small = self.small.get(role, {}) if stage == "weights" else {}
        if not layers and not small:
            kept = {f"{s} ({r})" for s, r in self.values} | {
                f"thumbnails ({r})" for r in self.small
            }
            raise NotCaptured(
                f"{stage} of the role {role!r} was not captured in this run; captured: "
                f"{', '.join(sorted(kept)) or 'nothing'}."
            )
        return StageView(stage, role, layers, small)

    def _stream_end(self, role: str) -> Tensor:
        return self._view("final", role)[0]

    def next_tokens(self, k: int = 10, position: int = -1) -> list[tuple[Token, float]]:
        """The k likeliest tokens at a position (of the text), with their probabilities.

        For a masked model that is the token at the position itself, else the one after it.

        Raises:
            CaptureError: the model has no language-model head.
            NotCaptured: the logits of this position were not asked for.
        """
        probabilities = torch.softmax(self.logits_at(position).double(), -1)
        top = torch.topk(probabilities, min(at_least_one(k), len(probabilities)))
        tokens = self.tokens_of(top.indices.tolist())
        return list(zip(tokens, top.values.tolist(), strict=True))

    def logits_at(self, position: int = -1) -> Tensor:
        """[V] at a position of the text; negative counts from the end."""
        if self.logits is None:
            raise CaptureError(
                "No logits: the model has no language-model head, or none were asked."
            )
        length = len(self.tokens) or len(self.logits)
        position = whole("position", position, InputError)
        place = position + length if position < 0 else position
        if place not in self.logit_positions:
            raise NotCaptured(
                f"The logits of position {position} were not kept; kept: "
                f"{_listed(self.logit_positions)}."
            )
        return self.logits[self.logit_positions.index(place)]


def at_least_one(k: int, name: str = "k") -> int:
    """A count of tokens. Raises InputError below 1, and for what is no whole number."""
    count = whole(name, k, InputError, most=None)
    if count < 1:
        raise InputError(f"{name} is at least 1, not {brief(count)}.")
    return count


@dataclass(frozen=True)
class RoleView:
    """The stages of one role of a trace."""

    trace: Trace
    name: str

    def __getattr__(self, stage: str) -> Any:
        if stage == "final":
            return self.trace._stream_end(self.name)
        if stage in STAGES:
            return self.trace._view(stage, self.name)
        raise AttributeError(stage)
