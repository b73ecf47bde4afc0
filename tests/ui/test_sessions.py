"""Several sessions of the real server at once: each its own numbers, equal ones computed once."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg

from attnlab.analysis.effects import compare
from attnlab.trace import ZeroHead
from attnlab.ui.server import MAX_MESSAGE_BYTES
from benchmarks.tools.server import Server, serving
from benchmarks.tools.visitor import Answer, Visitor
from tests.ui.waiting import awaited

pytestmark = pytest.mark.slow

SENTENCE = "The {} didn't cross the street because it was too wide."


@pytest.fixture(scope="module")
def server(packaged_models) -> Iterator[Server]:
    """`hosted.py` on a free port, its forward passes counted."""
    with serving("hosted.py", ATTNLAB_SESSIONS="8") as server:
        yield server


async def visits(server: Server, *asked: tuple[str, str]) -> list[Answer]:
    """Everyone opens a link of a sentence and a head at the same moment."""
    visitors = [Visitor(server.port) for _ in asked]
    opening = zip(visitors, asked, strict=True)
    answers = await asyncio.gather(
        *(visitor.open(a=text, b="", head=head) for visitor, (text, head) in opening)
    )
    for visitor in visitors:
        await visitor.close()
    return answers


def test_the_same_asked_by_six_at_once_is_computed_once(server: Server):
    def forwards_of(*asked: tuple[str, str]) -> tuple[int, list[Answer]]:
        before = len(server.forwards())
        answers = awaited(visits(server, *asked))
        return len(server.forwards()) - before, answers

    forwards_of((SENTENCE.format("goat"), "L4H2"))  # loads the model
    alone, _ = forwards_of((SENTENCE.format("dog"), "L4H2"))
    assert alone > 0
    together, answers = forwards_of(*[(SENTENCE.format("cat"), "L4H2")] * 6)
    assert together == alone
    assert len({answer.kl for answer in answers}) == 1
    again, _ = forwards_of((SENTENCE.format("cat"), "L4H2"))
    assert again == 0


def test_everyone_gets_their_own_number(server: Server, smollm2):
    asked = [
        (SENTENCE.format(animal), f"L{layer}H{head}")
        for animal, layer, head in [("fox", 4, 2), ("hen", 23, 4), ("owl", 20, 0), ("fox", 0, 1)]
    ]
    answers = awaited(visits(server, *asked))
    for (text, name), answer in zip(asked, answers, strict=True):
        layer, head = map(int, name[1:].split("H"))
        effect = compare(smollm2, text, (ZeroHead(layer, head),))
        assert answer.kl == f"{effect.kl:.4f}"
        assert answer.exceptions == []


def test_one_session_more_than_there_is_room_for_is_refused(server: Server):
    async def visit() -> None:
        url = f"ws://127.0.0.1:{server.port}/_stcore/stream"
        origin = f"http://127.0.0.1:{server.port}"
        connect = {"subprotocols": ["streamlit"], "origin": origin}
        inside = [await websockets.connect(url, **connect) for _ in range(8)]
        with pytest.raises(websockets.InvalidStatus):
            await websockets.connect(url, **connect)
        await inside.pop().close()
        await asyncio.sleep(0.5)
        inside.append(await websockets.connect(url, **connect))
        for socket in inside:
            await socket.close()

    awaited(visit())


def test_a_message_that_is_too_long_ends_its_session_and_no_other(server: Server):
    async def visit() -> Answer:
        calm, loud = Visitor(server.port), Visitor(server.port)
        await calm.open(a=SENTENCE.format("dog"), b="")
        await loud.open(a=SENTENCE.format("dog"), b="")
        with pytest.raises(websockets.ConnectionClosed):
            await loud.type("x" * (MAX_MESSAGE_BYTES + 1))
        answer = await calm.type(SENTENCE.format("cat"))
        await calm.close()
        return answer

    assert awaited(visit()).kl


class Stopper(Visitor):
    """A visitor that presses the stop button as soon as there is one."""

    button = ""

    def _element(self, element, answer):
        super()._element(element, answer)
        if element.WhichOneof("type") == "button":
            self.button = element.button.id

    async def press(self) -> None:
        while not self.button:
            await asyncio.sleep(0.05)
        message = BackMsg()
        widget = message.rerun_script.widget_states.widgets.add()
        widget.id, widget.trigger_value = self.button, True
        await self._socket.send(message.SerializeToString())


@pytest.fixture
def endless(tmp_path: Path) -> str:
    """A server's script whose work ends only when it is cancelled, and says whether it was."""
    script = tmp_path / "endless.py"
    script.write_text(
        "import time\n"
        "import streamlit as st\n"
        "from attnlab.errors import Cancelled\n"
        "from attnlab.ui import work\n"
        "def endless(job):\n"
        "    while not job.cancel.is_set():\n"
        "        time.sleep(0.01)\n"
        "    raise Cancelled('cancelled')\n"
        "stores = work.stores()\n"
        "try:\n"
        "    work.perform('key', 'Reading on', endless, stores.effects)\n"
        "except Cancelled as error:\n"
        "    # Work that was not cancelled would hold the gate, and this would wait for ever.\n"
        "    after = work.perform('after', 'Going on', lambda job: 'free', stores.effects)\n"
        "    st.text(f'{error} The gate is {after}.')\n"
    )
    return str(script)


def test_stop_ends_the_work_and_frees_the_gate(endless: str):
    async def visit(port: int) -> Answer:
        visitor = Stopper(port)
        opening = asyncio.create_task(visitor.open())
        await asyncio.wait_for(visitor.press(), 60)
        answer = await opening
        await visitor.close()
        return answer

    with serving(endless) as server:
        answer = awaited(visit(server.port))
    assert answer.sentences == ["Stopped: reading on. The gate is free."]


@pytest.fixture
def failing(tmp_path: Path) -> str:
    """A server's script whose page fails in a way that nobody foresaw."""
    (tmp_path / "page.py").write_text("raise ZeroDivisionError('/secret/path')\n")
    script = tmp_path / "failing.py"
    script.write_text(
        "import streamlit as st\n"
        "import hosted\n"
        "app = st.App('page.py', on_script_error=hosted.apologise)\n"
    )
    return str(script)


def test_an_unforeseen_failure_is_one_sentence_and_no_traceback(failing: str):
    async def visit(port: int) -> Answer:
        visitor = Visitor(port)
        answer = await visitor.open()
        await visitor.close()
        return answer

    with serving(failing) as server:
        answer = awaited(visit(server.port))
    assert len(answer.sentences) == 1
    assert answer.exceptions == answer.sentences
    assert "secret" not in answer.sentences[0]
