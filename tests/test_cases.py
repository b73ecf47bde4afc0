"""The embedded models give the known numbers, to two decimals (float32).

They were computed once with transformers' own eager attention and written down; every line below
is one of them. Layers, heads and positions count from 0.
"""

import pytest
import torch

import attnlab as al
from attnlab.analysis.effects import compare, kl_divergence
from attnlab.analysis.maps import first_token_share

SENTENCE = "The animal didn't cross the street because it was too {}."
PAIR = ("tired", "wide")
CAPITAL = "The capital of France is"
KEYS = (
    "Anna gave the red key to Ben and the blue key to Carla. Carla has the blue key and Ben has the"
)


def near(value, digits=2):
    """Equal when rounded to this many decimals."""
    return pytest.approx(value, abs=0.5 * 10**-digits + 1e-6)


def weight(trace, layer, head, source, target):
    """The weight from one word to another, each named by its text."""
    words = [token.text.strip() for token in trace.tokens]
    return float(trace.weights[layer, head][words.index(source), words.index(target)])


# --- the decoder ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def decoder(smollm2):
    """A trace of the sentence with each last word."""
    return {word: smollm2.run(SENTENCE.format(word)) for word in PAIR}


def test_the_pair_is_13_tokens_each_and_no_bos_is_added(decoder):
    for word, trace in decoder.items():
        assert len(trace.tokens) == 13
        assert not any(token.special for token in trace.tokens)
        assert [token.text for token in trace.tokens[:2]] == ["The", " animal"]
        assert [token.text for token in trace.tokens[-2:]] == [f" {word}", "."]


@pytest.mark.parametrize(
    "layer, head, target, tired, wide",
    [
        (4, 2, "animal", 0.15, 0.13),
        (4, 2, "street", 0.06, 0.46),
        (9, 4, "animal", 0.11, 0.03),
        (9, 4, "street", 0.05, 0.15),
        (21, 6, "street", 0.06, 0.22),
        (13, 8, "animal", 0.40, 0.55),  # 0.405 in eager attention, which a list rounds to 0.41
    ],
)
def test_from_the_last_word(decoder, layer, head, target, tired, wide):
    assert weight(decoder["tired"], layer, head, "tired", target) == near(tired)
    assert weight(decoder["wide"], layer, head, "wide", target) == near(wide)


@pytest.mark.parametrize(
    "layer, head, source, target, value",
    [
        (13, 8, "it", "animal", 0.75),
        (13, 8, "cross", "animal", 0.95),
        (21, 6, "it", "street", 0.56),
    ],
)
def test_an_earlier_word_cannot_know_the_last(decoder, layer, head, source, target, value):
    tired, wide = (weight(decoder[w], layer, head, source, target) for w in PAIR)
    assert tired == near(value)
    assert tired == pytest.approx(wide, abs=1e-6)


def test_a_head_that_looks_at_the_word_before(decoder):
    previous = decoder["tired"].weights[16, 0].diagonal(-1)
    assert float(previous.mean()) == near(0.75)


def test_how_much_lies_on_the_first_token(decoder):
    weights = decoder["tired"].weights.stack()
    assert weights.shape == (30, 9, 13, 13)
    assert first_token_share(weights) == near(0.648, 3)
    assert float((weights[:, :, 1:, 0].mean(-1) > 0.5).float().mean()) == near(0.74)


def test_induction_heads_on_random_tokens_repeated(smollm2):
    ids = torch.randint(1000, 40000, (40,), generator=torch.Generator().manual_seed(0)).tolist()
    trace = smollm2.run(ids * 2)
    # From a token to the one after its earlier copy: 39 places back.
    scores = {
        (site.layer, head): float(trace.weights[site.layer, head].diagonal(-39).mean())
        for site in smollm2.sites
        for head in range(site.heads)
    }
    strongest = sorted(scores, key=scores.get, reverse=True)[:4]
    assert strongest == [(18, 6), (17, 3), (17, 4), (23, 2)]
    assert [scores[place] for place in strongest] == [near(v) for v in (0.90, 0.66, 0.59, 0.57)]
    losses = -trace.logits.log_softmax(-1)[:-1].gather(1, torch.tensor(ids * 2)[1:, None])
    # The first token of the second copy belongs to neither: nothing announces it.
    assert float(losses[:39].mean()) == near(14.16)
    assert float(losses[40:].mean()) == near(3.77)


@pytest.mark.parametrize(
    "text, head, token, before, after, kl",
    [
        (CAPITAL, (23, 4), " Paris", 0.773, 0.141, 1.201),
        (KEYS, (20, 0), " red", 0.835, 0.463, 0.335),
    ],
)
def test_a_head_that_a_prediction_needs(smollm2, text, head, token, before, after, kl):
    effect = compare(smollm2, text, [al.ZeroHead(*head)])
    (top, p), *_ = effect.before
    assert (top.text, p) == (token, near(before, 3))
    assert {t.text: q for t, _, q in effect.rows}[token] == near(after, 3)
    assert effect.kl == near(kl, 3)


def test_attention_is_not_effect(smollm2):
    """L4H2 looks from wide to the street with 0.46, and hardly anything hangs on it."""
    effect = compare(smollm2, SENTENCE.format("wide"), [al.ZeroHead(4, 2)])
    assert effect.kl == near(0.0076, 4)
    plain = smollm2.run(SENTENCE.format("wide"), logits="last")
    edited = smollm2.run(SENTENCE.format("wide"), logits="last", edits=[al.ZeroHead(4, 2)])
    alone = float(kl_divergence(plain.logits[0], edited.logits[0]))
    assert alone == pytest.approx(effect.kl, rel=1e-3)


# --- the encoder ---------------------------------------------------------------------------------


def test_the_encoder_sees_the_last_word_from_it(minilm):
    traces = {word: minilm.run(SENTENCE.format(word)) for word in PAIR}
    for trace in traces.values():
        assert len(trace.tokens) == 16
        assert [t.raw for t in trace.tokens if t.special] == ["[CLS]", "[SEP]"]
        assert (trace.tokens[0].raw, trace.tokens[-1].raw) == ("[CLS]", "[SEP]")
    found = {
        (word, target): weight(trace, 3, 1, "it", target)
        for word, trace in traces.items()
        for target in ("animal", "street")
    }
    assert found == {
        ("tired", "animal"): near(0.677, 3),
        ("tired", "street"): near(0.050, 3),
        ("wide", "animal"): near(0.281, 3),
        ("wide", "street"): near(0.121, 3),
    }
