"""Dog bites man: what becomes of each token's vector when the tokens change places.

Attention without positions and without a mask is permutation-equivariant: the outputs change
places as the inputs did, and nothing else changes (Vaswani et al. 2017, section 3.5, give this as
the reason for positions; Yun et al. 2020, "Are Transformers universal approximators of
sequence-to-sequence functions?", section 2, prove it). A causal mask alone breaks it (Haviv et al.
2022, "Transformer Language Models without Positional Encodings Still Learn Positional
Information").
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.masks import Bidirectional, Causal
from attnlab.attention.positions import NoPositions, Rope
from attnlab.errors import InputError
from attnlab.trace.edits import Edit
from attnlab.trace.given import brief, several, whole
from attnlab.transformer import Config, Decoder

ORDERS: Final = ("swap", "reverse", "shuffle")
CASES: Final = ("bare", "mask", "scheme")
"""No positions and no mask; no positions, but causal; a scheme, and causal."""
_SIZES: Final = {"width": 32, "layers": 2, "heads": 4, "hidden": 64, "head": False}


@dataclass(frozen=True)
class Change:
    """How far each token's vector is from the one it had before the tokens changed places.

    ``tokens`` [n], in the new order: the length of the difference over the length of the vector.
    ``logits``: the largest change of a logit, None where nothing is predicted.
    """

    tokens: tuple[float, ...]
    logits: float | None = None

    @property
    def largest(self) -> float:
        """Of the worst token."""
        return max(self.tokens)


def ordered(name: str, count: int, fixed: Sequence[int] = (), seed: int = 0) -> list[int]:
    """Which of ``count`` tokens stands at each place afterwards; ``fixed`` places keep theirs.

    "swap": the first and the last change places; "reverse"; "shuffle", by ``seed``.

    Raises:
        InputError: no such order, or places, a count or a seed that are no whole numbers.
    """
    if not isinstance(name, str) or name not in ORDERS:
        raise InputError(f"There is no order {brief(name)}; there are {', '.join(ORDERS)}.")
    count = whole("count", count, InputError)
    seed = whole("seed", seed, InputError, most=None) % 2**63
    kept = {whole("fixed", place, InputError) for place in several("fixed", fixed, InputError)}
    free = [place for place in range(count) if place not in kept]
    new = list(free)
    if name == "reverse":
        new.reverse()
    elif name == "swap" and free:
        new[0], new[-1] = free[-1], free[0]
    elif name == "shuffle":
        drawn = torch.randperm(len(free), generator=torch.Generator().manual_seed(seed))
        new = [free[at] for at in drawn.tolist()]
    order = list(range(count))
    for place, token in zip(free, new, strict=True):
        order[place] = token
    return order


def change(
    before: Float[Tensor, "n M"], after: Float[Tensor, "n M"], order: Sequence[int]
) -> tuple[float, ...]:
    """The relative change of each vector of ``after``, which read the tokens in this order."""
    expected = before.double()[list(order)]
    away = (after.double() - expected).norm(dim=-1) / expected.norm(dim=-1)
    return tuple(away.tolist())


def ours(
    words: Sequence[str], order: Sequence[int], case: str, dtype: torch.dtype = torch.float32
) -> Change:
    """Our own transformer with random weights, two layers of four heads, on words as they are.

    The same word has the same vector wherever it stands and however often.

    Raises:
        KeyError: no such case.
    """
    pattern, scheme = {
        "bare": (Bidirectional(), NoPositions()),
        "mask": (Causal(), NoPositions()),
        "scheme": (Causal(), Rope()),
    }[case]
    known = list(dict.fromkeys(words))
    model = Decoder(Config(vocabulary=len(known), positions=scheme, mask=pattern, **_SIZES)).to(
        dtype
    )
    _fill(model, known)
    ids = torch.tensor([[known.index(word) for word in words]])
    with torch.no_grad():
        before, after = model(ids)[0], model(ids[:, list(order)])[0]
    return Change(change(before, after, order))


def _fill(model: Decoder, known: Sequence[str]) -> None:
    """Weights of one seed, and a vector for each word from its letters."""
    drawn = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1 and name != "embed.weight":
                made = torch.randn(weight.shape, generator=drawn, dtype=torch.float64)
                weight.copy_(made / math.sqrt(weight.shape[-1]))
            elif name.endswith("bias"):
                weight.zero_()  # else drawn from whatever came before
        for row, word in zip(model.embed.weight, known, strict=True):
            letters = torch.Generator().manual_seed(zlib.crc32(word.encode()))
            row.copy_(torch.randn(row.shape, generator=letters, dtype=torch.float64))


def model(
    runner: Any,
    ids: Sequence[int],
    order: Sequence[int],
    edits: Sequence[Edit],
    role: str,
    **options: Any,
) -> Change:
    """A loaded model under ``edits``, on these ids and on the same in another order.

    Compared are the vectors that its last layer hands on, after the final norm, of ``role``.

    Args:
        options: of the run: target, cancel.

    Raises:
        EditError: the model cannot take an edit.
        InputError: the order is not one of these tokens.
    """
    order = [
        whole("order", place, InputError)
        for place in several("order", order, InputError, ordered=True)
    ]
    if sorted(order) != list(range(len(ids))):
        raise InputError(f"An order has each of the places 0 to {len(ids) - 1} once.")
    target = options.pop("target", None)
    if target is not None:
        options["targets"] = [target] * 2
    texts = [list(ids), [ids[place] for place in order]]
    both = runner.run_many(texts, capture=("final",), edits=edits, logits="all", **options)
    before, after = (trace.role(role).final for trace in both)
    moved = None
    if both[0].logits is not None and role == runner.main_role:
        moved = float((both[1].logits - both[0].logits[list(order)]).abs().max())
    return Change(change(before, after, order), moved)
