"""A server of the app on a free port, and a page of the system's Chromium."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

# A busy machine may take a while to load a model; each expectation ends as soon as it holds.
SECONDS = 60
expect.set_options(timeout=SECONDS * 1000)

ROOT = Path(__file__).parents[2]
QUIET = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_for(url: str, server: subprocess.Popen, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert server.poll() is None, "the server ended by itself"
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise AssertionError(f"no answer from {url} within {seconds:.0f} s")


@contextmanager
def _serving(script: str, **environment: str) -> Iterator[str]:
    """The address of a server of `script` on a free port."""
    port = _free_port()
    command = [sys.executable, "-m", "streamlit", "run", script]
    options = ["--server.headless=true", f"--server.port={port}", "--server.address=127.0.0.1"]
    server = subprocess.Popen(command + options, cwd=ROOT, env=os.environ | environment)
    try:
        _wait_for(f"http://127.0.0.1:{port}/_stcore/health", server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(20)


@pytest.fixture(scope="session")
def address(packaged_models) -> Iterator[str]:
    """The address of a running app."""
    with _serving("app.py") as address:
        yield address


@pytest.fixture(scope="session")
def hosted_address(packaged_models) -> Iterator[str]:
    """The address of the app as strangers meet it."""
    with _serving("hosted.py") as address:
        yield address


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        yield browser
        browser.close()


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
