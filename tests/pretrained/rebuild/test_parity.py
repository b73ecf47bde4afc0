"""Our transformer gives what the model gives: logits, and every stage of every head and layer."""

import pytest
import torch
import transformers

import attnlab as al
from attnlab.pretrained.rebuild.rebuilt import KNOWN
from attnlab.trace.capture import ATTENTION_STAGES
from tests.families import FAMILIES, build, text
from tests.pretrained.rebuild import (
    BODIES,
    EDITS,
    VARIANTS,
    body_pair,
    fed,
    fed_many,
    largest,
    pair,
    same,
    writes,
)

BEFORE_TURNING = {"q_unrotated", "k_unrotated"}


def roles(name):
    return sorted({site.role for site in pair(name)[0].sites})


@pytest.mark.parametrize("name", VARIANTS)
def test_every_stage_of_every_variant(name):
    lab, ours = pair(name)
    assert ours.tier == "ours" and ours.trust.difference <= 1e-5
    assert ours.stages - BEFORE_TURNING == lab.stages
    stages = sorted(lab.stages)
    found, right = (r.run(**fed(name), capture=stages) for r in (ours, lab))
    same(found, right)
    for role in roles(name):
        for layer in lab.layers(role):
            off = largest(found.role(role).weights[layer], right.role(role).weights[layer])
            assert off <= 1e-5, (role, layer)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_edit_of_every_variant(name):
    lab, ours = pair(name)
    each = [make(role) for role in roles(name) for make in EDITS.values()]
    options = fed_many(name, len(each) + 1) | {"capture": ("weights", "z", "resid_post")}
    found, right = (r.run_many(**options, each=[(), *each]) for r in (ours, lab))
    for trace, other, edits in zip(found, right, [(), *each], strict=True):
        same(trace, other)
        assert trace.how["edits"] == [edit.to_json() for edit in edits]
        assert not edits or largest(trace.logits, found[0].logits) > 1e-4


@pytest.mark.parametrize("name", BODIES)
def test_a_body_without_a_head(name):
    lab, ours = body_pair(name)
    assert lab.head_kind == ours.head_kind == "none"
    stages = sorted(lab.stages)
    found, right = (r.run(**fed(name), capture=stages) for r in (ours, lab))
    assert found.logits is None
    same(found, right)
    for edits in (make(None) for make in EDITS.values()):
        options = fed(name) | {"edits": edits, "capture": "final"}
        assert largest(ours.run(**options).final, lab.run(**options).final) <= 1e-5


def layout(runner):
    """What a run goes by, the names of modules left out."""
    return [
        (s.role, s.layer, s.heads, s.kv_heads, s.key_size, s.value_size, s.causal)
        for s in runner.sites
    ]


@pytest.mark.parametrize("name", VARIANTS)
def test_sites_and_blocks_are_those_that_the_probe_found(name):
    lab, ours = pair(name)
    assert layout(ours) == layout(lab)
    assert [s.scale for s in ours.sites] == pytest.approx([s.scale for s in lab.sites])
    of = [[(b.role, b.layer, b.additive) for b in r.blocks] for r in (ours, lab)]
    assert of[0] == of[1]
    assert (ours.main_role, ours.longest) == (lab.main_role, lab.longest)
    for site in ours.sites:
        matrix = ours.module(site.out_proj).weight
        assert matrix.shape[1] == site.heads * site.value_size


@pytest.mark.parametrize("name", ["pythia partly turning", "llama yarn, set", "llama multi-query"])
def test_queries_and_keys_before_they_turn(name):
    lab, ours = pair(name)
    trace = ours.run(**fed(name), capture=ATTENTION_STAGES)
    site = ours.sites[1]
    turn = ours.rotation(site.role)
    assert lab.rotation(site.role) is None, "what a module of theirs does is not known"
    positions = torch.arange(len(trace.tokens))[None]
    for before, after in (("q_unrotated", "q"), ("k_unrotated", "k")):
        kept = getattr(trace, before)[site.layer]
        turned = turn.rotate(kept[None], positions)[0]
        assert largest(turned, getattr(trace, after)[site.layer]) <= 1e-6
        assert largest(kept[:, 1:], turned[:, 1:]) > 1e-3


@pytest.mark.parametrize("name", ["gpt2", "bert", "t5"])
def test_where_nothing_turns_there_is_no_before(name):
    _, ours = pair(name)
    assert not BEFORE_TURNING & ours.stages
    assert ours.rotation(ours.main_role) is None
    with pytest.raises(al.errors.StageNotAvailable, match="does not expose 'q_unrotated'"):
        ours.run(**fed(name), capture="q_unrotated")


@pytest.mark.parametrize(
    ("family", "changes"),
    [
        ("llama", {}),
        ("mistral", {"sliding_window": 40}),
        ("gpt2", {"n_positions": 512}),
        ("bert", {}),
        ("t5", {}),
    ],
)
def test_texts_longer_than_a_tile(family, changes):
    if family not in ("gpt2", "t5"):
        changes = changes | {"max_position_embeddings": 512}
    lab = al.load(build(family, **changes))
    options = {"text": text(300), "capture": ("weights", "resid_post")}
    options |= {"target": text(150, seed=8)} if family == "t5" else {}
    same(al.rebuild(lab).run(**options), lab.run(**options), atol=2e-5)


@pytest.mark.parametrize("name", [n for kind in KNOWN for n in kind.bodies + kind.heads])
def test_every_class_that_is_named(name):
    """Each as transformers starts it: weights that are small, and a configuration of its own."""
    cls = getattr(transformers, name)
    family = next(f for f in FAMILIES.values() if f.config == cls.config_class.__name__)
    torch.manual_seed(7)
    options = dict(family.options)
    if name.endswith(("LMHeadModel", "ForCausalLM")) and family.task == "masked":
        options["is_decoder"] = True
    lab = al.load(cls(cls.config_class(**options)).eval())
    given = {"text": text(13, seed=2), "capture": ("weights", "final")}
    if lab.is_encoder_decoder:
        given["target"] = text(7, seed=4)
    found, right = (r.run(**given) for r in (al.rebuild(lab), lab))
    same(found, right)
    assert (found.logits is None) == name.endswith("Model") or "LMHead" in name


def test_every_edit_that_exists_is_among_those_tested():
    from attnlab.trace.edits import _KINDS

    tested = {type(edit) for make in EDITS.values() for edit in make(None)}
    assert tested == set(_KINDS.values())
    assert sum(writes(name) for name in VARIANTS) >= 5
