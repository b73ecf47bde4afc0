"""A view as a file that reopens: the whole selection as JSON, texts included.

It is for what a link cannot hold, a long text above all. What it says goes through the readers of
links, so a file can ask for nothing that a link could not, and whatever is wrong with it becomes a
sentence. Nothing here imports Streamlit.

    {"attnlab": "view", "version": 1,
     "texts": {"a": "…", "b": "…", "ta": "", "tb": ""},
     "view": {"head": "L4H2", …}}          the parameters of a link, all but the texts
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from attnlab.ui import link
from attnlab.ui.link import NAMES, TEXTS
from attnlab.ui.selection import DEFAULT, MAX_CHARACTERS, Selection

NAME: Final = "attnlab-view.json"
MAX_BYTES: Final = 1_000_000  # four texts of MAX_CHARACTERS, each escaped to six bytes a character
_KIND, _VERSION = "view", 1
_NO_VIEW: Final = "This file is not a view that AttnLab saved, so nothing was opened."


def dump(selection: Selection) -> bytes:
    """The file that reopens `selection`: ASCII, so that any character comes back as it was."""
    url = link.format_url(selection)
    document = {
        "attnlab": _KIND,
        "version": _VERSION,
        "texts": {name: getattr(selection, field) for name, field in TEXTS.items()},
        "view": {name: url[name] for name in url if name not in TEXTS and name != "long"},
    }
    return json.dumps(document, indent=1).encode("ascii")


def load(content: bytes | str) -> tuple[Selection, tuple[str, ...]]:
    """The selection that a file holds, and a sentence for each part not understood.

    What is no saved view at all gives the default selection and one sentence.
    """
    document, problem = _read(content)
    if document is None:
        return DEFAULT, (problem,)
    problems = []
    if document.get("version") != _VERSION:
        problems.append("This view was saved by another version of AttnLab; some of it may differ.")
    view, texts = document.get("view", {}), document.get("texts", {})
    parameters = {
        name: value
        for name, value in (view.items() if isinstance(view, dict) else ())
        if isinstance(value, str) and name not in TEXTS and name != "long"
    }
    selection, found = link.parse(parameters)
    problems += [said.replace("The link's", "The file's") for said in found]
    if not isinstance(view, dict) or len(parameters) < len(view):
        problems.append("Some settings of this file are not text, so they were left out.")
    taken, found = _texts(texts if isinstance(texts, dict) else {})
    if len(found) == len(TEXTS):
        found = ["This file holds no text that can be read."]
    return replace(selection, **taken), (*problems, *found)


def texts_in(texts: Any) -> frozenset[str]:
    """The fields for which a file's ``texts`` hold one that can be shown."""
    return frozenset(_texts(texts if isinstance(texts, dict) else {})[0])


def is_view(content: bytes | str) -> bool:
    """Whether a file says that it is a saved view, and not a text to read."""
    return _read(content)[0] is not None


def _read(content: bytes | str) -> tuple[dict[str, Any] | None, str]:
    """The document, or None and a sentence."""
    if len(content) > MAX_BYTES:
        return None, f"This file is larger than {MAX_BYTES:,} bytes, so nothing was opened."
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):  # no JSON, no UTF-8, or nested without end
        return None, _NO_VIEW
    if not isinstance(document, dict) or document.get("attnlab") != _KIND:
        return None, _NO_VIEW
    return document, ""


def _texts(texts: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """The texts that can be shown, by field; the others keep their default."""
    taken, problems = {}, []
    for name, field in TEXTS.items():
        text = texts.get(name)
        if text is None:
            problems.append(f"{NAMES[name]} is missing in this file.")
        elif not isinstance(text, str):
            problems.append(f"{NAMES[name]} in this file is no text, so it was left out.")
        elif len(text) > MAX_CHARACTERS:
            problems.append(
                f"{NAMES[name]} in this file is longer than {MAX_CHARACTERS:,} characters, "
                "so it was left out."
            )
        else:
            taken[field] = link.literal(text)
    return taken, problems
