"""Runs Streamlit with every forward pass of a model written down.

    python benchmarks/tools/counted.py LOG run hosted.py [Streamlit's options]

LOG grows by one line for each forward: its seconds, by the clock and of the processor. The app
itself is as it is.
"""

import os
import sys
import time
from typing import Any


def count_forwards(log: str) -> None:
    """Makes every `Lab.forward` of this process append what it took, s, to the file `log`."""
    from attnlab.pretrained.lab import Lab

    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    plain = Lab.forward

    def forward(lab: Any, *arguments: Any, **options: Any) -> Any:
        start, start_cpu = time.perf_counter(), time.thread_time()
        try:
            return plain(lab, *arguments, **options)
        finally:
            wall, cpu = time.perf_counter() - start, time.thread_time() - start_cpu
            os.write(file, f"{wall:.6f} {cpu:.6f}\n".encode())

    Lab.forward = forward


if __name__ == "__main__":
    count_forwards(sys.argv[1])
    sys.argv = ["streamlit", *sys.argv[2:]]
    from streamlit.web import cli

    cli.main()
