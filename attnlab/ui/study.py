"""A study as a file: texts, heads, measure and what was found; it reopens and runs again.

It is a saved view (``viewfile.py``) with more in it, and is read by the same readers, so that a
file can ask for nothing that a link could not. Nothing here imports Streamlit.

    {"attnlab": "study", "version": 1, "texts": {…}, "view": {…},
     "ablate": {"fill": "mean", …}}                     the parameters of the page Ablate
     "edits": [{"kind": "mean_head", …}], "metric": {…},   for al.edit_from_json, metric_from_json
     "found": {"together": 1.2, "alone": {"L23H4": 1.2}, "random": [0.1, …], "unit": "nats"},
     "provenance": {…}}
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from attnlab.ui import masks_cells, own_link, viewfile
from attnlab.ui.ablate_selection import ABLATE, MOST_PASTED, Ablate
from attnlab.ui.selection import Selection

NAME: Final = "attnlab-study.json"
_KIND, _VERSION = "study", 1
_LEFT_OUT: Final = "The edits are too large to be written; “ablate” says what they are."
_HUGE: Final = 1e6  # no effect; a whole number of hundreds of digits is none either


@dataclass(frozen=True)
class Opened:
    """What a file asks for.

    Attributes:
        texts: the fields of the selection for which the file has a text.
        together: the effect that it holds, to be compared with that of the new run; None where it
            holds none.
        problems: a sentence for each part not understood.
    """

    selection: Selection
    value: Ablate
    together: float | None
    problems: tuple[str, ...]
    texts: frozenset[str]


def dump(
    selection: Selection,
    value: Ablate,
    *,
    edits: Sequence[Mapping[str, Any]],
    metric: Mapping[str, Any],
    found: Mapping[str, Any],
    provenance: Mapping[str, Any],
) -> bytes:
    """The file that reopens a study, in ASCII; edits too large for one are left out of it."""
    document = json.loads(viewfile.dump(selection))
    # A pattern that is too long for a link is not too long for a file.
    pattern = {"rows": value.rows, "cells": masks_cells.write(value.cells)}
    document |= {
        "attnlab": _KIND,
        "version": _VERSION,
        "ablate": own_link.format_own(ABLATE, replace(value, lesson=""))
        | {name: text for name, text in pattern.items() if text},
        "edits": list(edits),
        "metric": dict(metric),
        "found": dict(found),
        "provenance": dict(provenance),
    }
    content = json.dumps(document, indent=1).encode("ascii")
    if len(content) <= viewfile.MAX_BYTES:
        return content
    # Many heads, each with a large pattern of its own: what cannot be opened is no study.
    document |= {"edits": [], "left_out": _LEFT_OUT, "provenance": {**provenance, "edits": []}}
    return json.dumps(document, indent=1).encode("ascii")


def load(content: bytes) -> Opened | str:
    """What a file asks for; a sentence where it is no study."""
    if len(content) > viewfile.MAX_BYTES:
        return f"This file is larger than {viewfile.MAX_BYTES:,} bytes, so nothing was opened."
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):  # no JSON, no UTF-8, or nested without end
        document = None
    if not isinstance(document, dict) or document.get("attnlab") != _KIND:
        return "This file is not a study that AttnLab saved, so nothing was opened."
    # The shared part is a saved view; its reader says what it cannot read.
    view = {name: document[name] for name in ("version", "texts", "view") if name in document}
    selection, problems = viewfile.load(json.dumps(view | {"attnlab": "view"}))
    given = document.get("ablate")
    url = {k: v for k, v in given.items() if isinstance(v, str)} if isinstance(given, dict) else {}
    url.pop("lesson", None)
    value, doubts = own_link.parse(ABLATE, url, MOST_PASTED)
    doubts = tuple(said.replace("The link's", "The file's") for said in doubts)
    if isinstance(given, dict) and any(not isinstance(one, str) for one in given.values()):
        doubts += ("Some settings of this study are not text, so they were left out.",)
    found = document.get("found")
    together = found.get("together") if isinstance(found, dict) else None
    number = isinstance(together, int | float) and not isinstance(together, bool)
    together = float(together) if number and abs(together) < _HUGE else None
    texts = viewfile.texts_in(document.get("texts"))
    return Opened(selection, value, together, (*problems, *doubts), texts)
