"""The made texts on which head roles are scored."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.analysis.roles import drawn, written
from attnlab.analysis.roles.drawn import Ids
from attnlab.analysis.roles.probe import owners
from attnlab.errors import InputError
from attnlab.trace import Token


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
