"""Heads in a real Chromium: see the pair, choose a head, read it, ablate it, reopen the link."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visiting import count_runs, figure, opened, runs, settled

pytestmark = pytest.mark.browser

STREET = 6  # in both sentences


def choose_with_keys(page: Page, layer: int, head: int) -> None:
    """Walks the focused grid from its corner with the arrow keys, and chooses with Enter."""
    grid = page.locator(".st-key-grid .al-grid")
    grid.focus()
    page.keyboard.press("Home")
    for _ in range(40):
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowLeft")
    for _ in range(layer):
        page.keyboard.press("ArrowRight")
    for _ in range(head):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")


def test_the_pair_the_head_its_effect_and_the_link(watched: Page, address: str):
    page = watched
    opened(page, f"{address}/?head=L0H0")
    for side, word in (("A", "tired"), ("B", "wide")):
        box = page.get_by_label(f"Sentence {side}", exact=True)
        expect(box).to_have_value(re.compile(rf"too {word}\.$"))
    expect(page.locator(".st-key-card-grid")).to_contain_text("30 layers")

    choose_with_keys(page, layer=4, head=2)
    expect(page.locator(".st-key-card-head")).to_contain_text("Layer 4 · Head 2")
    expect(page.locator(".st-key-card-head")).to_contain_text("changes most on wide → street")
    expect(figure(page, "B", STREET)).to_have_text("0.46")
    expect(page.locator(".st-key-card-effect")).to_contain_text("KL 0.0076 nats")

    page.locator(".st-key-card-head").get_by_text("matrix", exact=True).click()
    expect(page.locator('.st-key-head .al-matrix[data-side="B"]')).to_be_visible()
    page.locator(".st-key-card-effect").get_by_text("set to its mean").click()
    expect(page).to_have_url(re.compile("ablate=mean"))
    settled(page)
    effect = page.locator(".st-key-card-effect").get_by_text("KL", exact=False).first.inner_text()
    assert effect != "KL 0.0076 nats"

    page.reload()
    expect(page.locator(".st-key-card-head")).to_contain_text("Layer 4 · Head 2")
    expect(page.locator('.st-key-head .al-matrix[data-side="B"]')).to_be_visible()
    expect(page.locator(".st-key-card-effect")).to_contain_text(effect)


@pytest.mark.parametrize("model", ["smollm2-135m", "minilm-l6"])
def test_the_matrices_of_the_pair_stand_side_by_side(page: Page, address: str, model: str):
    page.goto(f"{address}/?model={model}&mode=matrix")
    a, b = (page.locator(f'.st-key-head .al-matrix[data-side="{side}"]') for side in "AB")
    expect(b).to_be_visible()
    settled(page)
    # The last of their letters may still be on the way, and make room for themselves.
    for _ in range(100):
        if a.bounding_box()["y"] == b.bounding_box()["y"]:
            break
        page.wait_for_timeout(100)
    assert a.bounding_box()["y"] == b.bounding_box()["y"]


def test_clicking_a_word_moves_the_prediction_there_and_the_link_keeps_it(page: Page, address: str):
    opened(page, address)
    expect(page.locator(".st-key-card-effect")).to_contain_text("after “too wide.”")
    page.locator('.st-key-head .al-word[data-side="A"][data-position="6"]').click()
    expect(page.locator(".st-key-card-effect")).to_contain_text("after “cross the street”")
    expect(page).to_have_url(re.compile("at=A6"))
    page.reload()
    expect(page.locator(".st-key-card-effect")).to_contain_text("after “cross the street”")
    page.get_by_text("Back to the last word").click()
    expect(page.locator(".st-key-card-effect")).to_contain_text("after “too tired.”")


def test_hovering_reruns_nothing(page: Page, address: str):
    opened(page, address)
    count_runs(page)
    grid = page.locator(".st-key-grid .al-grid").bounding_box()
    for step in range(1, 12):
        page.mouse.move(grid["x"] + grid["width"] * step / 12, grid["y"] + grid["height"] / 2)
    expect(page.locator(".st-key-grid .al-tip")).to_be_visible()
    page.locator('.st-key-head .al-word[data-side="B"][data-position="3"]').hover()
    assert runs(page) == 0


def test_hostile_text_stays_text(page: Page, address: str):
    opened(page, address)
    box = page.get_by_label("Sentence A", exact=True)
    box.fill('<img src=x onerror="window.hit=1"> </script><script>window.hit=1</script> $5 :red[x]')
    box.press("Enter")
    expect(page).to_have_url(re.compile("a=%3Cimg"))
    settled(page)
    expect(page.locator(".st-key-card-head")).to_be_visible()
    assert page.evaluate("window.hit") is None
    assert page.locator("img[src=x]").count() == 0


def test_a_text_that_cannot_be_shown_is_kept(page: Page, address: str):
    opened(page, address)
    box = page.get_by_label("Sentence A", exact=True)
    box.fill("   ")
    box.press("Enter")
    expect(page.get_by_text("Sentence A holds only spaces")).to_be_visible()
    assert box.input_value() == "   "
    assert page.locator("[data-testid=stException]").count() == 0


def test_going_back_and_forward_shows_what_was_seen(page: Page, address: str):
    opened(page, address)
    settled(page)
    matrix = page.locator('.st-key-head .al-matrix[data-side="B"]')
    page.locator(".st-key-card-head").get_by_text("matrix", exact=True).click()
    expect(page).to_have_url(re.compile("mode=matrix"))
    expect(matrix).to_be_visible()
    choose_with_keys(page, layer=14, head=3)
    expect(page).to_have_url(re.compile("head=L14H3"))
    settled(page)

    page.go_back()
    expect(page.locator(".st-key-card-head")).to_contain_text("Layer 4 · Head 2")
    expect(matrix).to_be_visible()
    settled(page)
    page.go_back()
    expect(figure(page, "B", STREET)).to_have_text("0.46")
    expect(page).not_to_have_url(re.compile("mode=matrix"))
    settled(page)
    page.go_forward()
    page.go_forward()
    expect(matrix).to_be_visible()
    expect(page.locator(".st-key-card-head")).to_contain_text("Layer 14 · Head 3")
    expect(page).to_have_url(re.compile("head=L14H3&mode=matrix|mode=matrix&head=L14H3"))


def test_a_word_of_the_field_is_explained_on_hover(page: Page, address: str):
    opened(page, address)
    settled(page)
    # The figure's own mark: until the figure is there, the last mark of the card is another's.
    parts = page.locator(".st-key-card-effect").get_by_test_id("stElementContainer")
    expect(figure(page, "B", STREET)).to_have_text("0.46")
    shown = parts.filter(has_text=re.compile(r"^\s*KL"))
    shown.get_by_test_id("stTooltipIcon").last.hover()
    expect(page.get_by_text("Kullback–Leibler divergence", exact=False)).to_be_visible()


def test_typing_a_title_into_the_picker_opens_that_model(page: Page, address: str):
    opened(page, address)
    settled(page)
    box = page.get_by_test_id("stSidebar").get_by_role("combobox", name="Model")
    box.click()
    box.fill("minilm")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-card-grid")).to_contain_text("6 layers")
    expect(page).to_have_url(re.compile("model=minilm-l6"))
    expect(page.locator("[class*=st-key-problem-]")).to_have_count(0)


def test_a_head_that_is_not_there_is_named_and_the_address_put_right(page: Page, address: str):
    opened(page, f"{address}/?head=L99H99")
    expect(page.get_by_text("has no head L99 H99; this is the nearest, L29 H8")).to_be_visible()
    expect(page).to_have_url(re.compile("head=L29H8"))


def test_the_way_to_the_head_that_changes_most(page: Page, address: str):
    opened(page, address)
    way = page.get_by_text("Go to the head that changes most")
    expect(way).to_have_text(re.compile(r"L14 H3$"))
    way.click()
    expect(page.locator(".st-key-card-head")).to_contain_text("Layer 14 · Head 3")
    expect(way).to_have_count(0)
