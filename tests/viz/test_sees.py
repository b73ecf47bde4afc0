"""Who may see whom, as a payload and as a picture."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from attnlab.viz import bundles, svg
from attnlab.viz.payload import unpack
from attnlab.viz.sees import Sight, sees_payload

HOSTILE = '</script><img src=x onerror="hit()">'
TOKENS = [{"text": "The"}, {"text": HOSTILE}, {"text": " sat", "id": 7}]
WRITTEN = [{"text": "Es", "id": 1}, {"text": "\n", "id": 2}]
CAUSAL = Sight("Decoder", "What came before.", np.tri(3, dtype=bool))
BOTH = Sight("Encoder-decoder", "All of it.", np.tri(5, dtype=bool) | (np.arange(5) < 3))


def test_the_payload_holds_the_words_and_a_table_for_each_kind():
    header, arrays = unpack(sees_payload([CAUSAL, BOTH], TOKENS, WRITTEN, row=2, serial=4))
    assert [sight["title"] for sight in header["sights"]] == ["Decoder", "Encoder-decoder"]
    assert [row[1] for row in header["read"]] == ["The", HOSTILE, " sat"]
    assert [row[0] for row in header["written"]] == ["Es", "↵"]
    assert (header["row"], header["serial"]) == (2, 4)
    assert arrays["0"].tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert arrays["1"].sum() == 9 + 4 + 5


@pytest.mark.parametrize(("count", "row"), [(4, 0), (3, 3), (3, -1)])
def test_what_does_not_fit_the_words_is_refused(count: int, row: int):
    sight = Sight("Decoder", "", np.ones((count, count), bool))
    with pytest.raises(ValueError, match=r"fit|outside"):
        sees_payload([sight], TOKENS, WRITTEN, row=row)


def test_the_picture_draws_what_is_seen_and_keeps_text_text():
    caption = svg.Caption("Who may look at whom", [("A", HOSTILE)])
    drawing = svg.sees([CAUSAL, BOTH], TOKENS, WRITTEN, row=1, caption=caption)
    ElementTree.fromstring(drawing)
    assert "<img" not in drawing and "<script" not in drawing
    assert "Encoder-decoder" in drawing
    assert drawing.count('fill-opacity="0.55"') == 6 + 18


def test_the_component_writes_tokens_as_text_only():
    assert "innerHTML" not in bundles.script("sees")
