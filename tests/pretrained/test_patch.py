"""Patching equals the same numbers put in by hand into a model that knows nothing of us."""

from contextlib import ExitStack, contextmanager

import pytest
import torch

import attnlab as al
from attnlab.errors import EditError
from attnlab.trace.edits.patch import OF_ATTENTION, OF_STREAM
from tests.families import FAMILIES, build, lab, model, text
from tests.pretrained import by_hand
from tests.pretrained.other_texts import (
    GOAL,
    HERE,
    LONGER,
    OTHER,
    PROJECTION,
    THERE,
    given,
    out,
    reachable,
)

FEED_FORWARD = {
    "gpt2": "transformer.h.1.mlp",
    "llama": "model.layers.1.mlp",
    "gemma2": "model.layers.1.post_feedforward_layernorm",
    "gpt_neo": "transformer.h.1.mlp",
}
BLOCK = {"gpt2": "transformer.h.1", "llama": "model.layers.1", "gpt_neo": "transformer.h.1"}
EVERYWHERE = (*PROJECTION, "t5", "bart", "gpt_oss", "gpt_bigcode", "deepseek_v3")


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
