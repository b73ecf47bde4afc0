"""Scores of head roles are what their definitions say, and chance is what it is said to be."""

import itertools
import json

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import attnlab as al
from attnlab.analysis import roles
from attnlab.analysis.roles import drawn, scan, written
from attnlab.analysis.roles.common import Common
from attnlab.analysis.roles.drawn import Ids
from attnlab.analysis.roles.plan import ids_of, plan_for
from attnlab.analysis.roles.probe import Looks, looks_at, owners, seen_in
from attnlab.analysis.roles.score import SHUFFLES, Tally, scored
from attnlab.errors import Cancelled, InputError
from attnlab.trace import Token
from tests import families
from tests.families import worded

TEXT_ROLES = {"punctuation", "opening bracket", "subject of verb", "pronoun"}


def random_weights(*shape, seed=0):
    scores = torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) * 2
    return scores.masked_fill(torch.ones(shape[-2:]).triu(1).bool(), -torch.inf).softmax(-1)


def row(found, role, layer=1, head=2):
    return next(r for r in found.of(layer, head) if r.role == role)


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    """A random decoder that reads words."""
    return worded.lab_of(worded.random(3), tmp_path_factory.mktemp("words"), "words")


# --- by the definitions --------------------------------------------------------------------------


def test_scores_on_random_tokens_are_means_of_weights():
    lab = families.lab("llama")
    found = roles.measure(lab, probes=3)
    assert set(dict(found.left_out)) == TEXT_ROLES
    sums = {"previous token": [], "first token": [], "itself": []}
    sums |= {"duplicate token": [], "induction": [], "pattern successor": []}
    for probe, _ in plan_for(lab, "decoder", 3, 0, None).sized:
        ids, w = probe.given, lab.run(probe.given).weights[1, 2].double().numpy()
        n = len(ids)
        if probe.family == "plain":
            sums["previous token"].append(np.mean([w[q, q - 1] for q in range(2, n)]))
            sums["first token"].append(np.mean([w[q, 0] for q in range(2, n)]))
            sums["itself"].append(np.mean([w[q, q] for q in range(2, n)]))
        elif probe.family == "repeated":
            p = n // 2
            assert len(set(ids)) == p and ids[:p] == ids[p:]
            sums["duplicate token"].append(np.mean([w[q, q - p] for q in range(p, n)]))
            sums["induction"].append(np.mean([w[q, q - p + 1] for q in range(p, n)]))
        else:
            differences = []
            for q in range(n // 2 + 1, n, 3):
                same = [k for k in range(1, n // 2) if ids[k] == ids[q]]
                (right,) = [k + 1 for k in same if ids[k - 1] == ids[q - 1]]
                (wrong,) = [k + 1 for k in same if ids[k - 1] != ids[q - 1]]
                differences.append(w[q, right] - w[q, wrong])
            sums["pattern successor"].append(np.mean(differences))
    for role, each in sums.items():
        assert row(found, role).score == pytest.approx(np.mean(each), abs=1e-6), role
        assert row(found, role).spread == pytest.approx(np.std(each, ddof=1), abs=1e-6), role


def test_scores_on_texts_are_means_of_weights(words):
    found = roles.measure(words, probes=2)
    assert found.left_out == ()
    pairs = {name: [] for name in ("subject_verb", "pronoun")}
    marks, openings = [], []
    probes = [probe for probe, _ in plan_for(words, "decoder", 2, 0, None).sized]
    probes = [probe for probe in probes if isinstance(probe.given, str)]
    traces = words.run_many([probe.given for probe in probes])
    for probe, trace in zip(probes, traces, strict=True):
        w = trace.weights[1, 2].double().numpy()
        texts = [token.text.strip() for token in trace.tokens]
        owner = owners(probe.given, trace.tokens)
        if probe.family == "sentences":
            at = [k for k, text in enumerate(texts) if text in ".,;:"]
            rows = [q for q in range(at[0] + 1, len(texts)) if q not in at]
            marks.append(np.mean([sum(w[q, k] for k in at if k < q) for q in rows]))
        elif probe.family == "brackets":
            each = [w[owner[m.query], owner[m.target[0]]] for m in probe.marks]
            openings.append(np.mean(each))
        else:
            (m,) = probe.marks
            target, other = owner[m.target[0]], owner[m.others[0]]
            pairs[probe.family].append(w[owner[m.query], target] - w[owner[m.query], other])
    for role, each in (("punctuation", marks), ("opening bracket", openings)):
        assert row(found, role).score == pytest.approx(np.mean(each), abs=1e-6)
    for role, family in (("subject of verb", "subject_verb"), ("pronoun", "pronoun")):
        assert len(pairs[family]) == dict(found.probes)[role] == 88
        assert row(found, role).score == pytest.approx(np.mean(pairs[family]), abs=1e-6)


def test_batches_change_nothing(monkeypatch):
    lab = families.lab("gpt2")
    whole, shares = roles.measure(lab, probes=3), []
    monkeypatch.setattr(scan, "BATCH_TOKENS", 70)
    parts = roles.measure(lab, probes=3, progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1 and len(shares) > 5
    for a, b in zip(whole.rows, parts.rows, strict=True):
        assert (a.layer, a.head, a.role) == (b.layer, b.head, b.role)
        assert a.score == pytest.approx(b.score, abs=1e-6)
        assert a.threshold == pytest.approx(b.threshold, abs=1e-6)


def test_the_same_seed_gives_the_same_and_another_seed_another():
    lab = families.lab("gpt2")
    first = roles.measure(lab, probes=2)
    assert roles.measure(lab, probes=2) == first
    assert roles.measure(lab, probes=2, seed=1).rows != first.rows


# --- chance --------------------------------------------------------------------------------------


def test_chance_is_other_keys_as_many_of_them():
    weights = random_weights(5, 9, 9)
    seen = torch.ones(9, 9, dtype=torch.bool).tril()
    on = looks_at(9, [(4, [1, 2]), (8, [3])], [(), ()]).on
    among = seen & on.any(-1, keepdim=True) & ~on
    score, chance = scored(weights, Looks(on, among), False, torch.Generator().manual_seed(0))
    w = weights.double()
    right = (w[:, 4, 1] + w[:, 4, 2] + w[:, 8, 3]) / 2
    torch.testing.assert_close(score, right, rtol=0, atol=1e-6)
    assert chance.shape == (SHUFFLES, 5)
    # Of 3 other keys two are drawn, of 8 others one; the mean is that of their weights.
    expected = ((1 - w[:, 4, 1] - w[:, 4, 2]) * 2 / 3 + (1 - w[:, 8, 3]) / 8) / 2
    assert (chance.mean(0) - expected).abs().max() < 0.06
    assert (chance.max(0).values > chance.min(0).values).all()


def test_chance_of_a_difference_swaps_the_two_sides():
    weights = random_weights(5, 9, 9)
    looks = looks_at(9, [(7, [1])], [[5]])
    score, chance = scored(weights, looks, True, torch.Generator().manual_seed(0))
    right = (weights[:, 7, 1] - weights[:, 7, 5]).double()
    torch.testing.assert_close(score, right)
    torch.testing.assert_close(chance.abs(), right.abs().expand(SHUFFLES, -1))
    assert 0 < (chance[:, 0] * right[0] > 0).sum() < SHUFFLES


def test_the_threshold_is_the_floor_or_four_deviations_above_chance():
    tally = Tally(roles.role_named("induction"))
    chance = torch.zeros(SHUFFLES, 2, dtype=torch.double)
    chance[::2, 1] = 0.4
    for group, score in enumerate((0.2, 0.6)):
        tally.add(torch.full((2,), score, dtype=torch.double), chance, group)
    found = tally.result()
    assert found.threshold.tolist() == pytest.approx(
        [roles.role_named("induction").floor, 0.2 + 4 * float(chance[:, 1].std())]
    )
    assert found.score.tolist() == pytest.approx([0.4, 0.4])
    assert found.spread.tolist() == pytest.approx([0.2 * 2**0.5] * 2)


def test_looking_where_no_query_looks_is_an_error():
    empty = torch.zeros(3, 3, dtype=torch.bool)
    with pytest.raises(ValueError, match="no query"):
        scored(random_weights(1, 3, 3), Looks(empty, empty), False, torch.Generator())


# --- the pattern that is common to texts ---------------------------------------------------------


def test_a_common_pattern_counts_and_one_that_the_text_moves_is_taken_off():
    n, seen = 7, torch.ones(7, 7, dtype=torch.bool).tril()
    maps = [random_weights(2, n, n, seed=i) for i in range(3)]
    for one in maps:
        one[0] = maps[0][0]  # head 0 looks the same on every text
    common = Common(seen, torch.Generator().manual_seed(0))
    for one in maps:
        common.add(one)
    found = common.result(0.3)

    def weight(difference):
        return np.mean([np.abs(difference[q, 1:]).sum() / 2 for q in range(2, n)])

    for head in range(2):
        each = [one[head].double().numpy() for one in maps]
        mean = sum(each) / 3
        even = (
            np.array([[mean[q, 1 : q + 1].sum() / max(q, 1)] * n for q in range(n)]) * seen.numpy()
        )
        moved = [weight(b - a) for a, b in itertools.pairwise(each)]
        right = weight(mean - even) - np.mean(moved)
        assert float(found.score[head]) == pytest.approx(right, abs=1e-6)
    assert found.score[0] > 0 > found.score[1]
    assert found.chance[0] < found.score[0]


def test_what_is_common_takes_two_texts():
    common = Common(torch.ones(3, 3, dtype=torch.bool).tril(), torch.Generator())
    common.add(random_weights(1, 3, 3))
    with pytest.raises(ValueError, match="two"):
        common.result(0.3)


# --- probes --------------------------------------------------------------------------------------


def test_the_first_repeated_probe_is_40_random_ids_twice():
    ids = torch.randint(1000, 40000, (40,), generator=torch.Generator().manual_seed(0)).tolist()
    first, *others = drawn.repeated(Ids(1000, 40_000), 8, 0)
    assert first.given == tuple(ids * 2)
    periods = [len(one.given) // 2 for one in others]
    assert 40 not in periods and len(set(periods)) >= 6


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 999), st.integers(30, 99), st.integers(10, 70))
def test_ids_are_drawn_without_repeats_while_there_are_enough(seed, high, count):
    ids = Ids(5, high, frozenset({7, 8}), before=(1,), after=(2,))
    found = ids.draw(count, seed)
    assert len(found) == count
    assert len(set(found)) == min(count, high - 7)
    assert min(found) >= 5 and max(found) < high and not {7, 8} & set(found)
    probe = ids.probe("plain", found, 0)
    assert probe.given == (1, *found, 2)
    assert [probe.given[i] for i in probe.words(count + 2)] == found
    assert [(0, *probe.given)[i] for i in probe.words(count + 3)] == found  # after a start token


def test_probes_fit_a_short_model_or_are_refused():
    short = Ids(5, 90, longest=31)
    for make in (drawn.repeated, drawn.plain, drawn.twofold):
        assert all(len(probe.given) <= 31 for probe in make(short, 5, 0))
    with pytest.raises(InputError, match="this model takes 12"):
        drawn.plain(Ids(5, 90, longest=12), 1, 0)


def test_brackets_match_and_each_has_others_before_it():
    for probe in written.brackets(20, 4):
        text = probe.given
        assert len(probe.marks) in (3, 4)  # all but one that comes before any other
        for mark in probe.marks:
            (start,) = mark.target
            assert text[start] + text[mark.query] in ("()", "[]", "{}", '""')
            inside = text[start + 1 : mark.query]
            assert all(inside.count(a) == inside.count(b) for a, b in ("()", "[]", "{}"))
            assert mark.others and start not in mark.others
            assert all(text[other] in '([{"' and other < mark.query for other in mark.others)
    (mark,) = written.marks_in('a (b) "c" d')
    assert (mark.query, mark.target, mark.others) == (8, (6,), (2,))


def test_generated_texts_are_as_many_as_asked_and_all_different():
    for texts in (written.sentences(9, 0), written.brackets(9, 0), written.sentences(9, 1)):
        assert len({probe.given for probe in texts}) == 9
    assert written.sentences(3, 0) == written.sentences(3, 0)
    assert "\n" in written.sentences(2, 0)[1].given


def test_characters_find_their_tokens_or_nothing_is_said():
    tokens = [Token(0, "[CLS]", "[CLS]", special=True)]
    tokens += [
        Token(i, text, text) for i, text in enumerate(("un", "kind", " (", "a", ")", "↵"), 1)
    ]
    found = owners("Unkind (a)\n", tokens)
    assert found == [1, 1, 2, 2, 2, 2, None, 3, 4, 5, None]
    assert owners("Unkind (b)", tokens) is None


@pytest.mark.parametrize("role", [role.name for role in roles.ROLES if role.causal])
def test_every_role_has_an_example(words, role):
    given = roles.example(words, role)
    assert len(words.run(given, logits=None).tokens) >= 6


def test_an_example_that_cannot_be_given_says_why():
    with pytest.raises(InputError, match=r"no probe of “punctuation”: it has no tokenizer"):
        roles.example(families.lab("gpt2"), "punctuation")


# --- any model -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "family, stack", [("bert", None), ("bloom", None), ("gemma2", None), ("t5", "encoder")]
)
def test_any_family_is_scored(family, stack):
    found = roles.measure(families.lab(family), probes=3, stack=stack)
    table = found.frame()
    sites = [s for s in families.lab(family).sites if s.role == found.stack]
    known = {role.name for role in roles.ROLES} - TEXT_ROLES
    if found.stack == "decoder":
        known -= {"next token"}
    assert set(table.role) == known
    assert len(table) == sum(site.heads for site in sites) * len(known)
    assert table[["score", "chance", "threshold", "spread"]].notna().all().all()
    assert table.score.between(-1, 1).all()


@pytest.mark.parametrize("family", ["t5", "longt5"])  # the second hides how its encoder attends
def test_a_decoder_beside_an_encoder_is_read_after_its_start_token(family):
    lab = families.lab(family)
    found = roles.measure(lab, probes=2)
    assert found.stack == "decoder"
    each = []
    for probe, _ in plan_for(lab, "decoder", 2, 0, None).sized:
        if probe.family == "repeated":
            trace = lab.run(probe.given, target=probe.given)
            w, p = trace.weights[1, 2].double().numpy(), len(probe.given) // 2
            assert len(w) == 2 * p + 1
            each.append(np.mean([w[q, q - p + 1] for q in range(p + 1, 2 * p + 1)]))
    assert row(found, "induction").score == pytest.approx(np.mean(each), abs=1e-6)


def test_a_tokenizer_that_cannot_spell_the_probes_leaves_their_roles_out():
    lab = al.load(families.build("gpt2"), tokenizer=families.tokenizer())
    found = roles.measure(lab, probes=2)
    # Every word is <unk>, which is special here.
    assert set(dict(found.left_out)) == TEXT_ROLES
    assert "does not spell" in dict(found.left_out)["pronoun"]


def test_what_cannot_be_scored_is_said():
    with pytest.raises(InputError, match=r"no attention of the stack 'cross'.*decoder, encoder"):
        roles.measure(families.lab("t5"), stack="cross")
    with pytest.raises(InputError, match="'encoder'"):
        roles.measure(families.lab("gpt2"), stack="encoder")
    with pytest.raises(InputError, match="24 different ids"):
        roles.measure(families.lab("gpt2"), ids=(5, 9))
    body = al.load(families.lab("gpt2").model.transformer)
    with pytest.raises(InputError, match="say ids="):
        roles.measure(body, probes=2)
    assert roles.measure(body, probes=2, ids=(5, 97)).rows
    with pytest.raises(InputError, match="at least 1"):
        roles.measure(families.lab("gpt2"), probes=1)


def test_it_can_be_cancelled_and_the_model_is_as_before():
    lab, cancel = families.lab("gpt2"), al.Cancel()
    before = lab.run(families.text()).logits
    with pytest.raises(Cancelled):
        roles.measure(lab, probes=2, progress=lambda share: cancel.set(), cancel=cancel)
    assert torch.equal(lab.run(families.text()).logits, before)


# --- what comes back -----------------------------------------------------------------------------


def test_the_value_can_be_kept_sent_and_read_again():
    found = roles.measure(families.lab("gpt2"), probes=2)
    assert roles.HeadRoles.from_json(found.to_json()) == found
    assert hash(found) == hash(roles.HeadRoles.from_json(found.to_json()))
    for text in ("", "{}", "[]", '{"kind": "head_roles"}', json.dumps({"kind": "other"})):
        with pytest.raises(InputError, match="no head roles"):
            roles.HeadRoles.from_json(text)


def test_the_table_says_everything():
    table = al.head_roles(families.lab("gpt2"), probes=2)
    columns = ["layer", "head", "role", "score", "chance", "threshold", "spread", "named"]
    assert list(table.columns) == columns
    assert table.attrs["model"] == families.lab("gpt2").name
    assert set(table.attrs["left_out"]) == TEXT_ROLES
    assert (table.named == (table.score >= table.threshold)).all()


def test_names_put_the_clearest_first_and_the_general_last():
    def one(role, score, head=0):
        return roles.HeadRole(0, head, role, score, 0.0, 0.4, None)

    rows = (
        one("first token", 0.9),
        one("position only", 0.8),
        one("itself", 0.5),
        one("previous token", 0.6),
        one("induction", 0.39),
        one("induction", 0.3, head=1),
    )
    found = roles.HeadRoles("m", "decoder", 0, rows, ())
    assert found.names() == {(0, 0): ("previous token", "itself", "position only", "first token")}
    assert [r.score for r in found.strongest("induction", 1)] == [0.39]
    assert found.of(0, 1) == rows[-1:] and found.of(7, 7) == ()


def test_the_keys_that_a_query_sees():
    tokens = [Token(i, "a", "a") for i in range(3)]
    assert seen_in(tokens, True).tolist() == torch.ones(3, 3).tril().bool().tolist()
    assert seen_in(tokens, False).all()
    assert ids_of(families.lab("gpt2"), "decoder", None) == Ids(9, 97, longest=64)
