"""Several heads in a real Chromium, compared or drawn by CircuitsVis, without Streamlit."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnlab.viz.circuits import circuits_payload, library
from attnlab.viz.compare import compare_payload
from tests.browser.mounting import HOSTILE, causal, show, words

pytestmark = pytest.mark.browser

A = words("The", " street", " was", " tired")
B = [*A[:3], {"text": " wide", "raw": "Ġwide", "id": 99, "special": False}]
HEADS = [(4, 2), (16, 0), (13, 8)]


def compared(**options):
    a, b = causal(3, 4, 4), causal(3, 4, 4, seed=1)
    a[0, 3], b[0, 3] = [0.64, 0.06, 0.1, 0.2], [0.24, 0.46, 0.1, 0.2]
    options = {"similarity_b": np.array([[1, 0.5, 0.25]] * 3), "side": "B", **options}
    return compare_payload(HEADS, a, A, b=b, tokens_b=B, **options)


def point(page: Page, tile: int, query: int, key: int, action="move"):
    """Points at a cell of a matrix of four words, drawn with labels at its left and above."""
    stage = page.locator(".al-tile-stage").nth(tile)
    box = stage.locator("canvas").first.bounding_box()
    pitch = 24  # four words are drawn as large as cells get
    x = box["x"] + box["width"] - 2 - (4 - key - 0.5) * pitch
    getattr(page.mouse, action)(x, box["y"] + box["height"] - 2 - (4 - query - 0.5) * pitch)


def test_one_cell_is_read_in_every_head(page: Page):
    show(page, "compare", compared())
    say, figures = page.locator(".al-compare-say"), page.locator(".al-tile-figures")
    expect(page.locator(".al-tile-name")).to_have_text(["L4 H2", "L16 H0", "L13 H8"])
    point(page, 1, 3, 1)
    expect(say).to_have_text("wide → street")
    expect(figures.nth(0)).to_have_text("A 0.06 B 0.46 B − A +0.40")
    for tile in (1, 2):
        expect(figures.nth(tile)).to_contain_text("B 0.")
    point(page, 0, 1, 3)
    expect(say).to_have_text("street → wide: cannot look ahead")
    expect(figures.nth(0)).to_be_empty()

    point(page, 2, 3, 1, "click")
    page.mouse.move(5, 900)
    expect(say).to_have_text("wide → street")  # kept
    show(page, "compare", compared(drawn="arcs"))
    expect(figures.nth(0)).to_have_text("A 0.06 B 0.46 B − A +0.40")
    show(page, "compare", compared(side="A"))  # other words
    expect(figures.nth(0)).to_be_empty()
    assert page.evaluate("sent") == []


def test_words_with_arcs_look_in_every_head(page: Page):
    show(page, "compare", compared(drawn="arcs"))
    box = page.locator(".al-tile-stage").nth(2).bounding_box()
    page.mouse.move(box["x"] + 8, box["y"] + 3.5 * 20)
    expect(page.locator(".al-compare-say")).to_have_text("from wide")
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + 1.5 * 20)
    expect(page.locator(".al-compare-say")).to_have_text("wide → street")
    expect(page.locator(".al-tile-figures").nth(0)).to_contain_text("B 0.46")


def test_heads_are_opened_and_removed(page: Page):
    show(page, "compare", compared())
    page.get_by_role("button", name="Open layer 16, head 0").click()
    page.get_by_role("button", name="Remove L4 H2").focus()
    page.keyboard.press("Enter")
    opened, removed = page.evaluate("sent")
    assert (opened["layer"], opened["head"], opened["remove"]) == (16, 0, False)
    assert (removed["layer"], removed["head"], removed["remove"]) == (4, 2, True)
    assert removed["time"] != opened["time"]
    show(page, "compare", compare_payload(HEADS[1:], causal(2, 4, 4), A))
    assert page.evaluate("home.activeElement.title") == "Remove L16 H0"


def test_compared_heads_by_keyboard_and_by_ear(page: Page):
    show(page, "compare", compared())
    page.get_by_role("application").focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    live = page.locator(".al-live")
    expect(live).to_contain_text("Kept: wide → street: L4 H2 0.46, L16 H0 0.")
    page.keyboard.press("Escape")
    expect(live).to_have_text("Nothing kept")


def test_similarity_is_a_table_of_figures(page: Page):
    show(page, "compare", compared())
    table = page.get_by_role("table", name="How alike they look")
    assert table.locator("tbody tr").all_inner_texts() == ["L16 H0\t1.00\t", "L13 H8\t1.00\t0.50"]
    table.get_by_text("0.50").hover()
    expect(page.locator(".al-tile.al-on .al-tile-name")).to_have_text(["L16 H0", "L13 H8"])


@pytest.mark.parametrize("drawn", ["matrices", "arcs"])
@pytest.mark.parametrize("width", [1100, 730, 340])
@pytest.mark.parametrize(("heads", "count"), [(1, 4), (6, 13), (12, 64)])
def test_every_comparison_fits_its_card(page: Page, drawn, width, heads, count):
    tokens = words(*(f" {HOSTILE[i % 3]}{i}" for i in range(count)))
    named = [(layer, 8) for layer in range(heads)]
    maps, alike = causal(heads, count, count), np.ones((heads, heads))
    payload = compare_payload(
        named, maps, tokens, drawn=drawn, similarity_a=alike, notes=[HOSTILE[0]] * heads
    )
    show(page, "compare", payload, width=width)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    boxes = [tile.bounding_box() for tile in page.locator(".al-tile").all()]
    assert all(box["x"] + box["width"] <= width + 1 for box in boxes)
    places = {(round(box["x"]), round(box["y"])) for box in boxes}
    assert len(places) == len(set(page.locator(".al-tile-name").all_text_contents())) == heads
    page.locator(".al-tile-stage").first.hover()
    assert page.evaluate("window.hit") is None
    assert page.evaluate("home.querySelectorAll('img, script').length") == 0


def test_a_long_text_is_pooled_and_says_so(page: Page):
    tokens = words(*(f"w{i}" for i in range(500)))
    payload = compare_payload(HEADS, causal(3, 63, 63), tokens, drawn="arcs")
    show(page, "compare", payload)
    expect(page.locator(".al-legend")).to_contain_text(
        "Long text: a cell shows the strongest of 8 × 8 tokens; words are written up to 64 tokens"
    )
    box = page.locator(".al-tile-stage").nth(1).bounding_box()
    page.mouse.move(box["x"] + 4, box["y"] + box["height"] - 5)
    expect(page.locator(".al-compare-say")).to_have_text("tokens 496–499 → tokens 0–7")


@pytest.mark.parametrize(
    ("heads", "width", "columns"),
    [(4, 1080, 4), (6, 1080, 3), (4, 730, 2), (6, 730, 3), (5, 340, 1)],
)
def test_compared_heads_stand_in_rows_of_about_one_length(page: Page, heads, width, columns):
    sentence = "The animal didn 't cross the street because it was too tired ."
    tokens = words(*sentence.split())
    named = [(layer, 0) for layer in range(heads)]
    show(page, "compare", compare_payload(named, causal(heads, 13, 13), tokens), width=width)
    tops = [round(tile.bounding_box()["y"]) for tile in page.locator(".al-tile").all()]
    assert tops.count(tops[0]) == columns


LIBRARY = """async (text) => {
  const source = new Blob([text], {type: "text/javascript"});
  (await import(URL.createObjectURL(source))).default();
}"""


def asked_for(page: Page) -> list[str]:
    """What the page asks the network for; grows while it is used."""
    asked: list[str] = []
    page.on(
        "request", lambda sent: sent.url.startswith(("blob:", "data:")) or asked.append(sent.url)
    )
    return asked


@pytest.mark.parametrize("early", [True, False])
def test_circuitsvis_draws_whether_it_comes_first_or_last(page: Page, early):
    asked = asked_for(page)
    payload = circuits_payload(causal(9, 4, 4), A, label="Layer 4", side="B", selected=2)
    if early:
        page.evaluate(LIBRARY, library())
    show(page, "circuits", payload, shadow=False)
    if not early:
        page.evaluate(LIBRARY, library())
    names = page.locator(".al-circuits h4")
    expect(names).to_have_text([f"H{head}" for head in range(9)])
    expect(page.locator(".al-circuits h3").last).to_have_text("H2 Zoomed")
    expect(page.locator(".al-circuits canvas")).to_have_count(10)
    page.get_by_role("button", name="Enlarge H7").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".al-circuits h3").last).to_have_text("H7 Zoomed")

    show(page, "circuits", circuits_payload(causal(3, 4, 4), A, names=["L1 H0", "x", "y"]))
    expect(names).to_have_text(["L1 H0", "x", "y"])
    assert asked == []


@pytest.mark.parametrize("text", HOSTILE)
def test_circuitsvis_draws_hostile_tokens_as_text(page: Page, text):
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
    asked = asked_for(page)
    page.evaluate(LIBRARY, library())
    tokens = words(text, " street", text)
    payload = circuits_payload(causal(2, 3, 3), tokens, names=[text, "H1"], label=text)
    show(page, "circuits", payload, shadow=False)
    expect(page.locator(".al-circuits h4").first).to_have_text(text)
    zoomed = page.locator(".al-circuits canvas").last
    box = zoomed.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
    page.wait_for_function("written.some((text) => text.startsWith('Val: '))")
    start = "a⟨U+202E⟩b" if text == HOSTILE[2] else text[:18].replace(" ", "")
    assert any(line.startswith(start) for line in page.evaluate("written"))
    assert page.evaluate("window.hit") is None
    assert page.evaluate("home.querySelectorAll('img, script').length") == 0
    assert asked == []
