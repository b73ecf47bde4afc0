"""Words to pick, ranked heads and bars of tokens in a real Chromium, without Streamlit."""

import pytest
from playwright.sync_api import Page, expect

from attnlab.viz.pick import pick_payload
from attnlab.viz.ranks import ranks_payload
from attnlab.viz.shifts import shifts_payload
from tests.browser.mounting import HOSTILE, show, words

pytestmark = pytest.mark.browser

A = words("The", " street", " was", " tired")
B = [*A[:3], {"text": " wide", "raw": "Ġwide", "id": 99, "special": False}]


def word(page: Page, side: str, position: int):
    return page.locator(f'.al-pick-word[data-side="{side}"][data-position="{position}"]')


def test_two_clicks_choose_who_looks_and_at_what(page: Page):
    show(page, "pick", pick_payload(A, tokens_b=B, serial=4))
    say = page.locator(".al-pick-say")
    expect(say).to_have_text("Click the word that looks.")
    word(page, "B", 3).click()
    expect(say).to_contain_text("wide looks. Click the word it looks at.")
    assert page.evaluate("sent") == []  # one word is no question yet
    word(page, "B", 1).click()
    expect(say).to_contain_text("wide looks at street")
    assert page.evaluate("sent") == [
        {"name": "chosen", "side": "B", "query": 3, "key": 1, "serial": 4}
    ]
    expect(page.locator('.al-aside[data-side="A"]')).to_have_text(["street", "tired"])
    word(page, "A", 2).click()  # the third click asks anew
    expect(say).to_contain_text("was looks.")
    page.get_by_role("button", name="Start over").click()
    expect(say).to_have_text("Click the word that looks.")


def test_what_comes_later_cannot_be_looked_at(page: Page):
    show(page, "pick", pick_payload(A, side="A", query=1))
    expect(word(page, "A", 2)).to_have_attribute("aria-disabled", "true")
    word(page, "A", 2).click(force=True)
    expect(page.locator(".al-live")).to_contain_text("Comes later")
    assert page.evaluate("sent") == []
    show(page, "pick", pick_payload(A, side="A", query=1, causal=False, serial=1))
    word(page, "A", 2).click()
    assert page.evaluate("sent")[-1]["key"] == 2


def test_words_are_chosen_by_keyboard(page: Page):
    show(page, "pick", pick_payload(A, tokens_b=B))
    page.get_by_role("listbox", name="B, words").focus()
    for key in ("Enter", "ArrowLeft", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate("sent")[-1]["key"] == 1
    expect(page.locator(".al-live")).to_contain_text("wide looks at street")
    page.keyboard.press("Escape")
    expect(page.locator(".al-pick-say")).to_have_text("Click the word that looks.")
    page.keyboard.press("Home")
    expect(page.locator(".al-cursor").last).to_have_text("The")


def test_words_looked_at_of_another_text(page: Page):
    show(page, "pick", pick_payload(words("Der", " Hund"), sources_a=words("the", " dog")))
    line = page.get_by_role("listbox", name="A, words looked at")
    line.get_by_text("dog").click()
    expect(page.locator(".al-live")).to_have_text("First choose the word that looks.")
    page.get_by_role("listbox", name="A, words that look").get_by_text("Der").click()
    line.get_by_text("dog").click()  # no order between two texts
    expect(page.locator(".al-pick-say")).to_contain_text("Der looks at dog")


@pytest.mark.parametrize("width", [730, 340])
def test_a_long_text_to_pick_from_scrolls_inside(page: Page, width):
    tokens = words(*(f" word{i}" for i in range(2048)))
    show(page, "pick", pick_payload(tokens, tokens_b=tokens), width=width)
    for side in (0, 1):
        assert page.locator(".al-pick-line").nth(side).bounding_box()["height"] <= 240
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.locator(".al-pick-line").nth(0).focus()
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    at = int(page.locator(".al-cursor").nth(0).get_attribute("data-position"))
    assert 1900 < at < 2045  # three lines up


def test_picked_token_text_is_never_markup(page: Page):
    tokens = words(*HOSTILE)
    show(page, "pick", pick_payload(tokens, query=2, key_position=0))
    expect(word(page, "A", 1)).to_have_text(HOSTILE[1])
    expect(page.locator(".al-pick-say")).to_contain_text(f"a⟨U+202E⟩b looks at {HOSTILE[0]}")
    assert page.evaluate("window.hit") is None
    assert page.evaluate("home.querySelectorAll('img, script').length") == 0


COLUMNS = [
    ("In A", "a", [(8, 6, 0.34), (14, 8, 0.33), (4, 2, 0.06)]),
    ("In B", "b", [(4, 2, 0.46), (14, 8, 0.33), (8, 6, 0.22)]),
    ("B − A", "d", [(4, 2, 0.4), (14, 8, 0.0), (8, 6, -0.12)]),
]


def test_ranked_heads_show_their_figures_and_open_on_a_click(page: Page):
    show(page, "ranks", ranks_payload(COLUMNS, selected=(8, 6), serial=2))
    rows = page.locator(".al-rank")
    expect(rows.nth(3)).to_have_text("1L4 H20.46")
    expect(rows.nth(6)).to_contain_text("+0.40")
    expect(rows.nth(8)).to_contain_text("−0.12")
    expect(page.locator('.al-rank[aria-current="true"]')).to_have_count(3)
    rows.nth(3).hover()
    expect(page.locator(".al-rank.al-on")).to_have_count(3)  # the same head in every list
    rows.nth(3).click()
    assert page.evaluate("sent") == [{"name": "chosen", "layer": 4, "head": 2, "serial": 2}]
    expect(page.locator('.al-rank[aria-current="true"]').first).to_contain_text("L4 H2")
    expect(page.locator(".al-live")).to_have_text("Chosen: layer 4, head 2")


def test_bars_of_all_lists_have_one_scale(page: Page):
    show(page, "ranks", ranks_payload(COLUMNS))
    ink = [x.bounding_box() for x in page.locator(".al-rank-track i").all()]
    assert ink[3]["width"] / ink[0]["width"] == pytest.approx(0.46 / 0.34, rel=0.05)
    assert ink[3]["width"] / ink[6]["width"] == pytest.approx(0.46 / 0.40, rel=0.05)
    assert ink[8]["x"] + ink[8]["width"] == pytest.approx(ink[6]["x"], abs=1)  # left of zero


def test_ranked_heads_are_walked_with_the_keyboard(page: Page):
    show(page, "ranks", ranks_payload(COLUMNS))
    page.get_by_role("button", name="1. Layer 8, head 6: 0.34").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate("sent")[-1]["layer"] == 14
    show(page, "ranks", ranks_payload(COLUMNS, selected=(14, 8), serial=1))
    expect(page.locator(".al-rank:focus")).to_contain_text("L14 H8")  # new data keep the focus


@pytest.mark.parametrize("width", [1100, 730, 340])
def test_row_24_more_than_ten_heads_are_told_apart_by_name(page: Page, width):
    ranked = [(layer, head, 0.5) for layer in range(6) for head in range(9)]
    show(page, "ranks", ranks_payload([(HOSTILE[0] * 9, "a", ranked)]), width=width)
    names = page.locator(".al-rank-name").all_text_contents()
    assert len(set(names)) == len(ranked)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.evaluate("window.hit") is None


def test_shifts_show_figures_and_name_what_moved_most(page: Page):
    rows = list(zip(words("[CLS]", "the", "street", "[SEP]"), (0.02, 0.0, 0.31, 0.1), strict=True))
    show(page, "shifts", shifts_payload(rows, label="Without the head"))
    expect(page.locator(".al-shift-figure")).to_have_text(["0.02", "0", "0.31", "0.10"])
    expect(page.locator(".al-note")).to_have_text(
        "The longest bar is 0.31. Moved most: street 0.31, [SEP] 0.10, [CLS] 0.02"
    )
    ink = [x.bounding_box()["width"] for x in page.locator(".al-shift-track i").all()]
    assert ink[3] / ink[2] == pytest.approx(0.1 / 0.31, rel=0.02) and ink[1] == 0
    page.get_by_role("listbox", name="Without the head").focus()
    for key in ("ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.locator(".al-live")).to_have_text("street 0.31")
    page.locator(".al-shift").nth(3).hover()
    expect(page.locator(".al-tip")).to_contain_text("cosine distance 0.1000")


@pytest.mark.parametrize("width", [400, 300])
def test_shifts_of_a_long_hostile_text_scroll_inside(page: Page, width):
    rows = [(token, 0.001) for token in words(*HOSTILE * 170)]
    show(page, "shifts", shifts_payload(rows), width=width)
    assert page.locator(".al-shifts").bounding_box()["height"] <= 398
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    expect(page.locator(".al-shift-name").first).to_have_text(HOSTILE[0])
    assert page.evaluate("window.hit") is None
    assert page.evaluate("home.querySelectorAll('img, script').length") == 0
    show(page, "shifts", shifts_payload([(token, 0.0) for token in words(*HOSTILE)]))
    expect(page.locator(".al-note")).to_have_text("No token moved.")
