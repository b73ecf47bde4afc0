"""A server of the app in a process of its own, on a free port of this machine."""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The allocator's settings of `make run` and `make host`, as the Makefile has them.
_MALLOC = re.compile(r"^(MALLOC_\w+) \?= (\d+)$", re.MULTILINE)
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
    **dict(_MALLOC.findall((ROOT / "Makefile").read_text("utf-8"))),
}


class Server:
    """A running server.

    Attributes:
        port: where it listens on 127.0.0.1.
        pid: its process.
    """

    def __init__(self, port: int, pid: int, log: Path) -> None:
        self.port = port
        self.pid = pid
        self._log = log

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def forwards(self) -> list[tuple[float, float]]:
        """Seconds of every forward pass so far, in order: by the clock, and of the processor."""
        lines = self._log.read_text().splitlines()
        return [(float(wall), float(cpu)) for wall, cpu in map(str.split, lines)]

    def rss(self) -> float:
        """Resident memory, MiB."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) / 1024

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait(server: subprocess.Popen, url: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if server.poll() is not None:
            raise SystemExit("The server ended by itself; its output is above.")
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise SystemExit(f"No answer from {url} within {seconds:.0f} s.")


@contextmanager
def serving(script: str, port: int = 0, **environment: str) -> Iterator[Server]:
    """A server of `script` ("app.py", "hosted.py"), ended with the block.

    Args:
        port: 0 takes a free one.
        environment: more variables for it.
    """
    port = port or _free_port()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "forwards"
        log.touch()
        counted = Path(__file__).with_name("counted.py")
        command = [sys.executable, str(counted), str(log), "run", script]
        options = ["--server.headless=true", f"--server.port={port}"]
        options += ["--server.address=127.0.0.1", "--logger.level=error"]
        everything = os.environ | ENVIRONMENT | {"PYTHONPATH": str(ROOT)} | environment
        server = subprocess.Popen(command + options, cwd=ROOT, env=everything, stdout=sys.stderr)
        try:
            _wait(server, f"http://127.0.0.1:{port}/_stcore/health")
            yield Server(port, server.pid, log)
        finally:
            server.terminate()
            server.wait(90)  # on a busy machine a server takes its time to end
