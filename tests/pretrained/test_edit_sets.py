"""Sets of edits: what they add up to, and that they leave nothing behind."""

import functools

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

import attnlab as al
from attnlab.errors import AttnLabError
from attnlab.pretrained import donors
from attnlab.trace.edits import Corpus, Donor
from tests.families import FAMILIES, build, lab, model, text
from tests.pretrained import by_hand
from tests.pretrained.other_texts import PROJECTION

IDS, GOAL = text(13, seed=2), text(7, seed=4)


@pytest.mark.parametrize("name", PROJECTION)
def test_all_heads_of_a_layer_gone_is_its_output_projection_gone(name):
    """What stays of the layer is the projection's bias."""
    projection = model(name).get_submodule(PROJECTION[name])
    right = build(name)
    with torch.no_grad():
        right.get_submodule(PROJECTION[name]).weight.zero_()
    wanted = by_hand.outputs(right, {"input_ids": torch.tensor([IDS])})
    found = lab(name).run(
        IDS, edits=[al.ZeroHead(1, head) for head in range(6)], capture="attn_out"
    )
    assert (found.logits - wanted).abs().max() <= 1e-5
    if projection.bias is None and name == "llama":
        assert not found.attn_out[1].any()


@pytest.mark.parametrize(
    "name", ["llama", "gpt2", "bert", "t5", "gpt_neo", "gpt_oss", "deepseek_v3"]
)
def test_the_mean_over_one_position_changes_nothing(name):
    ours, word = lab(name), text(1, seed=8)
    plain = ours.run(word, capture=())
    for what in ("z", "q", "k", "v"):
        if what in ours.editable:
            edits = [al.MeanHead(layer, 3, what=what) for layer in ours.layers()]
            found = ours.run(word, edits=edits, capture=())
            close = 1e-5 if what in "kv" else 0.0  # shared keys and values are taken apart
            assert (found.logits - plain.logits).abs().max() <= close
    blocks = [block for block in ours.blocks if block.mlp_out and block.role == ours.main_role]
    found = ours.run(word, edits=[al.MeanFeedForward(b.layer) for b in blocks], capture=())
    assert blocks and torch.equal(found.logits, plain.logits)


def test_a_mean_over_a_corpus_is_that_over_all_its_positions():
    ours, corpus = lab("llama"), (text(5, seed=1), text(11, seed=6), text(5, seed=7))
    z = torch.cat([ours.run(ids, capture="z").z[1, 3] for ids in corpus])
    found = ours.run(IDS, edits=[al.MeanHead(1, 3, corpus=corpus, positions=(0, 4))], capture="z")
    assert torch.allclose(found.z[1, 3][[0, 4]], z.mean(0).expand(2, -1), atol=1e-6)
    assert torch.equal(found.z[1, 3][1:4], ours.run(IDS, capture="z").z[1, 3][1:4])
    many = [text(1 + i % 7, seed=i) for i in range(400)]  # more than run together
    z = torch.cat([trace.z[1, 3] for trace in ours.run_many(many, capture="z")])
    found = ours.run(IDS, edits=[al.MeanHead(1, 3, corpus=many)], capture="z")
    assert torch.allclose(found.z[1, 3], z.mean(0).expand(13, -1), atol=1e-6)


def test_a_corpus_is_summed_while_it_runs(monkeypatch):
    """Whatever its size, a mean is held of it, not its values; a text can count twice."""
    ours, texts = lab("llama"), (text(11, seed=6), text(5, seed=7), text(11, seed=6))
    z = torch.cat([ours.run(ids, capture="z").z[1, 3] for ids in texts]).mean(0)
    monkeypatch.setattr(donors, "BATCH_TOKENS", 11)
    corpus, captures = Corpus(tuple(map(Donor, map(tuple, texts)))), [al.Capture("z", 1, 3)]
    mean = donors._mean(ours, corpus, captures, None).z[1, 3]
    assert mean.shape == (1, 10)
    assert torch.allclose(mean[0], z, atol=1e-6)
    found = ours.run(IDS, edits=[al.MeanHead(1, 3, corpus=texts)], capture="z").z[1, 3]
    assert torch.allclose(found, z.expand(13, -1), atol=1e-6)


def test_one_query_head_of_a_group_can_have_keys_and_values_of_its_own():
    """As in the same weights with a key/value head for each query head."""
    apart = build("llama", num_key_value_heads=6)
    weights = model("llama").state_dict()
    for name in [name for name in weights if "k_proj" in name or "v_proj" in name]:
        weights[name] = weights[name].unflatten(0, (2, 10)).repeat_interleave(3, 0).flatten(0, 1)
    apart.load_state_dict(weights)
    plain = by_hand.outputs(apart, {"input_ids": torch.tensor([IDS])})
    assert torch.allclose(lab("llama").run(IDS).logits, plain, atol=1e-5)
    for what in ("k", "v"):
        with torch.no_grad():
            matrix = apart.get_submodule(f"model.layers.1.self_attn.{what}_proj").weight
            own = matrix[40:50].clone()
            matrix[40:50] = 0
            right = by_hand.outputs(apart, {"input_ids": torch.tensor([IDS])})
            matrix[40:50] = own
        found = lab("llama").run(IDS, edits=[al.ZeroHead(1, 4, what=what)], capture=what)
        assert (found.logits - right).abs().max() <= 1e-5
        assert (found.logits - plain).abs().max() > 1e-3
        kept = getattr(lab("llama").run(IDS, capture=what), what)[1]
        assert torch.equal(getattr(found, what)[1], kept)  # what is shared is as it was


def test_values_gone_at_a_place_take_away_what_is_read_there():
    plain = lab("llama").run(IDS, capture=("weights", "v", "z"))
    found = lab("llama").run(
        IDS, edits=[al.ZeroHead(1, 4, what="v", positions=(0, -3))], capture="z"
    )
    weights, values = plain.weights[1, 4].clone(), plain.v[1, 1]
    weights[:, [0, 10]] = 0
    assert torch.allclose(found.z[1, 4], weights @ values, atol=1e-6)
    assert torch.allclose(found.z[1, 3], plain.z[1, 3], atol=1e-6)


def test_what_experts_add_is_found_in_every_layer():
    """Their sums in place come and go while the probe runs, and must not be taken for others."""
    for _ in range(3):
        ours = al.load(build("gpt_oss"))
        assert [block.layer for block in ours.blocks if block.mlp_out and block.additive] == [
            0,
            1,
            2,
        ]
        for layer in range(3):
            edits = [al.ZeroFeedForward(layer)]
            found = ours.run(IDS, edits=edits, capture=("resid_pre", "attn_out", "resid_post"))
            total = found.resid_pre[layer] + found.attn_out[layer]
            assert torch.allclose(found.resid_post[layer], total, atol=1e-5)


def test_effects_do_not_add_up():
    run = lambda *edits: lab("llama").run(IDS, edits=edits, capture=()).logits  # noqa: E731
    plain = run()
    one, two = al.ZeroHead(0, 1), al.ZeroFeedForward(1)
    apart = (run(one) - plain) + (run(two) - plain)
    assert (run(one, two) - plain - apart).abs().max() > 1e-2


LAYERS = some.integers(0, 2)
HEADS = some.integers(0, 5)
PLACES = some.none() | some.lists(some.integers(-9, 12), min_size=1, max_size=3).map(tuple)
WHAT = some.sampled_from(["z", "q", "k", "v"])
ROLES = some.sampled_from([*[None] * 7, "encoder", "decoder", "cross"])
TEXTS = some.sampled_from([text(13, seed=9), text(13, seed=3), text(9, seed=5), IDS])
OWN = {"role": ROLES, "positions": PLACES}
OF_HEAD = {"layer": LAYERS, "head": HEADS, **OWN, "what": WHAT}
EDITS = some.one_of(
    some.builds(al.ZeroHead, **OF_HEAD),
    some.builds(al.MeanHead, **OF_HEAD, corpus=some.lists(TEXTS, max_size=2)),
    some.builds(al.ResampleHead, **OF_HEAD, donor=TEXTS),
    some.builds(al.ZeroFeedForward, LAYERS, **OWN),
    some.builds(al.MeanFeedForward, LAYERS, **OWN),
    some.builds(
        al.Patch,
        some.sampled_from(["weights", "z", "resid_pre", "attn_out", "mlp_out", "resid_post"]),
        LAYERS,
        **OWN,
        donor=TEXTS,
    ),
    some.builds(
        al.Pattern, LAYERS, HEADS, some.sampled_from(["uniform", "previous", "first"]), **OWN
    ),
    some.builds(al.Temperature, some.floats(0.1, 9)),
    some.builds(al.Mask, some.sampled_from(["causal", "bidirectional"])),
    some.builds(al.Positions, some.sampled_from(["none", "reversed", "shuffled"])),
)
MODELS = some.tuples(
    some.sampled_from(["llama", "gpt2", "bert", "t5", "gpt_neo", "gemma2"]), some.integers(0, 2)
)


@functools.cache
def random_lab(name, seed):
    """A tiny model with other random weights, and what it gives of a text."""
    made = build(name)
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in made.parameters():
            weight.add_(torch.randn(weight.shape, generator=random) * 0.1)
    ours = al.load(made)
    return ours, ours.run(IDS, **goal_of(name), capture=sorted(ours.stages))


def goal_of(name):
    return {"target": GOAL} if FAMILIES[name].task == "seq2seq" else {}


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(which=MODELS, edits=some.lists(EDITS, min_size=1, max_size=5), growing=some.booleans())
def test_random_sets_of_edits_leave_the_next_plain_run_as_it_was(which, edits, growing):
    """Bitwise, every stage; whether the edited run went through or was refused."""
    ours, before = random_lab(*which)
    goal = goal_of(which[0])
    try:
        if growing:
            ours.growing(IDS, [edits, edits[:1]], **goal).run([None, 0, 1])
        else:
            ours.run(IDS, **goal, edits=edits)
    except AttnLabError as error:
        assert str(error).endswith(".")
    after = ours.run(IDS, **goal, capture=sorted(ours.stages))
    assert torch.equal(after.logits, before.logits)
    assert after.values.keys() == before.values.keys()
    for key, layers in before.values.items():
        for layer, kept in layers.items():
            assert torch.equal(after.values[key][layer].tensor, kept.tensor), key
