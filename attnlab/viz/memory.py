"""A key/value cache as it grows: a row for each layer, as long as the bytes that it holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from attnlab.viz.cells import some
from attnlab.viz.diagram import Diagram
from attnlab.viz.svg.text import width

_LEFT, _TOP, _AXIS, _LEGEND = 40.0, 6.0, 30.0, 22.0
_TALLEST: Final = 15.0
_ROOM: Final = 250.0


@dataclass(frozen=True)
class Held:
    """What one layer holds, in bytes; ``name`` as on the axis, "L4" or "L0 source"."""

    name: str
    keys: int
    values: int
    told: tuple[str, ...] = ()


def memory(
    layers: Sequence[Held],
    most: int,
    *,
    write: Callable[[float], str],
    wide: float = 460,
    label: str = "",
) -> Diagram:
    """Rows of keys and of values, on an axis that ends at ``most`` bytes a layer.

    Raises:
        ValueError: nothing is held, or a layer holds more than ``most``.
    """
    fullest = max((layer.keys + layer.values for layer in layers), default=0)
    if not 0 < fullest <= most:
        raise ValueError(f"an axis to {most} bytes for layers of up to {fullest}")
    left = max(_LEFT, max(width(layer.name, 11) for layer in layers) + 10)
    high = min(_TALLEST, _ROOM / len(layers))
    bottom = _TOP + high * len(layers)
    drawn = Diagram(wide, bottom + _AXIS + _LEGEND, label)
    room = wide - left - 24
    for quarter in range(5):
        value = most * quarter / 4
        x = left + room * quarter / 4
        drawn.line([(x, _TOP), (x, bottom + 4)], "line", width=1)
        drawn.words(x, bottom + 14, write(value), size=11, kind="mute", anchor="middle")
    thin = max(1.0, high - (2 if high > 5 else 0.6))
    for at, layer in enumerate(layers):
        y, x = _TOP + high * at + (high - thin) / 2, left
        for size, kind in ((layer.keys, "attention"), (layer.values, "table")):
            long = room * size / most
            drawn.box(x, y, long, thin, kind, radius=min(2, thin / 3))
            x += long
        told = (f"keys {write(layer.keys)}", f"values {write(layer.values)}", *layer.told)
        drawn.spot(0, _TOP + high * at, wide, high, layer.name, *told)
    for at, _ in some(len(layers), high * len(layers), 13):
        y = _TOP + high * (at + 0.5)
        drawn.words(left - 7, y, layers[at].name, size=11, kind="mute", anchor="end")
    _legend(drawn, left, bottom + _AXIS + _LEGEND / 2)
    return drawn


def _legend(drawn: Diagram, x: float, y: float) -> None:
    for kind, words in (("attention", "keys"), ("table", "values")):
        drawn.box(x, y - 5, 10, 10, kind)
        drawn.words(x + 16, y, words, size=11.5, kind="mute")
        x += 16 + width(words, 11.5) + 20
    drawn.words(x, y, "bytes a layer", size=11.5, kind="mute")
