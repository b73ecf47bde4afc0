"""al.Mask as a value: what it draws, how it is written, and what it refuses to be."""

import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import attnlab as al
from attnlab.errors import EditError

N = 9
IDS = (0, 0, 0, 4, 4, 4, 4, 1, 1)
TABLE = torch.rand(N, N, generator=torch.Generator().manual_seed(3)) < 0.5
DRAWN = {
    "causal": (al.Mask("causal"), lambda q, k: k <= q),
    "bidirectional": (al.Mask("bidirectional"), lambda q, k: True),
    "window": (al.Mask("window", window=3), lambda q, k: 0 <= q - k < 3),
    "sinks": (
        al.Mask("window", window=3, sinks=2),
        lambda q, k: 0 <= q - k < 3 or (k < 2 and k <= q),
    ),
    "strided": (
        al.Mask("strided", window=3),
        lambda q, k: k <= q and (q - k < 3 or (q - k) % 3 == 0),
    ),
    "global": (
        al.Mask("global", window=2, globals=(0, 5)),
        lambda q, k: k <= q and (q - k < 2 or q in (0, 5) or k in (0, 5)),
    ),
    "prefix": (al.Mask("prefix", prefix=4), lambda q, k: k <= q or k < 4),
    "document": (
        al.Mask("document", documents=IDS),
        lambda q, k: k <= q and IDS[q] == IDS[k],
    ),
    "painted": (al.Mask.painted(TABLE), lambda q, k: bool(TABLE[q, k])),
    "cells": (
        al.Mask("window", window=3, shown=((2, 7), (8, 0)), hidden=((4, 4),)),
        lambda q, k: (q, k) in ((2, 7), (8, 0)) or (0 <= q - k < 3 and (q, k) != (4, 4)),
    ),
}
"""Masks of a decoder, each with the rule that it stands for."""
NUMBERS = st.integers(0, 30)
CELLS = st.sets(st.tuples(NUMBERS, NUMBERS), max_size=4).map(tuple)


def drawn(name, n=N):
    return torch.tensor([[bool(DRAWN[name][1](q, k)) for k in range(n)] for q in range(n)])


@pytest.mark.parametrize("name", DRAWN)
def test_it_draws_what_it_says(name):
    mask = DRAWN[name][0]
    assert torch.equal(mask.visible(N), drawn(name))
    assert mask.predicate().count(N) == int(drawn(name).sum())


@pytest.mark.parametrize("name", ["global", "document"])
def test_what_has_no_direction_takes_that_of_the_model(name):
    mask, rule = DRAWN[name]
    both = torch.tensor([[rule(q, k) or rule(k, q) for k in range(N)] for q in range(N)])
    assert torch.equal(mask.visible(N, causal=False), both)
    alone = al.edit_from_json(mask.to_json() | {"native": False})
    assert torch.equal(alone.visible(N), both)


@pytest.mark.parametrize("name", DRAWN)
def test_json_and_back(name):
    mask = DRAWN[name][0]
    again = al.edit_from_json(json.loads(json.dumps(mask.to_json())))
    assert again == mask and hash(again) == hash(mask)


@given(
    shown=CELLS,
    layers=st.none() | st.lists(NUMBERS, min_size=1, max_size=3),
    native=st.booleans(),
    window=st.integers(1, 40),
    sinks=st.integers(0, 9),
)
def test_equal_masks_are_equal_however_they_are_given(shown, layers, native, window, sinks):
    options = {"window": window, "sinks": sinks, "layers": layers, "native": native}
    one = al.Mask("window", shown=shown, **options)
    other = al.Mask("window", shown=[list(cell) for cell in reversed(shown)], **options)
    assert one == other and one.to_json() == other.to_json()
    assert al.edit_from_json(json.loads(json.dumps(one.to_json()))) == one


@given(
    pattern=st.sampled_from(sorted(set(DRAWN) - {"painted", "document", "sinks", "cells"})),
    shown=CELLS,
    hidden=CELLS,
)
def test_cells_change_any_pattern_and_nothing_else(pattern, shown, hidden):
    hidden = tuple(set(hidden) - set(shown))
    plain = DRAWN[pattern][0]
    painted = al.edit_from_json(plain.to_json() | {"shown": shown, "hidden": hidden})
    right = plain.visible(31)
    for cells, seen in ((shown, True), (hidden, False)):
        for query, key in cells:
            right[query, key] = seen
    assert torch.equal(painted.visible(31), right)


@pytest.mark.parametrize(
    "matrix",
    [[[1, 0], [1, 1]], np.tril(np.ones((2, 2))), torch.ones(2, 2).bool().tril(), [[5, 0], [1, 2]]],
)
def test_a_matrix_of_any_kind_is_painted(matrix):
    assert al.Mask.painted(matrix, layers=1) == al.Mask("painted", rows=("10", "11"), layers=(1,))


def test_a_message_names_a_long_mask_briefly():
    assert str(al.Mask("window", window=3, sinks=1)) == "Mask('window', window=3, sinks=1)"
    assert str(al.Mask.painted(torch.ones(200, 200), heads=2)) == (
        "Mask('painted', rows=(200 of them), heads=(2,))"
    )


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: al.Mask("diagonal"), "no mask 'diagonal'; there are causal, bidirectional"),
        (lambda: al.Mask(7), "no mask 7"),
        (lambda: al.Mask("window"), "A window mask needs window="),
        (lambda: al.Mask("window", window=0), "smallest is 1"),
        (lambda: al.Mask("window", window=2.5), "window takes whole numbers, not 2.5"),
        (lambda: al.Mask("window", window=3, sinks=-1), "-1 is negative"),
        (lambda: al.Mask("causal", window=3), "A causal mask has no window"),
        (lambda: al.Mask("causal", sinks=1), "A causal mask has no sinks"),
        (lambda: al.Mask("strided", window=3, prefix=0), "A strided mask has no prefix"),
        (lambda: al.Mask("global", window=3), "A global mask needs globals="),
        (lambda: al.Mask("prefix"), "A prefix mask needs prefix="),
        (lambda: al.Mask("document"), "A document mask needs documents="),
        (lambda: al.Mask("painted"), "A painted mask needs rows="),
        (lambda: al.Mask("painted", rows="10"), "one for each query"),
        (lambda: al.Mask("painted", rows=("10", "2")), "row 1 has 1 cells"),
        (lambda: al.Mask.painted([1, 0]), "this has 1 axes"),
        (lambda: al.Mask("causal", shown=((1, 2),), hidden=((1, 2),)), "both shown and hidden"),
        (lambda: al.Mask("causal", shown=((1,),)), "shown takes cells \\(query, key\\)"),
        (lambda: al.Mask("causal", hidden="5"), "hidden takes cells"),
        (lambda: al.Mask("causal", hidden=((1, -2),)), "no cell \\(1, -2\\)"),
        (lambda: al.Mask("causal", layers=()), "layers names none"),
        (lambda: al.Mask("causal", native=1), "native is True or False, not 1"),
    ],
)
def test_what_is_no_mask_says_so(make, named):
    with pytest.raises(EditError, match=named):
        make()
