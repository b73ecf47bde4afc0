"""The chosen head of a long text in a real Chromium: it stays exact, and it stays responsive."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnlab.viz.head import head_payload
from tests.browser.mounting import HOSTILE, causal, show, words

pytestmark = pytest.mark.browser

COUNT_TASKS = """() => {
  window.tasks = [];
  const note = (list) => list.getEntries().forEach((entry) => tasks.push(entry.duration));
  new PerformanceObserver(note).observe({entryTypes: ["longtask"]});
}"""


def sparse(size: int) -> np.ndarray:
    """Every word looks at the one before it, and one word far back."""
    weights = np.zeros((size, size), np.float32)
    weights[np.arange(1, size), np.arange(size - 1)] = 0.9
    weights[0, 0] = 1
    weights[size - 100] = 0
    weights[size - 100, [9, 8]] = [0.7, 0.25]
    return weights


def tokens(size: int) -> list[dict]:
    return words(*(f" w{i}" for i in range(size)))


def window(page: Page, side: int = 0) -> dict:
    return page.locator(".al-window").nth(side).bounding_box()


def point(page: Page, x: float, y: float) -> None:
    """Move the pointer to a share of the first matrix."""
    box = window(page)
    page.mouse.move(box["x"] + box["width"] * x - 2, box["y"] + box["height"] * y)
    page.mouse.move(box["x"] + box["width"] * x, box["y"] + box["height"] * y)


@pytest.mark.parametrize("mode", ["words", "matrix", "difference"])
def test_no_long_task_while_hovering_zooming_and_panning_2048_tokens(page: Page, mode):
    weights, text = sparse(2048), tokens(2048)
    other = [*text[:700], *text[705:]]  # lengths differ, and B leaves five words out
    payload = head_payload(weights, text, b=sparse(2043), tokens_b=other, mode=mode)
    show(page, "head", payload)
    expect(page.locator(".al-long-note").first).to_contain_text("weights")
    page.wait_for_timeout(300)
    page.evaluate(COUNT_TASKS)
    # A busy machine takes time from any task; one that is long by itself is long every time.
    rounds = [longest_task(page) for _ in range(3)]
    assert min(rounds) < 200  # milliseconds


def longest_task(page: Page) -> float:
    """Hover, zoom in, hover, pan and zoom out; the longest task meanwhile, in ms (0 below 50)."""
    for x in np.linspace(0.05, 0.9, 20):
        point(page, x, 0.9)
    for _ in range(8):
        page.mouse.wheel(0, -300)
    for x in np.linspace(0.05, 0.9, 20):
        point(page, x, 0.5)
    page.mouse.down()
    for x in np.linspace(0.9, 0.05, 20):
        point(page, x, 0.3)
    page.mouse.up()
    for _ in range(12):
        page.mouse.wheel(0, 300)
    page.wait_for_timeout(300)
    return max(page.evaluate("tasks.splice(0)"), default=0)


def test_a_single_weight_is_found_at_any_zoom(page: Page):
    show(page, "head", head_payload(sparse(2048), tokens(2048), mode="matrix"), width=700)
    note = page.locator(".al-long-note")
    expect(note).to_have_text("2,048 × 2,048 weights · a point shows the strongest of 8 × 8")
    box, tip = window(page), page.locator(".al-tip")
    scale = box["height"] / 2048
    page.mouse.move(box["x"] + 9 * scale, box["y"] + 1948 * scale)
    expect(tip).to_contain_text("w1948 → w9")
    expect(tip).to_contain_text("A 0.70")
    expect(tip).to_contain_text("the strongest of 8 × 8 here")
    for _ in range(20):
        page.get_by_role("button", name="Enlarge").click()
    expect(note).to_contain_text("every weight in sight is drawn")
    page.get_by_role("button", name="Show all").click()
    expect(note).to_contain_text("strongest of 8 × 8")


def test_a_click_keeps_the_pair_and_another_head_keeps_the_view(page: Page):
    text = tokens(300)
    show(page, "head", head_payload(sparse(300), text, mode="matrix", serial=3), width=700)
    box = window(page)
    scale = box["height"] / 300
    page.mouse.click(box["x"] + 9.5 * scale, box["y"] + 200.5 * scale)
    sent = page.evaluate("sent[sent.length - 1]")
    assert (sent["side"], sent["position"], sent["key"], sent["serial"]) == ("A", 200, 9, 3)
    expect(page.locator(".al-sum")).to_contain_text("A from w200 to w9 0.70")
    expect(page.locator(".al-sum")).to_contain_text("looks most at w9 (position 9) 0.70, w8")
    kept = page.locator(".al-kept")
    whole = kept.get_attribute("style")
    page.get_by_role("button", name="Enlarge").click()
    # The picture is drawn with the browser's next frame.
    expect(kept).not_to_have_attribute("style", whole)
    seen = kept.get_attribute("style")
    show(page, "head", head_payload(causal(300, 300), text, mode="matrix", serial=3), width=700)
    expect(kept).to_have_attribute("style", seen)


def test_the_words_looked_at_most_lead_to_their_pair(page: Page):
    show(page, "head", head_payload(sparse(2048), tokens(2048), row_a=1948), width=1000)
    page.locator(".al-panel").hover(position={"x": 300, "y": 200})
    for _ in range(3):  # the words looked at move on, the strongest out of sight
        page.mouse.wheel(0, 400)
    page.get_by_role("button", name="w8 (position 8)").click()
    sent = page.evaluate("sent[sent.length - 1]")
    assert (sent["position"], sent["key"]) == (1948, 8)
    room, kept = window(page), page.locator(".al-kept")
    page.wait_for_timeout(200)
    assert room["x"] <= kept.bounding_box()["x"] < room["x"] + room["width"]


def test_keys_move_enlarge_and_keep(page: Page):
    show(page, "head", head_payload(sparse(300), tokens(300), mode="matrix"), width=700)
    page.locator(".al-map").focus()
    for name in ("+", "+", "+", "+"):
        page.keyboard.press(name)
    expect(page.locator(".al-long-note")).to_contain_text("every weight in sight")
    for name in ("ArrowUp", "ArrowUp", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(name)
    expect(page.locator(".al-live")).to_contain_text("w297 →")
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("Enter")
    assert page.evaluate("sent[sent.length - 1].position") < 297
    page.keyboard.press("0")
    expect(page.locator(".al-map")).to_have_class("al-map al-whole")


def test_in_words_the_words_in_sight_are_written_and_lead_on(page: Page):
    page.evaluate(
        """() => {
          window.written = [];
          const write = CanvasRenderingContext2D.prototype.fillText;
          CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
            written.push(String(text));
            return write.call(this, text, ...rest);
          };
        }"""
    )
    show(page, "head", head_payload(sparse(2048), tokens(2048), row_a=1948), width=1000)
    page.wait_for_timeout(200)
    written = page.evaluate("written.splice(0)")
    # The kept word and those near it, and the words at which it looks, with their weights.
    assert {"w1948", "w1945", "w9", "w8", "0.70", "0.25"} <= set(written)
    panel = page.locator(".al-panel").bounding_box()
    at = panel["y"] + panel["height"] / 2
    page.mouse.move(panel["x"] + 30, at)
    page.mouse.move(panel["x"] + 30, at + 60)
    expect(page.locator(".al-sum")).not_to_contain_text("from w1948")
    page.mouse.wheel(0, 4000)  # the words that look move on
    page.wait_for_timeout(200)
    assert "w2047" in page.evaluate("written")
    page.mouse.click(panel["x"] + 30, at)
    kept = page.evaluate("sent[sent.length - 1]")
    assert kept["position"] > 2000 and kept["key"] is None


def test_both_sides_show_the_same_part(page: Page):
    text = tokens(400)
    other = [*text[:100], *text[120:]]
    payload = head_payload(causal(400, 400), text, b=causal(380, 380), tokens_b=other)
    show(page, "head", payload, width=740)
    kept = page.locator(".al-long").nth(1).locator(".al-band")
    before = kept.get_attribute("style")
    page.locator(".al-long").first.get_by_role("button", name="Reduce").click()
    expect(kept).not_to_have_attribute("style", before)


def test_a_long_text_of_hostile_tokens_is_only_text(page: Page):
    text = words(*(HOSTILE * 30))
    show(page, "head", head_payload(causal(90, 90), text, b=causal(90, 90), tokens_b=text))
    point(page, 0.3, 0.6)
    expect(page.locator(".al-tip")).to_contain_text("→")
    assert page.evaluate("window.hit") is None
    assert page.evaluate("holder.shadowRoot.querySelectorAll('img, script').length") == 0


@pytest.mark.parametrize("mode", ["words", "matrix"])
@pytest.mark.parametrize("width", [340, 740, 1160])
def test_a_long_text_fits_its_card(page: Page, mode, width):
    text = tokens(500)
    payload = head_payload(causal(500, 500), text, b=causal(500, 500), tokens_b=text, mode=mode)
    show(page, "head", payload, width=width)
    for part in page.locator(".al-map, .al-panel").all():
        box = part.bounding_box()
        assert box["width"] > 60 and box["x"] + box["width"] <= width + 1
