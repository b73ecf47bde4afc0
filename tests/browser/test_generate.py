"""Generate in a real Chromium: twenty tokens by clicking; a weight read is that of the Trace."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visiting import count_runs, runs, settled

pytestmark = pytest.mark.browser

PROMPT = "The capital of France is"


def test_twenty_tokens_by_clicking_and_a_weight_of_the_trace(watched: Page, address: str, smollm2):
    page = watched
    page.goto(f"{address}/generate?a={PROMPT}&head=L23H4&heat=1&topp=0.9&seed=5&as=words")
    words = page.locator(".st-key-writing-A .al-strand-word")
    expect(words).to_have_count(5, timeout=180_000)
    step = page.locator(".st-key-step button")
    for count in range(6, 25):
        step.click()
        expect(words).to_have_count(count, timeout=60_000)
    settled(page)
    page.locator(".st-key-coming-A .al-spot").nth(1).click()
    expect(words).to_have_count(25)
    expect(page).to_have_url(re.compile(r"made=20.*chose=19\.\d+|chose=19\.\d+.*made=20"))
    chosen = int(re.search(r"chose=19\.(\d+)", page.url)[1])
    generation = smollm2.steps(PROMPT, temperature=1.0, top_p=0.9, seed=5)
    list(generation.follow([*[None] * 19, chosen]))
    trace = generation.trace(newest=True)
    assert words.all_text_contents() == [_written(token) for token in trace.tokens]
    count_runs(page)
    head = page.locator(".st-key-generated")
    head.locator('.al-word[data-position="12"]').hover()
    shown = head.locator('.al-key[data-position="5"] .al-fig')
    expect(shown).to_have_text(_figure(trace.weights[23, 4][12, 5]))
    assert runs(page) == 0
    page.locator(".st-key-undo button").click()
    expect(words).to_have_count(24)
    expect(page).not_to_have_url(re.compile("chose"))


def test_it_plays_to_the_end_and_a_link_shows_the_same(page: Page, address: str):
    page.goto(f"{address}/generate?lesson=date&model=dates")
    words = page.locator(".st-key-writing-A .al-strand-text .al-strand-word")
    expect(words).to_have_count(7, timeout=120_000)
    settled(page)
    page.locator(".st-key-start-over button").click()
    expect(words).to_have_count(1)
    settled(page)
    page.locator(".st-key-play-stop button").click()
    expect(page.locator(".st-key-remark-writing")).to_contain_text("put an end to its text")
    expect(page.locator(".st-key-play-stop button")).to_have_text("Play")
    expect(page).to_have_url(re.compile("made=11"))
    settled(page)
    before = words.all_text_contents()
    page.reload()
    expect(words).to_have_count(12, timeout=60_000)
    assert words.all_text_contents() == before


def test_a_cache_that_forgets_stands_beside_one_that_keeps_all(page: Page, address: str):
    page.goto(f"{address}/generate?lesson=sinks")
    text = page.locator(".st-key-remark-writing")
    expect(text).to_contain_text("They part at new token 14", timeout=120_000)
    settled(page)
    expect(page.locator(".st-key-writing-A .al-gone")).to_have_count(0)
    expect(page.locator(".st-key-writing-B .al-gone")).to_have_count(16)
    page.locator(".st-key-keeps").get_by_text("first + last").click()
    expect(text).to_contain_text("The two are the same in all 24", timeout=60_000)
    expect(page).to_have_url(re.compile("cache=ends.*hold=12.*lesson=sinks"))
    expect(page.locator(".st-key-writing-B .al-gone")).to_have_count(16)


def _written(token) -> str:
    from attnlab.viz.svg.text import spoken

    return spoken(token)


def _figure(weight) -> str:
    value = float(weight)
    return "" if value < 0.005 else f"{value:.2f}"
