"""The four experiments in a real Chromium: one click each, and the figures as they are read."""

import pytest
from playwright.sync_api import Page, expect

from attnlab.ui.experiments import active
from tests.browser.visiting import figure, settled

pytestmark = pytest.mark.browser


def opened(page: Page, address: str, experiment: str, step: str = "") -> None:
    """The page after a click on an experiment, and on one of its steps."""
    page.goto(address)
    expect(page.locator(".st-key-card-effect")).to_contain_text("KL")
    page.locator(".st-key-tries").get_by_text(experiment, exact=True).click()
    if step:
        page.locator(".st-key-look-for").get_by_text(step, exact=True).click()


def reads(page: Page, name: str, head: str) -> None:
    """Waits for a step's sentence and its head, and until what it set is everywhere: two steps may
    share a head, whose card stands there before the second one draws it."""
    expect(page.locator(".st-key-look-for")).to_contain_text(active(name)[1].look_for)
    settled(page)
    expect(page.locator(".st-key-card-head")).to_contain_text(head)


def test_the_street_finder(page: Page, address: str):
    opened(page, f"{address}/?head=L0H0", "The street finder")
    reads(page, "street", "Layer 4 · Head 2")
    expect(figure(page, "A", 6)).to_have_text("0.06")
    expect(figure(page, "B", 6)).to_have_text("0.46")


def test_it_cannot_know_yet_and_in_minilm_it_can(page: Page, address: str):
    opened(page, address, "Cannot know yet")
    reads(page, "future", "Layer 13 · Head 8")
    for side in "AB":
        expect(figure(page, side, 1)).to_have_text("0.75")
    page.locator(".st-key-look-for").get_by_text("Both ways: MiniLM", exact=True).click()
    reads(page, "future-minilm", "Layer 3 · Head 1")
    expect(figure(page, "A", 2)).to_have_text("0.68")
    expect(figure(page, "B", 2)).to_have_text("0.28")


def test_a_head_rests_and_wakes_up(page: Page, address: str):
    opened(page, address, "A head at rest")
    reads(page, "resting", "Layer 18 · Head 6")
    expect(page.locator(".st-key-card-grid")).to_contain_text(
        "the first token takes 65% of all attention"
    )
    page.locator(".st-key-look-for").get_by_text("Woken up", exact=True).click()
    reads(page, "resting-woken", "Layer 18 · Head 6")
    page.locator(".st-key-card-head").get_by_text("words", exact=True).click()
    expect(figure(page, "A", 3)).to_have_text("0.85")


@pytest.mark.parametrize(
    ("step", "name", "head", "kl", "shares"),
    [
        ("", "effect", "Layer 4 · Head 2", "KL 0.0076 nats", None),
        ("Paris", "effect-paris", "Layer 23 · Head 4", "KL 1.20", ("Paris", "0.77 → 0.14")),
        ("The red key", "effect-key", "Layer 20 · Head 0", "KL 0.33", ("red", "0.84 → 0.46")),
    ],
)
def test_attention_is_not_effect(
    page: Page,
    address: str,
    step: str,
    name: str,
    head: str,
    kl: str,
    shares: tuple[str, str] | None,
):
    opened(page, address, "Attention is not effect", step)
    reads(page, name, head)
    card = page.locator(".st-key-card-effect")
    expect(card).to_contain_text(kl)
    if shares is not None:
        word, figures = shares
        row = card.locator(".al-bar").filter(has=page.get_by_text(word, exact=True))
        expect(row.locator(".al-bar-figures")).to_have_text(figures)
