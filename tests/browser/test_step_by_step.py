"""Step by step in the app: the steps, an edited cell, the sum behind a cell, the lookup."""

import re
from dataclasses import replace
from functools import partial

import pytest
from playwright.sync_api import Locator, Page, expect

from attnlab.attention import examples
from attnlab.attention.because import HEADED
from attnlab.attention.steps import work
from attnlab.viz.steps import STEPS, TITLES
from attnlab.viz.svg.steps import figure
from tests.browser.visiting import count_runs, runs, settled

pytestmark = pytest.mark.browser


def opened(page: Page, address: str, query: str = "") -> None:
    page.goto(f"{address}/step-by-step?{query}")
    expect(page.locator(".al-ribbon [aria-current]")).to_be_visible(timeout=120_000)
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
    opened(page, address, "preset=cat&step=tokens")
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
    opened(page, address, "preset=cat&step=v")
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
    cell(page, "out", 1, 0).click()
    expect(page).to_have_url(re.compile(r"step=out.*cell=out\.0\.1\.0"))
    page.reload()
    expect(cell(page, "out", 1, 0)).to_have_text(after)
    expect(page.locator(".al-why")).to_contain_text("row “cat”, column 1")
    expect(page.locator(".al-why strong")).to_have_text("−1.4494")
    page.get_by_text("Back to the example's own numbers").click()
    plain = work(examples.CAT)
    expect(cell(page, "out", 1, 0)).to_have_text(figure(plain.out[1, 0].item()))
    expect(page).not_to_have_url(re.compile("cells="))


def test_two_heads_and_a_wider_w_v(page: Page, address: str):
    opened(page, address, "preset=cat&step=weights")
    page.get_by_text("Two heads", exact=True).click()
    expect(cell(page, "weights", 3, 3, head=1)).to_be_visible()
    two = work(replace(examples.CAT, heads=2))
    for head in range(2):
        shown = on_screen(page, "weights", head)
        assert shown[3] == [figure(weight) for weight in two.weights[head, 3].tolist()]
    page.get_by_role("combobox", name="Columns of W_V").click()
    page.get_by_role("option", name="W_V: 6 columns").click()
    expect(page).to_have_url(re.compile("values=6"))
    page.locator('.al-step[data-step="v"]').click()
    expect(cell(page, "v", 3, 5)).to_be_visible()
    expect(page.locator(".st-key-remark-cost")).to_contain_text("480 multiplications")


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
    page.get_by_text("A row that may see nothing").click()
    rows = page.locator(".st-key-nothing-rows .al-rows-line")
    expect(rows.nth(1).locator(".al-rows-cell")).to_have_text(["0.33"] * 3)
    expect(rows.nth(3).locator(".al-rows-cell")).to_have_text(["NaN"] * 3)
    expect(rows.nth(4).locator(".al-rows-cell")).to_have_text(["0"] * 3)
