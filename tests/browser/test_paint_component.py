"""A mask that is painted by hand in a real Chromium, without Streamlit around it."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnlab.viz.cone import cone_payload
from attnlab.viz.paint import Looks, Weighed, paint_payload
from tests.browser.mounting import show, words

pytestmark = pytest.mark.browser

SCORES = np.array([[0.0, 1.2, 0.7], [0.4, 0.0, 0.3], [0.2, 1.1, 0.6]])


def place(page: Page, query: int, key: int) -> tuple[float, float]:
    box = page.locator(f'.al-paint-cell[data-q="{query}"][data-k="{key}"]').bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def cells(page: Page) -> list[list[int]]:
    return page.evaluate("sent.at(-1).cells")


def test_a_fast_stroke_paints_every_cell_on_its_way(page: Page):
    show(page, "paint", paint_payload(words(*"abcdefghijk"), np.tril(np.ones((11, 11), bool))))
    page.mouse.move(*place(page, 10, 0))
    page.mouse.down()
    page.mouse.move(*place(page, 10, 9))
    page.mouse.up()
    assert cells(page) == [[10, key, 0] for key in range(10)]

    # Aslant, a cell in each column.
    page.mouse.move(*place(page, 0, 2))
    page.mouse.down()
    page.mouse.move(*place(page, 3, 8))
    page.mouse.up()
    painted = [cell for cell in cells(page) if cell[0] < 10]
    assert [key for _, key, _ in painted] == list(range(2, 9))
    assert [query for query, _, _ in painted] == sorted(query for query, _, _ in painted)
    assert {seen for _, _, seen in painted} == {1}


def test_weights_are_told_once_they_are_those_of_what_was_painted(page: Page):
    base = np.tril(np.ones((3, 3), bool))

    def given(*painted):
        seen = base.copy()
        for query, key, shown in painted:
            seen[query, key] = shown
        grown = np.exp(SCORES) * seen
        weighed = Weighed(SCORES, grown / grown.sum(-1, keepdims=True))
        show(
            page,
            "paint",
            paint_payload(words(*"ABC"), base, cells=painted, row=2, weighed=weighed, serial=1),
        )

    given()
    page.mouse.click(*place(page, 0, 1))
    row = page.locator(".al-paint-told [role=row]")
    expect(row.nth(2)).to_have_text("B1.20…")
    expect(page.locator('.al-paint-cell[data-q="0"]').nth(1)).to_have_text("…")
    live = page.locator(".al-live")
    expect(live).to_have_text("")

    given((0, 1, 1))
    expect(row.nth(2)).to_have_text("B1.200.77")
    expect(live).to_have_text(
        "“A” sees 2 of 3: A, B. A: score 0.00, weight 0.23. B: score 1.20, weight 0.77. "
        "C: score 0.70, hidden. It is to predict “B”, and sees it: there is nothing left to learn."
    )


def test_a_pattern_is_painted_where_a_word_can_look(page: Page):
    base, own = np.zeros((4, 4), bool), np.tril(np.full((4, 4), 0.25))
    looks = Looks(ahead=False, own=own)
    show(page, "paint", paint_payload(words(*"ABCD"), base, looks=looks, predicts=False))
    told = page.locator(".al-paint-told")
    expect(told).to_contain_text("“D” is not painted: every head looks where it would")
    page.mouse.move(*place(page, 1, 0))
    page.mouse.down()
    page.mouse.move(*place(page, 1, 3))
    page.mouse.up()
    assert cells(page) == [[1, 0, 1], [1, 1, 1]]  # C and D lie ahead of B
    expect(told).to_contain_text("“B” looks at 2 of 4, 0.50 each")
    page.mouse.move(*place(page, 1, 1))
    expect(page.locator(".al-tip")).to_contain_text("weight 0.50")
    page.mouse.move(*place(page, 2, 1))
    expect(page.locator(".al-tip")).to_contain_text("left to the head: 0.25")
    sums = page.locator(".al-paint-sees").all_inner_texts()
    assert sums == ["looks", "own", "2", "own", "own"]


def test_a_pattern_over_another_text_has_its_words_above(page: Page):
    data = paint_payload(
        words(*"AB"), np.ones((2, 3), bool), keys=words(*"xyz"), looks=Looks(), predicts=False
    )
    show(page, "paint", data)
    assert page.locator(".al-paint-head").all_inner_texts() == ["x", "y", "z"]
    page.locator('.al-paint-cell[data-q="1"][data-k="1"]').focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    page.wait_for_function("sent.length > 0")
    assert cells(page) == [[1, 2, 0]]


@pytest.mark.parametrize("width", [320, 900])
def test_a_word_without_end_stays_in_its_card(page: Page, width: int):
    base, long = np.tril(np.ones((3, 3), bool)), words("had", 390 * "x", "it")
    weighed = Weighed(SCORES, np.eye(3))
    show(page, "paint", paint_payload(long, base, row=1, weighed=weighed), width=width)
    expect(page.locator(".al-paint-told")).to_contain_text("sees 2 of 3")
    _nothing_stands_out(page, width)


@pytest.mark.parametrize("width", [320, 900])
def test_a_word_without_end_stays_in_the_card_of_its_reach(page: Page, width: int):
    base, long = np.tril(np.ones((3, 3), bool)), words("had", 390 * "x", "it")
    held = np.stack([np.eye(3, dtype=bool), base])
    show(page, "cone", cone_payload(long, base, held, row=1, layers=1), width=width)
    expect(page.locator(".al-cone-told")).to_contain_text("After 1 layer")
    _nothing_stands_out(page, width)


def _nothing_stands_out(page: Page, width: int) -> None:
    assert page.evaluate("home.querySelector('.al-root').scrollWidth") <= width
