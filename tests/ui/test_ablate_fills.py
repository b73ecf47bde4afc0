"""What heads are set to: every choice has its words; what is pasted is a pattern or a sentence."""

import pytest

from attnlab.errors import InputError
from attnlab.ui import ablate_fills as fills
from attnlab.ui.ablate_selection import FILLS
from attnlab.ui.engine.ask import corpus


def test_every_choice_has_its_words():
    for words in (fills.TITLES, fills.DONE, fills.PLACES):
        assert tuple(words) == FILLS
    assert fills.changed(((0, 0),), "zero") == "without the head"
    assert fills.changed(((0, 0), (1, 1)), "mean") == "with their mean"
    assert fills.changed(((0, 0), (1, 1)), "resample") == "with the 2 heads as in B"
    assert fills.changed(((0, 0), (1, 1)), "pattern") == (
        "with the 2 heads looking as in your pattern"
    )
    assert fills.changed((), "zero", 1) == "without the feed-forward"
    assert fills.changed((), "mean", 2) == "with their mean"
    assert fills.changed((), "resample", 2) == "with the 2 feed-forwards as in B"
    assert fills.changed(((0, 0),), "zero", 2) == "without the 3 parts"
    assert fills.together("zero") == "Taken away together"


def test_a_pattern_is_read_line_by_line():
    assert fills.rows_of("1, 0\n\n.5;0.5", (2, 2), True) == ((1.0, 0.0), (0.5, 0.5))
    assert fills.rows_of("0 1 0", (1, 3), False) == ((0.0, 1.0, 0.0),)


@pytest.mark.parametrize(
    ("pasted", "part"),
    [
        ("", "is 2 lines of 2 numbers"),
        ("1 0", "1 line stands here"),
        ("1 0\n1", "Line 2 of the pattern has 1 numbers, not 2"),
        ("1 0\n1 x", "Line 2 of the pattern holds more than numbers"),
        ("1 0\n1 nan", "not from 0 to 1"),
        ("1 0\n1 2", "not from 0 to 1"),
        ("1 1\n1 0", "Line 1 of the pattern looks ahead"),
    ],
)
def test_what_is_no_pattern_is_a_sentence(pasted, part):
    with pytest.raises(InputError, match=part):
        fills.rows_of(pasted, (2, 2), True)


def test_the_other_texts_are_sentences_that_ship():
    assert len(corpus()) == len(set(corpus())) == fills.CORPUS_TEXTS
    assert all(text.strip() and "[" not in text for text in corpus())
