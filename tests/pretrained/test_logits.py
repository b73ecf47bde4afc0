"""Logits of some positions are those rows of all of them."""

import pytest
import torch

from attnlab.errors import CaptureError, InputError, NotCaptured
from tests.families import FAMILIES, lab, reads_ids, text

HEADED = [name for name in FAMILIES if reads_ids(name) and name != "nystromformer"]
SOURCE, TARGET = text(9, seed=1), text(6, seed=2)


def run(name, **options):
    target = {"target": TARGET} if FAMILIES[name].task == "seq2seq" else {}
    return lab(name).run(SOURCE, **target, capture=(), **options)


@pytest.mark.parametrize("name", HEADED)
def test_some_are_rows_of_all(name):
    whole = run(name, logits="all")
    n = len(whole.tokens)
    assert whole.logits.shape == (n, 97)
    assert whole.logit_positions == tuple(range(n))
    # The last is every position in another order: as many rows as all, but not the same rows.
    for asked in ("last", (2,), (4, 0, -1), tuple(reversed(range(n)))):
        positions = (n - 1,) if asked == "last" else tuple(p % n for p in asked)
        some = run(name, logits=asked)
        assert some.logit_positions == positions
        assert torch.allclose(some.logits, whole.logits[list(positions)], atol=1e-5)
    assert run(name, logits=None).logits is None


def test_of_several_texts_each_its_own_last():
    texts = [text(7, seed=1), text(3, seed=2), text(1, seed=3)]
    for asked in ("last", (0, -1), (0,)):
        traces = lab("llama").run_many(texts, logits=asked, capture=())
        for trace, ids in zip(traces, texts, strict=True):
            alone = lab("llama").run(ids, logits=asked, capture=())
            assert trace.logit_positions == alone.logit_positions
            assert torch.allclose(trace.logits, alone.logits, atol=1e-5)


def test_the_head_is_applied_only_where_asked():
    made = lab("llama")
    widths = []
    handle = made._clone.lm_head.register_forward_hook(
        lambda module, args, output: widths.append(output.shape[1])
    )
    try:
        for asked in ("all", "last", (1, 3), None):
            run("llama", logits=asked)
    finally:
        handle.remove()
    assert widths == [9, 1, 2, 1]


def test_next_tokens_are_the_likeliest_with_their_probabilities():
    trace = run("gpt2", logits=(3, 8))
    right = torch.softmax(trace.logits[1].double(), -1)
    found = trace.next_tokens(k=5)
    assert [token.id for token, _ in found] == right.topk(5).indices.tolist()
    assert [p for _, p in found] == pytest.approx(right.topk(5).values.tolist())
    assert trace.next_tokens(k=1, position=3) == trace.next_tokens(k=1, position=-6)
    assert sum(p for _, p in trace.next_tokens(k=1000)) == pytest.approx(1)
    with pytest.raises(NotCaptured, match="logits of position 5 were not kept; kept: 3, 8"):
        trace.next_tokens(position=5)
    with pytest.raises(CaptureError, match="no language-model head, or none were asked"):
        run("gpt2", logits=None).next_tokens()


@pytest.mark.parametrize("asked", ["first", (), [1], 3, 1.5])
def test_a_wrong_request_says_what_would_do(asked):
    with pytest.raises(InputError, match="logits is 'all', 'last', 'loss', None or positions"):
        run("gpt2", logits=asked)


@pytest.mark.parametrize("position", [9, -10])
def test_a_position_that_the_text_does_not_have(position):
    with pytest.raises(InputError, match=f"no position {position}; this text has 9 tokens"):
        run("gpt2", logits=(0, position))
