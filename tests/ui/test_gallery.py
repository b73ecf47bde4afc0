"""The gallery: every figure and every head it names is recomputed from the packaged SmolLM2."""

from collections.abc import Callable
from functools import cache

import pytest

import attnlab as al
from attnlab.analysis import effects
from attnlab.ui import gallery, link
from attnlab.ui.gallery import Pair
from attnlab.ui.selection import DEFAULT, Selection
from attnlab.viz import strongest
from attnlab.viz.tokens import label

# Figures are written to two places; half of the last one, and a little for another CPU's rounding.
CLOSE = 0.0075

EVERY = pytest.mark.parametrize("pair", gallery.pairs(), ids=lambda pair: pair.name)


@pytest.fixture(scope="module")
def read(smollm2) -> Callable:
    """A text → its trace with every head and the last logits; each text is read once."""
    return cache(lambda text: smollm2.run(text, capture=("weights",), logits=(-1,)))


def _text(pair: Pair, side: str) -> str:
    return pair.a if side == "A" else pair.b


def _share(trace, word: str) -> float:
    """The probability of `word` as the next token."""
    return next(p for token, p in trace.next_tokens(k=200) if token.text == word)


def test_there_are_enough_pairs_in_every_group():
    assert len(gallery.pairs()) >= 15
    assert all(len(pairs) >= 3 for _, pairs in gallery.groups())
    assert sum(len(pairs) for _, pairs in gallery.groups()) == len(gallery.pairs())


@EVERY
def test_the_heads_look_where_the_gallery_says(pair: Pair, read):
    for look in pair.looks:
        trace = read(_text(pair, look.side))
        ends = [label(trace.tokens[at]) for at in (look.query, look.key)]
        assert " → ".join(ends) == look.words
        weight = float(trace.weights[look.head][look.query, look.key])
        assert weight == pytest.approx(look.weight, abs=CLOSE), look


@EVERY
def test_the_next_words_are_as_the_gallery_says(pair: Pair, read):
    for claim in pair.next:
        share = _share(read(_text(pair, claim.side)), claim.word)
        assert share == pytest.approx(claim.share, abs=CLOSE), claim


@EVERY
def test_the_opened_head_set_to_zero_does_what_the_gallery_says(pair: Pair, smollm2):
    for claim in pair.off:
        edit = al.ZeroHead(*pair.head)
        found = effects.compare(smollm2, _text(pair, claim.side), (edit,), k=5).rows
        rows = {token.text: (before, after) for token, before, after in found}
        assert rows[claim.word] == pytest.approx((claim.before, claim.after), abs=CLOSE)


@EVERY
def test_b_minus_a_is_not_blank(pair: Pair, read):
    a, b = read(pair.a), read(pair.b)
    maps = [trace.weights.stack().numpy() for trace in (a, b)]
    assert strongest.most_changed(*maps, a.tokens, b.tokens) is not None


def test_what_the_sentences_say_in_words(read, smollm2):
    """The likeliest word, where a sentence names one, and “rests until a phrase comes again”."""

    def likeliest(trace) -> str:
        return trace.next_tokens(k=1)[0][0].text

    pets, lamps, alias = (gallery.named(name) for name in ("pets", "lamps", "alias"))
    assert [likeliest(read(text)) for text in (pets.a, pets.b)] == [" cat", " cat"]
    assert [likeliest(read(text)) for text in (lamps.a, lamps.b)] == [" chair", " chair"]
    assert [likeliest(read(text)) for text in (alias.a, alias.b)] == [" np", " np"]
    password = read(gallery.named("password").b)
    assert float(password.weights[18, 6][:11, 0].min()) > 0.9
    opposite = gallery.named("opposite")
    without = smollm2.run(opposite.b, capture=(), edits=(al.ZeroHead(*opposite.head),))
    assert likeliest(without) == " big"


@EVERY
def test_a_pair_opens_from_a_link(pair: Pair):
    shown = pair.applied(DEFAULT)
    assert (shown.a, shown.b, shown.experiment) == (pair.a, pair.b, pair.name)
    assert link.parse(link.format_url(shown)) == (shown, ())
    if pair.looks:
        assert shown.chosen == pair.head
        assert (shown.side, shown.position) == (pair.looks[0].side, pair.looks[0].query)


def test_another_model_keeps_its_head():
    before = Selection(model="minilm-l6", layer=3, head=1, position=4, gone=((1, 1),))
    after = gallery.named("capital").applied(before)
    assert (after.model, after.chosen, after.position, after.gone) == (
        "minilm-l6",
        (3, 1),
        None,
        (),
    )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"group": "poems"}, "one of the six"),
        ({"name": "No Name"}, "lower-case"),
        ({"b": "x"}, "two different texts"),
        ({"look_for": " "}, "what to look for"),
        ({"colour": "red"}, "colour"),
        ({"next": [{"side": "C", "word": "x", "share": 1.0}]}, "A or B"),
        ({"looks": [{"side": "A", "head": "L4", "words": "", "weight": 1.0}]}, "such as L4H2"),
    ],
)
def test_a_wrong_entry_is_named(change: dict, why: str):
    entry = {"name": "x", "group": "facts", "a": "x", "b": "y", "look_for": "z", **change}
    with pytest.raises(ValueError, match=why):
        gallery._pair(entry)
