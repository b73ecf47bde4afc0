"""The experiments of the page Head roles: every claim recomputed; what ends them; what is said."""

import dataclasses

import pytest

from attnlab.analysis import roles
from attnlab.analysis.silenced import silenced
from attnlab.ui import own_link, roles_look
from attnlab.ui.roles_lessons import LESSONS, active, named
from attnlab.ui.roles_selection import HEAD_ROLES, NAMES
from attnlab.ui.selection import Selection
from attnlab.viz.diagram import KINDS


@pytest.fixture(scope="module")
def decoder(smollm2):
    """The roles of SmolLM2, over fewer texts than the page takes."""
    return roles.measure(smollm2, probes=4)


def score(found, head, role):
    return next(row.score for row in found.of(*head) if row.role == role)


def test_without_induction_heads_a_repeated_text_costs_more_than_twice_as_much(smollm2, decoder):
    head = (18, 6)
    assert decoder.strongest("induction", 1)[0].score == score(decoder, head, "induction") > 0.85
    text = list(roles.example(smollm2, "induction"))
    team = [one for one, names in decoder.names().items() if "induction" in names]
    found = silenced(smollm2, text, [team], half=True)
    assert found.without[0] > 2 * found.plain
    assert found.random[0] < found.plain + 1.5


def test_one_head_finds_subjects_and_scores_highest_for_pronouns(decoder):
    for role in ("subject of verb", "pronoun"):
        first = decoder.strongest(role, 1)[0]
        assert (first.layer, first.head) == (13, 8) and first.named


def test_more_heads_rest_than_do_anything_else(smollm2, decoder):
    counts = dict.fromkeys(NAMES, 0)
    for names in decoder.names().values():
        for name in names:
            counts[name] += 1
    assert max(counts, key=counts.get) == "first token"
    assert score(decoder, (18, 8), "first token") > 0.9
    team = [one for one, names in decoder.names().items() if "first token" in names]
    found = silenced(smollm2, list(roles.example(smollm2, "first token")), [team])
    assert found.without[0] < found.random[0]


def test_an_encoder_looks_one_back_and_one_ahead_and_does_no_induction(minilm):
    found = roles.measure(minilm, probes=4)
    assert score(found, (0, 2), "previous token") > 0.9
    assert score(found, (1, 8), "next token") > 0.5
    assert {"previous token"} <= set(found.names()[0, 2])
    assert {"next token"} <= set(found.names()[1, 8])
    assert not any("induction" in names for names in found.names().values())


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: one.name)
def test_a_link_opens_it_and_a_change_ends_it(lesson):
    url = own_link.format_own(HEAD_ROLES, lesson.value)
    assert own_link.parse(HEAD_ROLES, url) == (lesson.value, ())
    there = dataclasses.replace(Selection(), **lesson.shared)
    assert active(lesson.value, there) is lesson
    assert active(lesson.value, dataclasses.replace(there, model="other")) is None
    other = "itself" if lesson.value.only != "itself" else "pronoun"
    assert active(dataclasses.replace(lesson.value, only=other), there) is None
    assert named(lesson.name) is lesson and len(lesson.look_for) < 240


def test_every_role_has_a_sign_of_its_own_and_a_colour_and_a_text():
    assert tuple(roles_look.SIGNS) and set(roles_look.SIGNS) == set(NAMES)
    letters = [sign.letter for sign in roles_look.SIGNS.values()]
    assert len(set(letters)) == len(letters)
    assert {sign.kind for sign in roles_look.SIGNS.values()} <= set(KINDS) - {"a", "b", "edit"}
    assert {role.family for role in roles.ROLES} == set(roles_look.PROBED)
    for family in ("pronoun", "subject_verb"):
        assert f"{len(roles.pairs(family))} pairs" in roles_look.PROBED[family]
