"""Hostile texts in every view of the app, in a real Chromium: drawn as they were typed."""

import re
from collections.abc import Sequence
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from attnlab.viz.tokens import label
from tests.browser.visiting import LISTEN, opened, settled, show

pytestmark = pytest.mark.browser

HTML = '<b>x</b> " onmouseover="window.hit=1 <img src=x onerror="window.hit=1">'
MARKED_UP = "cost $5 and $6 email:a@b :red[x] **y** </script><script>window.hit=1</script>"
REPEATED = "the cat the cat the"


def joined(words: Locator) -> str:
    """The texts of words in the order of the sentence, without spaces."""
    return re.sub(r"\s", "", "".join(words.all_text_contents()))


def bare(text: str) -> str:
    return text.replace(" ", "")


def labels(lab, text: str) -> set[str]:
    return {label(token) for token in lab.tokens(text)}


def drawn(page: Page, wanted: set[str]) -> None:
    """Waits until each of these words was written on a canvas, and forgets what was written."""
    page.wait_for_function(
        "(wanted) => wanted.every((word) => window.written.includes(word))",
        arg=sorted(wanted),
    )
    page.evaluate("window.written.splice(0)")


def nothing_ran(page: Page, texts: Sequence[str]) -> None:
    """No script, element or formula came of a text; its Markdown signs are still there."""
    settled(page)
    assert page.evaluate("window.hit") is None
    assert page.locator("img[src=x], .katex, b:text-is('x'), strong:text-is('y')").count() == 0
    body = page.locator("[data-testid=stMarkdownContainer]").all_text_contents()
    assert not any("onmouseover" in text or "$5" in text for text in body)
    for side, text in zip("AB", texts, strict=False):
        expect(page.get_by_label(f"Sentence {side}", exact=True)).to_have_value(text)


def test_row_4_and_row_6_hostile_texts_in_every_view(watched: Page, address: str, smollm2):
    page, texts = watched, (HTML, MARKED_UP)
    page.add_init_script(f"({LISTEN})()")
    both = labels(smollm2, HTML) | labels(smollm2, MARKED_UP)
    link = f"a={quote(HTML)}&b={quote(MARKED_UP)}&pins=L4H2.L16H0&view=B&at=B2"
    opened(page, f"{address}/?{link}")
    card = page.locator(".st-key-card-head")
    for side, text in zip("AB", texts, strict=True):
        words = page.locator(f'.st-key-head .al-word[data-side="{side}"]')
        expect(words.first).to_be_visible()
        assert joined(words) == bare(text)
    page.locator('.st-key-head .al-key[data-side="B"]').nth(1).hover()
    expect(page.locator(".st-key-head .al-tip")).to_be_visible()
    expect(page.locator(".st-key-card-effect")).to_contain_text("after “cost $5” (in B)")
    nothing_ran(page, texts)

    card.get_by_text("matrix", exact=True).click()
    drawn(page, both)
    page.locator('.st-key-head .al-matrix[data-side="A"] canvas').first.hover()
    nothing_ran(page, texts)
    card.get_by_text("B − A", exact=True).click()
    expect(page.locator(".st-key-head .al-legend")).to_contain_text("only in")
    drawn(page, both)

    show(page, "Compare")
    drawn(page, labels(smollm2, MARKED_UP))
    page.locator(".al-tile-stage").first.hover()
    expect(page.locator(".al-compare-say")).to_contain_text("→")
    page.locator(".st-key-title-compare").get_by_text("arcs", exact=True).click()
    drawn(page, labels(smollm2, MARKED_UP))
    nothing_ran(page, texts)

    show(page, "Find a head")
    for side, text in zip("AB", texts, strict=True):
        words = page.locator(f'.al-pick-word[data-side="{side}"]')
        expect(words.first).to_be_visible()
        assert joined(words) == bare(text)
    expect(page.locator(".st-key-remark-found")).to_contain_text("“$”")
    nothing_ran(page, texts)

    show(page, "CircuitsVis")
    expect(page.locator(".al-circuits h4")).to_have_count(9)
    zoomed = page.locator(".al-circuits canvas").last
    zoomed.scroll_into_view_if_needed()
    box = zoomed.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.6)
    page.wait_for_function("window.written.some((text) => text.startsWith('Val: '))")
    nothing_ran(page, texts)


def test_row_4_hostile_texts_of_an_encoder_and_row_5_repeated_words(
    watched: Page, address: str, minilm
):
    page = watched
    page.add_init_script(f"({LISTEN})()")
    opened(page, f"{address}/?model=minilm-l6&head=L3H1&a={quote(HTML)}&b={quote(REPEATED)}")
    shifts = page.locator(".st-key-shifts .al-shift-name")
    expect(shifts).to_have_text(["[CLS]", *REPEATED.split(), "[SEP]"])
    page.locator(".st-key-title-effect").get_by_text("A", exact=True).click()
    expect(shifts).to_have_text([label(token) for token in minilm.tokens(HTML)])
    words = page.locator('.st-key-head .al-word[data-side="B"]')
    expect(words).to_have_text(["[CLS]", *REPEATED.split(), "[SEP]"])
    nothing_ran(page, (HTML, REPEATED))


def test_row_4_a_long_hostile_text(watched: Page, address: str, smollm2):
    page, text = watched, f"{HTML} {MARKED_UP} " * 2
    page.add_init_script(f"({LISTEN})()")
    opened(page, f"{address}/?a={quote(text)}&b=")
    expect(page.locator(".st-key-head .al-long-note")).to_contain_text("weights")
    page.wait_for_function("window.written.includes('window')")
    page.locator(".st-key-head .al-map").hover(position={"x": 150, "y": 250})
    expect(page.locator(".st-key-head .al-tip")).to_contain_text("→")
    nothing_ran(page, (text,))
