"""What the page Trace a prediction says, given what was found."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from attnlab.ui.cards.trace import exchange, lens


def followed(*ranks: int) -> str:
    """The sentence on an answer that stands in these places after layers 0, 1, …."""
    rank = np.array(ranks)[:, None]
    known = np.flatnonzero(rank[:, 0])
    first = 0 if not len(known) else int(known[-1]) + 1
    since = first if first < len(ranks) else None
    found = SimpleNamespace(
        layers=tuple(range(len(ranks))),
        rank=rank,
        share=np.full(rank.shape, 0.25),
        knew=lambda: since,
    )
    return lens.said(SimpleNamespace(answer=("the", 3)), found)


@pytest.mark.parametrize(
    ("ranks", "sentence"),
    [
        ((5, 2, 1), "“the” is never the likeliest; at the end it has 0.25, in place 2."),
        ((5, 0, 3, 0, 0, 1), "the likeliest after layers 1, 3 and 4, and not in the end: at the"),
        ((5, 0, 0, 0, 1), "the likeliest after layers 1 to 3, and not in the end"),
        ((0, 0, 0), "the likeliest from the first layer on"),
        ((4, 3, 0), "the likeliest only after the last layer, 2: 0.25 at the end. After layer 1"),
        ((4, 0, 3, 0), "the likeliest after the last layer, 3, as it was after layer 1: 0.25"),
        ((4, 0, 3, 0, 0), "the likeliest from layer 3 on, as it was after layer 1: 0.25"),
    ],
)
def test_an_answer_that_led_and_lost_is_not_said_never_to_have_led(ranks, sentence):
    assert sentence in followed(*ranks)


def patched(shares: list[float], corrupted: float, stage: str = "z", unit: str = "nats") -> str:
    """The sentence on patches of heads, or of layers at one word."""
    by = "position" if stage == "resid_post" else "head"
    table = pd.DataFrame({"layer": range(len(shares)), by: 0, "share": shares})
    metric = SimpleNamespace(name="KL divergence at the last position")
    found = SimpleNamespace(table=table, metric=metric, clean=0.0, corrupted=corrupted, unit=unit)
    of = SimpleNamespace(into="B", by=by, stage=stage)
    measured = SimpleNamespace(answers=None)
    tokens = (SimpleNamespace(text="park", special=False, raw="park"),)
    return exchange.said(exchange.Shown(of, measured, tokens, tokens), found)


def test_no_share_is_given_of_a_difference_that_is_nil():
    nan = float("nan")
    assert patched([nan, nan], 5e-5).endswith(
        "0 in A, 0.0001 in B nats: nothing lies between them that could be moved."
    )


def test_a_small_difference_is_said_to_be_small_and_shares_have_signs():
    small = patched([0.53, 0.1], 3e-3)
    assert "0.0030 in B nats, which is next to nothing. L0 H0 goes 53% of the way." in small
    assert "next to nothing" not in patched([0.53, 0.1], 3.0)
    assert [exchange.way(x) for x in (-0.012, -0.004, -1e-5, 0.53)] == ["−1%", "−0.4%", "0%", "53%"]


def test_what_must_go_all_the_way_is_said_to():
    assert "Every layer goes all the way, as it must" in patched([1.0, 1.0], 2.0, "resid_post")
    assert "drawn at random" in patched([1.0, 0.2], 2.0, "resid_post")
    assert "0 in A, 0.17 in B. L0 H0" in patched([0.4, 0.2], 0.17, unit="1 − cosine")
