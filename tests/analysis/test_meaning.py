"""One word in two sentences, by layer: on tiny models, and on the packaged ones."""

import pytest
import torch

import attnlab as al
from attnlab.analysis.meaning import meaning, places_of
from attnlab.errors import EditRefused, InputError
from tests.families import lab, model, text, tokenizer

A, B = text(11, seed=5), text(11, seed=6)
TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")


@pytest.mark.parametrize("name", ["bert", "llama", "t5"])
def test_the_cosine_is_that_of_the_stream_after_each_layer(name):
    found = meaning(lab(name), A, B, (3, 4), word_b=7)
    role = "decoder" if name == "llama" else "encoder"
    a, b = (lab(name).run(ids, capture=("resid_pre", "resid_post")).role(role) for ids in (A, B))
    layers = sum(block.role == role for block in lab(name).blocks)
    assert found.places == ((3, 4), (7,)) and found.cosine.shape == (layers + 1,)
    for layer in range(layers + 1):
        x, y = ((t.resid_post[layer - 1] if layer else t.resid_pre[0]).double() for t in (a, b))
        mine = (x[3] + x[4]) / 2
        right = float(mine @ y[7] / mine.norm() / y[7].norm())
        assert float(found.cosine[layer]) == pytest.approx(right, abs=1e-5)
        rest = [float(mine @ y[i] / mine.norm() / y[i].norm()) for i in range(11) if i != 7]
        assert float(found.others[layer]) == pytest.approx(sum(rest) / 10, abs=1e-5)
    assert not found.fixed


def test_a_causal_model_cannot_know_what_comes_after():
    changed = [*A[:8], *B[8:]]
    here, later = (meaning(lab("llama"), A, changed, place) for place in (6, 9))
    assert here.fixed and torch.allclose(here.cosine, torch.ones(4).double(), atol=1e-6)
    assert not later.fixed and later.cosine[3] < 0.99
    both_ways = meaning(lab("bert"), A, changed, 6)
    assert not both_ways.fixed and both_ways.lowest[1] < 0.99
    assert both_ways.lowest[0] == int(both_ways.cosine.argmin()) > 0


def test_our_transformer_gives_the_same():
    ours = al.rebuild(lab("llama"))
    a, b = (meaning(one, A, B, 5) for one in (ours, lab("llama")))
    assert torch.allclose(a.cosine, b.cosine, atol=1e-4)


def test_a_word_is_found_in_whatever_case_and_refused_where_it_is_not():
    tokens = al.load(model("llama"), tokenizer=tokenizer()).tokens("w31 w7 w31")
    assert places_of(tokens, "W7") == (1,) and places_of(tokens, "w31") == (0,)
    assert places_of(tokens, -1) == (2,)
    with pytest.raises(InputError, match="The word “cat” does not stand in “w31 w7 w31”; take one"):
        places_of(tokens, "cat")
    with pytest.raises(InputError, match="no positions 3; this text has 3 tokens"):
        places_of(tokens, 3)
    with pytest.raises(InputError, match="reads no sentence; ask its encoder"):
        meaning(lab("t5"), A, B, 2, role="decoder")
    with pytest.raises(EditRefused, match="no residual stream of the role 'decoder'"):
        meaning(lab("mamba"), A, B, 2)


def test_it_means_the_animal_or_the_street_in_the_packaged_encoder(minilm):
    found = meaning(minilm, TIRED, WIDE, "it", toward=("animal", "street"))
    assert found.cosine[0] == pytest.approx(1, abs=1e-6) and found.lowest[0] == 3
    assert found.lowest[1] == pytest.approx(0.80, abs=0.02)
    assert float(found.others[3]) < 0.35
    tired, wide = found.toward["animal"][:, 4]  # after four layers
    assert float(tired) > float(wide) + 0.1
    tired, wide = found.toward["street"][:, 4]
    assert float(wide) > float(tired)


def test_it_cannot_know_yet_in_the_packaged_decoder(smollm2):
    found = meaning(smollm2, TIRED, WIDE, "it")
    assert found.fixed and float(found.cosine.min()) > 1 - 1e-6 and len(found.cosine) == 31
