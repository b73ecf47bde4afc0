"""Generation with a key/value cache equals generation without one, plain and edited."""

import pytest
import torch

import attnlab as al
from attnlab.errors import EditRefused, InputError
from tests.families import FAMILIES, build, lab, text

PROMPT, START = text(7, seed=1), text(3, seed=2)
STEPS = 6
NO_CACHE = {"openai_gpt", "xlnet", "rwkv"}
TRANSFORMERS_OWN = {
    "zamba2": "its cached steps differ by 0.02 in transformers too",
    "nemotron_h": "its cached steps differ by 0.001 in transformers too",
    "prophetnet": "its cache fails in transformers where encoder and decoder differ in depth",
}
GENERATE = [
    family.name
    for family in FAMILIES.values()
    if family.task in ("causal", "seq2seq") and family.name not in NO_CACHE | set(TRANSFORMERS_OWN)
]
EDITED = ["llama", "gpt2", "bart", "t5", "gemma3", "gpt_oss", "bloom", "deepseek_v3"]


def generate(name, **options):
    target = {"target": START} if FAMILIES[name].task == "seq2seq" else {}
    return lab(name).generate(PROMPT, **target, max_new_tokens=STEPS, **options)


def check(found, right):
    assert found.tokens == right.tokens
    assert found.logit_positions == right.logit_positions
    assert torch.allclose(found.logits, right.logits, atol=1e-4)
    assert found.values.keys() == right.values.keys()
    for key, layers in right.values.items():
        for layer, kept in layers.items():
            tensor = found.values[key][layer].tensor
            assert tensor.shape == kept.tensor.shape, key
            assert torch.allclose(tensor, kept.tensor, atol=1e-4, rtol=1e-3), key


@pytest.mark.parametrize("name", GENERATE)
def test_a_cache_changes_nothing(name):
    capture = [stage for stage in ("weights", "resid_post") if stage in lab(name).stages]
    found = generate(name, capture=capture)
    check(found, generate(name, capture=capture, use_cache=False))
    if "weights" in capture and FAMILIES[name].task == "causal":
        fed = len(found.tokens) - 1
        assert all(kept.tensor.shape[1:] == (fed, fed) for kept in _weights(found))


def _weights(trace):
    return trace.values["weights", trace.main_role].values()


@pytest.mark.parametrize("name", EDITED)
def test_a_cache_changes_nothing_under_edits(name):
    role = "cross" if FAMILIES[name].task == "seq2seq" else None
    edits = (al.ZeroHead(1, 4, role), al.MeanHead(2, 3, role), al.Temperature(2.0, layers=0))
    capture = [s for s in ("masked", "weights", "z", "q") if s in lab(name).stages]
    found = generate(name, capture=capture, edits=edits)
    check(found, generate(name, capture=capture, edits=edits, use_cache=False))
    plain = generate(name, capture=capture)
    assert not torch.allclose(plain.logits[0], found.logits[0], atol=1e-3)
    assert not found.role(role or "decoder").z[1, 4].any()


@pytest.mark.parametrize("name", ["gpt2", "gemma3", "t5"])
def test_the_weights_are_those_of_a_run_of_the_whole_text(name):
    """Put together from the steps, they are one map; a sliding window of 4 included."""
    found = generate(name)
    fed = [token.id for token in found.tokens[:-1]]
    if FAMILIES[name].task == "seq2seq":
        whole = lab(name).run(PROMPT, target=fed[1:])
    else:
        whole = lab(name).run(fed)
    for role in {site.role for site in lab(name).sites}:
        stack, right = found.role(role).weights.stack(), whole.role(role).weights.stack()
        assert torch.allclose(stack, right, atol=1e-5)
    last = whole.logits[list(found.logit_positions)]
    assert torch.allclose(found.logits, last, atol=1e-4)
    assert [t.id for t in found.tokens[-STEPS:]] == found.logits.argmax(-1).tolist()
    if name == "gemma3":
        assert not found.weights[0].tril(-4).any()


@pytest.mark.parametrize("name", ["llama", "bart"])
def test_transformers_generates_the_same(name):
    found = generate(name, capture=())
    options = {"max_new_tokens": STEPS, "do_sample": False, "num_beams": 1, "pad_token_id": 0}
    ids = torch.tensor([PROMPT])
    if name == "bart":
        start = torch.tensor([[found.tokens[0].id, *START]])
        own = build(name, forced_eos_token_id=None).generate(
            ids, decoder_input_ids=start, eos_token_id=None, **options
        )
    else:
        own = build(name).generate(ids, eos_token_id=None, **options)
    kept = len(found.tokens)
    assert own[0, :kept].tolist() == [token.id for token in found.tokens]


def test_it_stops_at_the_end_of_sequence_token():
    plain = lab("llama").generate(PROMPT, max_new_tokens=8, capture=())
    third = plain.tokens[len(PROMPT) + 2].id
    seen = [token.id for token in plain.tokens[len(PROMPT) :]]
    stopping = al.load(build("llama", eos_token_id=[3, third]))
    steps = []
    found = stopping.generate(PROMPT, max_new_tokens=8, capture=(), progress=steps.append)
    assert [t.id for t in found.tokens[len(PROMPT) :]] == seen[: seen.index(third) + 1]
    assert steps == sorted(steps) and steps[-1] == 1.0


def test_sampling_is_repeatable_and_follows_its_seed():
    def sample(seed, temperature):
        trace = generate("gpt2", temperature=temperature, seed=seed, capture=())
        return [token.id for token in trace.tokens]

    assert sample(1, 1.0) == sample(1, 1.0)
    assert len({tuple(sample(seed, 3.0)) for seed in range(5)}) > 1
    assert sample(1, 1e-3) == [t.id for t in generate("gpt2", capture=()).tokens]


@pytest.mark.parametrize("name", sorted(NO_CACHE))
def test_models_without_a_cache_say_so_and_generate_without(name):
    with pytest.raises(InputError, match="keeps no key/value cache: pass use_cache=False"):
        generate(name, capture=())
    trace = generate(name, capture=(), use_cache=False)
    assert len(trace.tokens) == len(PROMPT) + STEPS


def test_what_cannot_generate_says_why():
    with pytest.raises(InputError, match="no causal language-model head, so it cannot generate"):
        lab("bert").generate(PROMPT)
    with pytest.raises(InputError, match="max_new_tokens is at least 1, not 0"):
        lab("gpt2").generate(PROMPT, max_new_tokens=0)
    with pytest.raises(InputError, match="66 tokens would be needed"):
        lab("gpt2").generate(text(60), max_new_tokens=6)
    with pytest.raises(
        InputError, match="sampling temperature is a number from 0 to 1,000, not -1"
    ):
        lab("gpt2").generate(PROMPT, temperature=-1)
    with pytest.raises(EditRefused, match="names layer 9"):
        lab("gpt2").generate(PROMPT, edits=[al.ZeroHead(9, 0)])
