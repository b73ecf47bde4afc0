"""`hosted.py` in a real Chromium: its headers, the app under them, and what it keeps to itself."""

import re
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

# Streamlit's protobuf library tries WebAssembly, is refused, and goes on without.
EXPECTED_REFUSALS = {("script-src", "wasm-eval")}
WATCH = """
    window.refused = [];
    document.addEventListener('securitypolicyviolation',
        (event) => window.refused.push([event.effectiveDirective, event.blockedURI]));
"""


def refusals(page: Page) -> set[tuple[str, str]]:
    """What the page tried and the policy refused: directive and address."""
    return {tuple(pair) for pair in page.evaluate("window.refused")} - EXPECTED_REFUSALS


def opened(page: Page, url: str) -> None:
    """Opens `url` and waits for the last card."""
    page.add_init_script(WATCH)
    page.goto(url)
    expect(page.locator(".st-key-card-effect")).to_contain_text("KL")


@pytest.mark.parametrize(
    "path", ["/", "/heads", "/_stcore/health", "/static/nothing.js", "/%2e%2e/"]
)
def test_every_answer_carries_the_headers(hosted_address: str, path: str):
    try:
        with urllib.request.urlopen(hosted_address + path) as answer:
            headers = answer.headers
    except urllib.error.HTTPError as error:
        with error:
            headers = error.headers
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Frame-Options"] == "DENY"
    assert "camera=()" in headers["Permissions-Policy"]


def test_the_server_says_that_it_is_well(hosted_address: str):
    with urllib.request.urlopen(hosted_address + "/_stcore/health") as answer:
        assert (answer.status, answer.read()) == (200, b"ok")


def test_a_stranger_s_upload_is_refused(hosted_address: str):
    request = urllib.request.Request(
        hosted_address + "/_stcore/upload_file/session/file", method="PUT", data=b"x"
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    with refused.value as answer:
        assert answer.code in (400, 403)


def test_the_app_works_under_the_policy_and_asks_nobody_else(page: Page, hosted_address: str):
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    opened(page, hosted_address)
    expect(page.locator(".st-key-card-grid")).to_contain_text("30 layers")
    figure = page.locator('.st-key-head .al-key[data-side="B"][data-position="6"] .al-fig')
    expect(figure).to_have_text("0.46")
    page.locator(".st-key-card-head").get_by_text("matrix", exact=True).click()
    expect(page.locator('.st-key-head .al-matrix[data-side="B"]')).to_be_visible()
    assert refusals(page) == set()
    # data: and blob: addresses name no host, and leave nowhere.
    assert {urlsplit(url).hostname for url in asked} - {None} == {"127.0.0.1"}


@pytest.mark.parametrize(
    ("query", "drawn"),
    [
        ("panel=compare&pins=L16H0.L13H8.L4H2", ".st-key-compare canvas"),
        ("panel=find&at=B11&key=6", ".st-key-ranks"),
        ("panel=circuits", ".st-key-circuits"),
        ("mode=difference", ".st-key-head .al-root"),
        ("model=minilm-l6", ".st-key-shifts"),
        ("a=" + "+".join(["The+cat+sat."] * 30) + "&b=&view=A&mode=matrix", ".st-key-head canvas"),
    ],
)
def test_every_view_works_under_the_policy(page: Page, hosted_address: str, query: str, drawn: str):
    page.add_init_script(WATCH)
    page.goto(f"{hosted_address}/?{query}")
    expect(page.locator(drawn).first).to_be_visible()
    page.wait_for_selector("[data-test-script-state=notRunning]")
    expect(page.locator(".st-key-problem-page")).to_have_count(0)
    page.wait_for_timeout(300)
    assert refusals(page) == set()


def test_a_picture_can_be_saved_under_the_policy(page: Page, hosted_address: str):
    opened(page, hosted_address)
    page.locator(".st-key-save-grid button").first.click()
    with page.expect_download() as saved:
        page.locator(".st-key-save-grid-svg button").first.click()
    assert "<svg" in Path(saved.value.path()).read_text("utf-8")
    assert refusals(page) == set()


def test_the_policy_refuses_what_a_stranger_s_script_would_try(page: Page, hosted_address: str):
    opened(page, hosted_address)
    page.evaluate(
        """() => {
            const image = new Image(); image.src = 'https://elsewhere.invalid/x.png';
            document.body.append(image);
            const script = document.createElement('script'); script.textContent = 'window.hit = 1';
            document.body.append(script);
            const frame = document.createElement('iframe'); frame.src = '/';
            document.body.append(frame);
            fetch('https://elsewhere.invalid/').catch(() => {});
            // Later, because what the driver evaluates itself may evaluate.
            setTimeout(() => { try { new Function('window.hit = 2')(); } catch (error) {} });
        }"""
    )
    # Not wait_for_function: it evaluates a string in the page, which the policy refuses as well.
    wanted = {"img-src", "script-src-elem", "frame-src", "connect-src", "script-src"}
    end = time.monotonic() + 20
    while not wanted <= {directive for directive, _ in refusals(page)}:
        assert time.monotonic() < end, refusals(page)
        page.wait_for_timeout(100)
    assert page.evaluate("window.hit") is None


@pytest.mark.parametrize(
    "model",
    [
        "/etc/passwd",
        "../../secret/model",
        "~/secret",
        "file:///secret/model",
        r"C:\\Users\\secret",
        "secret/model",
        "<img src=/secret/x>",
    ],
)
def test_a_foreign_model_is_refused_without_a_path(page: Page, hosted_address: str, model: str):
    page.goto(f"{hosted_address}/?model={quote(model, safe='')}")
    said = page.locator(".st-key-problem-page")
    expect(said).to_contain_text("This server offers SmolLM2 135M")
    text = page.locator("body").inner_text()
    assert not re.search(r"(?<![\w<])[/\\]\w+[/\\]\w", text)
    assert "/etc" not in text
    assert "Traceback" not in text


def test_no_precision_and_no_free_name_is_offered(page: Page, hosted_address: str):
    opened(page, f"{hosted_address}/?device=cuda&dtype=float16")
    expect(page.get_by_text("Precision and device")).to_have_count(0)
    expect(page.get_by_text("type a Hub id or a folder")).to_have_count(0)
    expect(page.locator(".st-key-trust")).to_contain_text("(float32)")
