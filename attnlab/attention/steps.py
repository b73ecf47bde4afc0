"""Self-attention small enough to check by hand, one step at a time (Vaswani et al. 2017, 3.2).

A ``Worked`` example is a few tokens with typed numbers. ``work`` takes it through every step, the
middle ones by ``explain``, which is ``attend`` with every stage kept: what a student meets here is
what runs in a pretrained model. ``attnlab.attention.because`` says how any one cell was made, and
``attnlab.attention.soft`` what one query gets under other circumstances.

Here every matrix is written as in the paper, rows first: Q = X·W_Q, with W_Q [M, H·D] whose columns
are cut into H heads. Axis letters: n tokens, M width of X, H heads, D size of queries and keys of a
head, E size of its values, P width of what comes out. Everything is float64.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Final

import torch
from jaxtyping import Float64
from torch import Tensor

from attnlab.attention.explain import explain
from attnlab.attention.mask import causal_mask
from attnlab.errors import InputError

Matrix = tuple[tuple[float, ...], ...]
TYPED: Final = ("x", "w_q", "w_k", "w_v", "w_o")
"""The matrices that are typed; every other one is computed."""
LARGEST: Final = 1000.0
"""A typed number lies between minus this and this."""


@dataclass(frozen=True)
class Worked:
    """Everything that is typed.

    Attributes:
        tokens: n words.
        x: [n, M].
        w_q, w_k: [M, H·D].
        w_v: [M, H·E].
        w_o: [H·E, P].
        heads: H.
        causal: whether later tokens are hidden.
        scaled: whether scores are divided by √D.

    Raises:
        InputError: a matrix is ragged or holds what is no number in range, sizes do not fit each
            other, or columns cannot be shared out among the heads.
    """

    tokens: tuple[str, ...]
    x: Matrix
    w_q: Matrix
    w_k: Matrix
    w_v: Matrix
    w_o: Matrix
    heads: int = 1
    causal: bool = True
    scaled: bool = True

    def __post_init__(self) -> None:
        for name in TYPED:
            _check_numbers(name, getattr(self, name))
        width, key, value = self.size("x")[1], self.size("w_k")[1], self.size("w_v")[1]
        wanted = {
            "x": (len(self.tokens), width),
            "w_q": (width, key),
            "w_k": (width, key),
            "w_v": (width, value),
            "w_o": (value, self.size("w_o")[1]),
        }
        for name, size in wanted.items():
            if self.size(name) != size:
                raise InputError(f"{name} is {self.size(name)}, and {size} is what fits the rest.")
        if self.heads < 1 or key % self.heads or value % self.heads:
            raise InputError(
                f"{key} columns of W_Q and {value} of W_V cannot be cut into {self.heads} heads."
            )

    def size(self, name: str) -> tuple[int, int]:
        """Rows and columns of a typed matrix."""
        matrix = getattr(self, name)
        return len(matrix), len(matrix[0])

    @property
    def key_size(self) -> int:
        """D, of one head."""
        return self.size("w_q")[1] // self.heads

    @property
    def value_size(self) -> int:
        """E, of one head."""
        return self.size("w_v")[1] // self.heads

    @property
    def scale(self) -> float:
        """What scores are multiplied by: 1/√D, or 1."""
        return self.key_size**-0.5 if self.scaled else 1.0

    def typed(self, name: str, row: int, column: int, value: float) -> Worked:
        """The same with another number in one cell.

        Raises:
            InputError: there is no such cell, or the number is not in range.
        """
        if name not in TYPED:
            raise InputError(f"{name} is computed; only {', '.join(TYPED)} are typed.")
        rows, columns = self.size(name)
        if not (0 <= row < rows and 0 <= column < columns):
            raise InputError(
                f"{name} has no row {row} and column {column}; it is {rows}×{columns}."
            )
        cells = [list(line) for line in getattr(self, name)]
        cells[row][column] = value
        return replace(self, **{name: tuple(map(tuple, cells))})

    def with_values(self, columns: int) -> Worked:
        """The same with a W_V of ``columns`` columns in all, and a W_O of as many rows.

        What is new holds a one in each column, so that nothing is lost on the way out.

        Raises:
            InputError: there is no column, or the heads cannot share so many.
        """
        if columns < 1:
            raise InputError(f"W_V needs a column at least, not {columns}.")
        w_v = [
            [*row[:columns], *(float(m == c % len(self.w_v)) for c in range(len(row), columns))]
            for m, row in enumerate(self.w_v)
        ]
        out = self.size("w_o")[1]
        w_o = [*self.w_o[:columns]]
        w_o += [tuple(float(c % out == p) for p in range(out)) for c in range(len(w_o), columns)]
        return replace(self, w_v=tuple(map(tuple, w_v)), w_o=tuple(w_o))


def _check_numbers(name: str, matrix: Matrix) -> None:
    if not matrix or not matrix[0] or len({len(row) for row in matrix}) > 1:
        raise InputError(f"{name} needs rows of equal length, at least one number in each.")
    for number in (number for row in matrix for number in row):
        # Written so that NaN fails too.
        if not -LARGEST <= number <= LARGEST:
            raise InputError(
                f"{name} cannot hold {number:g}: it takes numbers from {-LARGEST:g} to {LARGEST:g}."
            )


@dataclass(frozen=True)
class Steps:
    """Every matrix of an example, typed and computed, in float64.

    ``scores``, ``scaled``, ``masked`` and ``weights`` are [H, n, n], ``z`` is [H, n, E]; ``joined``
    holds the heads' ``z`` side by side, [n, H·E], and ``out`` is joined·W_O, [n, P]. ``masked``
    holds −∞ at hidden keys.
    """

    example: Worked
    x: Float64[Tensor, "n M"]
    w_q: Float64[Tensor, "M HD"]
    w_k: Float64[Tensor, "M HD"]
    w_v: Float64[Tensor, "M HE"]
    w_o: Float64[Tensor, "HE P"]
    q: Float64[Tensor, "n HD"]
    k: Float64[Tensor, "n HD"]
    v: Float64[Tensor, "n HE"]
    scores: Float64[Tensor, "H n n"]
    scaled: Float64[Tensor, "H n n"]
    masked: Float64[Tensor, "H n n"]
    weights: Float64[Tensor, "H n n"]
    z: Float64[Tensor, "H n E"]
    joined: Float64[Tensor, "n HE"]
    out: Float64[Tensor, "n P"]

    @cached_property
    def lists(self) -> dict[str, list]:
        """Every matrix as nested lists, for whoever reads it cell by cell."""
        matrices = (one.name for one in fields(self) if one.name != "example")
        return {name: getattr(self, name).tolist() for name in matrices}


def work(example: Worked) -> Steps:
    """Takes ``example`` through every step."""
    typed = {name: torch.tensor(getattr(example, name), dtype=torch.float64) for name in TYPED}
    q, k, v = (typed["x"] @ typed[name] for name in ("w_q", "w_k", "w_v"))
    n = len(example.tokens)
    seen = explain(
        *(cut(matrix, example.heads) for matrix in (q, k, v)),
        causal_mask(n, n) if example.causal else None,
        scale=example.scale,
    )
    z = seen.z[0]
    joined = z.transpose(0, 1).reshape(n, -1)
    return Steps(
        example=example,
        **typed,
        q=q,
        k=k,
        v=v,
        scores=seen.scores[0],
        scaled=seen.scaled[0],
        masked=seen.masked[0],
        weights=seen.weights[0],
        z=z,
        joined=joined,
        out=joined @ typed["w_o"],
    )


def cut(matrix: Float64[Tensor, "n HD"], heads: int) -> Float64[Tensor, "1 H n D"]:
    """Columns shared out among the heads, in the form in which ``attend`` takes them, B = 1."""
    return matrix.reshape(len(matrix), heads, -1).transpose(0, 1)[None]


def multiplications(example: Worked) -> dict[str, int]:
    """How many multiplications each matrix product takes, by the step that it makes.

    The number of heads does not occur: H heads of size D cost what one head of size H·D costs.
    Only scaling and softmax, one operation a score, are done once for each head.
    """
    (n, width), keys, (values, out) = example.size("x"), example.size("w_q")[1], example.size("w_o")
    return {
        "q": n * width * keys,
        "k": n * width * keys,
        "v": n * width * values,
        "scores": n * n * keys,
        "z": n * n * values,
        "out": n * values * out,
    }
