"""A server that is open to strangers: no path in a sentence, headers and limits on every answer."""

import asyncio
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st

from attnlab.errors import LoadError
from attnlab.ui import hosting, models, server
from attnlab.ui.selection import DEFAULT
from tests.ui.waiting import awaited

ROOT = Path(__file__).parents[2]
INDEX = (Path(st.__file__).parent / "static" / "index.html").read_text("utf-8")


@pytest.fixture
def is_hosted(monkeypatch):
    monkeypatch.setenv("ATTNLAB_HOSTED", "1")
    monkeypatch.delenv("ATTNLAB_MAX_TOKENS", raising=False)


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (
            "Not written ([Errno 13] Permission denied: '/srv/cache/a b/x').",
            "'…').",
        ),
        ("No file in directory /srv/models/mine.", "directory …"),
        ("~/models/mine is damaged", "… is damaged"),
        (r"C:\Users\me\model is damaged", "… is damaged"),
        ("“/etc” is a folder", "“…” is a folder"),
        ("It reads his/her texts, and owner/name at https://host/a/b too", None),
        ("A token “/” and 1/2", None),
    ],
)
def test_a_stranger_reads_no_path(is_hosted, said: str, read: str | None):
    shown = hosting.public(said)
    assert shown == said if read is None else read in shown
    assert not any(part in shown for part in ("srv", "models", "Users", "etc"))


def test_a_stranger_does_not_learn_which_files_exist(is_hosted, monkeypatch):
    """The disk is not asked, and the sentence is the same whatever lies there."""

    def asked(path, *_):
        raise AssertionError(f"{path} was looked for")

    for method in ("exists", "is_dir", "is_file", "stat"):
        monkeypatch.setattr(models.Path, method, asked)
    told = set()
    for name in ("../../etc/passwd", "../../etc/none-such", "/etc", "~/.ssh"):
        assert models.resolved(name) == name
        with pytest.raises(LoadError) as error:
            models.open_model(replace(DEFAULT, model=name))
        told.add(str(error.value))
    (sentence,) = told
    assert "so a folder was not loaded" in sentence and "etc" not in sentence


def test_on_ones_own_machine_paths_are_useful(monkeypatch):
    monkeypatch.setenv("ATTNLAB_HOSTED", "0")
    assert hosting.public("in /srv/models/mine") == "in /srv/models/mine"


def test_strangers_have_shorter_texts(is_hosted, monkeypatch):
    assert hosting.max_tokens() == 512
    monkeypatch.setenv("ATTNLAB_MAX_TOKENS", "100")
    assert hosting.max_tokens() == 100
    monkeypatch.delenv("ATTNLAB_MAX_TOKENS")
    monkeypatch.delenv("ATTNLAB_HOSTED")
    assert hosting.max_tokens() == 2048


def test_the_policy_allows_no_foreign_host_no_eval_and_no_inline_script_but_streamlits():
    policy = server.content_security_policy(INDEX)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["connect-src"] == "'self'"
    assert rules["frame-ancestors"] == "'none'"
    script = rules["script-src"].split()
    assert script[:2] == ["'self'", "blob:"]
    assert all(source.startswith("'sha256-") for source in script[2:])
    assert len(script[2:]) == 1
    for word in ("unsafe-eval", "http:", "https:", "*"):
        assert word not in policy


def test_uploads_are_small_and_protected_and_tracebacks_stay_on_the_server():
    options = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert options["server"]["maxUploadSize"] == 1
    assert options["server"]["enableXsrfProtection"] is True
    assert options["client"]["showErrorDetails"] == "none"
    assert options["browser"]["gatherUsageStats"] is False


class Sent(list):
    """What an ASGI app sends."""

    async def __call__(self, message):
        self.append(message)


async def _page(scope, receive, send):
    start = {"type": "http.response.start", "status": 200}
    await send({**start, "headers": [(b"X-Frame-Options", b"SAMEORIGIN"), (b"etag", b"1")]})
    await send({"type": "http.response.body", "body": b"ok"})


def test_every_answer_carries_the_headers_once():
    headers = server.security_headers(INDEX)
    keeper, sent = server.Doorkeeper(_page, headers, sessions=1), Sent()
    awaited(keeper({"type": "http"}, None, sent))
    names = [name.lower() for name, _ in sent[0]["headers"]]
    assert sorted(names) == sorted([b"etag", *(name for name, _ in headers)])
    assert dict(sent[0]["headers"])[b"referrer-policy"] == b"no-referrer"
    assert sent[1]["body"] == b"ok"


def test_so_many_sessions_and_no_more():
    opened, waiting = [], asyncio.Event()

    async def session(scope, receive, send):
        opened.append(scope)
        await waiting.wait()

    async def connect():
        return {"type": "websocket.connect"}

    async def visit():
        keeper, refused = server.Doorkeeper(session, (), sessions=2), Sent()
        inside = [asyncio.create_task(keeper({"type": "websocket"}, connect, Sent())) for _ in "12"]
        await asyncio.sleep(0)
        await keeper({"type": "websocket"}, connect, refused)
        assert [message["type"] for message in refused] == ["websocket.close"]
        waiting.set()
        await asyncio.gather(*inside)
        await keeper({"type": "websocket"}, connect, refused)

    awaited(visit())
    assert len(opened) == 3


@pytest.mark.parametrize(
    ("content", "got_through"),
    [
        ({"bytes": b"x" * 10}, True),
        ({"text": "x" * 10}, True),
        ({"bytes": b"x" * (server.MAX_MESSAGE_BYTES + 1)}, False),
        # Bytes, not characters: each of these takes three.
        ({"text": "語" * (server.MAX_MESSAGE_BYTES // 2)}, False),
    ],
)
def test_a_message_that_is_too_long_ends_its_session(content: dict, got_through: bool):
    got = []

    async def session(scope, receive, send):
        got.append((await receive())["type"])

    async def receive():
        return {"type": "websocket.receive", **content}

    awaited(server.Doorkeeper(session, (), sessions=1)({"type": "websocket"}, receive, Sent()))
    assert got == ["websocket.receive" if got_through else "websocket.disconnect"]


def test_hosted_py_is_an_app_that_streamlit_finds_and_turns_the_mode_on():
    code = (
        "import hosted\n"
        "from attnlab.ui import hosting, texts\n"
        "from streamlit.web.server.app_discovery import discover_asgi_app\n"
        "from pathlib import Path\n"
        "print(hosting.hosted(), texts.MAX_TOKENS, discover_asgi_app(Path('hosted.py')).app_name)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "512", "app"]
