"""Positions changed in our transformer equal one that was built with the other scheme."""

from types import SimpleNamespace

import pytest
import torch

import attnlab as al
from attnlab.attention import Cache
from attnlab.attention.masks import Bidirectional
from attnlab.attention.positions import (
    Alibi,
    Learned,
    NoPositions,
    NtkAware,
    PositionInterpolation,
    RelativeBuckets,
    Rope,
    Sinusoidal,
    Yarn,
)
from attnlab.pretrained.order.ours import found_in
from attnlab.trace import Capture, Row, Run
from attnlab.trace.edits import Fed
from attnlab.trace.layer import layers_of
from tests.transformer import SCHEMES, B, L, N, decoder, encoder, furthest, ids

P = al.Positions
SWAPS = {
    "none of RoPE": (Rope(), P("none"), NoPositions()),
    "none of a table": (Learned(64), P("none"), NoPositions()),
    "none of sinusoids": (Sinusoidal(), P("none"), NoPositions()),
    "none of ALiBi": (Alibi(), P("none"), NoPositions()),
    "none of buckets": (RelativeBuckets(8, 11), P("none"), NoPositions()),
    "another base": (Rope(), P("base", base=77.0), Rope(base=77.0)),
    "another base, stretched": (
        Rope(scaling=Yarn(4, 8)),
        P("base", base=77.0),
        Rope(base=77.0, scaling=Yarn(4, 8)),
    ),
    "interpolated": (
        Rope(scaling=Yarn(4, 8)),
        P("interpolated", factor=3),
        Rope(scaling=PositionInterpolation(3)),
    ),
    "NTK": (Rope(fraction=3 / 7), P("ntk", factor=3), Rope(fraction=3 / 7, scaling=NtkAware(3))),
    "YaRN": (Rope(), P("yarn", factor=4, original=8), Rope(scaling=Yarn(4, 8))),
    "YaRN, neighbours": (
        Rope(interleaved=True),
        P("yarn", factor=4),  # its training length as the configuration says it
        Rope(interleaved=True, scaling=Yarn(4, 6)),
    ),
    "ALiBi": (NoPositions(), P("alibi"), Alibi()),
    "sinusoids for a table": (Learned(64, offset=2), P("sinusoidal"), Sinusoidal()),
}


def runner(model):
    sites = tuple(site for layer in layers_of(model) for site in layer.sites)
    config = SimpleNamespace(original_max_position_embeddings=6)
    return SimpleNamespace(
        name="ours",
        sites=sites,
        main_role=sites[-1].role,
        positions=found_in(model, config).roles,
    )


def fed(model, length=N):
    return Fed(dict.fromkeys(("encoder", "decoder"), (length, length)))


def run(model, tokens, *rows, **options):
    """Hidden states; the edits of every row of the batch."""
    told = runner(model), None, fed(model)
    bound = [tuple(edit.bind_to(*told) for edit in edits) for edits in rows]
    state = Run([Row(edits) for edits in bound])
    with state.entered():
        state.begin_forward()
        hidden = model(tokens, **options)
    state.end_forward(N)
    state.finish()
    return hidden


def pair(own, other, make=decoder, **more):
    """Two models that differ in their scheme alone, weights shared where both have them."""
    width = {"width": 24} if Sinusoidal() in (own, other) else {}
    one, two = (make(positions=scheme, **width, **more) for scheme in (own, other))
    weights = {k: v for k, v in one.state_dict().items() if "positions" not in k}
    two.load_state_dict(weights, strict=False)
    return one, two


@pytest.mark.parametrize("make", [decoder, encoder])
@pytest.mark.parametrize("name", SWAPS)
def test_a_swapped_scheme_equals_a_model_built_with_it(name, make):
    own, edit, other = SWAPS[name]
    one, two = pair(own, other, make)
    changed = run(one, ids(), [edit], [edit])
    assert furthest(changed, two(ids())) <= 1e-12
    assert furthest(changed, one(ids())) > 1e-4
    assert torch.equal(run(one, ids(), [], []), one(ids()))


@pytest.mark.parametrize("name", [name for name in SCHEMES if name != "none"])
def test_positions_moved_equal_positions_that_are_given(name):
    """Where positions can be given. A bias counts tokens, so there the ids move instead."""
    model = decoder(positions=SCHEMES[name], width=24, mask=Bidirectional())
    order = torch.arange(N).flip(0)
    changed = run(model, ids(), [P("reversed")], [P("reversed")])
    turned = model(ids()[:, order])[:, order]  # nobody sees where a token stands, but by positions
    assert furthest(changed, turned) <= 1e-12
    shifted = run(model, ids(), [P("shifted", offset=5)], [P("shifted", offset=5)])
    given = model(ids(), positions=torch.arange(5, N + 5)[None])
    assert furthest(shifted, given) <= 1e-12
    relative = "rope" in name or name in ("ALiBi", "relative")
    assert (furthest(shifted, model(ids())) <= 1e-9) == relative


@pytest.mark.parametrize("name", SCHEMES)
def test_without_positions_and_mask_the_outputs_permute_and_nothing_else(name):
    model = decoder(positions=SCHEMES[name], width=24, mask=Bidirectional())
    edits = [P("none")] if name != "none" else []
    order = torch.randperm(N, generator=torch.Generator().manual_seed(5))
    out, permuted = (run(model, t, edits, edits) for t in (ids(), ids()[:, order]))
    assert furthest(out[:, order], permuted) <= 1e-10
    causal = decoder(positions=SCHEMES[name], width=24)
    out, permuted = (run(causal, t, edits, edits) for t in (ids(), ids()[:, order]))
    assert furthest(out[:, order], permuted) > 1e-2  # the mask alone tells order


def test_each_row_of_a_batch_has_its_own():
    model = decoder(positions=Rope())
    rows = [[P("none")], [P("base", base=50), P("shuffled", seed=2)]]
    together = run(model, ids(), *rows)
    for index, edits in enumerate(rows):
        alone = run(model, ids()[index : index + 1], edits)
        assert furthest(together[index], alone[0]) <= 1e-12


def test_layers_and_heads_narrow_it():
    model = decoder(positions=Rope())
    everywhere = run(model, ids(), *[[P("none")]] * B)
    each = [P("none", layers=layer) for layer in range(L)]
    assert furthest(run(model, ids(), each, each), everywhere) <= 1e-12
    assert furthest(run(model, ids(), each[:1], each[:1]), everywhere) > 1e-4
    heads = [P("alibi", heads=head) for head in range(6)]
    whole = run(model, ids(), *[[P("alibi")]] * B)
    assert furthest(run(model, ids(), heads, heads), whole) <= 1e-12
    assert furthest(run(model, ids(), heads[:1], heads[:1]), whole) > 1e-4


def test_in_tiles_what_an_edit_hands_back_is_overwritten_unless_somebody_keeps_it():
    one, two = pair(NoPositions(), Alibi())
    long = ids(length=300)
    edits = (P("alibi"), al.Temperature(1.5, layers=1, heads=(0, 3)))
    bound = tuple(e.bind_to(runner(one), None, fed(one, 300)) for e in edits)
    states = {
        "alone": Run([Row(bound)] * B),
        "kept": Run([Row(bound)] * B, (Capture("masked"),)),
        "with gradients": Run([Row(bound)] * B, grad=True),
        "first row only": Run([Row(bound), Row(bound[1:])]),
    }
    hidden = {}
    for name, state in states.items():
        with state.entered():
            state.begin_forward()
            hidden[name] = one(long).detach()
        state.finish()
    for name in ("kept", "with gradients"):
        assert furthest(hidden[name], hidden["alone"]) <= 1e-12
    assert furthest(hidden["first row only"][0], hidden["alone"][0]) <= 1e-12
    kept = states["kept"].store.whole(("masked", "decoder", 0))
    assert kept.shape == (B, 6, 300, 300)
    assert bool((kept[:, :, 0, 1:] == -torch.inf).all())
    assert furthest(run(one, long, [P("alibi")], [P("alibi")]), two(long)) <= 1e-12


@pytest.mark.parametrize("scheme", ["rope", "learned, offset", "ALiBi", "relative", "sinusoidal"])
@pytest.mark.parametrize("edit", [P("none"), P("shifted", offset=3), P("shuffled"), P("reversed")])
def test_a_cache_changes_nothing(edit, scheme):
    """The text has 9 tokens; the rest is fed one by one, as in a generation."""
    model, length = decoder(positions=SCHEMES[scheme], width=24), 9
    bound = edit.bind_to(runner(model), None, Fed({"decoder": (length, length)}, more=N - length))
    whole, cached = Run([Row((bound,))] * B), Run([Row((bound,))] * B)
    with whole.entered():
        whole.begin_forward()
        right = model(ids())
    cache, parts = Cache(), []
    for part in ids().split([length] + [1] * (N - length), 1):
        with cached.entered():
            cached.begin_forward()
            parts.append(model(part, cache=cache))
        cached.end_forward(part.shape[1])
    assert furthest(torch.cat(parts, 1), right) <= 1e-12
