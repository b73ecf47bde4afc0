"""The store keeps what was used last, within its bounds; sizes are those of the arrays."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from attnlab.ui.engine import Reading
from attnlab.ui.sizes import held_bytes, lab_bytes
from attnlab.ui.store import Store


def test_a_store_forgets_the_least_recently_used_and_the_old():
    now = [0.0]
    store = Store(max_entries=2, ttl=10, clock=lambda: now[0])
    store.put("a", 1)
    store.put("b", 2)
    assert store.get("a") == 1
    store.put("c", 3)
    assert (store.get("a"), store.get("b"), store.get("c")) == (1, None, 3)
    now[0] = 11
    assert len(store) == 0
    assert store.bytes == 0


def test_a_store_forgets_what_is_too_much_together():
    store = Store(100, 100, max_bytes=10, size=len)
    store.put("a", "1234")
    store.put("b", "1234")
    assert store.bytes == 8
    assert store.get("a") == "1234"
    store.put("c", "1234")
    assert (store.get("a"), store.get("b"), store.get("c")) == ("1234", None, "1234")
    store.put("c", "1")
    assert store.bytes == 5


def test_the_newest_is_kept_even_where_it_alone_is_too_much():
    store = Store(100, 100, max_bytes=10, size=len)
    store.put("a", "1234")
    store.put("b", "x" * 50)
    assert store.get("a") is None
    assert store.get("b") == "x" * 50
    store.put("c", "1234")
    assert store.get("b") is None
    assert store.bytes == 4


@dataclass(frozen=True)
class Result:
    """As the engine's: tokens and maps."""

    tokens: tuple[Any, ...]
    maps: np.ndarray


def test_sizes_are_those_of_what_is_kept_alive():
    maps = np.zeros((30, 9, 64, 64), np.float32)
    size = held_bytes(Result(("a", "b"), maps))
    assert maps.nbytes <= size < maps.nbytes + 2000
    view = np.zeros(1_000_000, np.uint8)[:10]
    assert held_bytes({"view": [view]}) >= 1_000_000


def test_a_part_of_unknown_size_is_refused():
    with pytest.raises(TypeError, match="a Tensor is no result"):
        held_bytes(Result((), torch.zeros(3)))


def test_the_logits_of_a_long_reading_count():
    maps, last = np.zeros((2, 2, 8, 8), np.float32), np.zeros(50_000, np.float32)
    reading = Reading((), (), maps, False, 0.5, last)
    assert held_bytes(reading) >= maps.nbytes + last.nbytes


def test_a_shared_weight_counts_once():
    model = torch.nn.Linear(100, 100, bias=False)
    tied = torch.nn.ModuleList([model, model])
    assert lab_bytes(SimpleNamespace(model=tied)) == 100 * 100 * 4
