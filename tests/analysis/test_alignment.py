"""Which words are looked at while a part is written, on weights made by hand."""

import pytest
import torch

from attnlab.analysis.alignment import best, looks, parts, shares, words

DATE = [*"3rd of July 2026", None]
ISO = [*"2026-07-03", None]


def test_words_are_runs_of_letters_and_digits():
    found = words(DATE)
    assert [span.text for span in found] == ["3rd", "of", "July", "2026"]
    assert found[2].places == (7, 8, 9, 10)


def test_tokens_larger_than_characters_make_words_too():
    found = words([" The", " an", "imal", "'", "t", None])
    assert [(span.text, span.places) for span in found] == [
        ("The", (0,)),
        ("animal", (1, 2)),
        ("t", (4,)),
    ]


def test_eight_digits_are_year_month_and_day():
    assert [span.text for span in words([*"20260703"])] == ["2026", "07", "03"]


def test_an_iso_date_is_written_in_three_parts_anything_else_word_by_word():
    found = parts(ISO)
    assert [(span.name, span.text) for span in found] == [
        ("the year", "2026"),
        ("the month", "07"),
        ("the day", "03"),
    ]
    assert [span.places for span in found] == [(0, 1, 2, 3), (5, 6), (8, 9)]
    assert [span.name for span in parts([" Das", " Tier", None])] == ["“Das”", "“Tier”"]
    assert parts([None]) == []


@pytest.mark.parametrize("written", ["2026-7-3", "2026-07-03-", "٢٠٢٦-٠٧-٠٣"])
def test_what_is_no_iso_date_has_no_year(written: str):
    assert "the year" not in [span.name for span in parts([*written])]


def aligned() -> torch.Tensor:
    """[1, 2, 11, 17]: head 0 always looks at the year, head 1 at the part that it writes."""
    weights = torch.full((1, 2, len(ISO), len(DATE)), 0.1 / len(DATE))
    weights[0, 0, :, 12:16] += 0.9 / 4
    for rows, keys in ((range(5), range(12, 16)), (range(5, 8), range(7, 11)), ((8, 9), range(3))):
        for row in rows:
            weights[0, 1, row, list(keys)] += 0.9 / len(keys)
    return weights


def test_the_head_that_tells_the_parts_apart_is_found_with_sums_over_the_word():
    found = looks(aligned(), parts(ISO), words(DATE), layers=[0])
    assert best(found) == (0, 1)
    told = {look.part.name: (look.span.text, look.weight) for look in found[0, 1]}
    assert told["the month"][0] == "July"
    assert told["the month"][1] == pytest.approx(0.9 + 0.1 * 4 / 17)
    assert told["the day"][0] == "3rd" and told["the year"][0] == "2026"
    assert [look.span.text for look in found[0, 0]] == ["2026"] * 3


def test_a_look_is_the_mean_over_the_part():
    weights = aligned()
    weights[0, 1, 5] = 1 / len(DATE)  # the 0 of 07 looks everywhere
    month = looks(weights, parts(ISO), words(DATE), layers=[0])[0, 1][1]
    assert month.span.text == "July"
    assert month.weight == pytest.approx((0.9 + 0.1 * 4 / 17 + 4 / 17) / 2)


def test_shares_add_up_to_at_most_one():
    for part in parts(ISO):
        assert shares(aligned(), part, words(DATE)).sum(-1).max() <= 1 + 1e-6


def test_layers_are_named_as_the_model_counts_them():
    found = looks(aligned(), parts(ISO), words(DATE), layers=[3])
    assert set(found) == {(3, 0), (3, 1)}


def test_nothing_to_look_at_gives_no_head():
    assert best(looks(aligned(), parts(ISO), [], layers=[0])) is None
