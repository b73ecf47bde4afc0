"""The numbers behind a picture, as CSV and as JSON, with what they come from inside.

Both are lossless and hold no date, so the same numbers give the same file. Token text is a JSON
string literal in the CSV: nothing is trimmed, nothing invisible stays so, and no spreadsheet takes
it for a formula. Weights are written with nine digits, which give a float32 back exactly.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from attnlab.viz.pooling import cell_side, span
from attnlab.viz.tokens import field as part_of

MOST_ROWS = 300_000  # of a table; beyond, weights below LEAST are left out, and the table says so
LEAST = 0.001
_HIDDEN = re.compile(  # what shows as nothing, or is no character of its own
    "[\x7f-\x9f\xad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)


@dataclass(frozen=True)
class Text:
    """One text as the model read it.

    `target` is what an encoder-decoder writes for it; `sources` are the tokens looked at where they
    are others than those that look.
    """

    name: str
    text: str
    tokens: Sequence[Any]
    sources: Sequence[Any] | None = None
    target: str = ""

    @property
    def keys(self) -> Sequence[Any]:
        """The tokens that can be looked at."""
        return self.tokens if self.sources is None else self.sources


@dataclass(frozen=True)
class Numbers:
    """What a file of numbers holds.

    Attributes:
        what: what the numbers are, with their unit, in one sentence.
        provenance: model, revision, tier, dtype, device, role, edits, versions.
        texts: the texts that were read.
        columns, rows: the table; a column whose name ends in "token" holds text of the model.
        body: what the JSON document holds beside them; arrays become nested lists.
        notes: what was left out or reduced.
    """

    what: str
    provenance: Mapping[str, Any]
    texts: Sequence[Text]
    columns: Sequence[str]
    rows: Iterable[Sequence[Any]]
    body: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()


def literal(value: Any) -> str:
    """``value`` as JSON on one line, with everything invisible escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return _HIDDEN.sub(lambda found: _escaped(found[0]), text)


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def figure(value: float) -> str:
    """A number in nine digits, the fewest that give any float32 back."""
    return f"{value:.9g}"


def table(numbers: Numbers) -> str:
    """The CSV: lines that start with ``#`` say what it is, then a header and tidy rows.

    ``pandas.read_csv(..., comment="#")`` reads the table; the second cell of the line
    ``# provenance`` is JSON, as is every text and token.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["# what", literal(numbers.what)])
    writer.writerow(["# provenance", literal(dict(numbers.provenance))])
    for text in numbers.texts:
        writer.writerow([f"# text {text.name}", literal(text.text)])
        if text.target:
            writer.writerow([f"# target {text.name}", literal(text.target)])
    for note in numbers.notes:
        writer.writerow(["# note", literal(note)])
    writer.writerow(numbers.columns)
    tokens = [name.endswith("token") for name in numbers.columns]
    writer.writerows(map(_cell, row, tokens) for row in numbers.rows)
    return out.getvalue()


def _cell(value: Any, token: bool) -> Any:
    if token:
        return literal(value)
    return figure(value) if isinstance(value, (float, np.floating)) else value


def document(numbers: Numbers) -> str:
    """The JSON: provenance, the texts with every token, and the arrays whole."""
    parts = {
        "what": numbers.what,
        "provenance": dict(numbers.provenance),
        "notes": list(numbers.notes),
        "texts": [_spelled(text) for text in numbers.texts],
        **numbers.body,
    }
    lines = [f" {literal(name)}: {_written(value)}" for name, value in parts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _written(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, Mapping):
        inside = [f"{literal(str(name))}: {_written(one)}" for name, one in value.items()]
        return "{" + ", ".join(inside) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_written, value)) + "]"
    if isinstance(value, (float, np.floating)):
        return figure(value) if np.isfinite(value) else "null"
    return literal(value.item() if isinstance(value, np.generic) else value)


def _array(array: np.ndarray) -> str:
    if array.ndim > 1:
        return "[" + ",\n".join(map(_array, array)) + "]"
    if array.dtype.kind != "f":
        return json.dumps(array.tolist())
    # JSON has neither NaN nor the −∞ of a masked score.
    return "[" + ",".join(figure(v) if isfinite(v) else "null" for v in array.tolist()) + "]"


def _spelled(text: Text) -> dict[str, Any]:
    said = {"name": text.name, "text": text.text}
    if text.target:
        said["target"] = text.target
    said["tokens"] = [_token(token) for token in text.tokens]
    if text.sources is not None:
        said["sources"] = [_token(token) for token in text.sources]
    return said


def _token(token: Any) -> dict[str, Any]:
    said = {name: part_of(token, name) for name in ("id", "raw", "text")}
    if part_of(token, "special"):
        said["special"] = True
    if part_of(token, "piece"):
        said["piece"] = list(part_of(token, "piece"))
    return said


def cells(
    weights: np.ndarray, text: Text, *, causal: bool, least: float = 0.0, other: Any = None
) -> Iterable[list[Any]]:
    """Rows (query, its token, key, its token, weight) of weights [Q, S].

    A causal model's future is left out, and so is every weight below ``least``. ``other`` [Q, S]
    adds the weight of the same cell in another text, NaN (written as nothing) where there is none.

    Raises:
        ValueError: the weights do not fit the tokens.
    """
    if weights.shape != (len(text.tokens), len(text.keys)):
        raise ValueError(f"weights are {weights.shape}, and {text.name} has other tokens")
    kept = weights >= least
    if causal and text.sources is None:
        kept = np.tril(kept)
    from_, to = ([str(part_of(t, "text", "")) for t in side] for side in (text.tokens, text.keys))
    for i, j in np.argwhere(kept).tolist():
        row = [i, from_[i], j, to[j], float(weights[i, j])]
        if other is not None:
            row.append(None if np.isnan(other[i, j]) else float(other[i, j]))
        yield row


def pooled_cells(maps: np.ndarray, text: Text, *, least: float = 0.0) -> Iterable[list[Any]]:
    """Rows (query from, to, key from, to, largest weight) of a map [q, s] of a long text.

    A cell covers a square of positions, the last ones cut short; ``to`` is included.
    """
    queries, keys = len(text.tokens), len(text.keys)
    side = cell_side(maps.shape, queries, keys)
    for i, j in np.argwhere(maps >= max(least, 1e-9)).tolist():
        yield [*span(i, side, queries), *span(j, side, keys), float(maps[i, j])]


def least_of(count: int) -> tuple[float, str]:
    """The least weight that a table of ``count`` cells holds, and the sentence that says so."""
    if count <= MOST_ROWS:
        return 0.0, ""
    return LEAST, f"Weights below {LEAST} are left out of this table; the JSON file has them all."
