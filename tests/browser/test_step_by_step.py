"""Step by step in a real Chromium: the steps, an edited cell, the sum behind a cell, the lookup."""

import re
from dataclasses import replace
from functools import partial

import pytest
from playwright.sync_api import Locator, Page, expect

from attnlab.attention import examples
from attnlab.attention.because import HEADED
from attnlab.attention.steps import TYPED, work
from attnlab.viz.steps import STEPS, TITLES
from attnlab.viz.svg.steps import figure
from tests.browser.visiting import count_runs, runs, settled

pytestmark = pytest.mark.browser


def opened(page: Page, address: str, query: str = "") -> None:
    page.goto(f"{address}/step-by-step?{query}")
    expect(page.locator(".al-ribbon [aria-current]")).to_be_visible(timeout=120_000)
    expect(page.locator(".st-key-nothing-rows .al-rows-cell").first).to_be_visible()
    settled(page)


def cell(page: Page, matrix: str, row: int, column: int, head: int = 0) -> Locator:
    return page.locator(f'.al-sm-cell[data-place="{matrix}.{head}.{row}.{column}"]')


def on_screen(page: Page, matrix: str, head: int = 0) -> list[list[str]]:
    """The numbers that stand in a matrix, as they are written."""
    texts = page.evaluate(
        """([matrix, head]) => {
          const hosts = [...document.querySelectorAll('*')].filter((node) => node.shadowRoot);
          const roots = [document, ...hosts.map((node) => node.shadowRoot)];
          const cells = roots.flatMap((root) => [...root.querySelectorAll(
            `.al-sm-cell[data-place^="${matrix}.${head}."]`)]);
          return cells.map((node) => [node.dataset.place, node.textContent]);
        }""",
        [matrix, head],
    )
    places = {tuple(map(int, place.split(".")[2:])): text for place, text in texts}
    rows, columns = (max(axis) + 1 for axis in zip(*places, strict=True))
    return [[places[i, j] for j in range(columns)] for i in range(rows)]


def step_on(page: Page, name: str) -> None:
    page.keyboard.press("ArrowRight")
    expect(page.locator(f'.al-step[data-step="{name}"]')).to_have_attribute("aria-current", "step")


def test_arrow_keys_step_through_the_preset_and_every_cell_is_right(page: Page, address: str):
    opened(page, address, "step=tokens")
    expect(page.locator(".al-sm-word bdi")).to_have_text(["The", "cat", "sat", "down"])
    page.locator(".al-step[aria-current]").focus()
    right = work(examples.CAT)
    for name in STEPS[1:]:
        step_on(page, name)
        matrix = getattr(right, name)
        whole = matrix[0] if name in HEADED else matrix
        written = figure if name != "x" else partial(figure, typed=True)  # as the saved picture
        assert on_screen(page, name) == [[written(one) for one in row] for row in whole.tolist()]
    expect(page.locator(".al-says")).to_contain_text("W_O turns what the heads found")
    expect(page.locator(".al-copy")).to_have_count(9)
    page.keyboard.press("Home")
    expect(page.locator(".al-step[aria-current]")).to_have_text("Tokens")
    expect(page.locator(".al-step[aria-current]")).to_be_focused()
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile("step=out"))
    page.reload()
    expect(page.locator(".al-step[aria-current]")).to_have_text(TITLES["out"])


def test_an_edited_cell_changes_the_output_keeps_the_focus_and_the_link(page: Page, address: str):
    opened(page, address, "step=v")
    before = on_screen(page, "v")
    place = cell(page, "w_v", 0, 0)
    place.click()
    box = page.locator(".al-sm-box")
    expect(box).to_be_focused()
    assert box.input_value() == "1"
    page.keyboard.type("-2")
    page.keyboard.press("Enter")
    expect(place).to_be_focused()
    expect(place).to_have_class(re.compile("al-sm-edited"))
    edited = examples.CAT.typed("w_v", 0, 0, -2.0)
    expect(cell(page, "v", 1, 0)).to_have_text("−2.00")
    expect(place).to_be_focused()  # also after the new numbers came
    assert on_screen(page, "v") != before
    expect(page).to_have_url(re.compile(r"cells=v0\.0_-2"))

    after = figure(work(edited).out[1, 0].item())
    page.locator('.al-step[data-step="out"]').click()
    expect(cell(page, "out", 1, 0)).to_have_text(after)
    expect(page).to_have_url(re.compile("step=out"))
    page.reload()
    expect(cell(page, "out", 1, 0)).to_have_text(after)
    page.get_by_text("Back to the example's own numbers").click()
    plain = work(examples.CAT)
    expect(cell(page, "out", 1, 0)).to_have_text(figure(plain.out[1, 0].item()))
    expect(page).not_to_have_url(re.compile("cells="))


def test_every_typed_matrix_can_be_edited_from_the_keyboard(page: Page, address: str):
    opened(page, address)
    for matrix in TYPED:
        step = {"x": "x", "w_o": "out"}.get(matrix, matrix[-1])
        page.locator(f'.al-step[data-step="{step}"]').click()
        cell(page, matrix, 0, 0).click()
        page.keyboard.press("Escape")
        expect(cell(page, matrix, 0, 0)).to_be_focused()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        expect(cell(page, matrix, 1, 1)).to_be_focused()
        page.keyboard.type(",25")  # the first key opens the cell; a comma counts as a point
        page.keyboard.press("Enter")
        expect(cell(page, matrix, 1, 1)).to_have_text("0.25")
    edits = "~".join(rf"{matrix[-1]}1\.1_0\.25" for matrix in TYPED)
    expect(page).to_have_url(re.compile(f"cells={edits}"))


def test_what_is_no_number_is_one_sentence_and_stays_typed(page: Page, address: str):
    opened(page, address, "step=x")
    cell(page, "x", 0, 0).click()
    box, trouble = page.locator(".al-sm-box"), page.locator(".al-trouble")
    for typed in ("abc", "1e999", "", "1001", "<img src=x onerror=alert(1)>"):
        box.fill(typed)
        page.keyboard.press("Enter")
        expect(trouble).to_contain_text("is no number that fits here: type one from −1000 to 1000.")
        expect(box).to_be_focused()
        expect(box).to_have_value(typed)
        expect(box).to_have_attribute("aria-invalid", "true")
    page.locator(".al-says").click()  # looking elsewhere does not lose it either
    expect(box).to_have_value("<img src=x onerror=alert(1)>")
    box.fill("0.5")
    expect(trouble).to_be_empty()
    page.keyboard.press("Escape")
    expect(cell(page, "x", 0, 0)).to_have_text("0.2")
    assert "cells=" not in page.url


def test_choosing_a_cell_shows_the_sum_that_made_it(page: Page, address: str):
    opened(page, address, "step=scores")
    cell(page, "scores", 1, 0).click()
    why = page.locator(".al-why")
    expect(why).to_contain_text("Scores: “cat” looks at “The”")
    expect(why).to_contain_text("1 × 0.2 + 0.3 × (−0.4) + (−0.6) × 0.1 + 0.2 × 0.9")
    expect(why).to_contain_text("= 0.2 − 0.12 − 0.06 + 0.18")
    expect(why.locator("strong")).to_have_text("0.2")
    expect(page.locator(".al-sm-source")).to_have_count(8)
    expect(cell(page, "q", 1, 3)).to_have_class(re.compile("al-sm-source"))
    expect(cell(page, "k", 0, 3)).to_have_class(re.compile("al-sm-source"))
    expect(page).to_have_url(re.compile(r"cell=scores\.0\.1\.0"))

    page.locator('.al-step[data-step="scaled"]').click()
    cell(page, "scaled", 3, 3).click()
    expect(why).to_contain_text("1.58 ÷ √4= 1.58 ÷ 2 = 0.79")
    page.locator('.al-step[data-step="masked"]').click()
    cell(page, "masked", 0, 1).click()
    expect(why).to_contain_text("“cat” comes after “The”, so its score of 0.1 is taken out.")
    page.locator('.al-step[data-step="weights"]').click()
    cell(page, "weights", 3, 2).click()
    expect(why).to_contain_text("e0.43 ÷ (e−0.26 + e−0.03 + e0.43 + e0.79)")
    expect(why.locator("strong")).to_have_text("0.2804")
    page.keyboard.press("ArrowRight")
    expect(why.locator("strong")).to_have_text("0.4019")
    expect(page).to_have_url(re.compile(r"cell=weights\.0\.3\.3"))
    page.reload()
    expect(why.locator("strong")).to_have_text("0.4019")


def test_play_goes_on_by_itself_and_stops_at_a_touch(page: Page, address: str):
    opened(page, address, "step=weights")
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".al-step[aria-current]")).to_have_text("Output")
    expect(page.locator(".al-step[aria-current]")).to_have_text("Times W_O")
    expect(page.get_by_role("button", name="Play")).to_be_visible()  # it stops at the end
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".al-step[aria-current]")).to_have_text("Tokens")
    page.get_by_role("button", name="Step on").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_two_heads_and_a_wider_w_v(page: Page, address: str):
    opened(page, address, "step=weights")
    page.get_by_text("Two heads", exact=True).click()
    expect(cell(page, "weights", 3, 3, head=1)).to_be_visible()
    two = work(replace(examples.CAT, heads=2))
    for head in range(2):
        shown = on_screen(page, "weights", head)
        assert shown[3] == [figure(weight) for weight in two.weights[head, 3].tolist()]
    page.locator(".st-key-switches").get_by_text("W_V: 4 columns").click()
    page.get_by_role("option", name="W_V: 6 columns").click()
    expect(page).to_have_url(re.compile("values=6"))
    page.locator('.al-step[data-step="v"]').click()
    expect(cell(page, "v", 3, 5)).to_be_visible()
    expect(page.locator(".st-key-remark-cost")).to_contain_text("512 multiplications")


def test_the_lookup_turns_from_an_even_blend_to_a_single_match(page: Page, address: str):
    opened(page, address, "preset=colours")
    shares = page.locator(".st-key-lookup .al-blend-share")
    expect(shares).to_have_text(["0.8438", "0.0420", "0.1142"])
    count_runs(page)
    dial = page.locator(".st-key-lookup input[type=range]")
    dial.evaluate("node => { node.value = 0; node.dispatchEvent(new Event('input')); }")
    expect(shares).to_have_text(["0.3333"] * 3)
    assert runs(page) == 0  # moving it asks nobody
    dial.focus()
    page.keyboard.press("End")
    expect(shares).to_have_text(["1.0000", "0.0000", "0.0000"])
    expect(page.locator(".al-blend-sum .al-blend-cell")).to_have_text(["1.00", "0.00", "0.00"])
    expect(page).to_have_url(re.compile("sharp=inf"))
    rows = page.locator(".st-key-nothing-rows .al-rows-line")
    expect(rows.nth(1).locator(".al-rows-cell")).to_have_text(["0.33"] * 3)
    expect(rows.nth(3).locator(".al-rows-cell")).to_have_text(["NaN"] * 3)
    expect(rows.nth(4).locator(".al-rows-cell")).to_have_text(["0"] * 3)


def test_nothing_sticks_out_however_narrow(page: Page, address: str):
    opened(page, address, "preset=dog&step=out&values=6")
    main = "document.querySelector('[data-testid=stMain]')"
    for width in (1440, 800, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(600)
        card = page.locator(".st-key-card-by-hand").bounding_box()
        for matrix in page.locator(".al-sm").all():
            box = matrix.bounding_box()
            assert box["x"] + box["width"] <= card["x"] + card["width"] + 1, width
        assert page.evaluate(f"{main}.scrollWidth - {main}.clientWidth") <= 0, width
