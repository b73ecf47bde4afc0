"""The matrices of Step by step in a real Chromium, without Streamlit around them."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from attnlab.attention.steps import LARGEST, TYPED, work
from attnlab.ui import steps_scene
from attnlab.ui.steps_edits import Edit
from attnlab.ui.steps_selection import StepByStep, example_of
from attnlab.viz.steps import steps_payload
from tests.browser.mounting import show

pytestmark = pytest.mark.browser


def shown(page: Page, serial: int = 1, **value) -> None:
    """Mounts an example as the page would send it."""
    chosen = StepByStep(**({"preset": "cat"} | value))
    example = example_of(chosen)
    steps = work(example.worked)
    payload = steps_payload(
        steps_scene.figures(example, steps),
        reasons=steps_scene.reasons(steps),
        sentences=steps_scene.sentences(example.worked),
        products=steps_scene.products(example.worked),
        start={
            "step": chosen.step,
            "cell": None,
            "cells": [[edit.matrix, edit.row, edit.column, edit.value] for edit in chosen.cells],
        },
        limit=LARGEST,
        serial=serial,
    )
    show(page, "steps", payload)


def cell(page: Page, matrix: str, row: int, column: int, head: int = 0) -> Locator:
    return page.locator(f'.al-sm-cell[data-place="{matrix}.{head}.{row}.{column}"]')


def go(page: Page, step: str) -> None:
    page.locator(f'.al-step[data-step="{step}"]').click()


def last_told(page: Page) -> dict:
    page.wait_for_timeout(500)  # a choice is told once nothing else follows it
    return page.evaluate("sent.at(-1)")


def test_choosing_a_cell_shows_the_sum_that_made_it(page: Page):
    shown(page, step="scores")
    cell(page, "scores", 1, 0).click()
    why = page.locator(".al-why")
    expect(why).to_contain_text("Scores: “cat” looks at “The”")
    expect(why).to_contain_text("1 × 0.2 + 0.3 × (−0.4) + (−0.6) × 0.1 + 0.2 × 0.9")
    expect(why).to_contain_text("= 0.2 − 0.12 − 0.06 + 0.18")
    expect(why.locator("strong")).to_have_text("0.2")
    expect(page.locator(".al-sm-source")).to_have_count(8)
    for matrix, row in (("q", 1), ("k", 0)):
        expect(cell(page, matrix, row, 3)).to_have_class(re.compile("al-sm-source"))
    assert last_told(page)["cell"] == ["scores", 0, 1, 0]

    go(page, "scaled")
    cell(page, "scaled", 3, 3).click()
    expect(why).to_contain_text("1.58 ÷ √4= 1.58 ÷ 2 = 0.79")
    go(page, "masked")
    expect(why).to_contain_text("“down” comes after “The”")  # what the mask does, unasked
    cell(page, "masked", 0, 1).click()
    expect(why).to_contain_text("“cat” comes after “The”, so its score of 0.1 is taken out.")
    go(page, "weights")
    cell(page, "weights", 3, 2).click()
    expect(why).to_contain_text("e0.43 ÷ (e−0.26 + e−0.03 + e0.43 + e0.79)")
    expect(why.locator("strong")).to_have_text("0.2804")
    page.keyboard.press("ArrowRight")
    expect(why.locator("strong")).to_have_text("0.4019")
    expect(page.locator(".al-live")).to_contain_text("“down” looks at “down”")
    go(page, "x")
    expect(why).to_contain_text("Typed by hand.")


def test_other_numbers_keep_the_choice(page: Page):
    shown(page, preset="dog", step="joined")
    cell(page, "joined", 1, 3).click()
    why = page.locator(".al-why")
    expect(why).to_contain_text("Taken over as it is: 0.9647")
    expect(why).to_contain_text("Output, head 1: row “bites”, column “man bitten”: 0.9647")
    shown(page, preset="dog", step="joined", scaled=True)
    expect(why).to_contain_text("column “man bitten”")
    go(page, "scaled")
    cell(page, "scaled", 1, 2, head=1).click()
    expect(why).to_contain_text("4 ÷ √1= 4 ÷ 1 = 4")


def test_every_typed_matrix_can_be_edited_from_the_keyboard(page: Page):
    shown(page)
    for matrix in TYPED:
        go(page, {"x": "x", "w_o": "out"}.get(matrix, matrix[-1]))
        cell(page, matrix, 0, 0).click()
        page.keyboard.press("Escape")
        expect(cell(page, matrix, 0, 0)).to_be_focused()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        expect(cell(page, matrix, 1, 1)).to_be_focused()
        page.keyboard.type(",25")  # the first key opens the cell; a comma counts as a point
        page.keyboard.press("Enter")
        expect(cell(page, matrix, 1, 1)).to_have_text("0.25")
        expect(cell(page, matrix, 1, 1)).to_be_focused()
        expect(cell(page, matrix, 1, 1)).to_have_class(re.compile("al-sm-edited"))
    assert last_told(page)["cells"] == [[matrix, 1, 1, 0.25] for matrix in TYPED]
    go(page, "x")
    cell(page, "x", 1, 1).click()
    page.keyboard.type("0.3")  # what it was: no edit any more
    page.keyboard.press("Enter")
    assert len(last_told(page)["cells"]) == 4


def test_what_is_no_number_is_one_sentence_and_stays_typed(page: Page):
    shown(page)
    cell(page, "x", 0, 0).click()
    box, trouble = page.locator(".al-sm-box"), page.locator(".al-trouble")
    for typed in ("abc", "1e999", "", "1001", "--1", "<img src=x onerror=alert(1)>"):
        box.fill(typed)
        page.keyboard.press("Enter")
        expect(trouble).to_contain_text("is no number that fits here: type one from −1000 to 1000.")
        expect(box).to_be_focused()
        expect(box).to_have_value(typed)
        expect(box).to_have_attribute("aria-invalid", "true")
    page.locator(".al-says").click()  # looking elsewhere does not lose it either
    expect(box).to_have_value("<img src=x onerror=alert(1)>")
    shown(page, causal=False)  # nor do other numbers
    expect(box).to_have_value("<img src=x onerror=alert(1)>")
    box.fill("0.5")
    expect(trouble).to_be_empty()
    page.keyboard.press("Escape")
    expect(cell(page, "x", 0, 0)).to_have_text("0.2")
    page.wait_for_timeout(500)
    assert all(told["cells"] == [] for told in page.evaluate("sent"))


def test_a_step_is_not_left_while_something_typed_is_no_number(page: Page):
    shown(page)
    cell(page, "x", 0, 0).click()
    box, trouble = page.locator(".al-sm-box"), page.locator(".al-trouble")
    box.fill("abc")
    page.get_by_role("button", name="Step on").click()
    expect(trouble).to_contain_text("“abc” is no number that fits here")
    expect(box).to_be_focused()
    expect(box).to_have_value("abc")
    expect(page.locator(".al-step[aria-current]")).to_have_text("X")
    box.fill("0.5")
    page.get_by_role("button", name="Step on").click()
    expect(page.locator(".al-step[aria-current]")).to_have_text("Q")
    assert last_told(page)["cells"] == [["x", 0, 0, 0.5]]


def test_a_long_number_is_short_in_its_cell_and_whole_where_it_is_pointed_at(page: Page):
    """The twin of tests/viz/test_steps.py: what a cell has room for."""
    edits = (Edit("x", 0, 0, 999.123456), Edit("x", 1, 0, -1000.0), Edit("w_q", 0, 0, 1000.0))
    shown(page, step="q", cells=edits)
    x, product = cell(page, "x", 0, 0), cell(page, "q", 1, 0)
    expect(x).to_have_text("999.12")
    expect(x).to_have_attribute("title", "999.123456")
    expect(product).to_have_text("−1.0e6")
    expect(product).to_have_attribute("title", "−1000000")
    expect(cell(page, "x", 1, 1)).to_have_attribute("title", "")
    over = page.evaluate(
        "[...home.querySelectorAll('.al-sm-cell')].filter((c) => c.scrollWidth > c.clientWidth + 1)"
        ".map((c) => c.textContent)"
    )
    assert over == []


def test_play_goes_on_by_itself_and_stops_at_a_touch(page: Page):
    shown(page, step="joined")
    step = page.locator(".al-step[aria-current]")
    page.get_by_role("button", name="Play").click()
    expect(step).to_have_text("Times W_O")
    expect(page.get_by_role("button", name="Play")).to_be_visible()  # it stops at the end
    page.get_by_role("button", name="Play").click()
    expect(step).to_have_text("Tokens")
    expect(step).to_have_text("X")  # by itself
    cell(page, "x", 0, 0).click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Step on").click()
    expect(step).to_have_text("Q")
    go(page, "scores")
    page.get_by_role("button", name="Back to X").click()
    expect(step).to_have_text("X")


def test_nothing_sticks_out_however_narrow(page: Page):
    shown(page)
    for width in (1160, 740, 340):
        page.evaluate(f"holder.style.width = '{width}px'")
        for step in ("scores", "out"):
            go(page, step)
            ends = page.evaluate(
                "[...home.querySelectorAll('.al-sm, .al-ribbon, .al-why')]"
                ".map((node) => node.getBoundingClientRect().right)"
            )
            assert max(ends) <= width + 1
