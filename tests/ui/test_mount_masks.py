"""A mask painted in the browser, and the layers it is followed over: what of it counts."""

import numpy as np
import pytest

from attnlab.ui import choice, mount_masks
from attnlab.ui.masks_cells import NOTHING, Painted
from attnlab.viz.paint import Looks
from tests.ui.mounting import WORDS, Browser

CAUSAL = np.tri(3, dtype=bool)
HELD = np.stack([np.eye(3, dtype=bool), CAUSAL, CAUSAL])


@pytest.fixture
def browser(monkeypatch):
    return Browser(monkeypatch, (mount_masks, "_PAINT"), (mount_masks, "_CONE"))


def painted(base=CAUSAL, cells=NOTHING, row=2):
    mount_masks.paint("m", words=WORDS, base=base, cells=cells, row=row)


def test_a_stroke_is_read_and_kept_for_a_picture_that_is_built_anew(browser):
    painted()
    serial = browser.header["serial"]
    browser.click("m", row=0, cells=[[0, 1, 1], [2, 0, 0]])
    done = mount_masks.paint_value("m")
    assert done == (0, Painted(((0, 1),), ((2, 0),)))
    painted(cells=done[1], row=done[0])
    assert browser.header["serial"] == serial  # a picture that is there keeps its own
    assert browser.header["cells"] == [[0, 1, 1], [2, 0, 0]] and browser.header["row"] == 0


def test_another_pattern_starts_anew_and_older_strokes_count_no_more(browser):
    painted()
    browser.click("m", row=0, cells=[[0, 1, 1]])
    painted(base=np.ones((3, 3), bool), cells=Painted(hidden=((1, 0),)), row=1)
    assert mount_masks.paint_value("m") is None
    assert browser.header["cells"] == [[1, 0, 0]] and browser.header["row"] == 1


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"row": 3, "cells": []},
        {"row": 0, "cells": [[0, 3, 1]]},
        {"row": 0, "cells": [[0, 0, 7]]},
        {"row": "0", "cells": []},
        {"row": 0, "cells": "all"},
    ],
)
def test_a_stroke_that_does_not_fit_counts_for_nothing(browser, sent):
    painted()
    browser.click("m", **sent)
    assert mount_masks.paint_value("m") is None


def test_a_pattern_is_painted_over_words_of_another_text(browser):
    base = np.zeros((3, 2), bool)
    options = {"words": WORDS, "keys": WORDS[:2], "base": base, "looks": Looks(), "row": 2}
    mount_masks.paint("p", cells=NOTHING, **options)
    browser.click("p", row=1, cells=[[2, 1, 1]])
    assert mount_masks.paint_value("p") == (1, Painted(((2, 1),)))
    browser.click("p", row=1, cells=[[1, 2, 1]])  # there are two words to look at
    assert mount_masks.paint_value("p") is None


def coned(row=2, layers=1):
    mount_masks.cone("c", words=WORDS, visible=CAUSAL, held=HELD, row=row, layers=layers)


def test_a_word_and_its_layers_are_chosen_by_hand(browser):
    coned()
    browser.click("c", row=1, layers=2.0)
    assert mount_masks.cone_value("c") == (1, 2)
    coned(row=1, layers=2)
    assert browser.sent[0] == browser.sent[1]
    coned(row=0, layers=1)  # the page wants something else
    assert (browser.header["row"], browser.header["layers"]) == (0, 1)


def test_what_comes_between_an_experiment_and_its_picture_counts_no_more(browser):
    coned()
    serial = browser.header["serial"]
    choice.outdate()
    browser.click("c", row=0, layers=2)
    assert mount_masks.cone_value("c") is None
    coned(row=1, layers=1)
    assert browser.header["serial"] == serial + 1 and browser.header["row"] == 1
    browser.click("c", row=0, layers=2)
    assert mount_masks.cone_value("c") == (0, 2)


@pytest.mark.parametrize("sent", [{"row": 1, "layers": 0}, {"row": 1, "layers": 3}, {"row": 9}])
def test_layers_that_are_not_there_count_for_nothing(browser, sent):
    coned()
    browser.click("c", **sent)
    assert mount_masks.cone_value("c") is None
