"""Every pattern against its definition, one pair of positions at a time."""

import dataclasses

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention import attend
from attnlab.attention.masks import (
    Bidirectional,
    Causal,
    Document,
    GlobalWindow,
    Padding,
    Prefix,
    SinksWindow,
    Strided,
    Window,
)
from attnlab.attention.masks.patterns import require_within
from attnlab.attention.masks.predicate import And, Not, Or  # noqa: F401, for eval
from tests.attention.test_attend import normal

IDS = (0, 0, 0, 5, 5, 1, 1, 1, 1, 5, 5, 5)
N = len(IDS)
DEFINITIONS = {
    Causal(): lambda q, k: k <= q,
    Bidirectional(): lambda q, k: True,
    Padding((7,)): lambda q, k: k < 7,
    Prefix(4): lambda q, k: k <= q or k < 4,
    Document(IDS): lambda q, k: IDS[q] == IDS[k],
    Window(3): lambda q, k: k in (q - 2, q - 1, q),
    SinksWindow(2, 3): lambda q, k: k in (q - 2, q - 1, q) or (k in (0, 1) and k <= q),
    Strided(3): lambda q, k: k in (q - 2, q - 1, q) or k in range(q % 3, q, 3),
    GlobalWindow((0, 7), 2): lambda q, k: abs(q - k) < 2 or {q, k} & {0, 7} != set(),
}


def defined(pattern, n=N):
    rule = DEFINITIONS[pattern]
    return torch.tensor([[bool(rule(q, k)) for k in range(n)] for q in range(n)])


def seen(pattern, n=N):
    mask = pattern.mask(range(n), range(n))
    everything = torch.ones(1, 1, n, n, dtype=torch.bool)
    return everything if mask.visible is None else mask.visible


@pytest.mark.parametrize("pattern", DEFINITIONS, ids=repr)
def test_is_what_its_definition_says(pattern):
    assert torch.equal(seen(pattern)[0, 0], defined(pattern))
    lines = pattern.picture(N).splitlines()
    assert [[c == "■" for c in line.split()] for line in lines] == defined(pattern).tolist()


@pytest.mark.parametrize("pattern", DEFINITIONS, ids=repr)
def test_any_cut_of_it_is_a_part_of_the_whole(pattern):
    """A tile of a long text and a step over a cache ask about the same positions."""
    for queries, keys in ((range(11, 12), range(12)), (range(3, 8), range(2, 9))):
        part = pattern.mask(queries, keys).visible
        right = defined(pattern)[queries.start : queries.stop, keys.start : keys.stop]
        assert bool(right.all()) if part is None else torch.equal(part[0, 0], right)


@pytest.mark.parametrize("pattern", DEFINITIONS, ids=repr)
def test_is_a_small_frozen_value(pattern):
    assert hash(pattern) == hash(dataclasses.replace(pattern))
    assert eval(repr(pattern)) == pattern
    with pytest.raises(dataclasses.FrozenInstanceError):
        pattern.w = 4


patterns = st.recursive(
    st.sampled_from(list(DEFINITIONS)),
    lambda inner: st.one_of(
        st.builds(lambda a, b: (a, "&", b), inner, inner),
        st.builds(lambda a, b: (a, "|", b), inner, inner),
        st.builds(lambda a: ("~", a), inner),
    ),
    max_leaves=5,
)


def joined(tree):
    """The composed predicate, and its table composed by torch."""
    if not isinstance(tree, tuple):
        return tree, defined(tree)
    if tree[0] == "~":
        predicate, table = joined(tree[1])
        return ~predicate, ~table
    (one, left), (other, right) = joined(tree[0]), joined(tree[2])
    if tree[1] == "&":
        return one & other, left & right
    return one | other, left | right


@settings(max_examples=60, deadline=None)
@given(tree=patterns)
def test_compositions_see_and_count_what_their_parts_say(tree):
    predicate, table = joined(tree)
    assert torch.equal(seen(predicate).expand(1, 1, N, N)[0, 0], table)
    assert predicate.count(N) == int(table.sum())
    assert eval(repr(predicate)) == predicate and hash(predicate)


@settings(max_examples=60, deadline=None)
@given(
    tree=patterns,
    heads=st.sampled_from([(1, 1), (4, 4), (6, 2), (5, 1)]),
    sizes=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    tile=st.integers(1, N),
    seed=st.integers(0, 10**6),
)
def test_attention_under_a_composition_equals_torchs(tree, heads, sizes, tile, seed):
    predicate, table = joined(tree)
    (h, kv), (d, e) = heads, sizes
    q, k = normal(2, h, N, d, seed=seed), normal(2, kv, N, d, seed=seed + 1)
    v = normal(2, kv, N, e, seed=seed + 2)
    ours = attend(q, k, v, predicate.mask(range(N), range(N)), tile=tile)
    sees = table.any(-1)
    sdpa = torch.nn.functional.scaled_dot_product_attention(
        q[:, :, sees], k, v, attn_mask=table[sees], enable_gqa=True
    )
    assert torch.allclose(ours[:, :, sees], sdpa, atol=1e-12)
    assert not ours[:, :, ~sees].any()


def test_padding_gives_each_text_its_own_mask():
    padding = Causal() & Padding((2, 3))
    visible = padding.mask(range(3), range(3)).visible
    assert visible.int().tolist() == [
        [[[1, 0, 0], [1, 1, 0], [1, 1, 0]]],
        [[[1, 0, 0], [1, 1, 0], [1, 1, 1]]],
    ]
    with pytest.raises(ValueError, match="2 texts have 2 masks"):
        padding.picture(3)
    q = normal(2, 4, 3, 2)
    whole = attend(q, q, q, padding.mask(range(3), range(3)))
    alone = attend(q[:1, :, :2], q[:1, :, :2], q[:1, :, :2], Causal().mask(range(2), range(2)))
    assert torch.allclose(whole[:1, :, :2], alone, atol=1e-14)


def test_a_mask_that_hides_nothing_costs_nothing():
    assert Bidirectional().mask(range(5), range(9)).visible is None
    assert Causal().mask(range(8, 9), range(9)).visible is None
    assert Padding((9, 9)).mask(range(5), range(9)).visible is None


def test_a_window_of_one_sees_itself_and_a_window_of_all_is_causal():
    assert Window(1).picture(3) == "■ · ·\n· ■ ·\n· · ■"
    for pattern in (Window(N), SinksWindow(1, N), Strided(1), Strided(N), Prefix(0), Prefix(1)):
        assert pattern.picture(N) == Causal().picture(N)
    assert (GlobalWindow((0,), 3) & Causal()).picture(N) == SinksWindow(1, 3).picture(N)
    for kind in (Window, Strided, lambda w: SinksWindow(1, w), lambda w: GlobalWindow((0,), w)):
        with pytest.raises(ValueError, match="a window of 0 does not hold the token itself"):
            kind(0)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Padding((3, -2)),
        lambda: Prefix(-2),
        lambda: SinksWindow(-2, 3),
        lambda: GlobalWindow((0, -2), 3),
    ],
)
def test_what_is_counted_is_not_negative(make):
    with pytest.raises(ValueError, match="-2 is negative; tokens and positions count from 0"):
        make()


def test_a_position_beyond_the_documents_is_refused():
    with pytest.raises(ValueError, match="position 12 has no document: there are 12 ids"):
        Document(IDS).mask(range(13), range(13))


@pytest.mark.parametrize("size", [1.5, float("nan"), "4"])
def test_a_window_is_a_whole_number_of_tokens(size):
    # Not Window(size): in tests the types of its arguments are checked before it is asked.
    with pytest.raises(ValueError, match="no whole number"):
        require_within(size)
