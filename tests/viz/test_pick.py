"""What the picker of two words is sent."""

import pytest

from attnlab.viz.payload import unpack
from attnlab.viz.pick import pick_payload

A = [{"text": t, "raw": t, "id": i} for i, t in enumerate(("it", " was", " tired"))]
B = [*A[:2], {"text": " very", "raw": " very", "id": 7}, {"text": " wide", "raw": " wide", "id": 8}]


def header(*args, **options):
    return unpack(pick_payload(*args, **options))[0]


def test_both_texts_with_their_correspondence_and_the_pair():
    sent = header(A, tokens_b=B, side="B", query=3, key_position=0)
    assert sent["chosen"] == {"side": "b", "query": 3, "key": 0}
    assert [len(sent["tokens"][side]) for side in "ab"] == [3, 4]
    assert sent["pairs"][:2] == [[0, 0], [1, 1]]
    assert sent["sources"] == {"a": None, "b": None}


def test_without_b_the_side_is_a_and_nothing_needs_to_be_chosen():
    assert header(A)["chosen"] == {"side": "a", "query": None, "key": None}
    assert header(A, query=0)["chosen"] == {"side": "a", "query": 0, "key": None}


def test_the_words_looked_at_may_be_others():
    sent = header(A, sources_a=B, query=2, key_position=3)
    assert len(sent["sources"]["a"]) == 4
    with pytest.raises(ValueError, match="key 4 is outside 4 tokens"):
        header(A, sources_a=B, query=2, key_position=4)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"side": "C"}, "side 'C'"),
        ({"query": 3}, "query 3 is outside 3 tokens"),
        ({"query": -1}, "query -1"),
        ({"query": 0, "key_position": 3}, "key 3 is outside"),
        ({"key_position": 0}, "comes without a query"),
    ],
)
def test_what_does_not_fit_is_refused(options, reason):
    with pytest.raises(ValueError, match=reason):
        header(A, **options)


def test_an_empty_text_and_hostile_words_travel():
    assert header([])["tokens"] == {"a": []}
    word = {"text": "a\u202eb</script>", "raw": "\ud800", "id": None}
    assert header([word])["tokens"]["a"][0][0] == "a⟨U+202E⟩b</script>"
