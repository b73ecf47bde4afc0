"""Runs, without any Lab: what can be kept and changed inside our transformer, with no hook."""

from types import SimpleNamespace

import pytest
import torch

import attnlab as al
from attnlab.attention import Cache, explain
from attnlab.attention.masks import Causal
from attnlab.attention.positions import NoPositions, Rope
from attnlab.errors import Cancelled, EditMissed
from attnlab.trace import Capture, Row, Run
from attnlab.trace.capture import STAGES
from attnlab.trace.layer import layers_of
from attnlab.trace.site import Block
from tests.transformer import (
    BLOCKS,
    B,
    D,
    E,
    H,
    K,
    L,
    M,
    N,
    S,
    V,
    both,
    decoder,
    encoder,
    furthest,
    ids,
)

MODELS = {"decoder": decoder, "encoder": encoder, "both": both}


def runner(model):
    """What edits are bound to."""
    layers = layers_of(model)
    sites = tuple(site for layer in layers for site in layer.sites)
    return SimpleNamespace(name="ours", sites=sites, main_role=layers[-1].block.role)


def fed(kind):
    return (ids(length=S), ids()) if kind == "both" else (ids(),)


def run(model, inputs, *, edits=(), capture=(), **options):
    rows = options.pop("rows", [Row(tuple(e.bind(runner(model), None) for e in edits))] * B)
    state = Run(rows, tuple(map(Capture, capture)), **options)
    with state.entered():
        state.begin_forward()
        hidden = model(*inputs)
    state.end_forward(N)
    state.finish()
    return state, hidden


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("kind", MODELS)
def test_every_stage_comes_by_in_every_layer(kind, block):
    model = MODELS[kind](**BLOCKS[block])
    state, hidden = run(model, fed(kind), capture=STAGES)
    assert torch.equal(hidden, model(*fed(kind)))
    rotates = isinstance(BLOCKS[block].get("positions"), Rope)
    for layer in layers_of(model):
        for site in layer.sites:
            queries, keys = {"encoder": (S, S), "cross": (N, S)}.get(site.role, (N, N))
            if kind == "encoder":
                queries = keys = N
            k_heads, place = model_kv(model), (site.role, site.layer)
            right = {
                "q": (H, queries, D),
                "k": (k_heads, keys, D),
                "v": (k_heads, keys, E),
                "z": (H, queries, E),
            }
            if rotates and site.role != "cross":
                right |= {"q_unrotated": right["q"], "k_unrotated": right["k"]}
            square = dict.fromkeys(("scores", "scaled", "masked", "weights"), (H, queries, keys))
            for stage, shape in (right | square).items():
                assert state.store.whole((stage, *place)).shape == (B, *shape), stage
            assert (("q_unrotated", *place) in state.store.parts) == ("q_unrotated" in right)
        _check_stream(state, layer, block)
    assert torch.equal(state.ends[runner(model).main_role], hidden)
    assert torch.equal(state.store.whole(("final", runner(model).main_role, 0)), hidden)


def model_kv(model):
    return layers_of(model)[0].site.kv_heads


def _check_stream(state, layer, block):
    """What the parts add is what the block adds; a post-norm block norms it after each."""
    place = (layer.block.role, layer.block.layer)
    kept = {s: p for s in STAGES[-6:-1] if (p := state.store.parts.get((s, *place)))}
    assert ("cross_out" in kept) == (layer.cross is not None)
    assert layer.block.additive == (block != "BERT")
    if layer.block.additive:
        before, *added, after = (
            kept[s][0].tensor
            for s in ("resid_pre", "attn_out", "cross_out", "mlp_out", "resid_post")
            if s in kept
        )
        assert furthest(before + sum(added), after) <= 1e-12


@pytest.mark.parametrize("kind", MODELS)
def test_the_stages_are_those_of_the_function(kind):
    model = MODELS[kind](positions=Rope())
    state, _ = run(model, fed(kind), capture=STAGES)
    for site in runner(model).sites:
        q, k, v, *rest = (
            state.store.whole((stage, site.role, site.layer))
            for stage in ("q", "k", "v", "scores", "scaled", "masked", "weights", "z")
        )
        mask = Causal().mask(range(N), range(N)) if site.causal else None
        right = explain(q, k, v, mask, scale=site.scale)
        for found, stage in zip(rest, ("scores", "scaled", "masked", "weights", "z"), strict=True):
            assert torch.equal(found, getattr(right, stage))


@pytest.mark.parametrize("kind", MODELS)
def test_the_turn_leads_from_one_stage_to_the_next(kind):
    model = MODELS[kind](positions=Rope())
    state, _ = run(model, fed(kind), capture=("q", "k", "q_unrotated", "k_unrotated"))
    stack = getattr(model, "decoder", model)
    for layer in range(L):
        for stage in ("q", "k"):
            before, after = (
                state.store.whole((name, runner(model).main_role, layer))
                for name in (f"{stage}_unrotated", stage)
            )
            turned = stack.positions.rotate(before, torch.arange(N)[None])
            assert torch.equal(turned, after) and not torch.equal(before[:, :, 1:], after[:, :, 1:])


@pytest.mark.parametrize("role", ["decoder", "encoder", "cross"])
def test_a_head_taken_away_is_its_columns_of_the_matrix_taken_away(role):
    model = both()
    state, found = run(model, fed("both"), edits=[al.ZeroHead(1, 4, role)], capture=("z",))
    assert not state.store.whole(("z", role, 1))[:, 4].any()
    plain = model(*fed("both"))
    assert furthest(found, plain) > 1e-3
    side = model.encoder if role == "encoder" else model.decoder
    matrix = getattr(side.blocks[1], "cross" if role == "cross" else "attention").w_o.weight
    with torch.no_grad():
        matrix[:, 4 * E : 5 * E] = 0
    assert furthest(found, model(*fed("both"))) <= 1e-12


def test_a_temperature_is_a_smaller_scale():
    model = decoder()
    _, found = run(model, [ids()], edits=[al.Temperature(2.0)])
    cool = decoder(scale=D**-0.5 / 2)
    assert furthest(found, cool(ids())) <= 1e-12


def change(stage, place, new):
    """An edit of one stage at one site or block, bound."""
    edit = al.Temperature(1.0)
    reaches = lambda here: here == place  # noqa: E731
    return al.trace.edits.Bound(edit, frozenset({stage}), reaches, lambda s, x, where: new(x))


def test_every_place_of_the_stream_can_be_changed():
    model = both()
    plain, layer = model(*fed("both")), model.decoder.blocks[1].layer
    for stage in ("resid_pre", "attn_out", "cross_out", "mlp_out", "resid_post"):
        rows = [Row(), Row((change(stage, layer.block, torch.zeros_like),))]
        _, found = run(model, fed("both"), rows=rows)
        assert furthest(found[0], plain[0]) <= 1e-12 and furthest(found[1], plain[1]) > 1e-3, stage


@pytest.mark.parametrize("stage", ["q_unrotated", "k_unrotated", "mask"])
def test_changes_before_the_turn_and_of_the_mask(stage):
    model = decoder(positions=Rope(), mask=Causal())
    site = model.blocks[0].layer.site
    rows = [Row(), Row((change(stage, site, lambda x: x.roll(1, 2)),))]
    _, found = run(model, [ids()], rows=rows)
    plain = model(ids())
    assert furthest(found[0], plain[0]) <= 1e-12 and furthest(found[1], plain[1]) > 1e-3


def test_an_edit_that_reaches_nothing_is_an_error():
    nowhere = change("q_unrotated", decoder().blocks[0].layer.site, lambda x: x)
    with pytest.raises(EditMissed):
        run(decoder(positions=NoPositions()), [ids()], rows=[Row((nowhere,))] * B)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("kind", MODELS)
def test_rows_that_join_at_a_block_equal_runs_of_their_own(kind, block):
    model = MODELS[kind](**BLOCKS[block])
    inputs = [x[:1] for x in fed(kind)]
    role, rows = runner(model).main_role, [Row()]
    for layer in range(L):
        for head in (0, H - 1):
            edit = al.ZeroHead(layer, head, role).bind(runner(model), None)
            rows.append(Row((edit,), enters=layer))
    state, found = run(model, inputs, rows=rows, capture=("z",))
    assert state.batch == found.shape[0] == len(rows)
    assert [len(state.store.whole(("z", role, layer))) for layer in range(L)] == [3, 5, 7, 9]
    for row, one in zip(rows, found, strict=True):
        _, alone = run(model, inputs, rows=[Row(row.edits)])
        assert furthest(one, alone[0]) <= 1e-12
    assert furthest(found[0], found[1:]) > 1e-4


def test_gradients_through_frozen_weights():
    model = both()
    state = Run([Row()] * B, (Capture("z"), Capture("resid_pre")), grad=True)
    with state.entered():
        logits = model.logits(model(*fed("both")))
    assert logits.shape == (B, N, V) and logits.requires_grad
    for role in ("decoder", "cross", "encoder"):
        z = state.store.whole(("z", role, 0))
        (grad,) = torch.autograd.grad(logits[:, -1, 3].sum(), z, retain_graph=True)
        assert grad.shape == z.shape and grad.any()


def test_progress_counts_the_layers_of_the_stack_that_predicts():
    shares = []
    run(both(), fed("both"), progress=shares.append)
    assert shares == [0.25, 0.5, 0.75, 1.0]


def test_a_run_can_be_cancelled_at_a_layer():
    cancel, model = al.Cancel(), both()
    left = []
    model.encoder.blocks[1].register_forward_hook(lambda *_: left.append("encoder"))
    model.decoder.blocks[1].register_forward_hook(lambda *_: left.append("decoder"))
    with pytest.raises(Cancelled):
        run(model, fed("both"), cancel=cancel, progress=lambda share: cancel.set())
    assert left == ["encoder"]
    assert torch.equal(model(*fed("both")), both()(*fed("both")))


def test_a_cached_run_keeps_what_the_whole_keeps():
    model, stages = decoder(positions=Rope()), [s for s in STAGES if s != "cross_out"]
    whole, hidden = run(model, [ids()], capture=stages)
    edits = tuple(e.bind(runner(model), None) for e in ())
    state, cache, parts = Run([Row(edits)] * B, tuple(map(Capture, stages)), steps=3), Cache(), []
    for part in ids().split([5, 1, N - 6], 1):
        with state.entered():
            state.begin_forward()
            parts.append(model(part, cache=cache))
        state.end_forward(part.shape[1])
    state.finish()
    assert furthest(torch.cat(parts, 1), hidden) <= 1e-12
    for key in whole.store.parts:
        found, right = state.store.whole(key), whole.store.whole(key)
        if key[0] in ("scores", "scaled"):  # no query asks about keys that were not yet there
            seen = whole.store.whole(("masked", *key[1:])).isfinite()
            found, right = found[seen], right[seen]
        assert found.shape == right.shape, key
        assert torch.allclose(found, right, rtol=0, atol=1e-12), key
    k = K * D
    assert cache.length == N and cache.numbers == B * N * L * (k + K * E) and hidden.shape[-1] == M


def test_what_an_encoder_ends_in_is_what_an_edit_made_of_it():
    """A generation hands it to the decoder again, at every later step."""
    model = both()
    place = Block(path="", role="encoder", layer=0)
    rows = [Row((change("final", place, torch.zeros_like),))] * B
    state, found = run(model, fed("both"), rows=rows)
    assert not state.ends["encoder"].any()
    assert furthest(found, model(*fed("both"))) > 1e-3
    assert furthest(found, model.decoder(ids(), source=state.ends["encoder"])) <= 1e-12
