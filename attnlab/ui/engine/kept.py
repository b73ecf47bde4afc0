"""Head roles on disk: a model is scored once on a computer, not once a session.

A file is named by how the model was loaded and holds a fingerprint of its weights, so that another
model in the same folder is scored anew. Nothing here imports Streamlit.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Final

from attnlab.analysis.roles import ROLES, HeadRoles
from attnlab.errors import InputError
from attnlab.pretrained.embedded import cache_folder
from attnlab.ui.engine.keys import LabKey
from attnlab.version import VERSION

_FORMAT: Final = 1
_MOST_FILES: Final = 64
_SAMPLE: Final = 64
"""Numbers of each parameter that the fingerprint reads."""


def place(key: LabKey, stack: str) -> Path:
    """Where the roles of a model are kept."""
    known = repr((_FORMAT, VERSION, key, stack, ROLES))
    return cache_folder() / "roles" / f"{hashlib.sha256(known.encode()).hexdigest()[:32]}.json"


def read(key: LabKey, stack: str, lab: Any) -> HeadRoles | None:
    """What is kept of a model, or None where there is nothing, or another model's."""
    file = place(key, stack)
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
        if held["weights"] != fingerprint(lab):
            return None
        return HeadRoles.from_json(held["roles"])
    except (OSError, ValueError, LookupError, TypeError, InputError):
        # No file, or one that was cut short: the model is scored again.
        return None


def write(key: LabKey, stack: str, lab: Any, found: HeadRoles) -> None:
    """Keeps the roles of a model; a computer whose cache cannot be written goes without."""
    file = place(key, stack)
    text = json.dumps({"weights": fingerprint(lab), "roles": found.to_json()})
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as part:
            part.write(text)
        Path(name).replace(file)
        _prune(file.parent)


def _prune(folder: Path) -> None:
    """Leaves the newest files."""
    files = sorted(folder.glob("*.json"), key=lambda file: -file.stat().st_mtime)
    for old in files[_MOST_FILES:]:
        old.unlink(missing_ok=True)


def fingerprint(lab: Any) -> str:
    """A hash over the first numbers, the shape and the type of every parameter."""
    found = hashlib.sha256()
    for name, tensor in lab.model.named_parameters():
        found.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
        sample = tensor.detach().flatten()[:_SAMPLE].float().cpu().numpy()
        found.update(sample.tobytes())
    return found.hexdigest()
