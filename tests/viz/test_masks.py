"""A painted mask and its reach: payloads, pictures, and what does not fit."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from attnlab.viz import bundles, svg
from attnlab.viz.cone import cone, cone_payload
from attnlab.viz.layout import layout
from attnlab.viz.paint import Looks, Weighed, paint_payload
from attnlab.viz.payload import unpack
from attnlab.viz.svg.diagram import diagram

HOSTILE = '</script><img src=x onerror="hit()">'
WORDS = [{"text": word, "raw": word, "id": None} for word in ("A", HOSTILE, "C")]
CAUSAL = np.tri(3, dtype=bool)
HELD = np.stack([np.eye(3, dtype=bool), CAUSAL, CAUSAL])


def test_a_painted_mask_holds_its_pattern_and_its_cells():
    weighed = Weighed(np.zeros((3, 3)), np.eye(3))
    data = paint_payload(WORDS, CAUSAL, cells=[(0, 1, 1)], weighed=weighed, serial=3)
    header, arrays = unpack(data)
    assert header["row"] == 2 and header["cells"] == [[0, 1, 1]] and header["serial"] == 3
    assert header["words"][1][1] == HOSTILE and header["weighed"] and header["predicts"]
    assert arrays["base"].tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert arrays["weights"].dtype.name == "float32"


def test_a_painted_pattern_may_look_at_words_of_another_text():
    base, own = np.zeros((2, 3), bool), np.full((2, 3), 1 / 3)
    looks = Looks(ahead=True, own=own)
    data = paint_payload(WORDS[:2], base, keys=WORDS, looks=looks, cells=[(1, 2, 1)])
    header, arrays = unpack(data)
    assert header["looks"] == {"ahead": True} and len(header["keys"]) == 3
    assert arrays["own"].shape == (2, 3) and header["row"] == 1
    assert unpack(paint_payload(WORDS, CAUSAL))[0]["looks"] is None
    for wrong in ({"cells": [(2, 0, 1)]}, {"looks": Looks(own=np.eye(2))}):
        with pytest.raises(ValueError, match=r"fit|outside"):
            paint_payload(WORDS[:2], base, keys=WORDS, **wrong)


@pytest.mark.parametrize(
    "wrong", [{"row": 3}, {"cells": [(3, 0, 1)]}, {"weighed": Weighed(CAUSAL, np.eye(2))}]
)
def test_a_mask_that_does_not_fit_its_words_is_refused(wrong):
    with pytest.raises(ValueError, match=r"fit|outside"):
        paint_payload(WORDS, CAUSAL, **wrong)
    with pytest.raises(ValueError, match="fit"):
        paint_payload(WORDS[:2], CAUSAL)


def test_a_cone_holds_every_layer():
    header, arrays = unpack(cone_payload(WORDS, CAUSAL, HELD, layers=2, formulas=["a", "b"]))
    assert (header["row"], header["layers"], header["formulas"]) == (2, 2, ["a", "b"])
    assert arrays["held"].shape == (3, 3, 3)


@pytest.mark.parametrize("wrong", [{"row": 3}, {"layers": 3}, {"layers": 0}, {"formulas": ["a"]}])
def test_a_cone_that_does_not_fit_is_refused(wrong):
    with pytest.raises(ValueError):
        cone_payload(WORDS, CAUSAL, HELD, **wrong)


def test_the_pictures_keep_text_text():
    drawn = cone(WORDS, CAUSAL, HELD, row=2, layers=2)
    for dark in (False, True):
        file = diagram(drawn, caption=svg.Caption("What C hears"), dark=dark)
        ElementTree.fromstring(file)
        assert "<img" not in file
    dots = [shape for shape in drawn.shapes if shape[0] == "box" and shape[5] == "a"]
    assert len(dots) == 1 + 3 + 3  # the top, and all three words in each layer below


def test_a_layout_names_its_full_layers():
    drawn = layout(range(6), (2, 5), ("full attention", "window"))
    assert drawn.label == "full attention: layers 2, 5."
    assert [spot.lines[0] for spot in drawn.spots].count("full attention") == 2
    with pytest.raises(ValueError):
        layout((), (), ("a", "b"))


@pytest.mark.parametrize("name", ["paint", "cone"])
def test_the_components_write_words_as_text_only(name):
    assert "innerHTML" not in bundles.script(name)
