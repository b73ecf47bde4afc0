"""The minimal pairs that ship: balanced, and readable by any tokenizer."""

import collections
import re

import pytest

from attnlab.analysis.roles.minimal import SETS, pairs
from attnlab.analysis.roles.probe import owners


def words(text):
    return re.findall(r"\w+", text.lower())


def marked(sentence):
    """The query, target and other word of a sentence, each with its place among the words."""
    (mark,) = sentence.marks
    spans = (mark.target, mark.others)
    found = [sentence.given[chars[0] : chars[-1] + 1] for chars in spans]
    query = words(sentence.given[: mark.query + 1])[-1]
    places = [len(words(sentence.given[: chars[0]])) for chars in spans]
    return query, *found, len(words(sentence.given[: mark.query + 1])) - 1, *places


@pytest.mark.parametrize("name", SETS)
def test_at_least_40_pairs_all_different_and_plain(name):
    found = pairs(name)
    assert len(found) == 44
    texts = [one.given for pair in found for one in pair]
    assert len(set(texts)) == len(texts)
    assert {one.group for pair in found for one in pair} == set(range(44))
    for text in texts:
        assert text.isascii() and re.fullmatch(r"[A-Z][a-z ]*\.", text), text


@pytest.mark.parametrize("name", SETS)
def test_the_two_sentences_swap_the_parts_and_leave_everything_in_its_place(name):
    for first, second in pairs(name):
        query, target, other, *at = marked(first)
        query2, target2, other2, *at2 = marked(second)
        assert (target, other) == (other2, target2)
        assert query != query2
        # The same two nouns and the word looked from, in the same places: nothing else can differ.
        assert (at[0], at[1], at[2]) == (at2[0], at2[2], at2[1])
        assert at[1] < at[2] < at[0]
        left, right = (collections.Counter(words(one.given)) for one in (first, second))
        assert left - right == {query: 1} and right - left == {query2: 1}
        assert all(left[word] == 1 for word in (target, other, query))


def test_pronouns_differ_in_nothing_else_and_each_comes_as_often():
    seen = collections.Counter()
    for first, second in pairs("pronoun"):
        a, b = words(first.given), words(second.given)
        differing = [i for i, both in enumerate(zip(a, b, strict=True)) if both[0] != both[1]]
        assert differing == [marked(first)[3]]
        seen[marked(first)[0], marked(second)[0]] += 1
    assert seen == {("he", "she"): 11, ("she", "he"): 11, ("it", "they"): 11, ("they", "it"): 11}


def test_singular_and_plural_subjects_come_as_often():
    plural = {"are", "were", "have"}
    firsts = [marked(first) for first, _ in pairs("subject_verb")]
    seconds = [marked(second) for _, second in pairs("subject_verb")]
    both = list(zip(firsts, seconds, strict=True))
    # A regular verb with an s is singular, as are is, was, has.
    is_plural = [a[0] in plural or (not a[0].endswith("s") and b[0].endswith("s")) for a, b in both]
    assert sum(is_plural) == 22


@pytest.mark.parametrize("name", SETS)
def test_packaged_tokenizers_place_every_word(name, smollm2, minilm):
    for lab in (smollm2, minilm):
        for sentence in (one for pair in pairs(name) for one in pair):
            tokens = lab.tokens(sentence.given)
            owner = owners(sentence.given, tokens)
            (mark,) = sentence.marks
            for chars in (mark.target, mark.others, (mark.query,)):
                places = {owner[char] for char in chars}
                spelled = "".join(tokens[i].text for i in sorted(places)).strip().lower()
                word = sentence.given[chars[0] : chars[-1] + 1].lower()
                assert spelled == word or (len(chars) == 1 and spelled.endswith(word))
