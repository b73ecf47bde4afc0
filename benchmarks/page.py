"""From Enter to the picture in a real Chromium, beside what the model alone takes.

    python benchmarks/page.py [--repeats 3] [--only pair,512,2048] [--chromium PATH]

Prints one JSON document. In each repeat a new text is typed and applied (for the pair sentence B,
else A alone); the page's own clock says when each part was last drawn. Right after it, with the
page at rest, the same text goes through transformers' own model in this process (its default
attention, one thread, last logits only): ``model_s``. A slow minute hits both of a repeat.

    picture_s   until the grid and the chosen head show the new text
    beyond_s    picture_s - model_s, the median over repeats
    complete_s  until the effect of the head, and what stands beside it, are there too
    forwards    how many forward passes the app made for all of it, and their seconds

``hover`` is measured at the longest text, over the chosen head and the grid, in full view and
zoomed: the longest task of the main thread, ms (Chromium reports those of 50 ms and more).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright
from tools.server import ROOT, Server, serving

sys.path.insert(0, str(ROOT))

MODEL = "smollm2-135m"
QUIET = (
    "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update "
    "--disable-sync --no-first-run"
)
CASES = {"pair": 13, "512": 512, "2048": 2048}
PARTS = ("grid", "card-head", "card-effect")
_REST_MS = 700  # nothing runs and nothing was drawn for so long: the page is at rest
_NOUNS = "animal river garden teacher letter window bridge market doctor forest engine winter"
_VERBS = "found followed crossed watched carried painted opened remembered"


class Alone:
    """transformers' own model in this process, one thread."""

    def __init__(self) -> None:
        import torch
        import transformers

        from attnlab.pretrained import embedded

        torch.set_num_threads(1)
        transformers.utils.logging.disable_progress_bar()
        folder = str(embedded.ensure(MODEL))
        load = transformers.AutoModelForCausalLM.from_pretrained
        self._model = load(folder, dtype=torch.float32).eval()
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(folder)

    def length(self, text: str) -> int:
        """Tokens of `text`."""
        return len(self._tokenizer(text)["input_ids"])

    def seconds(self, text: str) -> float:
        """How long one forward takes."""
        import torch

        ids = self._tokenizer(text, return_tensors="pt")["input_ids"]
        start = time.perf_counter()
        with torch.no_grad():
            self._model(ids, use_cache=False, logits_to_keep=1)
        return time.perf_counter() - start


def text_of(tokens: int, rng: random.Random, length: Callable[[str], int]) -> str:
    """An English-like text of just so many tokens; for 13 one of the pair's kind."""
    nouns, verbs = _NOUNS.split(), _VERBS.split()
    if tokens == 13:
        return f"The {rng.choice(nouns)} didn't cross the street because it was too tired."
    words: list[str] = []
    while length(" ".join(words)) < tokens:
        words.append(f"The {rng.choice(nouns)} {rng.choice(verbs)} the {rng.choice(nouns)}.")
    text = " ".join(words)
    while length(text) > tokens:
        text = text[:-1].rstrip()
    return text


def opened(page: Page, address: str, **query: str) -> None:
    """A new page, at rest."""
    joined = "&".join(f"{name}={value}" for name, value in query.items())
    page.goto(f"{address}/?{joined}")
    page.locator(".st-key-card-effect").wait_for()
    at_rest(page)


def at_rest(page: Page, seconds: float = 180) -> None:
    """Waits until no script runs and nothing is drawn any more."""
    page.wait_for_selector("[data-test-script-state=notRunning]", timeout=seconds * 1000)
    still = """(rest) => document.querySelector("[data-test-script-state=notRunning]") !== null
        && Math.max(0, ...Object.values(window.drawn)) < performance.now() - rest"""
    end = time.monotonic() + seconds
    while not page.evaluate(still, _REST_MS):
        if time.monotonic() > end:
            raise SystemExit(f"The page did not come to rest in {seconds:.0f} s.")
        page.wait_for_timeout(100)


def enter(page: Page, server: Server, side: str, text: str) -> dict[str, Any]:
    """Types `text` into the box of `side`, applies it, and tells when what was drawn."""
    box = page.get_by_label(f"Sentence {side}", exact=True)
    several = box.evaluate("(box) => box.tagName") == "TEXTAREA"
    box.fill(text)
    page.wait_for_timeout(300)
    before = len(server.forwards())
    box.press("Control+Enter" if several else "Enter")
    page.wait_for_timeout(300)
    at_rest(page)
    drawn = page.evaluate(
        "() => Object.fromEntries(Object.entries(window.drawn)"
        ".map(([key, time]) => [key, (time - window.entered) / 1000]))"
    )
    missing = [part for part in PARTS if part not in drawn]
    if missing:
        said = page.locator("[class*=st-key-problem]").all_inner_texts()
        raise SystemExit(f"Not drawn: {', '.join(missing)}. The page says: {said}")
    made = server.forwards()[before:]
    return {
        "picture": max(drawn["grid"], drawn.get("head", drawn["card-head"])),
        "complete": max(drawn[part] for part in PARTS),
        "forwards": len(made),
        "in_forwards": sum(wall for wall, _ in made),
    }


def run_case(page: Page, server: Server, alone: Alone, name: str, repeats: int) -> dict:
    tokens, rng = CASES[name], random.Random(name)
    side = "B" if name == "pair" else "A"
    opened(page, server.address, **({} if name == "pair" else {"b": "", "view": "A"}))
    seen = []
    for repeat in range(repeats + 1):
        text = text_of(tokens, rng, alone.length)
        found = enter(page, server, side, text)
        found["model"] = alone.seconds(text)
        print(f"{name} {repeat} {found}", file=sys.stderr, flush=True)
        if repeat:  # the first one warms both up
            seen.append(found)
    median = {key: statistics.median(found[key] for found in seen) for key in seen[0]}
    beyond = statistics.median(found["picture"] - found["model"] for found in seen)
    return {
        "tokens": tokens,
        "picture_s": round(median["picture"], 3),
        "model_s": round(median["model"], 3),
        "beyond_s": round(beyond, 3),
        "complete_s": round(median["complete"], 3),
        "forwards": {"n": median["forwards"], "seconds": round(median["in_forwards"], 3)},
    }


def hover(page: Page) -> dict[str, dict[str, float]]:
    """The longest tasks while the pointer moves over the pictures, in full view and zoomed."""
    found = {}
    for name, selector in {"head": ".st-key-head canvas", "grid": ".st-key-grid canvas"}.items():
        canvas = page.locator(selector).first
        canvas.scroll_into_view_if_needed()
        found[name] = _longest(page, lambda canvas=canvas: _sweep(page, canvas))
        if name == "head":
            found["zooming"] = _longest(page, lambda canvas=canvas: _zoom(page, canvas))
            found["head, zoomed"] = _longest(page, lambda canvas=canvas: _sweep(page, canvas))
    return found


def _longest(page: Page, act: Callable[[], None]) -> dict[str, float]:
    page.evaluate("window.tasks.length = 0")
    act()
    page.wait_for_timeout(500)
    tasks = page.evaluate("window.tasks")
    return {"longest_ms": max(tasks, default=0), "tasks_over_50_ms": len(tasks)}


def _sweep(page: Page, canvas: Any, steps: int = 60) -> None:
    box = canvas.bounding_box()
    for step in range(steps):
        x, y = step / steps, (step * 7 % steps) / steps
        page.mouse.move(
            box["x"] + 4 + (box["width"] - 8) * x, box["y"] + 4 + (box["height"] - 8) * y
        )
        page.wait_for_timeout(16)


def _zoom(page: Page, canvas: Any, steps: int = 12) -> None:
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
    for _ in range(steps):
        page.mouse.wheel(0, -240)
        page.wait_for_timeout(60)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default=",".join(CASES))
    parser.add_argument("--port", type=int, default=0)
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    parser.add_argument("--chromium", default=os.environ.get("CHROMIUM", found))
    options = parser.parse_args()
    alone, wanted, cases, moved = Alone(), options.only.split(","), {}, None
    script = Path(__file__).with_name("tools") / "watch.js"
    with serving("app.py", options.port) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.chromium, args=QUIET.split())
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        page.add_init_script(path=script)
        for name in wanted:
            cases[name] = run_case(page, server, alone, name, options.repeats)
        if "2048" in wanted:
            moved = hover(page)
        browser.close()
    report = {"model": MODEL, "cores": os.cpu_count(), "threads": 1, "repeats": options.repeats}
    print(json.dumps({**report, "cases": cases, "hover": moved}, indent=1))


if __name__ == "__main__":
    main()
