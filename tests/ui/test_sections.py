"""The sections of “A real head”: which are there, and what they say."""

from dataclasses import replace

import numpy as np
import pytest

from attnlab.analysis.opened import Opened, Turns
from attnlab.trace import Site
from attnlab.ui.sections import LISTED, Shown, grouped, scale_words, sections
from attnlab.viz.strips import Dials, Row, Strips, Sum

SITE = Site("a", "decoder", 4, 9, 3, 64, 64, 0.125, True, "o")


def words(count: int) -> list[dict]:
    return [{"text": f" w{i}", "raw": f"w{i}", "id": i} for i in range(count)]


def head(keys: int = 5, query: int = 3, site: Site = SITE) -> Opened:
    random = np.random.default_rng(0)

    def drawn(*shape: int) -> np.ndarray:
        return random.standard_normal(shape).astype(np.float32)

    scores = drawn(keys)
    masked = np.where(np.arange(keys) > query, -np.inf, scores * site.scale).astype(np.float32)
    weights = np.exp(masked) / np.exp(masked).sum()
    return Opened(
        site,
        2,
        query,
        weights.astype(np.float32),
        masked,
        (scores * site.scale).astype(np.float32),
        scores,
        drawn(64),
        drawn(keys, 64),
        drawn(keys, 64),
        drawn(64),
        drawn(64),
        drawn(keys, 64),
        Turns(tuple((i, i + 32) for i in range(32)), drawn(keys, 32)),
        drawn(576),
    )


def titles(of: Opened, key: int = 1) -> list[str]:
    return [section.title for section in sections(shown(of, key))]


def shown(of: Opened, key: int = 1) -> Shown:
    tokens = words(len(of.weights))
    return Shown(of, key, tokens, tokens)


def test_every_step_of_a_rotary_head():
    assert titles(head()) == [
        "Query and key",
        "Turned by position (RoPE)",
        "Multiplied, number by number",
        "Added up: the score",
        "Scaled, masked, softmax",
        "Weights times values",
        "Through W_O",
    ]


def test_without_rotation_query_and_key_are_one_section():
    plain = replace(head(), q_before=None, k_before=None, turns=None)
    assert titles(plain)[:2] == ["Query and key, multiplied", "Added up: the score"]
    (first, *_) = sections(shown(plain))
    assert "64 numbers each" in first.note and "Each number of q" in first.note


def test_a_model_that_shows_weights_only():
    bare = Opened(SITE, 2, 3, head().weights, head().masked, z=head().z)
    assert titles(bare) == ["Scaled, masked, softmax", "What the head hands on"]
    row = sections(shown(bare))[0]
    assert list(row.columns) == ["score"]


def test_the_group_is_named():
    assert grouped(head()) == ("Query head 2 reads key/value head 0, shared with heads 0 and 1.")
    two = replace(head(), site=replace(SITE, heads=6), head=5)
    assert grouped(two) == "Query head 5 reads key/value head 2, shared with head 4."
    assert grouped(replace(head(), site=replace(SITE, kv_heads=9))) == ""


@pytest.mark.parametrize(
    "scale, said", [(0.125, "÷ √64"), (1.0, "× 1"), (0.3, "× 0.3"), (None, "scaled")]
)
def test_how_scores_are_scaled(scale, said):
    assert scale_words(replace(head(), site=replace(SITE, scale=scale))) == said


def test_the_row_says_what_is_hidden_and_what_a_sink_takes():
    row = next(s for s in sections(shown(head())) if isinstance(s, Row))
    assert "The mask hides 1 word: its score becomes −∞, its weight 0." in row.note
    assert [word.hidden for word in row.words] == [False] * 4 + [True]
    assert row.columns == ["q · k", "÷ √64"] and row.others == (0, 0.0)
    assert "sink" not in row.note
    sunk = replace(head(), weights=head().weights / 2)
    row = next(s for s in sections(shown(sunk)) if isinstance(s, Row))
    assert "A learned sink takes 0.5000 of it" in row.note


def test_a_bias_has_a_column():
    of = head()
    biased = replace(of, masked=of.masked + np.arange(5, dtype=np.float32))
    row = next(s for s in sections(shown(biased)) if isinstance(s, Row))
    assert row.columns == ["q · k", "÷ √64", "with bias"] and "A bias" in row.note
    assert row.words[2].figures[2] == pytest.approx(float(biased.masked[2]))


def test_a_long_text_lists_the_largest_weights_and_says_so():
    of = head(keys=2048, query=2000)
    row = next(s for s in sections(shown(of, 1500)) if isinstance(s, Row))
    assert len(row.words) == LISTED and 1500 in [word.position for word in row.words]
    assert "Listed: the 24 of 2,048 keys with the largest weights." in row.note
    listed = sum(word.weight for word in row.words)
    assert row.others[0] == 2048 - LISTED and row.others[1] + listed == pytest.approx(1, abs=1e-5)
    blend = next(s for s in sections(shown(of, 1500)) if s.title == "Weights times values")
    assert blend.strips[-2].name == f"{2001 - 6:,} others"


def test_the_strips_are_those_of_the_head():
    of = shown(head())
    found = sections(of)
    total = next(s for s in found if isinstance(s, Sum))
    assert sum(term[3] for term in total.terms) + total.others[1] == pytest.approx(
        of.head.products(1).sum()
    )
    products = next(s for s in found if isinstance(s, Strips) and "Multiplied" in s.title)
    assert products.strips[2].values.sum() == pytest.approx(of.head.products(1).sum())
    blend = next(s for s in found if s.title == "Weights times values")
    assert [strip.name for strip in blend.strips][-1] == "z"
    assert (blend.strips[-1].values == of.head.z).all()
    dials = next(s for s in found if isinstance(s, Dials))
    assert dials.at_query == pytest.approx(of.head.turns.angles[3])
