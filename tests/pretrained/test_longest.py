"""A text as long as the model takes runs; one token more is answered in a sentence."""

import pytest

from attnlab.errors import TextTooLong
from tests.families import FAMILIES, lab, text

LONGEST = {
    "gpt2": 64,
    "llama": 64,
    "opt": 64,
    "bert": 64,
    "roberta": 63,  # positions count from 1 after the padding's, here 0
    "roberta_decoder": 63,
    "mpnet": 62,  # from 2, after 1
    "bart": 64,
    "llama_dynamic": 48,  # stretched threefold from 16
    "phi3_longrope": 64,
}


def fed(name, length):
    ids = text(length)
    if FAMILIES[name].task == "seq2seq":
        return {"text": ids, "target": ids[:-1], "capture": ()}
    return {"text": ids, "capture": ()}


@pytest.mark.parametrize("name", LONGEST)
def test_the_limit_is_what_the_model_takes(name):
    longest = LONGEST[name]
    assert lab(name).longest == longest
    assert lab(name).run(**fed(name, longest)).logits.shape[0] == longest
    with pytest.raises(TextTooLong, match=f"This is {longest + 1} tokens; .* takes at most"):
        lab(name).run(**fed(name, longest + 1))
    with pytest.raises(TextTooLong):
        lab(name).run_many([text(3), text(longest + 1)], capture=())


def test_a_target_counts_with_its_start_token():
    with pytest.raises(TextTooLong, match="This is 65 tokens"):
        lab("bart").run(text(3), target=text(64))


def test_relative_positions_set_no_limit():
    assert lab("t5").longest is None
    assert lab("t5").run(text(300), target=text(2), capture=()).logits.shape == (3, 97)
