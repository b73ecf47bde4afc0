"""Head roles in a real Chromium: stop the scoring and start it again; a head; one role; badges."""

import re

import pytest
from playwright.sync_api import Page, expect

from attnlab.ui.engine import kept
from attnlab.ui.engine.keys import LabKey
from tests.browser.visiting import at_once, count_runs, runs, settled

pytestmark = pytest.mark.browser


def spot(page: Page, number: int):
    return page.locator(".st-key-atlas svg.al-diagram .al-spot").nth(number)


def test_from_no_scores_to_a_head_and_its_badge(watched: Page, address: str):
    page = watched
    # Named by its precision, it is a model that no other test has had scored, here or on disk.
    kept.place(LabKey("smollm2-135m", None, "float32", "auto"), "decoder").unlink(missing_ok=True)
    page.goto(f"{address}/head-roles?dtype=float32")
    progress = page.locator("[class*=st-key-progress-]").first
    expect(progress).to_contain_text("Scoring 270 heads", timeout=180_000)
    at_once(page.get_by_role("button", name="Stop", exact=True))
    expect(page.locator(".st-key-problem-stopped")).to_contain_text("Stopped: scoring 270 heads")
    page.get_by_role("button", name="Run it again").click()
    expect(progress).to_contain_text("Scoring 270 heads")

    page.goto(f"{address}/head-roles?model=minilm-l6&head=L0H2")
    pill = page.locator(".st-key-pill-atlas")
    expect(pill).to_contain_text("of 72 heads named", timeout=180_000)
    title = page.locator(".st-key-title-scores")
    expect(title).to_contain_text("Layer 0 · Head 2")
    expect(page.locator(".st-key-pill-scores")).to_contain_text("previous token")
    settled(page)

    # Pointing at a head says what it is for, and asks nothing of the server.
    count_runs(page)
    spot(page, 2).hover()
    expect(page.locator(".st-key-atlas .al-tip")).to_contain_text("previous token 1.00")
    assert runs(page) == 0

    # Another head, by hand; then by the keyboard from one of a list.
    spot(page, 12 + 8).click()
    expect(title).to_contain_text("Layer 1 · Head 8")
    expect(page).to_have_url(re.compile("head=L1H8"))
    expect(page.locator(".st-key-pill-probe")).to_contain_text("next token")
    settled(page)
    page.locator(".st-key-alike .al-rank").first.press("Enter")
    expect(title).not_to_contain_text("Layer 1 · Head 8")
    settled(page)

    # A role of the legend alone, and back.
    spot(page, 72).click()
    expect(page.locator(".st-key-remark-atlas-role")).to_contain_text("Previous token")
    expect(page).to_have_url(re.compile("only=previous"))
    settled(page)
    page.get_by_role("button", name="All roles").click()
    expect(page.locator(".st-key-remark-atlas-how")).to_be_visible()
    settled(page)

    # A row of the scores shows the text made for that role.
    page.locator(".st-key-scores svg.al-diagram .al-spot").nth(2).click()
    expect(page.locator(".st-key-pill-probe")).to_contain_text("first token")
    expect(page).to_have_url(re.compile("probe=first"))

    # On the page Heads a dot says the same, and the tooltip names it.
    page.locator(".st-key-pages").get_by_text("Heads", exact=True).click()
    grid = page.locator(".st-key-grid")
    expect(grid.locator(".al-legend")).to_contain_text("Dots: roles", timeout=180_000)
