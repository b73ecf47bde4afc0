"""Values as callers give them: numbers, words and lists of any kind, read or refused in a sentence.

A list may be a list, a tuple, a range, a generator, a NumPy array or a tensor of one axis; a single
value stands for a list of one.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, Final

MOST: Final = 2**31 - 1
"""The largest whole number that means a place, a size or a document: sums of two fit in 64 bits."""
_SAID: Final = 60
"""Signs of a value that a message spells out."""


def brief(value: Any) -> str:
    """A value as it is typed, on one line and not too long for a sentence."""
    try:
        said = " ".join(repr(value).split())
    except ValueError:  # Python writes no number of more than 4,300 digits
        return "a number of thousands of digits"
    return said if len(said) <= _SAID else f"{said[: _SAID - 1]}…"


def whole(name: str, value: Any, error: type, most: int | None = MOST) -> int:
    """A whole number, NumPy's and PyTorch's included, as an int.

    Raises:
        error: it is none, or further from 0 than ``most``.
    """
    if type(value) is int and (most is None or -most <= value <= most):
        return value  # most are, and a long text has many
    number = None if _is_bool(value) else _index(value)
    if number is None:
        raise error(f"{name} takes whole numbers, not {brief(value)}.")
    if most is not None and abs(number) > most:
        raise error(f"{name} takes whole numbers up to {most:,}, not {brief(number)}.")
    return number


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or "bool" in str(getattr(value, "dtype", ""))


def _index(value: Any) -> int | None:
    try:
        return operator.index(value)
    except (TypeError, RuntimeError):
        return None


def number(name: str, value: Any, low: float, high: float, error: type) -> int | float:
    """A number from ``low`` to ``high``, NumPy's and PyTorch's included, as an int or a float.

    Raises:
        error: it is none, or outside.
    """
    one = value.item() if getattr(value, "ndim", None) == 0 and _is_plain(value) else value
    fits = isinstance(one, Real) and not isinstance(one, bool) and low <= one <= high
    if not fits:
        raise error(f"{name} is a number from {low:,g} to {high:,g}, not {brief(value)}.")
    return int(one) if isinstance(one, Integral) else float(one)


def _is_plain(value: Any) -> bool:
    """Whether it holds a value at all; a tensor on the meta device has none."""
    return not getattr(value, "is_meta", False)


def several(name: str, value: Any, error: type, *, ordered: bool = False) -> tuple:
    """The items of a list of any kind; a word or anything that is no list is the only one.

    Args:
        ordered: the order of the items means something, so that a set will not do.

    Raises:
        error: bytes, a mapping, or a table of several axes.
    """
    axes = getattr(value, "ndim", None)
    if axes == 0 or isinstance(value, str):
        return (value,)
    if axes == 1 and _is_plain(value) and hasattr(value, "tolist"):
        return tuple(value.tolist())
    wrong = isinstance(value, bytes | bytearray | Mapping) or axes is not None
    if wrong or (ordered and isinstance(value, set | frozenset)):
        raise error(f"{name} takes a list, not {brief(value)}.")
    return tuple(value) if isinstance(value, Iterable) else (value,)


def chosen(name: str, value: Any, kind: type, error: type) -> tuple | None:
    """One number or word, or several, as a tuple; None stays None and means all.

    Raises:
        error: something else was given for ``name``.
    """
    if value is None:
        return None
    items = several(name, value, error)
    if not items:
        raise error(f"{name} names none; leave it out for all.")
    if kind is int:
        return tuple(whole(name, item, error) for item in items)
    if not all(isinstance(item, str) for item in items):
        raise error(f"{name} takes words, one or several, not {brief(value)}.")
    return items
