"""ASGI middleware for a server that is open to strangers: security headers, and limits.

Nothing here imports Streamlit.
"""

import base64
import hashlib
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

# What a browser sends is the values of widgets: four texts of 20,000 characters are 320 kB at most.
MAX_MESSAGE_BYTES: Final = 2_000_000

_INLINE = re.compile(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_TRY_AGAIN_LATER: Final = 1013
_TOO_BIG: Final = 1009


def content_security_policy(index_html: str) -> str:
    """What the page may load: only what this server itself sent.

    Scripts: files of this server, the few lines inside Streamlit's own page (by their hash), and
    `blob:`, which is how Streamlit imports the script of a component; no eval. Style elements may
    stand inline, because Streamlit and components write them; style attributes may not. Icons of
    its widgets come as `data:` fonts. Nobody may frame the page, and it frames nothing.

    Args:
        index_html: Streamlit's page, whose inline scripts are allowed.

    Source: https://www.w3.org/TR/CSP3/
    """
    hashes = " ".join(_hash(script) for script in _INLINE.findall(index_html))
    rules = {
        "default-src": "'none'",
        "script-src": f"'self' blob: {hashes}".strip(),
        "style-src": "'self' 'unsafe-inline'",
        "style-src-attr": "'none'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def security_headers(index_html: str) -> tuple[tuple[bytes, bytes], ...]:
    """The headers of every answer. The address holds the sentences, so it is no referrer."""
    unused = (
        "accelerometer camera display-capture geolocation gyroscope microphone midi payment usb"
    )
    headers = {
        "content-security-policy": content_security_policy(index_html),
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": ", ".join(f"{feature}=()" for feature in unused.split()),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
    }
    return tuple((name.encode(), value.encode()) for name, value in headers.items())


class Doorkeeper:
    """ASGI middleware: security headers on every answer, limits on every websocket.

    At most `sessions` websockets are open at a time; one more is refused before it becomes a
    session. A message longer than MAX_MESSAGE_BYTES closes its socket.
    """

    def __init__(self, app: Any, headers: Iterable[tuple[bytes, bytes]], sessions: int) -> None:
        self._app = app
        self._headers = tuple(headers)
        self._free = sessions

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._app(scope, receive, self._with_headers(send))
        elif scope["type"] == "websocket":
            await self._session(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _with_headers(self, send: Send) -> Send:
        names = {name for name, _ in self._headers}

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [pair for pair in message.get("headers", ()) if pair[0].lower() not in names]
                message["headers"] = [*kept, *self._headers]
            await send(message)

        return sent

    async def _session(self, scope: Message, receive: Receive, send: Send) -> None:
        if self._free <= 0:
            await receive()
            await send({"type": "websocket.close", "code": _TRY_AGAIN_LATER})
            return
        self._free -= 1
        try:
            await self._app(scope, _limited(receive), send)
        finally:
            self._free += 1


def _limited(receive: Receive) -> Receive:
    """`receive`, for which a message that is too long is the end of the connection."""

    async def received() -> Message:
        message = await receive()
        content = message.get("bytes") or (message.get("text") or "").encode()
        if len(content) > MAX_MESSAGE_BYTES:
            return {"type": "websocket.disconnect", "code": _TOO_BIG}
        return message

    return received
