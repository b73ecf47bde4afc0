"""The drawn components in a real Chromium, without Streamlit around them."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnlab.viz.bars import bars_payload
from attnlab.viz.grid import grid_payload
from attnlab.viz.head import head_payload
from attnlab.viz.sees import Sight, sees_payload
from tests.browser.mounting import HOSTILE, causal, show, words
from tests.browser.visiting import LISTEN

pytestmark = pytest.mark.browser

PAIR_A = words("the", " street", " was", " tired")
PAIR_B = [*PAIR_A[:3], {"text": " wide", "raw": "Ġwide", "id": 99, "special": False}]


def pair_maps():
    a, b = causal(3, 2, 4, 4), causal(3, 2, 4, 4)
    a[1, 1, 3], b[1, 1, 3] = [0.64, 0.06, 0.1, 0.2], [0.24, 0.46, 0.1, 0.2]
    return a, b


def test_hover_tells_the_head_the_words_and_both_weights(page: Page):
    a, b = pair_maps()
    show(page, "grid", grid_payload(a, PAIR_A, b=b, tokens_b=PAIR_B, view="B-A", selected=(1, 1)))
    box = page.locator(".al-chosen").bounding_box()
    # The only row that can differ fills the tile; its columns are street, was, wide.
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] / 2)
    tip = page.locator(".al-tip")
    expect(tip).to_contain_text("Layer 1 · Head 1")
    expect(tip).to_contain_text("wide → street")
    expect(tip).to_contain_text("A 0.06 B 0.46 B − A +0.40")
    assert page.evaluate("sent") == []
    page.mouse.move(5, 900)
    expect(tip).to_be_hidden()


def test_keys_and_clicks_choose_and_new_data_keeps_the_choice(page: Page):
    maps = causal(3, 2, 4, 4)
    show(page, "grid", grid_payload(maps, PAIR_A, selected=(0, 0), serial=5))
    page.locator(".al-grid").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    chosen = page.evaluate("sent")[-1]
    assert chosen["name"] == "chosen" and chosen["serial"] == 5
    assert (chosen["layer"], chosen["head"]) != (0, 0)
    live = f"Chosen: layer {chosen['layer']}, head {chosen['head']}"
    expect(page.locator(".al-live")).to_have_text(live)

    ring = page.locator(".al-chosen").get_attribute("style")
    show(page, "grid", grid_payload(maps, PAIR_A, selected=(0, 0), serial=5, drop_first=False))
    assert page.locator(".al-chosen").get_attribute("style") == ring
    box = page.locator(".al-chosen").bounding_box()
    show(page, "grid", grid_payload(maps, PAIR_A, selected=(0, 0), serial=6))
    assert page.locator(".al-chosen").get_attribute("style") != ring  # a new serial moves it
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    again = page.evaluate("sent")[-1]
    assert (again["layer"], again["head"], again["serial"]) == (chosen["layer"], chosen["head"], 6)


def test_a_long_text_says_what_it_reduced(page: Page):
    tokens = words(*(f"w{i}" for i in range(256)))
    show(page, "grid", grid_payload(causal(2, 2, 64, 64), tokens))
    hint = page.locator(".al-hint")
    expect(hint).to_contain_text("a cell shows the strongest of 4 × 4 tokens")
    expect(hint).to_contain_text("the first column, 4 tokens, is left out")
    page.locator(".al-chosen").hover(force=True)
    expect(page.locator(".al-tip")).to_contain_text("tokens")


@pytest.mark.parametrize("shape", [(30, 9), (6, 12), (1, 4), (2, 300), (80, 64)])
@pytest.mark.parametrize("width", [1160, 740, 458, 340])
def test_every_shape_fits_its_card_or_scrolls_inside_it(page: Page, shape, width):
    show(page, "grid", grid_payload(causal(*shape, 4, 4), PAIR_A), width=width)
    canvas = page.locator(".al-grid canvas").bounding_box()
    ring = page.locator(".al-chosen").bounding_box()
    assert ring["width"] >= 15  # a tile stays large enough to see and to hit
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0
    scroller = page.locator(".al-scroll").bounding_box()
    assert scroller["width"] <= width + 6 and scroller["height"] <= 565
    if shape == (30, 9) and width >= 458:  # what is left of a window of 800 px
        assert canvas["width"] <= width
    hint = page.locator(".al-hint")
    faded = page.locator(".al-scroll").evaluate("node => node.style.getPropertyValue('--right')")
    if canvas["width"] > width:
        expect(hint).to_contain_text("Scroll sideways for all layers")
        assert faded != "0px"
    else:
        expect(hint).not_to_contain_text("Scroll")
        assert faded == "0px"


def test_looking_from_a_word(page: Page):
    a, b = pair_maps()
    payload = head_payload(a[1, 1], PAIR_A, b=b[1, 1], tokens_b=PAIR_B)
    show(page, "head", payload)
    figure = page.locator('.al-key[data-side="B"][data-position="1"] .al-fig')
    expect(figure).to_have_text("0.46")
    page.locator('.al-word[data-side="A"][data-position="1"]').hover()
    for side in "AB":  # the same word in both
        expect(page.locator(f'.al-word.al-on[data-side="{side}"]')).to_have_text("street")
        future = page.locator(f'.al-key.al-future[data-side="{side}"]')
        expect(future).to_have_count(2)
    assert page.evaluate("sent") == []
    page.mouse.move(5, 900)
    expect(figure).to_have_text("0.46")

    page.locator('.al-word[data-side="A"][data-position="2"]').click()
    assert page.evaluate("sent") == [
        {
            "name": "chosen",
            "side": "A",
            "position": 2,
            "row_a": 2,
            "row_b": 2,
            "key": None,
            "serial": 0,
        }
    ]
    page.mouse.move(5, 900)
    expect(page.locator('.al-word.al-on[data-side="B"]')).to_have_text("was")
    page.locator('.al-from[aria-label^="Words of B"]').focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    assert page.evaluate("sent")[-1]["position"] == 1
    expect(page.locator(".al-live")).to_contain_text("Kept: B, street looks at")


@pytest.mark.parametrize(("width", "beside"), [(732, True), (458, False)])
def test_two_matrices_with_figures_stand_side_by_side_where_they_can(page: Page, width, beside):
    page.evaluate(
        """() => {
          window.written = [];
          const write = CanvasRenderingContext2D.prototype.fillText;
          CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
            written.push(text);
            return write.call(this, text, ...rest);
          };
        }"""
    )
    sentence = "The animal didn 't cross the street because it was too tired ."
    pair = words(*sentence.split())
    weights = causal(13, 13)
    weights[11] = 0
    weights[11, 6], weights[11, 11] = 0.46, 0.54
    payload = head_payload(weights, pair, b=weights, tokens_b=pair, mode="matrix")
    show(page, "head", payload, width=width)
    a, b = (page.locator(f'.al-matrix[data-side="{side}"]').bounding_box() for side in "AB")
    assert a["x"] + a["width"] <= width and b["x"] + b["width"] <= width
    if beside:
        assert a["y"] == b["y"] and a["x"] + a["width"] < b["x"]
    else:
        assert a["x"] == b["x"] and a["y"] + a["height"] < b["y"]
    assert page.evaluate("written").count(".46") >= 2


def test_rows_of_two_matrices_line_up_under_headings_of_any_height(page: Page):
    short, long = words("a", "b", "c"), words("a", "b", "a longer word")
    payload = head_payload(causal(3, 3), short, b=causal(3, 3), tokens_b=long, mode="matrix")
    show(page, "head", payload)
    bands = [page.locator(f'.al-matrix[data-side="{side}"] .al-band') for side in "AB"]
    tops = [band.bounding_box()["y"] for band in bands]
    assert tops[0] == tops[1]


@pytest.mark.parametrize("mode", ["words", "matrix"])
def test_what_the_cache_has_forgotten_is_told(page: Page, mode):
    weights = causal(4, 4)
    weights[3, 1] = 0
    payload = head_payload(weights, PAIR_A, mode=mode, forgets={"a": (2, 1)})
    show(page, "head", payload)
    if mode == "words":
        gone = page.locator(".al-key.al-future")
        expect(gone).to_have_text("street")
        gone.hover()
    else:
        band = page.locator(".al-matrix .al-band").bounding_box()
        pitch = band["height"] - 2
        page.mouse.move(band["x"] + band["width"] - 2.5 * pitch, band["y"] + band["height"] / 2)
    expect(page.locator(".al-tip")).to_contain_text("the cache has dropped it")


def test_row_17_does_not_add_up_and_row_10_sees_nothing(page: Page):
    weights = causal(3, 3)
    weights[1], weights[2] = 0, weights[2] * 0.6
    show(page, "head", head_payload(weights, words("a", "b", "c"), sink=True))
    expect(page.locator(".al-sum")).to_contain_text("adds up to 0.60; the sink takes 0.40")
    page.locator(".al-word").nth(1).hover()
    expect(page.locator(".al-sum")).to_contain_text("sees nothing: every word is masked")
    expect(page.locator(".al-to")).to_have_class("al-to al-dead")
    page.locator(".al-word").nth(0).hover()
    expect(page.locator(".al-sum")).to_contain_text("adds up to 1")


def test_a_text_without_a_letter_is_led_by_words(page: Page):
    """What is written is neither A nor B."""
    weights = np.full((2, 3), 1 / 3, np.float32)
    read, written = words("July", " 1776", "</s>"), words("0", "7")
    payload = head_payload(weights, written, sources_a=read, lead="While writing", row_a=1)
    show(page, "head", payload)
    total = page.locator(".al-sum")
    expect(total).to_contain_text("While writing 7, its row adds up to 1")
    expect(total.locator(".al-a")).to_have_count(0)
    page.locator(".al-word").nth(0).hover()
    expect(total).to_contain_text("While writing 0")


@pytest.mark.parametrize("width", [1080, 700])
def test_no_word_of_who_sees_what_is_left_out(page: Page, width):
    """The opening sentence, read by an encoder-decoder that answers in six words."""
    read = words(*(f"r{i}" for i in range(16)))
    written = words(*(f"w{i}" for i in range(6)))
    sights = [Sight(str(n), "about", np.ones((n, n), bool)) for n in (16, 16, 22, 16)]
    page.evaluate(LISTEN)
    show(page, "sees", sees_payload(sights, read, written), width=width)
    page.wait_for_timeout(200)
    drawn = page.evaluate("written")
    assert all(drawn.count(f"r{i}") >= 8 for i in range(16))  # rows and columns of four tables
    assert all(drawn.count(f"w{i}") >= 2 for i in range(6))
    tables = [one.bounding_box() for one in page.locator(".al-matrix").all()]
    assert max(box["x"] + box["width"] for box in tables) <= width + 1
    assert len({box["y"] for box in tables}) == (1 if width > 1000 else 2)


@pytest.mark.parametrize("mode", ["words", "matrix"])
def test_token_text_is_never_markup(page: Page, mode):
    tokens = words(*HOSTILE)
    tokens[1]["piece"], tokens[2]["special"] = (1, 3), True
    show(page, "head", head_payload(causal(3, 3), tokens, mode=mode))
    if mode == "words":
        expect(page.locator(".al-word").nth(0)).to_have_text(HOSTILE[0])
        expect(page.locator(".al-word").nth(1)).to_have_text(HOSTILE[1] + "1/3")
        expect(page.locator(".al-word .al-special")).to_have_text("a⟨U+202E⟩b")
        page.locator(".al-key").nth(0).hover()
        expect(page.locator(".al-tip")).to_contain_text(HOSTILE[0])
    else:
        box = page.locator(".al-matrix canvas").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 12)
        expect(page.locator(".al-tip")).to_contain_text("→")
    assert page.evaluate("window.hit") is None
    assert page.evaluate("holder.shadowRoot.querySelectorAll('img, script').length") == 0


def test_row_5_words_that_repeat_keep_a_row_and_a_column_each(page: Page):
    tokens = words("the", "cat", "the", "cat", "the")
    for token in tokens:
        token["id"] = len(token["text"])
    show(page, "head", head_payload(causal(5, 5), tokens))
    expect(page.locator(".al-word")).to_have_count(5)
    expect(page.locator(".al-key")).to_have_count(5)
    show(page, "head", head_payload(causal(5, 5), tokens, mode="matrix"))
    matrix = page.locator(".al-matrix")
    expect(matrix).to_have_attribute("aria-label", "Attention of A, 5 rows, 5 columns. "
                                     "Arrow keys move, Enter keeps a pair of words.")  # fmt: skip
    matrix.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate("sent")[-1]["position"] == 3


def test_a_bar_of_full_weight_ends_before_its_figure(page: Page):
    show(page, "head", head_payload(np.eye(2, dtype=np.float32), words("one", "two")))
    key = page.locator('.al-key[data-side="A"][data-position="1"]')
    expect(key.locator(".al-fig")).to_have_text("1.00")
    ink, figure = (key.locator(part).bounding_box() for part in (".al-ink", ".al-fig"))
    assert ink["width"] > 40
    assert ink["x"] + ink["width"] <= figure["x"] + 6  # its padding


@pytest.mark.parametrize("dark", [False, True])
def test_bars_show_both_figures_in_both_themes(page: Page, dark):
    rows = [({"text": " Paris", "raw": "ĠParis", "id": 7042}, 0.773, 0.141), ("<b>", 0.07, 0.12)]
    show(page, "bars", bars_payload(rows), dark=dark)
    expect(page.locator(".al-bar").nth(0)).to_contain_text("0.77 → 0.14")
    expect(page.locator(".al-bar-name").nth(1)).to_have_text("<b>")
    theme = page.locator(".al-root").get_attribute("data-theme")
    assert theme == ("dark" if dark else "light")
    page.locator(".al-bar").nth(0).hover()
    expect(page.locator(".al-tip")).to_contain_text("as trained: 0.7730")
