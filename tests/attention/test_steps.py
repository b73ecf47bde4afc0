"""Worked examples: the right values, every cell from the ones before it, and what is refused."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from attnlab.attention import attend, examples
from attnlab.attention.because import COMPUTED, HEADED, Cell, why
from attnlab.attention.multihead import MultiHead
from attnlab.attention.steps import TYPED, Worked, multiplications, work
from attnlab.errors import InputError
from tests.attention import reference


def random_example(heads=2, causal=True, scaled=True, seed=0, size=1.0):
    """Distinct primes, so that a swapped axis fails: n 5, M 3, H·D 4 or more, P 7."""
    draw = np.random.default_rng(seed)

    def matrix(rows, columns):
        return tuple(map(tuple, (size * draw.standard_normal((rows, columns))).tolist()))

    n, width, key, value, out = 5, 3, 2 * heads, 3 * heads, 7
    return Worked(
        tuple("abcde"),
        matrix(n, width),
        matrix(width, key),
        matrix(width, key),
        matrix(width, value),
        matrix(value, out),
        heads,
        causal,
        scaled,
    )


def settings():
    """Every preset, one with every switch, and random ones."""
    yield from examples.ALL
    for heads, causal, scaled in itertools.product((1, 2), (True, False), (True, False)):
        yield replace(examples.DOG, heads=heads, causal=causal, scaled=scaled)
    yield from (random_example(heads, seed=heads) for heads in (1, 2, 3))
    yield random_example(2, False, size=40.0)  # scores in the thousands


SETTINGS = tuple(settings())


def test_the_cat_sat_down_as_it_was_worked_out_by_hand():
    steps = work(examples.CAT)
    right = [
        [1.02, 0.20, -0.42, -0.52],
        [0.20, 1.49, -0.38, -0.06],
        [-0.42, -0.38, 0.99, 0.86],
        [-0.52, -0.06, 0.86, 1.58],
    ]
    assert torch.allclose(steps.scores[0], torch.tensor(right, dtype=torch.float64), atol=1e-12)
    assert steps.weights[0, 3].tolist() == pytest.approx([0.1406, 0.1770, 0.2804, 0.4019], abs=5e-5)
    assert steps.scores.dtype == steps.out.dtype == torch.float64


@pytest.mark.parametrize(
    ("example", "query", "right"),
    [
        (examples.TIRED, [2, 0], (0.9094, 0.0453, 0.0453)),
        (examples.WIDE, [0, 2], (0.0453, 0.9094, 0.0453)),
    ],
)
def test_the_two_number_example_is_unscaled(example, query, right):
    steps = work(example)
    assert steps.weights[0, 2].tolist() == pytest.approx(right, abs=5e-5)
    assert sorted(steps.scores[0, 2].tolist()) == [0, 0, 3]
    assert steps.q[2].tolist() == query
    assert steps.k.tolist() == [[1.5, 0], [0, 1.5], [0, 0]]


def test_the_query_with_scores_8_2_4():
    steps = work(examples.COLOURS)
    assert steps.scores[0, 2].tolist() == [8, 2, 4]
    assert steps.example.key_size == 4
    assert steps.scaled[0, 2].tolist() == [4, 1, 2]
    assert steps.weights[0, 2].tolist() == pytest.approx([0.8438, 0.0420, 0.1142], abs=5e-5)


@pytest.mark.parametrize("example", SETTINGS)
def test_every_cell_is_made_of_the_cells_that_it_names(example):
    steps = work(example)
    for name in COMPUTED:
        matrix = getattr(steps, name)
        heads = range(example.heads) if name in HEADED else [0]
        for head in heads:
            whole = matrix[head] if name in HEADED else matrix
            for row, column in np.ndindex(*whole.shape):
                because = why(steps, Cell(name, row, column, head))
                assert because.value == whole[row, column].item()
                assert made(because, example) == pytest.approx(because.value, abs=1e-9, rel=1e-12)
                for term in because.terms:
                    check_factors(steps, term, because.shift)


def made(because, example):
    """The value again, from the terms alone."""
    parts = [term.value for term in because.terms]
    match because.kind:
        case "sum":
            assert all(term.value == math.prod(term.factors) for term in because.terms)
            return math.fsum(parts)
        case "divided":
            return parts[0] / math.sqrt(example.key_size)
        case "same":
            return parts[0]
        case "hidden":
            return -math.inf
        case "shares":
            assert all(math.exp(term.factors[0]) == term.value for term in because.terms)
            return 0.0 if because.own is None else parts[because.own] / math.fsum(parts)


def check_factors(steps, term, shift):
    """The numbers of a term stand where it says."""
    for number, cell in zip(term.factors, term.cells, strict=True):
        matrix = getattr(steps, cell.matrix)
        matrix = matrix[cell.head] if cell.matrix in HEADED else matrix
        assert matrix[cell.row, cell.column].item() - shift == number


@pytest.mark.parametrize("example", SETTINGS)
def test_the_steps_are_attention_by_its_definition(example):
    steps, heads = work(example), example.heads
    cut = [m.reshape(len(m), heads, -1).transpose(0, 1)[None] for m in (steps.q, steps.k, steps.v)]
    n = len(example.tokens)
    visible = np.tril(np.ones((n, n), bool)) if example.causal else None
    scale = example.key_size**-0.5 if example.scaled else 1.0
    weights, z = reference.attention(*cut, visible=visible, scale=scale)
    assert np.allclose(steps.weights.numpy(), weights[0], atol=1e-12)
    assert np.allclose(steps.z.numpy(), z[0], atol=1e-9)
    alone = attend(*cut, causal=example.causal, scale=scale)
    assert torch.allclose(steps.z, alone[0], atol=1e-9)
    assert torch.allclose(steps.joined, alone[0].transpose(0, 1).reshape(n, -1), atol=1e-9)


def test_the_steps_are_what_our_transformer_computes():
    example = random_example(heads=2)
    steps = work(example)
    width, out = example.size("x")[1], example.size("w_o")[1]
    ours = MultiHead(3, 2, key_size=2, value_size=3, qkv_bias=False, out_bias=False).double()
    assert (width, out) == (3, 7)
    square = steps.w_o[:, :3]  # a transformer gives back as many numbers as it was given
    with torch.no_grad():
        for name in ("w_q", "w_k", "w_v"):
            getattr(ours, name).weight.copy_(getattr(steps, name).T)
        ours.w_o.weight.copy_(square.T)
        found = ours(steps.x[None], mask=torch.ones(5, 5, dtype=torch.bool).tril())
    assert torch.allclose(found[0], steps.joined @ square, atol=1e-12)


@pytest.mark.parametrize("example", SETTINGS)
def test_a_step_takes_a_multiplication_for_each_term_of_its_sums(example):
    steps = work(example)
    counted = dict.fromkeys(multiplications(example), 0)
    for name in counted:
        matrix = getattr(steps, name)
        heads = range(example.heads) if name in HEADED else [0]
        for head in heads:
            for row, column in np.ndindex(*matrix.shape[-2:]):
                counted[name] += len(why(steps, Cell(name, row, column, head)).terms)
    assert counted == multiplications(example)


def test_heads_cost_nothing_in_the_matrix_products():
    one, two = (replace(examples.CAT, heads=heads) for heads in (1, 2))
    assert multiplications(one) == multiplications(two)
    assert multiplications(one) == {"q": 64, "k": 64, "v": 64, "scores": 64, "z": 64, "out": 64}


def test_an_edited_cell_changes_what_comes_after_it_and_nothing_else():
    start = examples.CAT
    before, after = work(start), work(start.typed("w_v", 1, 2, 0.5))
    for name in ("q", "k", "scores", "scaled", "masked", "weights"):
        assert torch.equal(getattr(before, name), getattr(after, name))
    for name in ("v", "z", "joined", "out"):
        assert not torch.equal(getattr(before, name), getattr(after, name))


@pytest.mark.parametrize("columns", range(1, 8))
def test_w_v_of_any_size_has_a_w_o_that_fits(columns):
    start = examples.CAT
    steps = work(start.with_values(columns))
    assert steps.v.shape == (4, columns) and steps.out.shape == (4, 4)
    kept = min(columns, 4)
    assert torch.equal(steps.w_v[:, :kept], torch.eye(4, dtype=torch.float64)[:, :kept])
    assert start.with_values(4) == start
    assert (steps.w_v.sum(0) == 1).all() and (steps.w_o.sum(1) == 1).all()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"heads": 3}, "cannot be cut into 3 heads"),
        ({"heads": 0}, "cannot be cut into 0 heads"),
        ({"x": ((1.0, 2.0), (3.0,))}, "rows of equal length"),
        ({"x": ()}, "rows of equal length"),
        ({"x": ((math.nan,) * 4,) * 4}, "cannot hold nan"),
        ({"w_q": ((math.inf,) * 4,) * 4}, "cannot hold inf"),
        ({"w_v": ((1000.5,) * 4,) * 4}, "from -1000 to 1000"),
        ({"w_k": ((1.0,) * 2,) * 4}, "is what fits the rest"),
        ({"w_o": ((1.0,) * 4,) * 3}, "is what fits the rest"),
        ({"tokens": ("The", "cat")}, "is what fits the rest"),
    ],
)
def test_what_does_not_fit_is_refused(changes, words):
    with pytest.raises(InputError, match=words):
        replace(examples.CAT, **changes)


@pytest.mark.parametrize("columns", [0, -1])
def test_a_w_v_without_columns_is_refused(columns):
    with pytest.raises(InputError):
        examples.CAT.with_values(columns)
    with pytest.raises(InputError, match="cannot be cut into 2 heads"):
        examples.DOG.with_values(3)


def test_cells_that_are_not_there_are_refused():
    start = examples.CAT
    for place in (("x", 4, 0), ("x", 0, 4), ("x", -1, 0), ("q", 0, 0), ("tokens", 0, 0)):
        with pytest.raises(InputError):
            start.typed(*place, 0.5)
    steps = work(start)
    for cell in (
        Cell("x", 9, 0),
        Cell("weights", 0, 0, 1),
        Cell("x", 0, 0, 1),
        Cell("nothing", 0, 0),
    ):
        with pytest.raises(InputError, match="no cell"):
            why(steps, cell)
    assert all(why(steps, Cell(name, 0, 0)).kind == "typed" for name in TYPED)
