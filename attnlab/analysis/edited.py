"""One text as trained and under edits: the loss of each token, its vector, and every head."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor

from attnlab.analysis import similarity
from attnlab.analysis.effects import turned
from attnlab.analysis.progress import Progress, part
from attnlab.trace.capture import Capture
from attnlab.trace.edits import Edit
from attnlab.trace.trace import Trace

MOST_TOKENS: Final = 192
"""Of a text whose heads are all compared; of a longer one only losses and vectors are."""


@dataclass(frozen=True)
class Edited:
    """What edits change on one text.

    Attributes:
        before, after: [n − 1] −log p of each next token, nats; None where nothing is predicted.
        shift: [Q] 1 − cosine of each position's last vector, and of their mean.
        heads: by layer, [H] the mean Jensen–Shannon divergence of each head's rows, bits; empty
            where the text is longer than MOST_TOKENS.
        causal: whether no row sees what comes later, in both runs; then the first row of each head
            is left out, which has nowhere else to look.
    """

    before: Tensor | None
    after: Tensor | None
    shift: tuple[Tensor, float]
    heads: dict[int, Tensor]
    causal: bool

    @property
    def hardest(self) -> tuple[int, float] | None:
        """The token whose loss rises most, and by how many nats; None where none rises."""
        if self.before is None or not len(self.before):
            return None
        rise = self.after - self.before
        at = int(rise.argmax())
        return (at + 1, float(rise[at])) if rise[at] > 1e-4 else None

    @property
    def layer_means(self) -> dict[int, float]:
        """The mean change of each layer's heads, in bits."""
        return {layer: float(values.mean()) for layer, values in self.heads.items()}

    @property
    def order(self) -> list[tuple[int, int, float]]:
        """(layer, head, change) of every head, the most changed first."""
        every = [
            (layer, head, float(value))
            for layer, values in self.heads.items()
            for head, value in enumerate(values)
        ]
        return sorted(every, key=lambda one: (-one[2], one[:2]))


def edited(
    runner: Any,
    text: Any,
    edits: Edit | Sequence[Edit],
    role: str,
    *,
    predicts: bool = True,
    target: Any = None,
    progress: Progress | None = None,
    cancel: Any = None,
) -> Edited:
    """A plain run and an edited one of the same text, compared.

    Args:
        role: whose attention and vectors are compared.
        predicts: whether it is a model that predicts the next token, whose losses are compared.

    Raises:
        EditError: the edits do not fit.
        InputError: the text cannot be run.
    """
    options: dict[str, Any] = {"cancel": cancel}
    if target is not None:
        options["target"] = target
    compared = _longest(runner, text, target) <= MOST_TOKENS
    weights = (Capture("weights", roles=(role,)),) if compared else ()
    asked = {
        "capture": (*weights, Capture("final", roles=(role,))),
        "logits": "loss" if predicts else None,
    }
    first, second = (part(progress, at / 2, 0.5) for at in (0, 1))
    plain = runner.run(text, progress=first, **asked, **options)
    other = runner.run(text, edits=edits, progress=second, **asked, **options)
    causal = role != "cross" and all(s.causal for s in runner.sites if s.role == role)
    causal = causal and not (compared and _first_looks_ahead(other, role))
    vectors = [trace.role(role).final.double() for trace in (plain, other)]
    away = 1 - torch.cosine_similarity(*vectors, dim=-1)
    return Edited(
        before=plain.losses,
        after=other.losses,
        shift=(away.clamp(min=0), turned(*(vector.mean(0) for vector in vectors))),
        heads=_heads(plain, other, role, causal) if compared else {},
        causal=causal,
    )


def _first_looks_ahead(trace: Trace, role: str) -> bool:
    """Whether the first row of a head has weight on what comes later: an edit may open it."""
    kept = trace.role(role).weights.layers.values()
    return any(bool(one.tensor[:, 0, 1:].any()) for one in kept)


def _longest(runner: Any, text: Any, target: Any) -> int:
    """The tokens of the text or of what is written, whichever is more."""
    fed = [one for one in (text, target) if isinstance(one, Sized) and len(one)]
    counts = (len(runner.tokens(one)) if isinstance(one, str) else len(one) for one in fed)
    return max(counts, default=0)


def _heads(plain: Trace, other: Trace, role: str, causal: bool) -> dict[int, Tensor]:
    before, after = (trace.role(role).weights.layers for trace in (plain, other))
    return {
        layer: similarity.apart(before[layer].tensor, after[layer].tensor, causal=causal)
        for layer in sorted(before)
        if layer in after
    }
