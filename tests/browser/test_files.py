"""Saved files opened as a person opens them: from the disk, in a browser, without a server."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from attnlab.ui import viewfile
from attnlab.ui.selection import DEFAULT
from attnlab.viz import notebook, png, svg
from attnlab.viz.bars import bars_payload
from attnlab.viz.grid import grid_payload
from attnlab.viz.head import head_payload
from attnlab.viz.standalone import Part, html
from attnlab.viz.svg.sheet import DARK

pytestmark = pytest.mark.browser

STREET = 0.46  # L4H2, from wide to street

HOSTILE = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "\u202e", "&lt;",
           "javascript:alert(3)", "</iframe>"]  # fmt: skip


def tokens(words):
    return [{"id": i, "text": word, "raw": word} for i, word in enumerate(words)]


def causal(*shape):
    weights = np.tri(shape[-1], dtype=np.float32) * np.linspace(0.1, 1, shape[-1], dtype=np.float32)
    return np.broadcast_to(weights / weights.sum(-1, keepdims=True), shape).copy()


class Watch:
    """A page of a browser that has no network, and everything that happens in it."""

    def __init__(self, browser: Browser, path: Path, **options):
        context = browser.new_context(viewport={"width": 1200, "height": 1100}, **options)
        self.requests, self.problems = [], []
        self.page: Page = context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", self._heard)
        self.page.on("dialog", self._asked)
        self.page.goto(path.as_uri())
        self.path = path

    def _heard(self, message):
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def _asked(self, dialog):
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def close(self):
        self.page.context.close()
        assert self.problems == []
        assert self.requests == [self.path.as_uri()]


def saved(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "view.html"
    path.write_text(content, encoding="utf-8")
    return path


def view(words, **options) -> str:
    rows, size = tokens(words), len(words)
    maps = causal(2, 3, size, size)
    maps[1, 2] = np.eye(size)
    parts = [
        Part("grid", grid_payload(maps, rows, drop_first=False, **options), "Every head"),
        Part("head", head_payload(maps[0, 0], rows), "Layer 0 · Head 0"),
        Part("bars", bars_payload([(rows[0], 0.5, 0.25)]), "Without it"),
    ]
    return html(parts, "A view", [("A", " ".join(words))], ["a model"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_saved_view_works_offline(browser, tmp_path, scheme):
    path = saved(tmp_path, view(["one", "two", "three"]))
    seen = Watch(browser, path, offline=True, color_scheme=scheme)
    page = seen.page
    expect(page.locator(".al-key").first).to_have_text("one0.06")
    page.locator("[data-kind=grid] canvas").first.hover(position={"x": 40, "y": 12})
    expect(page.locator("[data-kind=grid] .al-tip")).to_contain_text("Layer 0 · Head 0")
    expect(page.locator("[data-kind=grid] .al-tip-figures")).to_contain_text("A ")
    theme = page.locator("[data-kind=head] .al-root").get_attribute("data-theme")
    assert theme == scheme
    seen.close()


def test_a_click_in_the_grid_opens_that_head_below(browser, tmp_path):
    seen = Watch(browser, saved(tmp_path, view(["one", "two", "three"])), offline=True)
    page = seen.page
    grid = page.locator("[data-kind=grid] .al-grid")
    grid.focus()
    for key in ("End", "ArrowRight", "ArrowRight", "Enter"):
        grid.press(key)
    expect(page.locator("[data-kind=head] h2")).to_have_text("Layer 1 · Head 2")
    expect(page.locator(".al-key .al-fig").nth(2)).to_have_text("1.00")
    expect(page.locator(".al-key .al-fig").nth(0)).to_have_text("")
    seen.close()


def test_hostile_text_stays_text_in_a_saved_view(browser, tmp_path):
    seen = Watch(browser, saved(tmp_path, view(HOSTILE)), offline=True)
    page = seen.page
    expect(page.locator(".al-word").first).to_have_text(HOSTILE[0])
    expect(page.locator(".al-word").nth(2)).to_have_text("⟨U+202E⟩")
    assert page.locator("img").count() == 0
    expect(page.locator(".sentence")).to_contain_text("<img src=x onerror=alert(2)>")
    seen.close()


def test_the_policy_of_a_saved_view_forbids_everything_else(browser, tmp_path):
    seen = Watch(browser, saved(tmp_path, view(["one", "two"])), offline=True)
    page = seen.page
    policy = page.locator("meta[http-equiv]").get_attribute("content")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    ran = page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        "document.body.append(s); return window.ran ?? null; }"
    )
    assert ran is None
    assert any("Content Security Policy" in said for said in seen.problems)
    seen.problems.clear()
    seen.close()


def test_a_trace_shows_itself_in_a_notebook(browser, tmp_path, smollm2):
    trace = smollm2.run("The animal was too wide.", capture="weights", logits=None)
    seen = Watch(browser, saved(tmp_path, "<!doctype html>" + trace._repr_html_()), offline=True)
    frame = seen.page.frame_locator("iframe")
    expect(frame.locator("h2").first).to_have_text("Every head")
    frame.locator("[data-kind=grid] canvas").first.hover(position={"x": 45, "y": 12})
    expect(frame.locator("[data-kind=grid] .al-tip-title")).to_have_text("Layer 0 · Head 0")
    last = frame.locator(".al-key .al-fig").last
    layer, head = (int(n) for n in frame.locator("h2").nth(1).inner_text().split() if n.isdigit())
    weight = float(trace.weights[layer, head][-1, -1])
    expect(last).to_have_text(f"{weight:.2f}" if weight >= 0.005 else "")
    assert seen.page.locator("iframe").get_attribute("sandbox") == "allow-scripts"
    box = seen.page.locator("iframe").bounding_box()
    inside = frame.locator("html").evaluate("node => node.scrollHeight")
    assert inside <= box["height"] + 1  # nothing is cut off below
    seen.close()


def test_hostile_text_stays_text_in_a_notebook(browser, tmp_path, smollm2):
    text = "".join(HOSTILE) + '" srcdoc="x'
    trace = smollm2.run(text, capture="weights", logits=None)
    seen = Watch(browser, saved(tmp_path, "<!doctype html>" + notebook.html(trace)), offline=True)
    frame = seen.page.frame_locator("iframe")
    expect(frame.locator(".sentence")).to_contain_text("</script><script>alert(1)</script>")
    expect(frame.locator(".al-word").first).to_have_text("</")
    assert frame.locator("img").count() == 0
    seen.close()
    path = saved(tmp_path, "<!doctype html>" + smollm2.run(text, capture=())._repr_html_())
    seen = Watch(browser, path, offline=True)
    expect(seen.page.locator("p")).to_contain_text("No attention weights were captured")
    seen.close()


def test_a_picture_opened_by_itself_shows_its_text(browser, tmp_path):
    rows = tokens(HOSTILE)
    size = len(rows)
    path = tmp_path / "head.svg"
    caption = svg.Caption("</title><script>alert(9)</script>", [("A", HOSTILE[0])], "a model")
    path.write_text(svg.head(causal(size, size), rows, caption=caption), encoding="utf-8")
    seen = Watch(browser, path, offline=True)
    assert seen.page.evaluate("document.documentElement.tagName") == "svg"
    said = seen.page.evaluate(
        "JSON.stringify([...document.querySelectorAll('text')].map((n) => n.textContent))"
    )
    assert caption.title in json.loads(said) and "⟨U+202E⟩" in json.loads(said)
    seen.close()


@pytest.fixture
def opened(browser: Browser, address: str):
    """The app with its first picture drawn; the test fails if a request leaves the machine."""
    context = browser.new_context(viewport={"width": 1440, "height": 1300}, accept_downloads=True)
    page, foreign = context.new_page(), []
    page.on("request", lambda r: foreign.append(r.url) if address not in r.url else None)
    page.goto(address)
    expect(page.locator(".st-key-save-head button").first).to_be_visible(timeout=120_000)
    yield page
    context.close()
    assert [url for url in foreign if not url.startswith(("blob:", "data:"))] == []


def downloaded(page: Page, key: str, tmp_path: Path) -> Path:
    """The file behind a button."""
    with page.expect_download(timeout=120_000) as waiting:
        page.locator(f".st-key-{key} button").first.click()
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def test_a_head_is_saved_in_four_kinds_with_the_right_numbers(opened, tmp_path):
    opened.locator(".st-key-save-head button").first.click()
    saved_as = {
        kind: downloaded(opened, f"save-head-{kind}", tmp_path)
        for kind in ("png", "svg", "csv", "json")
    }
    assert {path.name for path in saved_as.values()} == {
        f"attnlab-head-L4H2.{kind}" for kind in saved_as
    }
    weights = json.loads(saved_as["json"].read_text())["weights"]["B"][0]
    assert weights[11][6] == pytest.approx(STREET, abs=0.005)
    table = pd.read_csv(saved_as["csv"], comment="#")
    row = table[(table.text == "B") & (table["query"] == 11) & (table.key == 6)].iloc[0]
    assert row.weight == pytest.approx(weights[11][6], rel=1e-6)
    root = ElementTree.fromstring(saved_as["svg"].read_text())
    assert "0.46" in [node.text for node in root.iter() if node.tag.endswith("text")]
    wide, high = png.size(saved_as["png"].read_bytes())
    assert (wide, high) == (2 * float(root.get("width")), 2 * float(root.get("height")))


def test_dark_paper_is_dark(opened, tmp_path):
    opened.locator(".st-key-save-grid button").first.click()
    opened.mouse.move(0, 0)  # a page that still settles can bring a button's tooltip under it
    opened.locator(".st-key-save-grid-dark label").first.click()
    expect(opened.locator(".st-key-save-grid-dark input")).to_be_checked()
    opened.wait_for_timeout(1000)  # the buttons are replaced when the fragment has run again
    picture = downloaded(opened, "save-grid-svg", tmp_path).read_text()
    assert f'fill="{DARK.paper}"/>' in picture


def test_the_offline_page_of_the_app_works_from_the_disk(opened, browser, tmp_path):
    path = downloaded(opened, "save-page", tmp_path)
    seen = Watch(browser, path, offline=True)
    page = seen.page
    words = page.locator(".al-b-side .al-word")
    words.nth(11).hover()
    expect(page.locator(".al-b-side .al-key .al-fig").nth(6)).to_have_text("0.46")
    grid = page.locator("[data-kind=grid] .al-grid")
    grid.focus()
    grid.press("ArrowRight")
    grid.press("Enter")
    expect(page.locator("[data-kind=head] h2")).to_have_text("Layer 5 · Head 2")
    seen.close()


def test_a_saved_view_opens_again(opened, tmp_path):
    saved_as = downloaded(opened, "save-view", tmp_path)
    selection, problems = viewfile.load(saved_as.read_bytes())
    assert selection == DEFAULT and problems == ()
