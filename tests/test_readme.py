"""The README tells the truth: its example runs as written, and what it names exists."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def _blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_python_examples_print_what_they_say(packaged_models, tmp_path):
    first, second = _blocks("python")
    assert len([line for line in first.splitlines() if line]) <= 10
    done = subprocess.run(
        [sys.executable, "-W", "error", "-X", "utf8", "-c", first + second],
        cwd=tmp_path,
        env=os.environ | {"CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(_blocks("text"))
    assert (tmp_path / "head.png").read_bytes().startswith(b"\x89PNG")


def test_every_link_and_file_in_the_readme_exists():
    named = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    named += re.findall(r"`([\w./-]+\.(?:py|txt|md))`", README)
    assert len(named) > 5
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_make_target_in_the_readme_exists():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"`?make (\w+)`?", README)) - {"it"}
    assert {"run", "test"} <= targets
    assert [t for t in targets if not re.search(rf"^{t}:", makefile, re.MULTILINE)] == []
