"""What the output projection makes of each head, as a matrix.

    attention adds  Σ_h z_h W_O^h + b        z_h: [n, E],  W_O^h: [E, M]

(Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits", "Attention heads are
independent and additive"). The matrix is read off the module by handing it unit vectors, so it does
not matter how the module stores it, turned round or quantised.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.errors import StageNotAvailable
from attnlab.trace.runner import Runner
from attnlab.trace.site import Site


@dataclass(frozen=True)
class Output:
    """The output projection of one site, on the CPU in float64.

    Attributes:
        matrix: [H, E, M], by head.
        bias: [M], what it adds to no head in particular.
    """

    matrix: Tensor
    bias: Tensor

    def of_head(self, head: int, vectors: Float[Tensor, "*n E"]) -> Float[Tensor, "*n M"]:
        """What vectors in a head's place become, the bias left out."""
        return vectors.double() @ self.matrix[head]


def output_of(runner: Runner, site: Site) -> Output:
    """The output projection of a site.

    Raises:
        StageNotAvailable: the probe did not see which module reads this site's heads.
    """
    rows = site.heads * site.value_size
    made, bias = _run(runner, site, torch.eye(rows).view(rows, site.heads, site.value_size))
    return Output(made.view(site.heads, site.value_size, -1), bias)


def each_alone(
    runner: Runner, site: Site, z: Float[Tensor, "H E"]
) -> tuple[Float[Tensor, "H M"], Float[Tensor, " M"]]:
    """What the output projection makes of each head's z at one position, and its bias: H + 1
    vectors through the module, where the matrix takes H · E + 1.

    Raises:
        StageNotAvailable: see ``output_of``.
    """
    return _run(runner, site, torch.eye(site.heads)[..., None] * z)


def _run(
    runner: Runner, site: Site, vectors: Float[Tensor, "n H E"]
) -> tuple[Float[Tensor, "n M"], Float[Tensor, " M"]]:
    """What the module makes of vectors, the bias left out, and the bias; float64 on the CPU."""
    if not site.out_proj:
        raise StageNotAvailable(
            f"What follows the heads of {site.name} in {runner.name} was not found, so what each "
            "of them adds is not known."
        )
    module = runner.module(site.out_proj)
    flat = vectors.flatten(1)[:, None]
    with torch.no_grad():
        given = torch.cat([flat, torch.zeros_like(flat[:1])]).to(next(module.parameters()))
        made = module(given)[:, 0].double().cpu()
    return made[:-1] - made[-1], made[-1]
