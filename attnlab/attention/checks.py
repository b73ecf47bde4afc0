"""Settings and shapes that make no sense, refused in one sentence that names them.

A size of 0 or a scale of NaN would otherwise show up far from where it was typed, as an index out
of range inside torch, or not at all.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Collection
from numbers import Integral, Real
from typing import Any

from torch import Tensor


def require_whole(least: int = 1, /, **settings: object) -> None:
    """Raises ValueError for what is no whole number of at least ``least``."""
    for name, value in settings.items():
        if not isinstance(value, Integral) or isinstance(value, bool):
            raise ValueError(f"{name} is a whole number, not {reprlib.repr(value)}")
        if value < least:
            raise ValueError(f"{name} is at least {least}, not {value}")


def require_number(least: float | int = -math.inf, /, **settings: object) -> None:
    """Raises ValueError for what is no finite number of at least ``least``."""
    for name, value in settings.items():
        if not _is_finite(value):
            raise ValueError(f"{name} is a finite number, not {reprlib.repr(value)}")
        if value < least:
            raise ValueError(f"{name} is at least {least}, not {value}")


def require_positive(**settings: object) -> None:
    """Raises ValueError for what is no finite number above 0."""
    for name, value in settings.items():
        if not _is_finite(value) or value <= 0:
            raise ValueError(f"{name} is a number above 0, not {reprlib.repr(value)}")


def _is_finite(value: object) -> bool:
    # Compared, since math.isfinite takes no whole number beyond the largest float.
    number = isinstance(value, Real) and not isinstance(value, bool)
    return number and -math.inf < value < math.inf


def require_word(name: str, value: object, words: Collection[str | None]) -> None:
    """Raises ValueError for what is none of these words."""
    # In a tuple: a dict would ask for the hash of a list.
    if value not in tuple(words):
        raise ValueError(f"{name} is one of {tuple(words)}, not {reprlib.repr(value)}")


def require_kind(what: str, value: object, kind: type) -> None:
    """Raises ValueError for what is no ``kind``; ``what`` says which value, and of what kind."""
    if not isinstance(value, kind):
        raise ValueError(f"{what}, not {reprlib.repr(value)}")


def require_each(name: str, value: Any, layers: int, require: Callable[[Any], None]) -> None:
    """Check a setting that is one for all layers, or a tuple of one for each.

    Raises:
        ValueError: the tuple is of another length, or ``require`` raises it for a value.
    """
    if isinstance(value, tuple) and len(value) != layers:
        raise ValueError(f"{name} has {len(value)} values for {layers} layers")
    for one in value if isinstance(value, tuple) else (value,):
        require(one)


def require_vectors(name: str, x: Tensor, width: int) -> None:
    """Raises ValueError for what is not [B, n, width], with a text and a token in it."""
    if x.dim() != 3 or x.shape[-1] != width or not x.numel():
        raise ValueError(
            f"{name} has the shape {list(x.shape)}; it is [B, n, {width}], with at least one text "
            "and one position"
        )


def require_filled(**given: Tensor) -> None:
    """Raises ValueError for a tensor with nothing in it: an axis of length 0."""
    for name, tensor in given.items():
        if not tensor.numel():
            raise ValueError(f"{name} has the shape {list(tensor.shape)}, with nothing in it")


def require_ids(ids: Tensor) -> None:
    """Raises ValueError for what is not [B, n], with a text and a token in it."""
    if ids.dim() != 2 or not ids.numel():
        raise ValueError(f"ids have the shape {list(ids.shape)}; they are [B, n], at least [1, 1]")


def require_rows(batch: int, /, **given: tuple[Tensor | None, int]) -> None:
    """Raises ValueError for a tensor that is not [B or 1, length].

    Args:
        given: by name, a tensor or None, and its length.
    """
    for name, (tensor, length) in given.items():
        if tensor is not None and tuple(tensor.shape) not in ((batch, length), (1, length)):
            raise ValueError(f"{name} has the shape {list(tensor.shape)}, not {[batch, length]}")
