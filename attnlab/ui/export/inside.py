"""What the view Inside a head draws, as files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnlab.ui.engine.inside import Looking, Rolled, Took, Writing
from attnlab.ui.engine.keys import Passage
from attnlab.ui.engine.model import Reader
from attnlab.ui.export import architecture as files
from attnlab.ui.export.menu import Savable
from attnlab.ui.phrases import title
from attnlab.ui.selection import Head
from attnlab.viz.diagram import Diagram
from attnlab.viz.svg.text import spoken


def took(
    reader: Reader,
    passage: Passage,
    head: Head,
    found: Took,
    words: tuple[Sequence[Any], Sequence[Any]],
    drawn: Diagram,
    said: str,
) -> Savable:
    """Attention beside norm-weighted attention."""
    rows = [
        [q, spoken(words[0][q]), k, spoken(words[1][k]), *map(float, cell)]
        for (q, k), cell in _cells(found.looks, found.takes, found.lengths)
    ]
    return files.picture(
        f"attnlab-takes-L{head[0]}H{head[1]}",
        f"Where {title(head)} looks, and what it takes",
        drawn,
        files.of_model(reader, passage),
        what="Attention; norm-weighted attention (the length of weight times handed-on vector, in "
        "units of the stream), and its share of what the query takes in all.",
        columns=("query", "query_token", "key", "key_token", "weight", "share_taken", "length"),
        rows=rows,
        notes=(said,),
        body={"role": reader.role},
    )


def rolled(
    reader: Reader,
    passage: Passage,
    found: Rolled,
    values: np.ndarray,
    names: Sequence[str],
    position: int,
    drawn: Diagram,
    said: str,
) -> Savable:
    """Rollout to one word."""
    own = found.own.shape[1]
    rows = []
    for (layer, at), (value,) in _cells(values):
        whose = ("own", at) if at < own else ("source", at - own)
        rows.append([found.layers[layer], *whose, names[at], float(value)])
    return files.picture(
        "attnlab-rollout",
        f"Attention rollout to “{names[position]}”",
        drawn,
        files.of_model(reader, passage),
        what="Attention rollout with half of the stream going past attention (Abnar and Zuidema "
        "2020): how much of each word is left in the chosen one after each layer.",
        columns=("layer", "of", "position", "token", "share"),
        rows=rows,
        notes=(said,),
        body={"position": position},
    )


def alone(
    reader: Reader,
    head: Head,
    names: Sequence[str],
    look: Looking | None,
    wrote: Writing | None,
    apart: int,
    drawn: Diagram,
    said: str,
) -> Savable:
    """Both circuits of a head for typed words."""
    rows: list[list[Any]] = []
    if look is not None:
        cells = _cells(look.scores)
        rows += [["looks at", names[q], names[k], float(v)] for (q, k), (v,) in cells]
    if wrote is not None:
        cells = _cells(wrote.logits)
        rows += [["makes likelier", names[q], names[k], float(v)] for (q, k), (v,) in cells]
    body: dict[str, Any] = {"head": list(head), "distance": apart}
    if look is not None:
        body |= {"bias": look.bias, "bent": look.bent}
    if wrote is not None:
        top = [[{"token": word, "logits": much} for word, much in row] for row in wrote.promoted]
        body |= {"copying": wrote.copying, "promoted": dict(zip(names, top, strict=True))}
    return files.picture(
        f"attnlab-circuits-L{head[0]}H{head[1]}",
        f"{title(head)} on words alone, {apart} apart",
        drawn,
        files.of_model(reader, None),
        what="Query-key circuit: scores before the softmax; output-value circuit: what a weight "
        "of 1 adds to logits directly. Embeddings alone: the layers before are skipped.",
        columns=("circuit", "word", "other", "value"),
        rows=rows,
        notes=(said,),
        body=body,
    )


def _cells(*arrays: np.ndarray) -> list[tuple[tuple[int, int], tuple[Any, ...]]]:
    """(place, values there) of arrays of one shape."""
    return [(at, tuple(one[at] for one in arrays)) for at in np.ndindex(arrays[0].shape)]
