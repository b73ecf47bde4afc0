"""What a cache has forgotten, in every picture: blank cells, pale words; and rows that line up."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from attnlab.attention import KeepLast
from attnlab.viz import bundles, payload, svg
from attnlab.viz.forgotten import forgotten
from attnlab.viz.grid import grid_payload
from attnlab.viz.head import head_payload
from attnlab.viz.strand import strand_payload
from attnlab.viz.svg.sheet import LIGHT
from attnlab.viz.writing import Strand, writing

CAPTION = svg.Caption("A title")


def words(*texts):
    return [{"text": one, "raw": one, "id": at, "special": False} for at, one in enumerate(texts)]


def causal(size):
    weights = np.tri(size, dtype=np.float32)
    return weights / weights.sum(-1, keepdims=True)


@pytest.mark.parametrize("keep", [KeepLast(3), KeepLast(2, sinks=2), KeepLast(20, sinks=1)])
def test_it_is_what_the_cache_drops(keep):
    seen = keep.pattern.table(range(7), range(7))[0, 0].numpy()
    gone = forgotten(7, 7, (keep.window, keep.sinks))
    assert (gone == (~seen & np.tri(7, dtype=bool))).all()
    assert not forgotten(7, 7, None).any()


def test_the_browser_asks_the_same():
    common = (bundles.FOLDER / "common.js").read_text()
    assert "key >= kept[1] && key <= query - kept[0]" in common


def test_cells_that_were_forgotten_are_blank():
    tokens, weights = words("a", "b", "c", "d"), causal(4)
    weights[3, 1] = 0
    whole = svg.head(causal(4), tokens, mode="matrix", caption=CAPTION)
    picture = svg.head(weights, tokens, mode="matrix", forgets={"a": (2, 1)}, caption=CAPTION)
    assert _tiles(whole) == 10 and _tiles(picture) == 9
    header, _ = payload.unpack(head_payload(weights, tokens, forgets={"a": (2, 1)}))
    assert header["forgets"] == {"a": [2, 1]}
    assert payload.unpack(head_payload(weights, tokens))[0]["forgets"] == {}


def _tiles(picture: str) -> int:
    side = r'<rect x="[\d.]+" y="[\d.]+" width="37" height="37" fill="' + LIGHT.tile
    return len(re.findall(side, picture))


def test_words_that_were_forgotten_are_pale():
    tokens = words("a", " b", " c", " d")
    of = Strand(tokens, 4, [0.5, 0, 0.25, 0.25], 3, forgets=(2, 1))
    kinds = {s[3]: s[5] for s in writing(of, wide=400).shapes if s[0] == "words"}
    assert kinds == {"a": "ink", "b": "line", "c": "ink", "d": "ink"}
    packed = strand_payload(causal(4), tokens, given=4, at=3, forgets=(2, 1))
    assert payload.unpack(packed)[0]["forgets"] == [2, 1]


def test_the_rows_of_two_matrices_begin_at_one_height():
    short, long = words("a", "b", "c"), words("a", "b", "a very long word")
    picture = svg.head(causal(3), short, b=causal(3), tokens_b=long, mode="matrix", caption=CAPTION)
    tops = [float(y) for y in re.findall(r'<rect x="[\d.]+" y="([\d.]+)" width="37"', picture)]
    heights = {round(top, 1) for top in tops}
    assert len(heights) == 3, heights
    ElementTree.fromstring(picture)


@pytest.mark.parametrize("edited", ["", "b"])
def test_every_head_of_an_edited_run_has_the_colour_of_edits(edited):
    maps, tokens = np.broadcast_to(causal(3), (2, 2, 3, 3)).copy(), words("a", "b", "c")
    both = {"b": maps, "tokens_b": tokens, "view": "B", "edited": edited}
    header, _ = payload.unpack(grid_payload(maps, tokens, **both))
    assert header["edited"] == edited
    picture = svg.grid(maps, tokens, **both, caption=CAPTION)
    gradient = re.search(r'id="ramp-b".*?</linearGradient>', picture, re.DOTALL)[0]
    assert (LIGHT.edit if edited else LIGHT.b) in gradient
