"""A text that is written: which words can be chosen."""

import numpy as np
import pytest

from attnlab.ui import mount_strand
from tests.ui.mounting import WORDS, Browser


@pytest.fixture
def browser(monkeypatch):
    browser = Browser(monkeypatch, (mount_strand, "_STRAND"))
    weights = np.tri(3, dtype=np.float32) / np.arange(1, 4, dtype=np.float32)[:, None]
    mount_strand.strand("s", on_change=lambda: None, weights=weights, tokens=WORDS, given=2, at=2)
    return browser


def test_a_word_is_chosen_again_and_again(browser):
    assert browser.header["given"] == 2 and mount_strand.strand_value("s") is None
    for at in (0, 2, 0):
        browser.click("s", at=at, times=1)
        assert mount_strand.strand_value("s") == at


@pytest.mark.parametrize("sent", [{}, {"at": 3}, {"at": -1}, {"at": "0"}, {"at": None}])
def test_a_click_that_does_not_fit_counts_for_nothing(browser, sent):
    browser.click("s", **sent)
    assert mount_strand.strand_value("s") is None


@pytest.mark.parametrize("wrong", [{"at": 3}, {"kind": "c"}, {"weights": np.ones((2, 3))}])
def test_what_does_not_fit_is_refused(browser, wrong):
    given = {"weights": np.ones((3, 3), np.float32), "tokens": WORDS, "given": 2, "at": 0}
    with pytest.raises(ValueError):
        mount_strand.strand("s", on_change=lambda: None, **{**given, **wrong})
