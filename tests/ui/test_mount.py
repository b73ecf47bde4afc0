"""Who decides what is chosen: the browser or the page; and what a mounted component is sent."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnlab.ui import mount
from attnlab.viz import bundles
from attnlab.viz.payload import unpack
from tests.ui.mounting import WORDS, Browser

MAPS = np.full((3, 4, 3, 3), 0.25, dtype=np.float32)


@pytest.fixture
def browser(monkeypatch):
    return Browser(monkeypatch, (mount, "_GRID"), (mount, "_HEAD"))


def grid(selected=None, maps=MAPS):
    return mount.grid("g", a=maps, tokens_a=WORDS, selected=selected)


def head(**rows):
    return mount.head("h", a=MAPS[0, 0], tokens_a=WORDS, b=MAPS[0, 0], tokens_b=WORDS, **rows)


def test_a_click_is_returned_and_sends_nothing_again(browser):
    assert grid((1, 1)) == (1, 1)
    browser.click("g", layer=2, head=3)
    assert grid((1, 1)) == (2, 3)  # the page still holds what it knew before the click
    assert grid((2, 3)) == (2, 3)
    assert grid() == (2, 3)
    assert len(set(browser.sent)) == 1


def test_what_the_page_asks_for_wins_and_is_sent_once(browser):
    grid((1, 1))
    browser.click("g", layer=2, head=3)
    grid((1, 1))
    assert grid((0, 2)) == (0, 2)
    assert browser.header["selected"] == [0, 2]
    assert grid((0, 2)) == (0, 2)
    assert len(set(browser.sent)) == 2  # the earlier click, of another serial, counts no more
    browser.click("g", layer=0, head=0)
    assert grid((0, 2)) == (0, 0)


def test_a_callback_that_already_followed_the_click_changes_nothing(browser):
    grid((1, 1))
    browser.click("g", layer=2, head=3)
    assert mount.grid_value("g") == (2, 3)
    assert grid((2, 3)) == (2, 3)
    assert len(set(browser.sent)) == 1


def test_the_choice_survives_a_component_that_was_away(browser):
    grid((1, 1))
    browser.click("g", layer=2, head=3)
    grid((1, 1))
    del browser.state["g"]  # Streamlit forgets the state of what another page does not show
    assert grid((2, 3)) == (2, 3)
    assert browser.header["selected"] == [2, 3]


def test_another_model_starts_anew(browser):
    grid((2, 3))
    assert grid(maps=MAPS[:1, :2]) == (0, 0)
    with pytest.raises(ValueError, match=r"\(2, 3\) is outside"):
        grid((2, 3), maps=MAPS[:1, :2])


def test_a_pinned_word_is_returned_for_these_words_only(browser):
    assert head() is None
    assert browser.header["rows"] == {"a": 2, "b": 2}
    browser.click("h", side="B", position=1, row_a=1, row_b=1)
    assert head() == {"side": "B", "position": 1, "row_a": 1, "row_b": 1, "key": None}
    assert len(set(browser.sent)) == 1
    other = [{**word, "id": 9} for word in WORDS]
    assert mount.head("h", a=MAPS[0, 0], tokens_a=other) is None


@pytest.mark.parametrize("layer", [3, -1, 1.5, True, "1", None, float("inf")])
def test_a_click_that_fits_nothing_is_ignored(browser, layer):
    grid((1, 1))
    browser.click("g", layer=layer, head=0)
    assert grid((1, 1)) == (1, 1)
    assert mount.grid_value("g") is None
    browser.state["g"] = {"chosen": "not even a mapping"}
    assert grid((1, 1)) == (1, 1)


def test_a_pin_that_fits_nothing_is_ignored(browser):
    head()
    for wrong in ({"side": "C"}, {"position": 3}, {"row_a": None}, {"row_b": 9}):
        browser.click("h", **{"side": "A", "position": 0, "row_a": 0, "row_b": 0, **wrong})
        assert head() is None


def test_a_pair_of_words_is_returned_and_stays_where_the_page_agrees(browser):
    head(row_a=2, row_b=2)
    browser.click("h", side="B", position=2, row_a=2, row_b=2, key=1)
    assert head(row_a=2, row_b=2)["key"] == 1  # the page still holds what it knew before the click
    assert head(row_a=2, row_b=2, key_position=1, side="B")["key"] == 1
    assert len(set(browser.sent)) == 1
    head(row_a=2, row_b=2)  # the page lets go of the pair
    assert browser.header["key"] is None and len(set(browser.sent)) == 2


def test_the_page_can_mark_a_pair_of_words(browser):
    head(row_a=2, row_b=2, key_position=0, side="A")
    assert browser.header["key"] == {"side": "a", "key": 0}
    head(row_a=2, row_b=2, key_position=0)
    assert browser.header["key"] == {"side": "b", "key": 0}
    with pytest.raises(ValueError, match="position 9"):
        head(key_position=9)


@pytest.mark.parametrize("key", [3, -1, 0.5, "0", True, {}])
def test_a_key_word_that_there_is_not_is_ignored(browser, key):
    head()
    browser.click("h", side="A", position=0, row_a=0, row_b=0, key=key)
    assert head() is None


def test_the_page_can_move_the_looked_from_word(browser):
    head(row_a=0)
    assert browser.header["rows"] == {"a": 0, "b": 0}
    head(row_a=1, row_b=2)
    assert browser.header["rows"] == {"a": 1, "b": 2}
    with pytest.raises(ValueError, match="position 7"):
        head(row_a=7)


def _script():
    import numpy as np

    from attnlab.ui import mount

    words = [{"text": "<b>x</b>", "raw": "<b>x</b>", "id": 1}]
    mount.grid("grid", a=np.ones((2, 2, 1, 1), np.float32), tokens_a=words)
    mount.head("head", a=np.ones((1, 1), np.float32), tokens_a=words, mode="matrix")
    mount.bars("bars", rows=[("<b>x</b>", 0.5, 0.25)])


def test_streamlit_mounts_all_three_with_pure_bytes():
    app = AppTest.from_function(_script).run()
    assert not app.exception
    sent = [unpack(element.proto.bytes) for element in app.get("bidi_component")]
    assert [header.get("mode") for header, _ in sent] == [None, "matrix", None]
    assert sent[0][1]["a"].shape == (2, 2, 1, 1)
    assert sent[2][0]["digits"] == 2


def test_no_script_writes_markup():
    for file in bundles.FOLDER.glob("*.js"):
        text = file.read_text(encoding="utf-8")
        assert "innerHTML" not in text and "insertAdjacentHTML" not in text, file.name
        assert "://" not in text.replace("http://www.w3.org/2000/svg", ""), file.name
