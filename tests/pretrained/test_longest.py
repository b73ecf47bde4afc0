"""A text as long as the model takes runs; one token more is answered in a sentence."""

import pytest
import torch

import attnlab as al
from attnlab.errors import InputError, TextTooLong
from tests.families import FAMILIES, build, lab, text

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
    "longformer": 63,  # from 1, after padding's; a window is filled up behind the text
    "ibert": 63,
    "mpt": 64,  # so many biases
    "led": 64,
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


def test_a_target_may_be_limited_by_a_table_of_its_own():
    ours = al.load(build("led", max_decoder_position_embeddings=16))
    assert (ours.longest, ours.longest_target) == (64, 16)
    assert ours.run(text(64), target=text(15), capture=()).logits.shape[0] == 16
    with pytest.raises(TextTooLong, match="takes at most 16"):
        ours.run(text(64), target=text(16))
    with pytest.raises(InputError, match=r"17 tokens would be needed; .* at most 16"):
        ours.generate(text(64), target=text(14), max_new_tokens=2)
    going = ours.steps(text(64), target=text(12), capture=())
    assert going.most == 3 and len(list(going.follow([1, 1, 1]))) == 3
    assert len(going.look()) == 97


def test_a_decoder_that_predicts_ahead_begins_at_a_later_position():
    ours = lab("prophetnet")
    assert ours.run(text(3), target=text(61), capture=()).logits.shape[0] == 62
    with pytest.raises(TextTooLong, match="takes at most 62"):
        ours.run(text(3), target=text(62))


def test_tokens_that_share_the_last_row_of_a_table_are_taken_too():
    """ProphetNet's encoder counts from 1, and cuts off at the last of its 64 rows."""
    ours, goal = lab("prophetnet"), text(5)
    found = ours.run(text(64), target=goal, capture=()).logits
    given = {"input_ids": [text(64)], "decoder_input_ids": [[2, *goal]]}
    given = {name: torch.tensor(ids) for name, ids in given.items()}
    with torch.no_grad():
        right = build("prophetnet")(**given, use_cache=False).logits[0]
    assert (found - right).abs().max() <= 1e-5
    with pytest.raises(TextTooLong, match=r"This is 65 tokens; .* takes at most 64"):
        ours.run(text(65), target=goal)


def test_relative_positions_set_no_limit():
    assert lab("t5").longest is None
    assert lab("t5").run(text(300), target=text(2), capture=()).logits.shape == (3, 97)
