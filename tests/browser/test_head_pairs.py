"""The chosen head in a real Chromium: a kept pair of words, and B − A of one head."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnlab.viz.grid import grid_payload
from attnlab.viz.head import head_payload
from tests.browser.mounting import causal, show, words

pytestmark = pytest.mark.browser

A = words("the", " street", " was", " tired")
B = [*A[:3], {"text": " wide", "raw": "Ġwide", "id": 99, "special": False}]
# B with a word of its own before "was".
LONGER = [*B[:2], {"text": " really", "raw": "Ġreally", "id": 77, "special": False}, *B[2:]]


def weights(size: int) -> np.ndarray:
    found = causal(size, size)
    found[-1] = 0.01
    found[-1, 1], found[-1, 0] = 0.46, 1 - 0.46 - 0.01 * (size - 2)
    return found


def pair(**options) -> bytes:
    return head_payload(causal(4, 4), A, b=weights(4), tokens_b=B, **options)


def last(page: Page) -> dict:
    sent = page.evaluate("sent[sent.length - 1]")
    return {name: sent[name] for name in ("side", "position", "row_a", "row_b", "key")}


def key(page: Page, side: str, position: int):
    return page.locator(f'.al-key[data-side="{side}"][data-position="{position}"]')


def test_a_word_looked_at_is_kept_with_the_word_that_looks(page: Page):
    show(page, "head", pair())
    key(page, "B", 1).click()
    kept = {"side": "B", "position": 3, "row_a": 3, "row_b": 3, "key": 1}
    assert last(page) == kept
    for side in "AB":  # the same word in both
        expect(key(page, side, 1)).to_have_attribute("aria-selected", "true")
    expect(page.locator(".al-sum").nth(1)).to_contain_text("B from wide to street 0.46")
    expect(page.locator(".al-live")).to_have_text("Kept: B, wide to street 0.46")
    key(page, "B", 1).click()  # the same again lets go
    assert last(page) == {**kept, "key": None}
    expect(page.locator(".al-picked")).to_have_count(0)
    key(page, "A", 2).click()
    page.locator('.al-word[data-side="A"][data-position="1"]').click()
    assert last(page) == {"side": "A", "position": 1, "row_a": 1, "row_b": 1, "key": None}
    key(page, "A", 3).click()  # the future of "street"
    assert last(page)["position"] == 1 and last(page)["key"] is None


def test_the_keyboard_keeps_a_pair(page: Page):
    show(page, "head", pair())
    page.locator('.al-to[aria-label^="Words of B"]').focus()
    for name in ("ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(name)
    expect(page.locator(".al-live")).to_contain_text("wide → street: A")
    page.keyboard.press("Enter")
    assert last(page)["key"] == 1 and last(page)["side"] == "B"


@pytest.mark.parametrize("mode", ["words", "matrix", "difference"])
def test_a_pair_that_the_page_names_is_marked(page: Page, mode):
    show(page, "head", pair(mode=mode, key_position=1, side="B"))
    mark = page.locator(".al-picked" if mode == "words" else ".al-kept")
    expect(mark).to_have_count(1 if mode == "difference" else 2)
    expect(page.locator(".al-sum").nth(1)).to_contain_text("to street 0.46")


def test_a_cell_of_a_matrix_is_kept(page: Page):
    show(page, "head", pair(mode="matrix"))
    matrix = page.locator('.al-matrix[data-side="B"]')
    matrix.focus()
    for name in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(name)
    assert last(page) == {"side": "B", "position": 3, "row_a": 3, "row_b": 3, "key": 1}
    ring = matrix.locator(".al-kept").bounding_box()
    page.mouse.click(ring["x"] + ring["width"] * 2.5, ring["y"] - ring["height"] * 1.5)
    assert last(page)["key"] is None  # ahead of its row: only the row is kept
    assert last(page)["position"] == 1


def test_b_minus_a_keeps_words_without_a_counterpart_in_their_place(page: Page):
    payload = head_payload(causal(4, 4), A, b=weights(5), tokens_b=LONGER, mode="difference")
    show(page, "head", payload)
    expect(page.locator(".al-legend")).to_contain_text("only in B")
    expect(page.locator(".al-legend")).not_to_contain_text("only in A")
    expect(page.locator(".al-matrix")).to_have_attribute(
        "aria-label", "Attention of B − A, 5 rows, 5 columns. "
        "Arrow keys move, Enter keeps a pair of words."
    )  # fmt: skip
    page.locator(".al-matrix").focus()
    for name in ("ArrowDown",) * 4 + ("ArrowRight",):
        page.keyboard.press(name)
    expect(page.locator(".al-live")).to_contain_text("wide → street")
    page.keyboard.press("Enter")
    assert last(page) == {"side": "B", "position": 4, "row_a": 3, "row_b": 4, "key": 1}
    box = page.locator(".al-kept").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*middle)
    tip = page.locator(".al-tip")
    expect(tip).to_contain_text("A tired → street")
    expect(tip).to_contain_text("B wide → street")
    page.mouse.move(middle[0] + box["width"], middle[1])
    expect(tip).to_contain_text("only in B: nothing to compare")


def test_the_grid_says_and_hatches_what_could_not_be_aligned(page: Page):
    payload = grid_payload(
        causal(2, 2, 4, 4), A, b=causal(2, 2, 5, 5), tokens_b=LONGER, view="B-A",
        ranks={(0, 1): 1},
    )  # fmt: skip
    show(page, "grid", payload)
    expect(page.locator(".al-hint")).to_contain_text("Hatched: 1 token only in B")
    box = page.locator(".al-chosen").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.15)
    tip = page.locator(".al-tip")
    expect(tip).to_contain_text("really → ")
    expect(tip).to_contain_text("only in B: nothing to compare")
    stage = page.locator(".al-grid")
    stage.focus()
    for name in ("ArrowDown", "ArrowRight"):
        stage.press(name)
    expect(page.locator(".al-live")).to_contain_text("number 1")
