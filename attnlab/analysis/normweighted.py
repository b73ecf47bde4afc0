"""Norm-weighted attention: not how much a head looks at a word, but how much it takes from it.

    z_i W_O = Σ_j α_ij f(x_j),   f(x) = (x W_V + b_V) W_O
    norm-weighted attention  =  ‖α_ij f(x_j)‖

Kobayashi, Kuribayashi, Yokoi and Inui (2020), "Attention is Not Only a Weight: Analyzing
Transformers with Vector Norms", section 2. A word that is looked at hard may hand on next to
nothing: the first word of a GPT, or [SEP], where a head rests. What the output projection adds to
no head (its bias) is in no word, and a norm between attention and the stream comes after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.analysis.outputs import output_of
from attnlab.trace.capture import Capture
from attnlab.trace.edits import Edit
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.trace import Trace


@dataclass(frozen=True)
class NormWeighted:
    """Lengths of the vectors that attention moves, in the units of the stream, by layer.

    Attributes:
        role: encoder, decoder or cross.
        heads: [H, Q, S], ‖α_ij f(x_j)‖ of each head.
        together: [Q, S], the same of the sum over heads, which may cancel one another.
        handed: [H, S], ‖f(x_j)‖: what each word would hand on at a weight of 1.
        weights: [H, Q, S], α.
    """

    role: str
    heads: Mapping[int, Tensor]
    together: Mapping[int, Tensor]
    handed: Mapping[int, Tensor]
    weights: Mapping[int, Tensor]
    trace: Trace


def norm_weighted(
    runner: Runner,
    text: Any,
    *,
    layers: Sequence[int] | int | None = None,
    role: str | None = None,
    target: Any = None,
    edits: Edit | Sequence[Edit] = (),
    cancel: Cancel | None = None,
) -> NormWeighted:
    """Norm-weighted attention of every head of some layers (None: all) of a role.

    The values are those that heads share: ``edits`` of one head's own values, or of what it hands
    on (z), come after them and do not show; edits of its weights do.

    Raises:
        StageNotAvailable: the model does not show its values, or what follows its heads was not
            found.
        InputError, EditError, CaptureError: see ``Lab.run``.
    """
    role = role or runner.main_role
    kept = [Capture(stage, layers=layers, roles=role) for stage in ("weights", "v")]
    options: dict[str, Any] = {"capture": kept, "edits": edits, "logits": None, "cancel": cancel}
    trace = runner.run(text, **options, **({} if target is None else {"target": target}))
    seen = trace.role(role)
    found: dict[str, dict[int, Tensor]] = {"heads": {}, "together": {}, "handed": {}, "weights": {}}
    sites = {site.layer: site for site in runner.sites if site.role == role}
    for layer in sorted(seen.weights.layers):
        output, v, weights = output_of(runner, sites[layer]), seen.v[layer], seen.weights[layer]
        v = v.repeat_interleave(len(weights) // len(v), 0).double()
        f = torch.einsum("hse,hem->hsm", v, output.matrix)
        found["handed"][layer] = f.norm(dim=-1).float()
        found["heads"][layer] = (weights.double() * f.norm(dim=-1)[:, None]).float()
        found["together"][layer] = _together(weights.double(), f).float()
        found["weights"][layer] = weights
    return NormWeighted(role, **found, trace=trace)


def _together(weights: Float[Tensor, "H Q S"], f: Float[Tensor, "H S M"]) -> Float[Tensor, "Q S"]:
    """‖Σ_h α_h f_h‖ from the products of the f alone: no vector [M] for every pair of words."""
    products = torch.einsum("hsm,gsm->shg", f, f)
    a = weights.permute(2, 1, 0)
    return ((a @ products) * a).sum(-1).clamp(min=0).sqrt().T
