"""A text as trained and under edits."""

import pytest
import torch

import attnlab as al
from attnlab.analysis import similarity
from attnlab.analysis.edited import MOST_TOKENS, edited
from attnlab.errors import AttnLabError
from attnlab.trace import Mask, Temperature, ZeroHead
from tests.families import lab, text

TEXT = "The animal didn't cross the street because it was too tired."


def test_nothing_changed_changes_nothing(smollm2):
    found = edited(smollm2, TEXT, (), "decoder")
    assert torch.equal(found.before, found.after)
    assert {value for *_, value in found.order} == {0.0}
    assert found.causal and found.shift[1] == pytest.approx(0, abs=1e-12)


def test_losses_heads_and_vectors_are_those_of_the_two_runs(smollm2):
    edits = (Temperature(2.0, layers=(5,)),)
    shares = []
    found = edited(smollm2, TEXT, edits, "decoder", progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1
    plain, other = (
        smollm2.run(TEXT, capture=("weights",), edits=each, logits="loss") for each in ((), edits)
    )
    torch.testing.assert_close(found.before, plain.losses, atol=1e-5, rtol=0)
    torch.testing.assert_close(found.after, other.losses, atol=1e-5, rtol=0)
    assert sorted(found.heads) == list(range(30))
    # Before the layer whose rows are softened nothing can change.
    assert all(float(found.heads[layer].max()) == 0 for layer in range(5))
    assert float(found.heads[5].min()) > 0
    both = torch.stack([plain.weights[5, 3], other.weights[5, 3]])
    expected = 1 - similarity.pairwise(both, causal=True)[0, 1]
    assert float(found.heads[5][3]) == pytest.approx(float(expected), abs=1e-6)
    layer, head, most = found.order[0]
    assert most == float(found.heads[layer][head]) == max(v for *_, v in found.order)


def test_an_encoder_has_no_losses_but_vectors_that_turn(minilm):
    found = edited(minilm, TEXT, (ZeroHead(0, 3, "encoder"),), "encoder", predicts=False)
    assert found.before is None and found.after is None and not found.causal
    assert len(found.shift[0]) == len(minilm.tokens(TEXT)) and float(found.shift[0].max()) > 0


def test_of_a_long_text_the_losses_are_there_and_no_heads(smollm2):
    ids = [at % 300 + 1000 for at in range(MOST_TOKENS + 1)]
    found = edited(smollm2, ids, (ZeroHead(4, 2),), "decoder")
    assert found.heads == {} and found.order == [] and found.causal
    plain = smollm2.run(ids, capture=(), logits="loss").losses
    torch.testing.assert_close(found.before, plain, atol=1e-5, rtol=0)
    assert float((found.after - found.before).abs().max()) > 0.01


def test_a_decoder_that_has_written_nothing_yet():
    found = edited(al.load("dates"), "Friday, 3 July 2026", (ZeroHead(0, 0),), "decoder", target="")
    assert len(found.before) == 0 and len(found.shift[0]) == 1


def test_a_first_row_that_an_edit_opens_counts(smollm2):
    """As trained it looks at itself alone; without the causal mask it has elsewhere to look."""
    found = edited(smollm2, TEXT, (Mask("bidirectional"),), "decoder")
    assert not found.causal
    plain, other = (
        smollm2.run(TEXT, edits=edits, logits=None) for edits in ((), (Mask("bidirectional"),))
    )
    both = torch.stack([plain.weights[5, 3], other.weights[5, 3]])
    expected = 1 - similarity.pairwise(both)[0, 1]
    assert float(found.heads[5][3]) == pytest.approx(float(expected), abs=1e-6)


def test_the_token_that_suffers_most_and_the_layer_that_moves_most(smollm2):
    found = edited(smollm2, TEXT, (ZeroHead(4, 2, "decoder"),), "decoder")
    at, rise = found.hardest
    assert rise == pytest.approx(float((found.after - found.before).max()))
    assert float(found.after[at - 1] - found.before[at - 1]) == pytest.approx(rise)
    assert found.layer_means[5] == pytest.approx(float(found.heads[5].mean()))
    assert edited(smollm2, TEXT, (), "decoder").hardest is None


def test_a_head_that_is_cut_off_has_changed_most():
    ids = text(7)
    cut = Mask.painted(torch.zeros(7, 7), layers=1, heads=2)
    layer, head, change = edited(lab("llama"), ids, cut, "decoder").order[0]
    assert (layer, head, change) == (1, 2, pytest.approx(1, abs=1e-5))


@pytest.mark.parametrize(
    ("given", "edits"), [(5, ()), (None, ()), ("", ()), ([], ()), ([1, 2], None)]
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(given, edits):
    with pytest.raises(AttnLabError):
        edited(lab("llama"), given, edits, "decoder")
