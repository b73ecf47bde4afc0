"""Which form of attention is chosen: a pure function, so no GPU is needed to test it."""

from dataclasses import replace
from importlib import import_module

import pytest
import torch

from attnlab.attention import attend, choice, masks
from attnlab.attention.choice import FAR, Band, Call, attend_tiles, band_of, kernel_serves, watched
from tests.attention.tiling import normal

LONG = Call("cuda", torch.bfloat16, scores=8192 * 8192, size=64)


def test_a_long_run_that_nobody_watches_goes_to_the_kernel():
    assert attend_tiles(LONG, available=True) and kernel_serves(LONG, available=True)
    assert not attend_tiles(LONG, available=False)


@pytest.mark.parametrize(
    "change",
    [
        {"device": "cpu"},
        {"device": "mps"},
        {"dtype": torch.float32},
        {"dtype": torch.float64},
        {"size": 512},
        {"added": True},
        {"watched": True},
        {"learning": True},
        {"scores": 1023 * 1024},
    ],
    ids=str,
)
def test_never_otherwise(change):
    assert not attend_tiles(replace(LONG, **change), available=True)


def test_a_short_or_learning_run_may_still_be_asked_for():
    """``tiled`` by name: only what the kernel cannot compute is left to tiles on the outside."""
    for change in ({"scores": 12}, {"learning": True}):
        assert kernel_serves(replace(LONG, **change), available=True)


def test_who_watches_scores_or_weights_needs_whole_rows():
    def everything(stage, tensor, where):
        return tensor

    def only(*stages, **more):
        def at(stage, tensor, where):
            return tensor

        at.stages = stages
        vars(at).update(more)
        return at

    assert watched(everything)
    assert not watched(None) and not watched(only("q", "z", "mask"))
    for stage in ("scores", "scaled", "masked", "weights", "sinks"):
        assert watched(only("q", stage))
    assert watched(only("z", whole_rows=True))


def test_a_call_knows_what_is_added_to_its_scores():
    q, k, v = normal(2, 4, 5, 3), normal(2, 2, 7, 3), normal(2, 2, 7, 6)
    call = Call.of(q, k, v, (None, None))
    assert call == Call("cpu", torch.float64, scores=35, size=6)
    assert Call.of(q, k, v, (None, 0.0)).added


def test_the_masks_that_are_bands():
    assert band_of(None) == band_of(masks.Bidirectional()) == Band(-FAR, FAR)
    assert band_of(masks.Causal()) == Band(0, FAR)
    assert band_of(masks.Window(5)) == Band(0, 4)
    assert band_of(masks.SinksWindow(1, 5)) is None


@pytest.mark.parametrize("bias", [None, normal(1, 2, 7, 7, seed=3)], ids=["plain", "biased"])
def test_attend_gives_the_same_where_tiles_are_chosen(monkeypatch, bias):
    q, k, v = (normal(1, 2, 7, 4, seed=i) for i in range(3))
    mask = masks.SinksWindow(1, 3).mask(range(7), range(7))
    right = attend(q, k, v, mask, bias=bias)
    asked = []

    def chosen(call):
        asked.append(call)
        return not call.added and not call.watched

    module = import_module("attnlab.attention.attend")
    monkeypatch.setattr(module, "LONG", 49)
    monkeypatch.setattr(module, "attend_tiles", chosen)
    assert torch.allclose(attend(q, k, v, mask, bias=bias), right, atol=1e-14)
    assert [call.added for call in asked] == [bias is not None]


def test_what_a_kernel_needs_is_looked_for(monkeypatch):
    for tools in (None, "/somewhere/gcc"):
        choice.kernel_available.cache_clear()
        monkeypatch.setattr("shutil.which", lambda name, tools=tools: tools)
        monkeypatch.setattr(choice, "find_spec", lambda name: object())
        assert choice.kernel_available() is (tools is not None)
    choice.kernel_available.cache_clear()
