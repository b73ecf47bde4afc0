"""How many scores each pattern computes: the known numbers, small ones by brute force, large ones
without building the mask."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention.masks import (
    Bidirectional,
    Causal,
    Document,
    GlobalWindow,
    Padding,
    Predicate,
    Prefix,
    SinksWindow,
    Strided,
    Window,
)

SMALL, LARGE = (16, 4), (131_072, 4_096)
KNOWN = [
    (lambda w: Bidirectional(), SMALL, 16**2),
    (lambda w: Causal(), SMALL, 136),
    (Window, SMALL, 58),
    (lambda w: SinksWindow(1, w), SMALL, 70),
    (Strided, SMALL, 82),
    (lambda w: Bidirectional(), LARGE, 131_072**2),
    (lambda w: Causal(), LARGE, 8_590_000_128),
    (Window, LARGE, 528_484_352),
    (lambda w: SinksWindow(1, w), LARGE, 528_611_328),
    # w(w + 1)/2 in the first w rows, then w and one more for each further stride.
    (Strided, LARGE, 528_484_352 + sum(i // 4_096 for i in range(4_096, 131_072))),
]


def one_by_one(pattern, n):
    """Every pair of n tokens, asked about in one table."""
    return pattern.picture(n).count("■")


@pytest.mark.parametrize("make, size, right", KNOWN)
def test_the_known_counts(make, size, right):
    n, w = size
    assert make(w).count(n) == right
    if n == 16:
        assert one_by_one(make(w), n) == right


@settings(max_examples=80, deadline=None)
@given(
    n=st.integers(1, 40),
    w=st.integers(1, 45),
    first=st.integers(0, 45),
    chosen=st.lists(st.integers(0, 45), max_size=5),
)
def test_closed_forms_equal_brute_force(n, w, first, chosen):
    for pattern in (
        Causal(),
        Bidirectional(),
        Window(w),
        Strided(w),
        SinksWindow(first, w),
        Prefix(first),
        Padding((first,)),
        GlobalWindow(tuple(chosen), w),
        ~Window(w),
        Strided(w) | Window(first + 1),
    ):
        right = one_by_one(pattern, n)
        assert pattern.count(n) == right
        assert Predicate.count(pattern, n) == right


@pytest.mark.parametrize(
    "pattern, right",
    [
        (Causal(), 549_756_338_176),
        (Window(4_096), 4_286_580_736),
        (SinksWindow(4, 4_096), 4_286_580_736 + 4 * (1_048_576 - 4_096) - 6),
        (Prefix(1_024), 549_756_338_176 + 1_024 * 1_023 // 2),
        (Window(4_096) | Strided(1_048_576), 549_756_338_176),
        (Causal() & Window(4_096), 4_286_580_736),
        (GlobalWindow((0,), 1), 3 * 1_048_576 - 2),
        (Padding((10, 2_000_000)), 10 * 1_048_576 + 1_048_576**2),
    ],
    ids=repr,
)
def test_a_million_tokens_are_counted_at_once(pattern, right):
    assert pattern.count(1_048_576) == right


def test_what_has_no_closed_form_is_counted_in_blocks_of_rows():
    packed = Document((0,) * 400 + (1,) * 300) & Causal()
    assert packed.count(700) == 400 * 401 // 2 + 300 * 301 // 2
