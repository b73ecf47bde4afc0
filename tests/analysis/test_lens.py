"""The logit lens against each model's own norm and head, and against its logits at the end."""

import pytest
import torch

import attnlab as al
from attnlab.analysis.lens import StopAfter, logit_lens
from attnlab.errors import EditRefused, InputError
from tests.families import lab, model, text

IDS = text(11, seed=5)
PLACES = (0, 4, 10)


@pytest.mark.parametrize("name", ["llama", "gpt2", "gpt_neox", "gemma2", "bert", "opt"])
def test_the_last_layer_gives_the_models_own_logits(name):
    found = logit_lens(lab(name), IDS, PLACES)
    right = lab(name).run(IDS, capture=()).logits[list(PLACES)]
    assert torch.allclose(found[-1], right, atol=1e-5)
    assert (found[0] - right).abs().max() > 1e-3


def test_each_layer_is_read_by_the_models_own_norm_and_head():
    found, body = logit_lens(lab("llama"), IDS, PLACES), model("llama")
    stream = lab("llama").run(IDS, capture="resid_post").resid_post
    for layer in range(len(found)):
        with torch.no_grad():
            right = body.lm_head(body.model.norm(stream[layer]))[list(PLACES)]
        assert torch.allclose(found[layer], right, atol=1e-5)


def test_an_encoder_decoder_is_read_in_its_decoder():
    goal = text(6, seed=2)
    found = logit_lens(lab("t5"), IDS, (5,), target=goal)
    right = lab("t5").run(IDS, target=goal, capture=()).logits[5]
    assert torch.allclose(found[-1, 0], right, atol=1e-5)


def test_what_cannot_be_read_is_refused():
    with pytest.raises(InputError, match="no language-model head"):
        logit_lens(al.load(model("llama").model), IDS)
    with pytest.raises(EditRefused, match="has blocks 0 to 2, so none is 9"):
        lab("llama").run(IDS, edits=[StopAfter(9)])
    with pytest.raises(EditRefused, match="no residual stream that could be read"):
        logit_lens(lab("mamba"), IDS)
