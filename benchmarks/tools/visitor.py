"""A session of the app without a browser: it speaks Streamlit's websocket protocol.

Of each run it keeps what the page would show: the figures, the components' data and the sentences.
"""

import asyncio
import json
import re
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from attnlab.ui.hosting import UNFORESEEN
from attnlab.viz.payload import unpack

_KL = re.compile(r"\*\*KL ([0-9.]+)\*\* nats")
# The page's sentence box, by its label, which Streamlit puts into the protocol.
_BOX = "Sentence A"
_FINISHED = 0  # ForwardMsg.ScriptFinishedStatus.FINISHED_SUCCESSFULLY


@dataclass
class Answer:
    """What one run of the page's script showed.

    Attributes:
        seconds: from the request to the end of the script.
        kl: the divergence as written, "" where there is none.
        size: bytes received.
        exceptions: tracebacks or apologies.
        sentences: every plain text.
    """

    seconds: float = 0.0
    kl: str = ""
    size: int = 0
    exceptions: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)


class Visitor:
    """One session on a server of this machine."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._query = ""
        self._page = ""
        self._box: str | None = None
        self._grid: str | None = None
        self._serial = 0
        self._known: dict[str, bytes] = {}
        self._socket: Any = None

    async def open(self, **query: str) -> Answer:
        """Opens the app by a link."""
        self._query = urlencode(query)
        origin = f"http://127.0.0.1:{self._port}"
        self._socket = await websockets.connect(
            f"ws://127.0.0.1:{self._port}/_stcore/stream",
            subprotocols=["streamlit"],
            max_size=None,
            origin=origin,
            open_timeout=120,
            ping_interval=None,
        )
        return await self._run(BackMsg())

    async def type(self, sentence: str) -> Answer:
        """Types sentence A and presses Enter."""
        message = BackMsg()
        widget = message.rerun_script.widget_states.widgets.add()
        widget.id, widget.string_value = self._box, sentence
        return await self._run(message)

    async def click(self, layer: int, head: int) -> Answer:
        """Clicks a head in the grid; `layer` counts the layers that have attention."""
        message = BackMsg()
        widget = message.rerun_script.widget_states.widgets.add()
        chosen = {"serial": self._serial, "layer": layer, "head": head}
        widget.id, widget.json_value = self._grid, json.dumps({"chosen": chosen})
        return await self._run(message)

    async def close(self) -> None:
        """Leaves; nothing happens where the app was never opened."""
        if self._socket is not None:
            await self._socket.close()

    async def _run(self, message: BackMsg, timeout: float = 120) -> Answer:
        message.rerun_script.query_string = self._query
        message.rerun_script.page_script_hash = self._page
        answer, start = Answer(), time.perf_counter()
        await self._socket.send(message.SerializeToString())
        async with asyncio.timeout(timeout):
            while True:
                raw = await self._socket.recv()
                answer.size += len(raw)
                if self._take(raw, answer):
                    break
        answer.seconds = time.perf_counter() - start
        return answer

    def _take(self, raw: bytes, answer: Answer) -> bool:
        """Reads one message; True for the last one of a run."""
        message = ForwardMsg.FromString(raw)
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            # The server knows that we have this one already.
            message = ForwardMsg.FromString(self._known[message.ref_hash])
            kind = message.WhichOneof("type")
        elif message.metadata.cacheable:
            self._known[message.hash] = raw
        if kind == "new_session":
            self._page = message.new_session.page_script_hash
        elif kind == "page_info_changed":
            self._query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self._element(message.delta.new_element, answer)
        return kind == "script_finished" and message.script_finished == _FINISHED

    def _element(self, element: Any, answer: Answer) -> None:
        kind = element.WhichOneof("type")
        if kind == "text_input" and element.text_input.label == _BOX:
            self._box = element.text_input.id
        elif kind == "bidi_component" and element.bidi_component.component_name.endswith("_grid"):
            self._grid = element.bidi_component.id
            self._serial = unpack(element.bidi_component.bytes)[0]["serial"]
        elif kind == "markdown":
            found = _KL.search(element.markdown.body)
            answer.kl = found[1] if found else answer.kl
        elif kind == "text":
            answer.sentences.append(element.text.body)
            if element.text.body.startswith(UNFORESEEN):
                answer.exceptions.append(element.text.body)
        elif kind == "exception":
            answer.exceptions.append(element.exception.message)
