"""Circuits of one head against what the head computes, and against the matrices by hand."""

import pytest
import torch

import attnlab as al
from attnlab.analysis.circuits import output_value, query_key
from attnlab.errors import EditRefused, InputError, StageNotAvailable
from tests.families import build, lab, model, tokenizer

WORDS = [31, 7, 88, 12]
FAMILIES = ["llama", "gpt2", "gpt_neox", "gemma", "gptj"]


def ended(name, first, last, apart, **capture):
    """A run of the two tokens, others in between; the first layer sees each by itself."""
    return lab(name).run([first, *([50] * (apart - 1)), last], capture=("masked", "q", "k"))


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("distance", [1, 3])
def test_in_the_first_layer_it_is_what_the_head_computes(name, distance):
    found = query_key(lab(name), 0, 4, WORDS, distance=distance)
    assert (found.site.layer, found.head, found.distance) == (0, 4, distance)
    assert [token.id for token in found.tokens] == WORDS and not found.bent
    for i, last in enumerate(WORDS):
        for j, first in enumerate(WORDS):
            seen = ended(name, first, last, distance).masked[0, 4][-1, 0]
            assert float(found.scores[i, j]) == pytest.approx(float(seen), abs=1e-4)


def test_with_rotations_only_the_distance_counts():
    ids = [50, 51, 31, 52, 7]
    seen = lab("llama").run(ids, capture="masked").masked[0, 4][4, 2]
    found = query_key(lab("llama"), 0, 4, [7, 31], distance=2)
    assert float(found.scores[0, 1]) == pytest.approx(float(seen), abs=1e-4)
    near, far = (query_key(lab("llama"), 0, 4, WORDS, distance=d).scores for d in (1, 9))
    assert not torch.allclose(near, far, atol=1e-2)


def test_a_later_layer_reads_embeddings_by_its_own_norm_and_matrices():
    """Llama, layer 2, head 5 of key/value head 1, at distance 0: nothing turns but both alike."""
    body, found = model("llama"), query_key(lab("llama"), 2, 5, WORDS, distance=0)
    block = body.model.layers[2]
    with torch.no_grad():
        x = block.input_layernorm(body.model.embed_tokens(torch.tensor(WORDS)))
        q = block.self_attn.q_proj(x)[:, 50:60]
        k = block.self_attn.k_proj(x)[:, 10:20]
        assert torch.allclose(found.scores, q @ k.T * 10**-0.5, atol=1e-5)
        v = block.self_attn.v_proj(x)[:, 10:20] @ block.self_attn.o_proj.weight[:, 50:60].T
        made = output_value(lab("llama"), 2, 5, WORDS, k=3)
        right = (v * body.model.norm.weight * made.scale) @ body.lm_head.weight.T
    assert torch.allclose(made.logits, right[:, WORDS], atol=1e-5)
    for row, top in zip(right, made.top, strict=True):
        assert [token.id for token, _ in top] == row.topk(3).indices.tolist()
        assert [value for _, value in top] == pytest.approx(row.topk(3).values.tolist(), abs=1e-5)
    stream = lab("llama").run(WORDS, capture="resid_post").resid_post[2][-1]
    assert made.scale == pytest.approx(float((stream.square().mean() + 1e-6).rsqrt()), rel=1e-4)


def test_what_is_added_by_position_is_the_same_for_all_pairs():
    near, far = (query_key(lab("t5"), 0, 1, WORDS, distance=d, role="encoder") for d in (1, 6))
    assert near.bias != far.bias
    assert torch.allclose(near.scores - near.bias, far.scores - far.bias, atol=1e-5)
    back = query_key(lab("t5"), 0, 1, WORDS, distance=-1, role="encoder")
    assert back.bias != near.bias
    seen = lab("t5").run([31, 7], capture="masked").role("encoder").masked[0, 1]
    assert float(near.scores[1, 0]) == pytest.approx(float(seen[1, 0]), abs=1e-5)
    assert float(back.scores[0, 1]) == pytest.approx(float(seen[0, 1]), abs=1e-5)
    written = query_key(lab("t5"), 0, 1, WORDS, distance=1)
    own = lab("t5").run([9], target=[31, 7], capture="masked").masked[0, 1]
    assert float(written.scores[1, 0]) == pytest.approx(float(own[2, 1]), abs=1e-5)


def test_a_soft_cap_is_said():
    found = query_key(lab("gemma2"), 1, 0, WORDS)
    assert found.bent and found.bias == 0


def test_our_transformer_has_the_same_circuits():
    ours = al.rebuild(lab("llama"))
    a, b = (query_key(one, 1, 3, WORDS, distance=2).scores for one in (ours, lab("llama")))
    assert torch.allclose(a, b, atol=1e-4)
    a, b = (output_value(one, 1, 3, WORDS) for one in (ours, lab("llama")))
    assert torch.allclose(a.logits, b.logits, atol=1e-4)
    assert a.copying == pytest.approx(b.copying, abs=1e-3)


def test_copying_is_the_sum_of_eigenvalues_over_their_sizes():
    found = output_value(lab("gpt2"), 1, 3, WORDS)
    values = torch.linalg.eigvals(found.logits.double())
    assert found.copying == pytest.approx(float(values.sum().real / values.abs().sum()))
    assert -1 <= found.copying <= 1


def test_words_are_typed_and_special_tokens_left_out():
    worded = al.load(model("llama"), tokenizer=tokenizer())
    found = query_key(worded, 0, 0, "w31 w7 w31")
    assert [token.text for token in found.tokens] == [" w31", " w7"]


def test_what_has_no_circuit_says_so():
    with pytest.raises(InputError, match=r"hides from each token the one 2 after it"):
        query_key(lab("llama"), 0, 0, WORDS, distance=-2)
    with pytest.raises(InputError, match=r"hides from each token the one 5 before it"):
        query_key(lab("mistral"), 0, 0, WORDS, distance=5)
    with pytest.raises(InputError, match="at least one word"):
        query_key(lab("llama"), 0, 0, [])
    with pytest.raises(InputError, match="distance takes whole numbers"):
        query_key(lab("llama"), 0, 0, WORDS, distance=1.5)
    with pytest.raises(InputError, match="not 0"):
        output_value(lab("llama"), 0, 0, WORDS, k=0)
    with pytest.raises(EditRefused, match="This circuit names layer 9"):
        query_key(lab("llama"), 9, 0, WORDS)
    with pytest.raises(EditRefused, match="names head 6"):
        output_value(lab("llama"), 0, 6, WORDS)
    with pytest.raises(StageNotAvailable, match="does not expose 'q'"):
        query_key(lab("bloom"), 0, 0, WORDS)
    with pytest.raises(InputError, match="Cross-attention reads"):
        query_key(lab("t5"), 0, 0, WORDS, role="cross")
    with pytest.raises(StageNotAvailable, match="more than a norm and a matrix"):
        output_value(lab("bert"), 0, 0, WORDS)


def test_rounding_to_half_precision_is_no_soft_cap():
    half = al.load(build("llama").bfloat16())
    found, whole = (query_key(one, 1, 0, WORDS) for one in (half, lab("llama")))
    assert not found.bent and found.bias == 0
    assert torch.allclose(found.scores, whole.scores, atol=0.1)
    capped = query_key(al.load(build("gemma2").bfloat16()), 1, 0, WORDS)
    assert capped.bent
