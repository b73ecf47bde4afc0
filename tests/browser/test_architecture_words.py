"""Architecture in a real Chromium: which words a word may see, and what is looked at for a date."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visiting import count_runs, runs, settled

pytestmark = pytest.mark.browser


def test_a_word_shows_what_it_may_see_in_each_kind(watched: Page, address: str):
    page = watched
    page.goto(f"{address}/architecture?show=sees&model=minilm-l6&a=The%20cat%20sat%20down.")
    kinds = page.locator(".st-key-sees .al-sight")
    expect(kinds).to_have_count(4, timeout=180_000)
    encoder, decoder, both, model = (kinds.nth(at) for at in range(4))
    expect(model).to_contain_text("the mask of an encoder, in all 6 layers")
    settled(page)

    # [CLS] the cat sat down . [SEP]
    count_runs(page)
    decoder.locator('.al-sight-word[data-position="2"]').hover()
    expect(decoder.locator(".al-sight-sum")).to_have_text("cat may see 3 of 7 words")
    expect(encoder.locator(".al-sight-sum")).to_have_text("cat may see all 7 words")
    expect(both.locator(".al-sight-sum")).to_have_text(
        re.compile(r"cat may see all 7 read, none of \d written")
    )
    expect(decoder.locator(".al-unseen")).to_have_count(4)
    expect(encoder.locator(".al-unseen")).to_have_count(0)
    both.locator('.al-sight-word[data-position="8"]').hover()
    expect(both.locator(".al-sight-sum")).to_contain_text("may see all 7 read, 2 of")
    assert runs(page) == 0

    decoder.locator('.al-sight-word[data-position="3"]').click()
    expect(page).to_have_url(re.compile("at=A3"))
    settled(page)
    expect(decoder.locator(".al-sight-sum")).to_have_text("sat may see 4 of 7 words")
    table = decoder.locator(".al-matrix")
    table.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("at=A1"))


def test_a_typed_date_is_written_and_the_month_is_looked_at(watched: Page, address: str):
    page = watched
    page.goto(f"{address}/architecture?show=cross&model=dates")
    answer = page.locator(".st-key-answer-cross")
    expect(answer).to_have_text("2026-07-03", timeout=180_000)
    box = page.get_by_label("A date, written in any way")
    box.fill("Sunday, 14 March 2021")
    box.press("Enter")
    expect(answer).to_have_text("2021-03-14")
    told = page.locator(".st-key-told-cross")
    expect(told).to_contain_text(re.compile("While writing the month, head L0 H3 looks at “March”"))
    expect(told).to_contain_text(re.compile("While writing the year, head L0 H3 looks at “2021”"))
    expect(told).to_contain_text(re.compile("While writing the day, head L0 H3 looks at “14”"))
    expect(page).to_have_url(re.compile("date=Sunday"))
    settled(page)

    page.locator(".st-key-choose-cross").get_by_text("words", exact=True).click()
    written = page.locator(".st-key-cross .al-word")
    expect(written.first).to_have_text("2")
    written.nth(6).click()  # the second digit of the month
    looked = page.locator(".st-key-cross .al-key.al-strong").first
    expect(looked).to_have_text(re.compile(r"^[March][01]\.\d\d$"))
    expect(page).to_have_url(re.compile("row=6"))
    page.reload()
    expect(page.locator(".st-key-cross .al-word.al-on")).to_have_text("3")
    expect(answer).to_have_text("2021-03-14")
