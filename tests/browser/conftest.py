"""A server of the app on a free port, and a page of the system's Chromium."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from benchmarks.tools.server import serving
from tests.browser.visiting import CLICK, settled

# A busy machine may take a while to load a model; each expectation ends as soon as it holds.
SECONDS = 60
expect.set_options(timeout=SECONDS * 1000)

QUIET = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def address(packaged_models) -> Iterator[str]:
    """The address of a running app."""
    with serving("app.py") as server:
        yield server.address


@pytest.fixture(scope="session")
def hosted_address(packaged_models) -> Iterator[str]:
    """The address of the app as strangers meet it."""
    with serving("hosted.py") as server:
        yield server.address


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A click waits until the page rests: what is being drawn anew cannot be clicked for sure."""

    def when_settled(locator: Locator, **options: Any) -> None:
        settled(locator.page)
        CLICK(locator, **options)

    monkeypatch.setattr(Locator, "click", when_settled)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A new window, 1440 px wide; the test fails if a script in it threw."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(SECONDS * 1000)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    context.close()
    assert not problems


@pytest.fixture
def watched(page: Page) -> Iterator[Page]:
    """A `page` that may ask nobody but this machine for anything."""
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    yield page
    # data: and blob: addresses name no host, and leave nowhere.
    assert {urlsplit(url).hostname for url in asked} - {None} == {"127.0.0.1"}
