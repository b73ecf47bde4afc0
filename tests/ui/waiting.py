"""Coroutines in tests that other tests' event loops must not disturb."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def awaited(work: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine returns, run in a thread of its own.

    The browser that the browser tests share keeps a loop running in the main thread until the end.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
