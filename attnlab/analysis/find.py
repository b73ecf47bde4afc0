"""Which heads look from one word to another."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

Ranked = tuple[int, int, float]
"""Layer, head, value."""


def ranked(
    values: Float[Tensor, "L H"], count: int = 10, layers: Sequence[int] | None = None
) -> list[Ranked]:
    """The heads with the largest values, largest first.

    Args:
        values: one number a head; of NaN (heads that a layer does not have) nothing is said.
        layers: the model's own layer numbers, where they are not 0, 1, 2, …
    """
    flat = values.double().flatten()
    order = torch.argsort(flat.nan_to_num(nan=-torch.inf), descending=True, stable=True)
    heads = values.shape[1]
    found = [(int(i) // heads, int(i) % heads) for i in order if not flat[i].isnan()][:count]
    numbers = range(values.shape[0]) if layers is None else layers
    return [(numbers[layer], head, float(values[layer, head])) for layer, head in found]
