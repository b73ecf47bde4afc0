"""Who decides what is shown of a worked example: the browser, or the page."""

import pytest
import streamlit

from attnlab.attention.because import Cell
from attnlab.attention.steps import work
from attnlab.ui import mount_steps, steps_scene
from attnlab.ui.steps_edits import Edit
from attnlab.ui.steps_selection import StepByStep, example_of
from attnlab.viz.payload import unpack
from attnlab.viz.steps import STEPS


class Browser:
    """Session state as Streamlit keeps it, with the sent payloads and a click, but no browser."""

    def __init__(self, monkeypatch):
        self.state, self.sent = {}, []
        monkeypatch.setattr(streamlit, "session_state", self.state)
        for name in ("_STEPS", "_BLEND"):
            monkeypatch.setattr(mount_steps, name, self.receive)

    def receive(self, *, key, data, **callbacks):
        self.sent.append(data)

    def does(self, key, **value):
        self.state[key] = {"chosen": {"serial": self.header["serial"], **value}}

    @property
    def header(self):
        return unpack(self.sent[-1])[0]


@pytest.fixture
def browser(monkeypatch):
    return Browser(monkeypatch)


def mounted(scope=("cat",), step="x", cell=None, cells=()):
    example = example_of(StepByStep(cells=cells))
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
    browser.does("s", step="q", cell=["q", 0, 1, 2], cells=[["x", 0, 1, 0.5]])
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
    browser.does("s", step="q", cell=None, cells=[])
    mounted(step="q")
    mounted(step="out", cells=(Edit("w_o", 0, 0, 2.0),))
    assert browser.header["serial"] == 2
    assert browser.header["start"] == {"step": "out", "cell": None, "cells": [["w_o", 0, 0, 2.0]]}
    assert mount_steps.steps_value("s") is None


def test_another_example_starts_anew(browser):
    mounted()
    browser.does("s", step="weights", cell=["weights", 0, 3, 3], cells=[])
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
    browser.does("s", **wrong)
    assert mount_steps.steps_value("s") is None
