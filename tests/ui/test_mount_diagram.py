"""A diagram whose parts can be chosen: which clicks count."""

import pytest

from attnlab.ui import mount_diagram
from attnlab.viz.diagram import Diagram
from tests.ui.mounting import Browser


@pytest.fixture
def browser(monkeypatch):
    return Browser(monkeypatch, (mount_diagram, "_DIAGRAM"))


def drawn() -> Diagram:
    picture = Diagram(100, 40, "Two parts.")
    picture.spot(0, 0, 50, 40, "left")
    picture.spot(50, 0, 50, 40, "right")
    return picture


def test_a_part_is_chosen_again_and_again(browser):
    mount_diagram.choices("d", drawn(), lambda: None)
    assert browser.header["clickable"] and mount_diagram.spot_value("d") is None
    browser.click("d", spot=1, times=1)
    assert mount_diagram.spot_value("d") == 1
    browser.click("d", spot=0.0, times=2)
    assert mount_diagram.spot_value("d") == 0


@pytest.mark.parametrize("sent", [{}, {"spot": 2}, {"spot": -1}, {"spot": "0"}, {"spot": None}])
def test_a_click_that_does_not_fit_counts_for_nothing(browser, sent):
    mount_diagram.choices("d", drawn(), lambda: None)
    browser.click("d", **sent)
    assert mount_diagram.spot_value("d") is None


def test_a_plain_diagram_takes_no_clicks(browser):
    mount_diagram.diagram("d", drawn())
    assert "clickable" not in browser.header
