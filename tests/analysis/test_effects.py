"""What an edit does to a prediction, on tiny models and by the definitions."""

import math

import pytest
import torch

import attnlab as al
from attnlab.analysis.effects import compare, kl_divergence, shift
from attnlab.errors import EditError, InputError
from tests.families import lab, text

IDS = text(11, seed=5)
EDITS = (al.ZeroHead(1, 2), al.Temperature(3.0))


def kl(p, q):
    """Σ p log(p / q), one word at a time."""
    return sum(float(a) * math.log(float(a) / float(b)) for a, b in zip(p, q, strict=True) if a > 0)


def test_the_divergence_is_that_of_the_definition():
    p, q = torch.randn(2, 5, 7, dtype=torch.float64).unbind()
    found = kl_divergence(p, q)
    right = [kl(a, b) for a, b in zip(p.softmax(-1), q.softmax(-1), strict=True)]
    assert found.tolist() == pytest.approx(right)
    assert kl_divergence(p, p).tolist() == [0.0] * 5
    assert not torch.allclose(kl_divergence(q, p), found)


def test_the_divergence_of_impossible_words_and_of_tiny_changes():
    p = torch.tensor([0.0, 1.0, -math.inf])
    assert float(kl_divergence(p, torch.tensor([0.0, 1.0, 5.0]))) > 0
    assert float(kl_divergence(p, p)) == 0
    close = torch.randn(97)
    assert float(kl_divergence(close, close + 1e-7 * torch.randn(97))) >= 0


@pytest.mark.parametrize("position", [-1, 4, 0])
def test_a_prediction_before_and_after(position):
    effect = compare(lab("gpt2"), IDS, EDITS, position=position, k=4)
    before = lab("gpt2").run(IDS).logits[position].double().softmax(-1)
    after = lab("gpt2").run(IDS, edits=EDITS).logits[position].double().softmax(-1)
    assert effect.position == position % 11
    assert effect.kl == pytest.approx(kl(before, after), rel=1e-4)
    assert [t.id for t, _ in effect.before] == before.topk(4).indices.tolist()
    assert [t.id for t, _ in effect.after] == after.topk(4).indices.tolist()
    listed = {token.id: (p, q) for token, p, q in effect.rows}
    assert set(listed) == {t.id for t, _ in (*effect.before, *effect.after)}
    for i, (p, q) in listed.items():
        assert (p, q) == pytest.approx((float(before[i]), float(after[i])), rel=1e-4)
    assert [p for _, p, _ in effect.rows] == sorted((p for _, p, _ in effect.rows), reverse=True)


def test_an_encoder_decoder_and_a_masked_model_predict_too():
    effect = compare(lab("t5"), IDS, [al.ZeroHead(2, 1, "cross")], target=text(5, seed=6))
    assert effect.position == 5 and effect.kl > 0
    assert compare(lab("bert"), IDS, [al.ZeroHead(1, 2)], position=3).position == 3


def test_what_predicts_nothing_says_so(minilm):
    with pytest.raises(InputError, match="has no language-model head, so it predicts no token"):
        compare(minilm, "the cat", [al.ZeroHead(1, 2)])
    with pytest.raises(EditError, match="names layer 9"):
        compare(lab("gpt2"), IDS, [al.ZeroHead(9, 0)])


def test_how_far_an_edit_moves_what_an_encoder_gives(minilm):
    edit = al.ZeroHead(3, 1)
    moved = shift(minilm, "the cat sat", [edit])
    plain, edited = (
        minilm.run("the cat sat", capture="final", edits=edits).final for edits in ((), [edit])
    )
    right = 1 - torch.nn.functional.cosine_similarity(plain, edited, dim=-1)
    assert torch.allclose(moved.tokens.float(), right, atol=1e-5)
    means = [x.mean(0, keepdim=True) for x in (plain, edited)]
    assert moved.mean == pytest.approx(
        1 - float(torch.nn.functional.cosine_similarity(*means)), abs=1e-5
    )
    assert moved.tokens.shape == (5,) and 0 < moved.mean < 2
    # Nothing moves where a head of the last layer acts on no row: a temperature of 1.
    still = shift(minilm, "the cat sat", [al.Temperature(1.0)])
    assert still.mean == pytest.approx(0, abs=1e-6)


def test_one_batch_gives_what_two_runs_give(monkeypatch):
    options = {"edits": [al.MeanHead(1, 2)], "position": 4}
    together = compare(lab("gpt2"), IDS, **options)
    turned = shift(lab("bert"), IDS, al.ZeroHead(1, 2))
    monkeypatch.setattr("attnlab.analysis.effects.BATCH_TOKENS", 5)
    apart = compare(lab("gpt2"), IDS, **options)
    assert together.kl == pytest.approx(apart.kl, rel=1e-4)
    assert [p for *_, p in together.rows] == pytest.approx([p for *_, p in apart.rows], rel=1e-4)
    alone = shift(lab("bert"), IDS, al.ZeroHead(1, 2))
    assert turned.mean == pytest.approx(alone.mean, rel=1e-4)


def test_logits_that_are_known_are_not_computed_again(monkeypatch):
    right = compare(lab("gpt2"), IDS, EDITS)
    known = lab("gpt2").run(IDS, capture=(), logits="last").logits_at()
    runs = []
    real = lab("gpt2").run
    monkeypatch.setattr(lab("gpt2"), "run", lambda *a, **o: runs.append(o) or real(*a, **o))
    found = compare(lab("gpt2"), IDS, EDITS, before=known)
    assert found.kl == pytest.approx(right.kl, rel=1e-4)
    assert found.position == right.position == 10
    assert [t.id for t, _ in found.before] == [t.id for t, _ in right.before]
    assert len(runs) == 1 and runs[0]["edits"] == EDITS
