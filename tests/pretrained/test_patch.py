"""Patching equals the same numbers put in by hand into a model that knows nothing of us."""

from contextlib import ExitStack, contextmanager

import pytest
import torch

import attnlab as al
from attnlab.errors import EditError, EditRefused, InputError, TextTooLong
from attnlab.trace.edits.patch import OF_ATTENTION, OF_STREAM
from tests.families import FAMILIES, build, lab, model, text
from tests.pretrained import by_hand

HERE, THERE, LONGER = text(13, seed=2), text(13, seed=9), text(17, seed=9)
GOAL, OTHER = text(7, seed=4), text(7, seed=5)
PROJECTION = {
    "gpt2": "transformer.h.1.attn.c_proj",
    "llama": "model.layers.1.self_attn.o_proj",
    "gemma2": "model.layers.1.self_attn.o_proj",
    "bert": "bert.encoder.layer.1.attention.output.dense",
    "gpt_neo": "transformer.h.1.attn.attention.out_proj",
}
FEED_FORWARD = {
    "gpt2": "transformer.h.1.mlp",
    "llama": "model.layers.1.mlp",
    "gemma2": "model.layers.1.post_feedforward_layernorm",
    "gpt_neo": "transformer.h.1.mlp",
}
BLOCK = {"gpt2": "transformer.h.1", "llama": "model.layers.1", "gpt_neo": "transformer.h.1"}
EVERYWHERE = (*PROJECTION, "t5", "bart", "gpt_oss", "gpt_bigcode", "deepseek_v3")


def fed(name, goal=GOAL):
    return {"target": goal} if FAMILIES[name].task == "seq2seq" else {}


def given(name, donor, goal=GOAL, **more):
    target = {"donor_target": goal} if FAMILIES[name].task == "seq2seq" else {}
    return {"donor": donor, **target, **more}


def out(name, *edits, source=HERE, goal=GOAL):
    return lab(name).run(source, **fed(name, goal), edits=edits, capture=()).logits


def right(name, hooks, ids=HERE):
    """What the original model gives with hooks on some modules."""
    with ExitStack() as stack:
        for hook in hooks:
            stack.enter_context(hook)
        return by_hand.outputs(model(name), {"input_ids": torch.tensor([ids])})


@contextmanager
def changing(name, path, change):
    """Change what a module gives, [B, Q, M]."""

    def hook(module, args, output):
        plain = isinstance(output, torch.Tensor)
        new = change((output if plain else output[0]).clone())
        return new if plain else (new, *output[1:])

    handle = model(name).get_submodule(path).register_forward_hook(hook)
    try:
        yield
    finally:
        handle.remove()


def keeping(kept):
    """A change that changes nothing, and keeps what it saw."""

    def change(tensor):
        kept.append(tensor.clone())
        return tensor

    return change


def pasting(value, pairs):
    """A change that puts a donor's positions in place."""

    def change(tensor):
        for here, there in pairs:
            tensor[:, here] = value[:, there]
        return tensor

    return change


PLACES = [
    (range(13), {}, THERE),
    ((2, 11), {"positions": (2, -2)}, THERE),
    (((5, 16), (1, 0)), {"at": ((5, 16), (1, 0))}, LONGER),
]


def pairs_of(places):
    return [place if isinstance(place, tuple) else (place, place) for place in places]


@pytest.mark.parametrize("places, how, donor", PLACES, ids=["all", "some", "paired"])
@pytest.mark.parametrize("name", PROJECTION)
def test_what_a_head_hands_on(name, places, how, donor):
    seen = []
    right(name, [by_hand.on_head(model(name), PROJECTION[name], 4, 6, keeping(seen))], donor)
    change = pasting(seen[0], pairs_of(places))
    wanted = right(name, [by_hand.on_head(model(name), PROJECTION[name], 4, 6, change)])
    for edit in (al.Patch("z", 1, 4, donor=donor, **how), al.ResampleHead(1, 4, donor, **how)):
        found = out(name, edit)
        assert (found - wanted).abs().max() <= 1e-5
        assert (found - out(name)).abs().max() > 1e-3


@pytest.mark.parametrize("places, how, donor", PLACES, ids=["all", "some", "paired"])
@pytest.mark.parametrize(
    "stage, paths", [("mlp_out", FEED_FORWARD), ("resid_post", BLOCK)], ids=["mlp", "stream"]
)
def test_the_stream(stage, paths, places, how, donor):
    for name, path in paths.items():
        seen = []
        right(name, [changing(name, path, keeping(seen))], donor)
        wanted = right(name, [changing(name, path, pasting(seen[0], pairs_of(places)))])
        found = out(name, al.Patch(stage, 1, donor=donor, **how))
        assert (found - wanted).abs().max() <= 1e-5
        assert (found - out(name)).abs().max() > 1e-3


@pytest.mark.parametrize("name", FEED_FORWARD)
def test_a_feed_forward_layer_gone(name):
    wanted = right(name, [changing(name, FEED_FORWARD[name], torch.zeros_like)])
    assert (out(name, al.ZeroFeedForward(1)) - wanted).abs().max() <= 1e-5
    some = right(name, [changing(name, FEED_FORWARD[name], lambda x: x * _but(2, 12))])
    assert (out(name, al.ZeroFeedForward(1, positions=(2, -1))) - some).abs().max() <= 1e-5
    assert (wanted - out(name)).abs().max() > 1e-3


def _but(*places):
    keep = torch.ones(13, 1)
    keep[list(places)] = 0
    return keep


@pytest.mark.parametrize("name", EVERYWHERE)
def test_from_the_same_text_nothing_changes(name):
    """To the last bit, where texts are run alone."""
    plain, ours = out(name), lab(name)
    for donor in (given(name, HERE), {}):
        for stage in OF_ATTENTION + OF_STREAM:
            for head in (None, 4) if stage in OF_ATTENTION else (None,):
                edit = al.Patch(stage, 2, head, **donor)
                if stage in ours.editable and reachable(edit, ours):
                    found = out(name, edit)
                    # A head with keys of its own makes one product of each group into several.
                    close = 1e-5 if head and stage in "kv" else 0.0
                    assert (found - plain).abs().max() <= close, edit
    if "z" in ours.editable:
        assert torch.equal(out(name, al.ResampleHead(1, 4, **given(name, HERE))), plain)


def reachable(edit, ours):
    try:
        return bool(edit.sites(ours))
    except EditRefused:
        return False


@pytest.mark.parametrize("name", ["llama", "t5", "bert", "gpt_neo"])
def test_a_whole_layer_from_another_text_is_that_text_from_there_on(name):
    other = out(name, source=THERE, goal=OTHER)
    donor = given(name, THERE, OTHER)
    edits = [al.Patch("resid_post", 2, **donor)]
    if FAMILIES[name].task == "seq2seq":
        edits += [al.Patch("resid_post", 1, **donor, role="encoder")]
    assert (out(name, *edits) - other).abs().max() <= 1e-5


def test_weights_and_values_together_are_z():
    donor = given("llama", THERE)
    both, z = ([al.Patch(s, 1, 3, **donor) for s in stages] for stages in (("weights", "v"), "z"))
    assert torch.allclose(out("llama", *both), out("llama", *z), atol=1e-5)
    scored = [al.Patch(stage, 1, 3, **donor) for stage in ("q", "k")]
    weights = al.Patch("weights", 1, 3, **donor)
    assert torch.allclose(out("llama", *scored), out("llama", weights), atol=1e-5)


def test_a_run_without_edits_can_be_the_donor_of_an_edited_one():
    """What a head does to later layers through one other head only: the rest is held."""
    ours = lab("llama")
    held = [al.Patch("z", 1, head) for head in range(6) if head != 2]
    trace = ours.run(HERE, edits=[al.ZeroHead(0, 3), *held], capture="z")
    plain = ours.run(HERE, capture="z")
    for head in range(6):
        same = torch.equal(trace.z[1, head], plain.z[1, head])
        assert same == (head != 2)


def test_weights_of_texts_of_other_lengths():
    """Keys are paired as queries are; what has no pair gets nothing, and rows stay as they are."""
    at = ((1, 1), (2, 5), (6, 9))
    ours = lab("llama")
    there = ours.run(LONGER).weights[1, 3]
    found = ours.run(HERE, edits=[al.Patch("weights", 1, 3, donor=LONGER, at=at)]).weights[1, 3]
    wanted = torch.zeros(3, 13)
    for row, (_, query) in enumerate(at):
        for here, key in at:
            wanted[row, here] = there[query, key]
    assert torch.equal(found[[1, 2, 6]], wanted)
    assert torch.equal(found[:1], ours.run(HERE).weights[1, 3][:1])
    with pytest.raises(EditError, match="weight on key 4 for query 3, which the mask hides"):
        ours.run(HERE, edits=[al.Patch("weights", 1, 3, donor=THERE, at=((3, 9),))])


def test_weights_of_long_texts_come_in_tiles():
    long = al.load(build("llama", max_position_embeddings=512))
    here, there = text(301), text(301, seed=5)
    rows = (0, 127, 128, 300)
    edit = al.Patch("weights", 1, 3, donor=there, positions=rows)
    found, donor, plain = (
        long.run(ids, edits=edits, logits=None).weights[1]
        for ids, edits in ((here, [edit]), (there, ()), (here, ()))
    )
    assert torch.equal(found[3, list(rows)], donor[3, list(rows)])
    assert torch.equal(found[3, 1:127], plain[3, 1:127])
    assert torch.equal(found[[0, 1, 2, 4, 5]], plain[[0, 1, 2, 4, 5]])
    with pytest.raises(EditError, match="key 128 for query 1"):
        long.run(here, edits=[al.Patch("weights", 1, 3, donor=there, at=((1, 200),))])


def test_encoder_decoders_are_patched_in_every_role():
    donor = given("t5", THERE, OTHER)
    ours = lab("t5")
    theirs = ours.run(THERE, target=OTHER, capture="z")
    for role in ("encoder", "decoder", "cross"):
        edit = al.ResampleHead(1, 4, **donor, role=role)
        found = ours.run(HERE, target=GOAL, edits=[edit], capture="z")
        assert torch.allclose(found.role(role).z[1, 4], theirs.role(role).z[1, 4])
    with pytest.raises(EditError, match=r"8 tokens and the donor 1; give at=.*or donor_target="):
        ours.run(HERE, target=GOAL, edits=[al.ResampleHead(1, 4, THERE)])
    with pytest.raises(EditError, match="this source has 13 tokens and the donor 17"):
        ours.run(HERE, target=GOAL, edits=[al.Patch("k", 1, **given("t5", LONGER), role="cross")])
    with pytest.raises(EditError, match="between sources of one length"):
        edit = al.Patch("weights", 1, **given("t5", LONGER), role="cross", at=((1, 1),))
        ours.run(HERE, target=GOAL, edits=[edit])


@pytest.mark.parametrize(
    "edit, error, named",
    [
        (al.Patch("z", 1, 4, donor=LONGER), EditError, "13 tokens and the donor 17; give at="),
        (al.Patch("z", 1, 4, donor=THERE, positions=13), EditError, "no position 13; the decoder"),
        (al.Patch("z", 1, 4, donor=THERE, positions=-14), EditError, "no position -14"),
        (al.Patch("z", 1, 4, donor=LONGER, at=[(13, 2)]), EditError, "no position 13 here; it has"),
        (al.Patch("z", 1, 4, donor=THERE, at=[(2, 13)]), EditError, "no position 13 in the donor"),
        (al.Patch("z", 1, 6, donor=THERE), EditRefused, "names head 6, .* heads 0 to 5"),
        (al.Patch("z", 3, 1, donor=THERE), EditRefused, "names layer 3, .* layers 0 to 2"),
        (al.Patch("mlp_out", 3, donor=THERE), EditRefused, "mlp_out in layers 0 to 2"),
        (al.Patch("cross_out", 1, donor=THERE), EditRefused, "no cross_out was found"),
        (al.Patch("mlp_out", 1, role="cross"), EditRefused, "the stream of 'cross', .* decoder"),
        (al.Patch("z", 1, 4, donor=[500]), InputError, "500 is no token id"),
        (al.Patch("z", 1, 4, donor=text(70)), TextTooLong, "70 tokens"),
        (al.Patch("z", 1, 4, donor="w5 w6"), InputError, "without a tokenizer"),
    ],
)
def test_what_does_not_fit_is_said(edit, error, named):
    with pytest.raises(error, match=named):
        out("llama", edit)


def test_what_a_tier_cannot_change_is_said():
    for edit in (al.Patch("v", 1, 3, donor=THERE), al.ZeroHead(1, 3, what="v")):
        with pytest.raises(EditRefused, match=r"changes v, which cannot .* \(tier tap\)"):
            out("gpt_neo", edit)
    whole = {"input_ids": torch.tensor([HERE])}
    with pytest.raises(InputError, match="need a donor run"):
        lab("llama").run(whole, edits=[al.ResampleHead(1, 3, THERE)])
    plain = out("llama", al.ZeroHead(1, 3, positions=2))
    raw = lab("llama").run(whole, edits=[al.ZeroHead(1, 3, positions=2)])
    assert torch.equal(raw.logits, plain)
    with pytest.raises(EditRefused, match="counts positions from the end"):
        lab("llama").run(whole, edits=[al.ZeroHead(1, 3, positions=-1)])


def test_every_donor_runs_once(monkeypatch):
    """However many edits and texts name it; and a donor that is a text of the run is one too."""
    ours = lab("llama")
    runs, forward = [], ours.forward

    def counted(run, inputs, **options):
        runs.append((len(run.rows), [c.layers for c in run.captures]))
        return forward(run, inputs, **options)

    monkeypatch.setattr(ours, "forward", counted)
    edits = [al.ResampleHead(layer, head, THERE) for layer in (0, 2) for head in range(6)]
    ours.run_many([HERE, HERE], each=[edits[:6], edits], capture=())
    assert runs == [(1, [(layer,) for layer in (0, 2) for _ in range(6)]), (2, [])]
    runs.clear()
    ours.run(HERE, edits=[al.MeanHead(1, 2, corpus=[THERE, LONGER, HERE]), al.MeanHead(1, 2)])
    assert [rows for rows, _ in runs] == [1, 3, 1]
    with pytest.raises(EditRefused):
        ours.run(HERE, edits=[edits[0], al.ZeroHead(1, 9)])
    assert len(runs) == 3


def test_in_a_batch_of_texts_each_has_its_own():
    texts = [HERE, text(6, seed=3), THERE]
    edits = [
        (al.ResampleHead(1, 4, THERE), al.ZeroFeedForward(0, positions=-1)),
        (al.Patch("v", 1, 3, donor=LONGER, at=((2, 14),)), al.ZeroHead(2, 1, positions=(0, -1))),
        (al.MeanHead(1, 3, positions=-1), al.ZeroHead(0, 5, what="k", positions=3)),
    ]
    together = lab("llama").run_many(texts, each=edits, capture=())
    for ids, own, trace in zip(texts, edits, together, strict=True):
        assert torch.allclose(trace.logits, out("llama", *own, source=ids), atol=1e-5)


@pytest.mark.parametrize("name", ["llama", "gpt2", "t5", "bart", "gemma3", "gpt_oss", "gpt_neo"])
def test_a_cache_changes_nothing(name):
    """Of a generation the prompt is patched; what was generated keeps to itself."""
    goal = text(3, seed=6)
    role = "cross" if FAMILIES[name].task == "seq2seq" else None
    donor = given(name, THERE, goal)
    wanted = [
        al.ResampleHead(1, 4, **donor, role=role),
        al.Patch("v", 2, 3, **donor, role=role),
        al.Patch("k", 1, **donor, positions=(0, 3), role=role),
        al.Patch("weights", 2, 1, **donor),
        al.Patch("resid_post", 0, **donor, positions=1),
        al.ZeroFeedForward(2, positions=(1, -1)),
        al.ZeroHead(1, 2, positions=(2, 6 if role else 14)),
        al.MeanHead(2, 5, role=role, corpus=[THERE], corpus_targets=[goal] if role else ()),
    ]
    ours = lab(name)
    edits = [e for e in wanted if e.stages <= ours.editable and reachable(e, ours)]
    options = {"max_new_tokens": 5, "edits": edits, "capture": "weights", **fed(name, goal)}
    found, whole = (ours.generate(HERE, **options, use_cache=cache) for cache in (True, False))
    assert found.tokens == whole.tokens
    assert torch.allclose(found.logits, whole.logits, atol=1e-4)
    plain = ours.generate(HERE, **options | {"edits": ()})
    assert not torch.allclose(plain.logits[0], found.logits[0], atol=1e-3)


def test_in_a_batch_that_grows():
    each = [
        (al.ResampleHead(2, 4, THERE),),
        (al.Patch("v", 1, 3, donor=THERE), al.ZeroHead(2, 1)),
        (al.Patch("mlp_out", 1, positions=3, donor=THERE),),
        (al.Patch("weights", 1, donor=THERE),),
        (al.Pattern(0, 2, "previous"),),
    ]
    growth = lab("llama").growing(HERE, each)
    assert growth.enters == (2, 1, 1, 1, 0)
    plain, *traces = growth.run([None, *range(len(each))], logits="all")
    assert torch.allclose(plain.logits, out("llama"), atol=1e-5)
    for own, trace in zip(each, traces, strict=True):
        assert torch.allclose(trace.logits, out("llama", *own), atol=1e-5)


@pytest.mark.parametrize("name", ["llama", "gpt2", "bert", "t5"])
def test_in_our_transformer_as_in_the_model(name):
    ours, theirs = al.rebuild(lab(name)), lab(name)
    edits = [al.Patch(stage, 1, **given(name, THERE)) for stage in OF_ATTENTION + OF_STREAM]
    edits += [al.Patch("k", 1, 4, **given(name, THERE)), al.Patch("v", 1, 4, **given(name, THERE))]
    edits += [al.Pattern(1, 4), al.ZeroFeedForward(1), al.ZeroHead(1, 4, what="q", positions=3)]
    each = [(edit,) for edit in edits if reachable(edit, theirs)]
    targets = [GOAL] * len(each) if fed(name) else None
    found, right = (
        runner.run_many([HERE] * len(each), targets=targets, each=each, capture=())
        for runner in (ours, theirs)
    )
    for one, other in zip(found, right, strict=True):
        assert (one.logits - other.logits).abs().max() <= 2e-5


def test_gradients_pass():
    ours = lab("llama")
    edits = [al.ResampleHead(1, 4, THERE, positions=3), al.ZeroFeedForward(2, positions=2)]
    trace = ours.run(HERE, edits=edits, capture="z", grad=True, logits="all")
    assert trace.graph["z", "decoder", 1].requires_grad
