"""A text of 2,048 tokens pasted into the app, in a real Chromium: reduced where said, else exact.

How long the browser's tasks take is measured by benchmarks/page.py and, for the drawn component
alone, in test_long_text.py.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from attnlab.trace import Capture
from tests.browser.visiting import count_runs, opened, runs, settled

pytestmark = pytest.mark.browser

TOKENS = 2048
HEAD = (16, 0)  # looks at the word before
NEAR = 200  # a place near the diagonal, where that head looks
SENTENCE = "Anna gave the red key to Ben, who had lost the blue one near the old mill. "
MINUTES = 4 * 60_000  # a busy machine reads such a text in one


@pytest.fixture(scope="module")
def long_text(smollm2) -> str:
    """A text of exactly TOKENS tokens."""
    ids = smollm2.tokenizer(SENTENCE * 200)["input_ids"][:TOKENS]
    text = smollm2.tokenizer.decode(ids)
    assert smollm2.tokenizer(text)["input_ids"] == ids
    return text


def weight(lab, text: str, query: int, key: int) -> float:
    """What HEAD gives `key` of the text; a causal row needs only the tokens before it."""
    ids = lab.tokenizer(text)["input_ids"][: query + 1]
    only = Capture("weights", layers=HEAD[0], heads=HEAD[1], queries=(query,))
    return float(lab.run(ids, capture=only, logits=None).weights[HEAD][0, key])


def window(page: Page) -> dict[str, float]:
    """The matrix that is in sight, scrolled to, in pixels of the window."""
    part = page.locator(".st-key-head .al-window")
    part.scroll_into_view_if_needed()
    return part.bounding_box()


def point(page: Page, x: float, y: float) -> None:
    """Moves the pointer to a place of the matrix in sight, in pixels."""
    box = window(page)
    page.mouse.move(box["x"] + x - 2, box["y"] + y)
    page.mouse.move(box["x"] + x, box["y"] + y)


def test_row_7_a_pasted_text_of_2048_tokens(watched: Page, address: str, long_text: str, smollm2):
    page = watched
    opened(page, f"{address}/?b=&head=L16H0&mode=matrix")
    page.get_by_label("Sentence A", exact=True).fill(long_text)
    page.keyboard.press("Enter")
    note = page.locator(".st-key-head .al-long-note")
    expect(note).to_contain_text("2,048 × 2,048 weights", timeout=MINUTES)
    expect(note).to_contain_text(re.compile(r"a point shows the strongest of (\d+) × \1"))
    grid = page.locator(".st-key-grid .al-hint").first
    expect(grid).to_contain_text("a cell shows the strongest of 32 × 32 tokens")
    expect(page.locator(".st-key-card-effect")).to_contain_text("KL", timeout=MINUTES)
    expect(page.get_by_text("Too long for a link")).to_be_visible()
    expect(page).to_have_url(re.compile("long=a"))
    settled(page)  # until then the box of one line stands beside the larger one
    expect(page.get_by_label("Sentence A", exact=True)).to_have_value(long_text)

    # Hovering tells a place and its weight at any zoom, and asks the server for nothing.
    count_runs(page)
    tip = page.locator(".st-key-head .al-tip")
    box = window(page)
    scale = min(box["width"], box["height"]) / TOKENS
    place = (scale * NEAR, scale * (NEAR + 4))
    point(page, *place)
    expect(tip).to_contain_text("the strongest of")
    hovered = tip.inner_text()
    for _ in range(12):
        page.mouse.wheel(0, -300)
    expect(note).to_contain_text("every weight in sight is drawn")
    for x in (0.3, 0.5, 0.7):
        point(page, box["width"] * x, box["height"] * 0.95)
        expect(tip).to_contain_text("→")
    page.get_by_role("button", name="Show all").click()
    expect(note).to_contain_text("a point shows the strongest of")
    assert runs(page) == 0

    # As words: those of the part in sight, and their arcs.
    page.locator(".st-key-card-head").get_by_text("words", exact=True).click()
    expect(page.locator(".st-key-head .al-panel")).to_be_visible()
    expect(note).to_contain_text("every weight in sight is drawn")
    count_runs(page)
    panel = page.locator(".st-key-head .al-panel")
    panel.scroll_into_view_if_needed()
    box = panel.bounding_box()
    page.mouse.move(box["x"] + 30, box["y"] + box["height"] / 2)
    page.mouse.move(box["x"] + 30, box["y"] + box["height"] / 2 + 40)
    expect(page.locator(".st-key-head .al-sum")).to_contain_text("looks most at")
    page.get_by_role("button", name="Show all").click()
    expect(note).to_contain_text("arcs join")
    assert runs(page) == 0

    # The place that was read, kept by a click: the engine's own weight.
    page.locator(".st-key-card-head").get_by_text("matrix", exact=True).click()
    expect(page.locator(".st-key-head .al-panel")).to_have_count(0)
    settled(page)
    point(page, *place)
    page.mouse.down()
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"at=A\d+&key=\d+"))
    query, key = map(int, re.search(r"at=A(\d+)&key=(\d+)", page.url).groups())
    assert abs(query - NEAR) < 20 and abs(key - NEAR) < 20
    right = f"{weight(smollm2, long_text, query, key):.2f}"
    assert float(right) > 0.05
    assert f"A {right}" in hovered.replace("\n", " ")
    expect(page.locator(".st-key-card-head")).to_contain_text(f"{right} in A", timeout=MINUTES)
    assert page.locator("[data-testid=stException]").count() == 0
