"""How far back a word can hear through several layers: the payload, and the same as a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnlab.viz.diagram import Diagram
from attnlab.viz.payload import pack
from attnlab.viz.svg.text import cut, width
from attnlab.viz.tokens import label as drawn
from attnlab.viz.tokens import rows

# Units of the drawing: between layers, of a dot, of the names at the side, between columns at most.
_STEP, _DOT, _SIDE, _ACROSS, _MOST_LABEL = 40.0, 4.5, 64.0, 56.0, 84.0


def cone_payload(
    words: Sequence[Any],
    visible: np.ndarray,
    held: np.ndarray,
    *,
    row: int = -1,
    layers: int = 1,
    formulas: Sequence[str] = (),
    label: str = "",
    serial: int = 0,
) -> bytes:
    """Pack who hears from whom, layer after layer.

    Args:
        words: n tokens, or plain dicts of them.
        visible: bool [n, n], who may look at whom in one layer.
        held: bool [L + 1, n, n], who can have heard from whom after 0 to L layers.
        row: the word at the top at first; -1 for the last.
        layers: how many layers are shown at first.
        formulas: for each number of layers from 1 on, what the reach is made of; () for nothing.
        label: what the picture is, for screen readers.

    Raises:
        ValueError: something does not fit the words, or each other.
    """
    check(words, visible, held, row, layers)
    if formulas and len(formulas) != len(held) - 1:
        raise ValueError(f"{len(formulas)} formulas for {len(held) - 1} layers")
    header = {
        "words": rows(words),
        "row": len(words) - 1 if row < 0 else row,
        "layers": layers,
        "formulas": list(formulas),
        "label": label,
        "serial": serial,
    }
    return pack(header, {"visible": visible.astype(np.uint8), "held": held.astype(np.uint8)})


def check(
    words: Sequence[Any], visible: np.ndarray, held: np.ndarray, row: int, layers: int
) -> None:
    """Refuses what does not fit.

    Raises:
        ValueError: a table does not fit the words, or the row or the layers are not there.
    """
    n = len(words)
    if visible.shape != (n, n) or held.shape[1:] != (n, n) or held.ndim != 3:
        raise ValueError(f"tables {visible.shape} and {held.shape} do not fit {n} words")
    if not -1 <= row < n or not 1 <= layers < len(held):
        raise ValueError(
            f"row {row} or layer {layers} is outside {n} words, {len(held) - 1} layers"
        )


def cone(
    words: Sequence[Any], visible: np.ndarray, held: np.ndarray, *, row: int, layers: int
) -> Diagram:
    """The picture as a file draws it: words below, and above them what each layer lets through.

    Raises:
        ValueError: something does not fit.
    """
    check(words, visible, held, row, layers)
    names = [cut(drawn(word), _MOST_LABEL, 12) for word in words]
    pitch = min(_ACROSS, max(22.0, *(width(name, 12, True) + 10 for name in names)))
    out = Diagram(_SIDE + pitch * len(words), layers * _STEP + 64)
    bottom = layers * _STEP + 20

    def place(layer: int, at: int) -> tuple[float, float]:
        return _SIDE + (at + 0.5) * pitch, bottom - layer * _STEP

    for layer in range(layers + 1):
        name = f"layer {layer}" if layer else "words"
        out.words(_SIDE - 14, place(layer, 0)[1], name, size=11.5, kind="mute", anchor="end")
    for layer in range(layers, 0, -1):
        # Through so many layers from here up is what the word at the top still hears.
        for query in np.flatnonzero(held[layers - layer, row]):
            # What a word held stays in its residual stream, whether or not it sees itself.
            for key in np.flatnonzero(visible[query] | (np.arange(len(words)) == query)):
                out.line([place(layer, query), place(layer - 1, key)], "a", width=0.9)
    for layer in range(layers + 1):
        for at in range(len(words)):
            lit = bool(held[layers - layer, row, at])
            x, y = place(layer, at)
            size = _DOT if lit else _DOT / 2
            out.box(x - size, y - size, 2 * size, 2 * size, "a" if lit else "line", radius=size)
    for at, name in enumerate(names):
        heard = bool(held[layers, row, at])
        kind = "ink" if heard else "mute"
        out.words(
            place(0, at)[0], bottom + 20, name, size=12, kind=kind, bold=at == row, anchor="middle"
        )
    return out
