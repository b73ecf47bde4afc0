"""Activation patching: each value as by a run of its own, and what must come out 0 or 1."""

import pandas as pd
import pytest

import attnlab as al
from attnlab.analysis.effects import kl_divergence
from attnlab.analysis.metrics import KL, CosineDistance, LogitDifference, LogProbability, Loss
from attnlab.analysis.pairing import pairs_of
from attnlab.analysis.patching import activation_patching, where_facts_sit
from attnlab.errors import Cancelled, EditRefused, InputError
from attnlab.trace.edits import Patch
from tests.families import lab, text

A, B = text(7, seed=5), text(7, seed=6)
GOALS = (text(4, seed=2), text(4, seed=3))
METRIC = LogitDifference(31, 7)


def number(trace):
    return float(trace.logits_at()[31] - trace.logits_at()[7])


def targets(name):
    return GOALS if lab(name).is_encoder_decoder else (None, None)


def alone(name, text, goal, *edits):
    more = {} if goal is None else {"target": goal}
    return number(lab(name).run(text, edits=edits, capture=(), logits="last", **more))


CASES = [
    ("llama", "z", {}),
    ("llama", "v", {}),
    ("gpt2", "weights", {}),
    ("gpt2", "mlp_out", {}),
    ("gpt_neox", "resid_pre", {}),
    ("gpt2", "z", {"by": "position", "layers": (0, 2)}),
    ("gpt2", "attn_out", {"by": "layer"}),
    ("t5", "z", {"role": "cross", "layers": 1}),
    ("t5", "k", {"role": "cross", "by": "position", "layers": 2}),
]


@pytest.mark.parametrize(("name", "stage", "options"), CASES)
@pytest.mark.parametrize("direction", ["denoising", "noising"])
def test_each_value_is_that_of_a_run_of_its_own(name, stage, options, direction):
    goals = targets(name)
    given = {"metric": METRIC, "direction": direction, "targets": goals, **options}
    found = activation_patching(lab(name), A, B, stage, **given)
    clean, corrupted = (alone(name, *pair) for pair in zip((A, B), goals, strict=True))
    assert (found.clean, found.corrupted) == pytest.approx((clean, corrupted), abs=1e-5)
    runs, goal, other, other_goal = B, goals[1], A, goals[0]
    if direction == "noising":
        runs, goal, other, other_goal = A, goals[0], B, goals[1]
    base = corrupted if direction == "denoising" else clean
    place = {"donor": tuple(other), "donor_target": other_goal and tuple(other_goal)}
    place["role"] = options.get("role")
    some = found.table.iloc[[0, len(found.table) // 2, -1]]
    for row in some.itertuples():
        where = {"positions": (row.position,)} if found.by == "position" else {}
        head = row.head if found.by == "head" else None
        patch = Patch(stage, row.layer, head, **place, **where)
        right = alone(name, runs, goal, patch)
        assert row.value == pytest.approx(right, abs=1e-4)
        assert row.effect == pytest.approx(right - base, abs=1e-4)
        assert row.share == pytest.approx((right - corrupted) / (clean - corrupted), abs=1e-3)


def test_every_head_or_position_of_every_layer_has_a_row():
    heads = activation_patching(lab("llama"), A, B, metric=METRIC)
    assert (heads.stage, heads.by, heads.direction) == ("z", "head", "denoising")
    assert heads.grid().shape == (3, 6) and heads.table.notna().all(axis=None)
    places = activation_patching(lab("llama"), A, B, "mlp_out", metric=METRIC, positions=(2, -1))
    assert places.grid("value").columns.tolist() == [2, 6] and len(places.table) == 6
    assert places.table.token.tolist()[:2] == [places.tokens[2].text, places.tokens[6].text]
    assert places.how == "grown" and places.difference <= 1e-4 and places.unit == "logits"


@pytest.mark.parametrize("direction", ["denoising", "noising"])
def test_the_whole_stream_of_the_other_text_gives_its_number(direction):
    for stage, layer in (("resid_pre", 0), ("resid_post", 2)):
        options = {"by": "layer", "layers": layer, "metric": METRIC, "direction": direction}
        found = activation_patching(lab("gpt2"), A, B, stage, **options)
        share = 1 if direction == "denoising" else 0
        assert found.table.share.item() == pytest.approx(share, abs=1e-4)


def test_what_does_not_differ_and_what_nobody_reads_changes_nothing():
    later = [*A[:5], *B[5:]]
    found = activation_patching(lab("llama"), A, later, "mlp_out", metric=METRIC)
    before = found.table[found.table.position < 5]
    assert before.effect.abs().max() <= 1e-5 and found.table.effect.abs().max() > 1e-3
    last = found.table[(found.table.position < 6) & (found.table.layer == 2)]
    assert last.effect.abs().max() <= 1e-5  # after the last layer each position is by itself


def test_texts_of_two_lengths_are_aligned():
    short, long = [9, 8, 20, 7, 6], [9, 8, 31, 32, 33, 7, 6]
    assert pairs_of(short, long) == ((0, 0), (1, 1), (2, 4), (3, 5), (4, 6))
    assert pairs_of(long, short) == ((0, 0), (1, 1), (4, 2), (5, 3), (6, 4))
    assert pairs_of([1, 2], [2, 1]) == ((0, 0), (1, 1))
    assert pairs_of([1, 2, 3], [7]) == ((2, 0),)
    found = activation_patching(lab("llama"), short, long, "resid_pre", metric=METRIC, layers=1)
    assert found.table[["position", "donor_position"]].to_numpy().tolist() == [
        [j, i] for i, j in pairs_of(short, long)
    ]
    patch = Patch("resid_pre", 1, donor=tuple(short), at=((4, 2),))
    right = alone("llama", long, None, patch)
    row = found.table[found.table.position == 4]
    assert row.value.item() == pytest.approx(right, abs=1e-4)
    rows = activation_patching(lab("llama"), short, long, "weights", metric=METRIC, layers=2)
    patch = Patch("weights", 2, 4, donor=tuple(short), at=pairs_of(long, short))
    right = alone("llama", long, None, patch)
    assert rows.grid("value").loc[2, 4] == pytest.approx(right, abs=1e-4)
    own = activation_patching(
        lab("llama"), short, long, "z", metric=METRIC, layers=1, at=((6, 4), (3, 2))
    )
    patch = Patch("z", 1, 5, donor=tuple(short), at=((6, 4), (3, 2)))
    assert own.grid("value").loc[1, 5] == pytest.approx(alone("llama", long, None, patch), abs=1e-4)
    with pytest.raises(InputError, match="have 5 and 7 tokens"):
        activation_patching(lab("llama"), short, long, metric=LogProbability(31, 3))


def test_several_layers_are_patched_together():
    found = activation_patching(lab("gpt2"), A, B, "mlp_out", metric=METRIC, window=3, positions=4)
    both = [Patch("mlp_out", layer, donor=tuple(A), positions=(4,)) for layer in range(3)]
    middle, first = alone("gpt2", B, None, *both), alone("gpt2", B, None, *both[:2])
    assert found.grid("value")[4].tolist()[:2] == pytest.approx([first, middle], abs=1e-4)


def test_without_a_metric_the_two_answers_or_the_distance_from_the_clean_run():
    found = activation_patching(lab("llama"), A, B, layers=1)
    tops = [int(lab("llama").run(ids).logits_at().argmax()) for ids in (A, B)]
    assert found.metric == LogitDifference(*tops)
    same = activation_patching(lab("llama"), A, [B[0], *A[1:]], layers=1, metric=KL())
    assert same.clean == 0 and same.corrupted > 0
    row = same.table.iloc[2]
    patch = Patch("z", 1, 2, donor=tuple(A))
    clean, edited = (
        lab("llama").run(ids, edits=edits).logits_at()
        for ids, edits in ((A, ()), ([B[0], *A[1:]], patch))
    )
    assert row.value == pytest.approx(float(kl_divergence(clean, edited)), rel=1e-3, abs=1e-7)
    encoder = activation_patching(lab("bert"), A, B, layers=1)
    assert encoder.metric.kind == "cosine_distance" and encoder.clean == pytest.approx(0, abs=1e-6)
    whole = activation_patching(lab("bert"), A, B, "resid_post", by="layer", layers=2)
    assert whole.table.share.item() == pytest.approx(1, abs=1e-5)


def test_texts_that_cannot_be_told_apart_have_no_share():
    found = activation_patching(lab("gpt2"), A, A, layers=1, metric=METRIC)
    assert found.table.share.isna().all() and found.table.effect.abs().max() <= 1e-5


def test_our_transformer_gives_the_same():
    ours = al.rebuild(lab("llama"))
    a, b = (activation_patching(one, A, B, metric=METRIC, layers=1) for one in (ours, lab("llama")))
    assert a.table.value.tolist() == pytest.approx(b.table.value.tolist(), abs=1e-4)


def test_results_stream_and_can_be_cancelled():
    tables, shares = [], []

    def seen(table, done):
        tables.append(table)
        shares.append(done)

    found = activation_patching(lab("llama"), A, B, metric=METRIC, groups=3, seen=seen)
    assert shares == sorted(shares) and shares[-1] == 1 and len(tables) == 3
    filled = [int(table.value.notna().sum()) for table in tables]
    assert filled == sorted(filled) and filled[0] < 18 == filled[-1]
    pd.testing.assert_frame_equal(tables[-1], found.table)
    stop = al.Cancel()
    stop.set()
    with pytest.raises(Cancelled):
        activation_patching(lab("llama"), A, B, metric=METRIC, cancel=stop)


def test_what_cannot_be_patched_is_refused():
    for options, match in (
        ({"stage": "scores"}, "stage is one of z, weights"),
        ({"stage": "mlp_out", "by": "head"}, "has no heads; patch it by position"),
        ({"by": "neuron"}, "by is one of head, position, layer"),
        ({"direction": "both"}, "direction is one of denoising, noising"),
        ({"window": 0}, "at least 1, not 0"),
        ({"positions": 7}, "no position 7; this text has 7 tokens"),
    ):
        with pytest.raises(InputError, match=match):
            activation_patching(lab("llama"), A, B, **{"metric": METRIC, **options})
    for several in (KL(None), Loss(each=True), CosineDistance("each")):
        with pytest.raises(InputError, match="has one for each position; name one"):
            activation_patching(lab("llama"), A, B, metric=several)
    for place in (KL(3), CosineDistance(3)):
        with pytest.raises(InputError, match="not the same place in both; count it from the end"):
            activation_patching(lab("llama"), A, B[:5], metric=place)
    for options in ({"by": "position"}, {"positions": 3}):
        with pytest.raises(InputError, match="here 7 and 5: patch whole heads"):
            activation_patching(lab("llama"), A[:5], B, "weights", metric=METRIC, **options)
    with pytest.raises(EditRefused, match="shows no z of the role 'decoder' in layer 9"):
        activation_patching(lab("llama"), A, B, metric=METRIC, layers=9)
    with pytest.raises(EditRefused, match="cannot be changed"):
        activation_patching(lab("bloom"), A, B, "v", metric=METRIC)


CAPITALS = ("The capital of France is", "The capital of Germany is")


def test_where_the_fact_sits_in_the_packaged_decoder(smollm2):
    """It stays with the country up to layer 22; one head of layer 23 moves it to the last word."""
    stream = activation_patching(smollm2, *CAPITALS, "resid_post", layers=(22, 23))
    tokens = [token.text for token in stream.tokens]
    assert tokens == ["The", " capital", " of", " Germany", " is"]
    assert (stream.clean, stream.corrupted) == pytest.approx((6.66, -4.78), abs=0.01)
    shares = stream.grid().round(2)
    assert shares.loc[22, 3] > 0.95 and abs(shares.loc[22, 4]) < 0.1
    assert abs(shares.loc[23, 3]) < 0.1 and shares.loc[23, 4] > 0.95
    for direction, share in (("denoising", 0.89), ("noising", 0.08)):
        heads = activation_patching(smollm2, *CAPITALS, layers=23, direction=direction)
        assert heads.grid().loc[23, 4] == pytest.approx(share, abs=0.02)
    fed = where_facts_sit(smollm2, layers=(0, 13), positions=(3, 4)).grid()
    assert fed.loc[0, 3] == pytest.approx(1, abs=0.02) and fed.loc[13, 3] > 0.15
    assert fed[4].abs().max() < 0.05


def test_a_metric_that_compares_two_runs_is_checked_against_single_ones_too():
    found = activation_patching(lab("llama"), A, [B[0], *A[1:]], metric=KL())
    assert found.difference is not None and found.table.value.notna().all()
