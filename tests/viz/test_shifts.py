"""What the bars of moved tokens are sent."""

import pytest

from attnlab.viz.payload import unpack
from attnlab.viz.shifts import shifts_payload

WORD = {"text": "street", "raw": "street", "id": 7}


def header(*args, **options):
    return unpack(shifts_payload(*args, **options))[0]


def test_tokens_keep_their_order_and_their_figures():
    sent = header([(WORD, 0.02), ({**WORD, "special": True}, 0.3)], label="Gone")
    assert [distance for _, distance in sent["rows"]] == [0.02, 0.3]
    assert sent["rows"][1][0][6] is True
    assert (sent["full"], sent["digits"], sent["label"]) == (0.3, 2, "Gone")
    assert header([(WORD, 0.004)])["digits"] == 4


def test_nothing_and_hardly_less_than_nothing():
    assert header([]) == {"rows": [], "full": 0.0, "digits": 2, "label": ""}
    assert header([(WORD, -1e-7)])["rows"][0][1] == 0


@pytest.mark.parametrize("distance", [-0.1, 2.1, float("nan"), float("inf")])
def test_other_numbers_are_refused(distance):
    with pytest.raises(ValueError, match="no cosine distance"):
        header([(WORD, distance)])
