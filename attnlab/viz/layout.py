"""The layers of a model in a row: which of them see everything, and which look through a window."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from attnlab.viz.blocks import WIDE
from attnlab.viz.diagram import Diagram

_SIDE, _GAP, _WORDS = 30.0, 4.0, 18.0  # units of a square at most, between two, of the names below


def layout(layers: Sequence[int], full: Collection[int], names: tuple[str, str]) -> Diagram:
    """A square a layer, filled where it is one of ``full``.

    ``names``: of the layers with full attention, and of the others.

    Raises:
        ValueError: there are no layers.
    """
    if not layers:
        raise ValueError("there are no layers to draw")
    pitch = min(_SIDE + _GAP, (WIDE + _GAP) / len(layers))
    side = pitch - _GAP
    said = ", ".join(str(layer) for layer in layers if layer in full) or "none"
    out = Diagram(pitch * len(layers) - _GAP, side + _WORDS, f"{names[0]}: layers {said}.")
    for at, layer in enumerate(layers):
        x, filled = at * pitch, layer in full
        out.box(x, 0, side, side, "attention" if filled else "tile", edge="line", radius=4)
        if filled or layer in (layers[0], layers[-1]):
            out.words(x + side / 2, side + 10, str(layer), size=11, kind="mute", anchor="middle")
        out.spot(x, 0, side, side, f"Layer {layer}", names[0] if filled else names[1])
    return out
