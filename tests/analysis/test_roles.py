"""Scores of head roles are what their definitions say, in any model, and can be kept."""

import json

import numpy as np
import pytest
import torch

import attnlab as al
from attnlab.analysis import roles
from attnlab.analysis.roles import scan
from attnlab.analysis.roles.drawn import Ids
from attnlab.analysis.roles.plan import ids_of, plan_for
from attnlab.analysis.roles.probe import owners, seen_in
from attnlab.errors import Cancelled, InputError
from attnlab.trace import Token
from tests import families
from tests.families import worded

TEXT_ROLES = {"punctuation", "opening bracket", "subject of verb", "pronoun"}


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


@pytest.mark.parametrize("role", [role.name for role in roles.ROLES if role.causal])
def test_every_role_has_an_example(words, role):
    given = roles.example(words, role)
    assert len(words.run(given, logits=None).tokens) >= 6


def test_an_example_that_cannot_be_given_says_why():
    with pytest.raises(InputError, match=r"no probe of “punctuation”: it has no tokenizer"):
        roles.example(families.lab("gpt2"), "punctuation")


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
