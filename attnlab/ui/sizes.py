"""How much memory a cached result holds, in bytes."""

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd


def held_bytes(value: Any) -> int:
    """The bytes that `value` keeps alive: arrays and tables whole, dataclasses and containers by
    their parts.

    An array that is a view counts as what it keeps alive. An estimate: parts that are shared, such
    as short strings, count each time.

    Raises:
        TypeError: a part is of another type, whose size nobody could trust.
    """
    if isinstance(value, np.ndarray):
        base = value
        while isinstance(base.base, np.ndarray):
            base = base.base
        return base.nbytes + 128
    if isinstance(value, pd.DataFrame):
        return int(value.memory_usage(deep=True).sum()) + 128
    if is_dataclass(value) and not isinstance(value, type):
        return 64 + sum(held_bytes(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, Mapping):
        return sys.getsizeof(value) + sum(map(held_bytes, [*value.keys(), *value.values()]))
    if isinstance(value, tuple | list | set | frozenset):
        return sys.getsizeof(value) + sum(map(held_bytes, value))
    if value is None or isinstance(value, str | bytes | int | float | np.generic):
        return sys.getsizeof(value)
    raise TypeError(f"a {type(value).__name__} is no result that a store can measure")


def lab_bytes(lab: Any) -> int:
    """The bytes of a loaded model's weights, each shared tensor once."""
    tensors = {tensor.data_ptr(): tensor for tensor in lab.model.parameters()}
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
