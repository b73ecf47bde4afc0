"""Visits of the app: open it, wait until it is quiet, and notice what it does meanwhile."""

import re

from playwright.sync_api import Locator, Page, expect

COUNT_RUNS = """() => {
  window.runs = 0;
  const app = document.querySelector('[data-test-script-state]');
  new MutationObserver(() => window.runs++).observe(
    app, {attributes: true, attributeFilter: ['data-test-script-state']});
}"""
QUIET = """() => {
  const app = document.querySelector('[data-test-script-state]');
  return !app || app.dataset.testScriptState === 'notRunning';
}"""
CLICK = Locator.click
# Text drawn on canvases, which no other way can be read.
LISTEN = """() => {
  window.written = [];
  for (const kind of [CanvasRenderingContext2D, OffscreenCanvasRenderingContext2D]) {
    const write = kind.prototype.fillText;
    kind.prototype.fillText = function (text, ...rest) {
      window.written.push(String(text));
      return write.call(this, text, ...rest);
    };
  }
}"""


def opened(page: Page, url: str) -> None:
    """Opens `url` and waits for the last card, and for pictures, which move what is below them."""
    page.goto(url)
    effect = page.locator(".st-key-card-effect")
    expect(effect).to_contain_text(re.compile("KL|Cosine distance"), timeout=180_000)
    settled(page)
    expect(page.locator(".st-key-grid .al-chosen")).to_be_visible()
    expect(effect.locator(".al-root > *").first).to_be_visible()


def settled(page: Page) -> None:
    """Waits until no script runs, if the page is one of the app's."""
    page.wait_for_function(QUIET, timeout=180_000)


def at_once(button: Locator) -> None:
    """Clicks while a script runs; other clicks wait until it has ended (conftest.py)."""
    CLICK(button)


def show(page: Page, panel: str) -> None:
    """Turns the card under the grid to another panel."""
    page.locator(".st-key-switch").get_by_text(panel, exact=True).click()


def count_runs(page: Page) -> None:
    """From now on `window.runs` counts how often the script began or ended."""
    settled(page)
    page.evaluate(COUNT_RUNS)


def runs(page: Page) -> int:
    """How often the script began or ended, a while after the last thing that was done."""
    page.wait_for_timeout(400)
    return page.evaluate("window.runs")


def figure(page: Page, side: str, key: int) -> Locator:
    """The weight of a looked-at word."""
    return page.locator(f'.st-key-head .al-key[data-side="{side}"][data-position="{key}"] .al-fig')
