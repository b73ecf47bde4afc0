"""Who decides what is shown of a worked example: the browser, or the page."""

import pytest

from attnlab.attention.because import Cell
from attnlab.attention.steps import work
from attnlab.ui import mount_steps, steps_scene
from attnlab.ui.steps_edits import Edit
from attnlab.ui.steps_selection import StepByStep, example_of
from attnlab.viz.steps import STEPS
from tests.ui.mounting import Browser


@pytest.fixture
def browser(monkeypatch):
    return Browser(monkeypatch, (mount_steps, "_STEPS"), (mount_steps, "_BLEND"))


def mounted(scope=("cat",), step="x", cell=None, cells=()):
    example = example_of(StepByStep(preset="cat", cells=cells))
    mount_steps.steps(
        "s",
        steps_scene.figures(example, work(example.worked)),
        scope=scope,
        step=step,
        cell=cell,
        cells=cells,
        reasons={},
        sentences=dict.fromkeys(STEPS, "Says."),
        products={},
        limit=1000.0,
    )


def test_what_was_done_by_hand_is_read_and_not_sent_back(browser):
    mounted()
    browser.click("s", step="q", cell=["q", 0, 1, 2], cells=[["x", 0, 1, 0.5]])
    done = mount_steps.steps_value("s")
    assert done == {"step": "q", "cell": Cell("q", 1, 2, 0), "cells": (Edit("x", 0, 1, 0.5),)}
    first = browser.header["serial"]
    mounted(**done)
    assert browser.header["serial"] == first
    assert browser.header["start"] == {"step": "x", "cell": None, "cells": []}
    assert browser.header["matrices"]["x"][0][0][1] == 0.5
    assert browser.header["plain"]["x"][0][0][1] == -0.4


def test_what_the_page_wants_wins_and_an_earlier_click_counts_no_more(browser):
    mounted()
    browser.click("s", step="q", cell=None, cells=[])
    mounted(step="q")
    mounted(step="out", cells=(Edit("w_o", 0, 0, 2.0),))
    assert browser.header["serial"] == 2
    assert browser.header["start"] == {"step": "out", "cell": None, "cells": [["w_o", 0, 0, 2.0]]}
    assert mount_steps.steps_value("s") is None


def test_another_example_starts_anew(browser):
    mounted()
    browser.click("s", step="weights", cell=["weights", 0, 3, 3], cells=[])
    mounted(scope=("dog",))
    assert browser.header["start"] == {"step": "x", "cell": None, "cells": []}
    assert mount_steps.steps_value("s") is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"step": "softmax", "cell": None, "cells": []},
        {"step": ["x"], "cell": None, "cells": []},
        {"step": "x", "cell": None},
        {"step": "x", "cell": None, "cells": [["x", 0, 0, "1e999"]]},
        {"step": "x", "cell": ["x", 0, 0], "cells": []},
        {"step": "x", "cell": ["x", 0, 0, 0.5], "cells": []},
        {"step": "x", "cell": ["x", 1, 0, 0], "cells": []},
        {"step": "x", "cell": ["__class__", 0, 0, 0], "cells": []},
        {"step": "x", "cell": "weights.0.0.0", "cells": []},
        {"step": "x", "cell": ["weights", 0, -1, 0], "cells": []},
    ],
)
def test_what_no_browser_of_ours_sends_is_nothing(browser, wrong):
    mounted()
    browser.click("s", **wrong)
    assert mount_steps.steps_value("s") is None
