"""What the components for words and for several heads return, and what they are sent."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnlab.ui import mount, mount_heads, mount_words
from attnlab.viz.payload import unpack
from tests.ui.mounting import WORDS, Browser

COLUMNS = [("In A", "a", [(4, 2, 0.4), (8, 6, 0.1)]), ("In B", "b", [(29, 0, 0.2)])]


@pytest.fixture
def browser(monkeypatch):
    mounted = ((mount_words, "_PICK"), (mount_heads, "_RANKS"), (mount_heads, "_COMPARE"))
    return Browser(monkeypatch, *mounted)


def pick(**options):
    return mount.pick("p", tokens_a=WORDS, tokens_b=WORDS, **options)


def test_a_complete_pair_is_returned_and_sends_nothing_again(browser):
    assert pick() is None
    assert browser.header["chosen"] == {"side": "a", "query": None, "key": None}
    browser.click("p", side="A", query=2, key=1)
    assert mount.pick_value("p") == {"side": "A", "query": 2, "key": 1}
    assert pick() == {"side": "A", "query": 2, "key": 1}  # a page that does not follow
    assert pick(side="A", query=2, key_position=1) == {"side": "A", "query": 2, "key": 1}
    assert len(set(browser.sent)) == 1


def test_the_page_can_choose_and_clear_a_pair(browser):
    pick(side="B", query=2, key_position=0)
    assert browser.header["chosen"] == {"side": "b", "query": 2, "key": 0}
    browser.click("p", side="A", query=1, key=1)
    pick(side="A", query=1, key_position=1)
    pick()
    assert browser.header["chosen"] == {"side": "a", "query": None, "key": None}
    assert mount.pick_value("p") is None
    pick(side="A", query=1)
    assert browser.header["chosen"] == {"side": "a", "query": 1, "key": None}


@pytest.mark.parametrize("wrong", [{"side": "C"}, {"query": 3}, {"key": None}, {"key": "0"}])
def test_a_pair_that_fits_nothing_is_ignored(browser, wrong):
    pick()
    browser.click("p", **{"side": "A", "query": 0, "key": 0, **wrong})
    assert pick() is None


def test_a_pair_of_other_words_counts_no_more(browser):
    pick()
    browser.click("p", side="A", query=0, key=0)
    assert mount.pick("p", tokens_a=WORDS[:1]) is None


def test_keys_are_positions_of_the_words_looked_at(browser):
    mount.pick("p", tokens_a=WORDS[:1], sources_a=WORDS)
    browser.click("p", side="A", query=0, key=2)
    assert mount.pick_value("p") == {"side": "A", "query": 0, "key": 2}
    browser.click("p", side="A", query=1, key=2)
    assert mount.pick_value("p") is None


def ranks(selected=None, columns=COLUMNS):
    return mount.ranks("r", columns=columns, selected=selected)


def test_a_head_of_a_list_is_returned_by_its_own_numbers(browser):
    assert ranks((4, 2)) is None
    assert browser.header["selected"] == [4, 2]
    browser.click("r", layer=29.0, head=0)
    assert mount.ranks_value("r") == {"layer": 29, "head": 0}
    assert ranks((4, 2)) == {"layer": 29, "head": 0}
    assert ranks((29, 0)) == {"layer": 29, "head": 0}
    assert len(set(browser.sent)) == 1
    ranks((1, 1))  # the page went elsewhere
    assert browser.header["selected"] == [1, 1]
    assert mount.ranks_value("r") is None


@pytest.mark.parametrize("layer", [5, "4", None, [4], True])
def test_a_head_that_is_not_listed_is_ignored(browser, layer):
    ranks()
    browser.click("r", layer=layer, head=2)
    assert ranks() is None


def test_other_lists_make_an_earlier_click_count_no_more(browser):
    ranks()
    browser.click("r", layer=4, head=2)
    assert ranks(columns=COLUMNS[1:]) is None


def compare(*heads):
    maps = np.full((len(heads), 3, 3), 1 / 3, dtype=np.float32)
    mount.compare("c", heads=heads, a=maps, tokens_a=WORDS)


def test_compared_heads_are_opened_and_removed(browser):
    assert mount.compare_value("c") is None
    compare((4, 2), (16, 0))
    browser.click("c", layer=16.0, head=0, remove=False, time=1)
    assert mount.compare_value("c") == {"layer": 16, "head": 0, "remove": False}
    browser.click("c", layer=4, head=2, remove=True, time=2)
    assert mount.compare_value("c") == {"layer": 4, "head": 2, "remove": True}
    compare((16, 0))
    assert mount.compare_value("c") is None  # it is gone already


@pytest.mark.parametrize("wrong", [{"layer": 5}, {"head": None}, {"remove": 1}, {"remove": None}])
def test_a_click_on_no_compared_head_is_ignored(browser, wrong):
    compare((4, 2))
    browser.click("c", **{"layer": 4, "head": 2, "remove": True, **wrong})
    assert mount.compare_value("c") is None
    browser.state["c"] = {"chosen": "not even a mapping"}
    assert mount.compare_value("c") is None


def _script():
    import numpy as np

    from attnlab.ui import mount

    words = [{"text": "<b>x</b>", "raw": "<b>x</b>", "id": 1}]
    maps = np.ones((2, 1, 1), np.float32)
    mount.pick("pick", tokens_a=words)
    mount.ranks("ranks", columns=[("<b>x</b>", "a", [(0, 1, 0.5)])])
    mount.compare("compare", heads=[(0, 1), (2, 3)], a=maps, tokens_a=words)
    mount.circuits("circuits", weights=maps, tokens=words)
    mount.shifts("shifts", rows=[(words[0], 0.5)])


def test_streamlit_mounts_them_with_pure_bytes():
    app = AppTest.from_function(_script).run()
    assert not app.exception
    mounted = [element.proto for element in app.get("bidi_component")]
    names = [proto.component_name for proto in mounted]
    assert names == [
        f"attnlab_{name}"
        for name in ("pick", "ranks", "compare", "circuitsvis", "circuits", "shifts")
    ]
    isolated = [proto.isolate_styles for proto in mounted]
    assert isolated == [True, True, True, False, False, True]
    sent = [unpack(mounted[place].bytes)[0] for place in (0, 1, 2, 4, 5)]
    assert sent[2]["heads"] == [[0, 1], [2, 3]]
    assert sent[3]["tokens"][0][0] == "<b>x</b>"
    assert sent[4]["full"] == 0.5
