"""What pages ask of a model, as cached arrays and numbers; no mathematics of its own.

Every key is a frozen dataclass that names every argument of the result.
"""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import attnlab as al
from attnlab.analysis import effects, maps
from attnlab.ui import texts, work
from attnlab.ui.selection import Ablation, Selection

# Longer texts are pooled to this many rows and columns a head while they are computed; up to it
# every head's weights are kept as they are.
WHOLE_TOKENS: Final = 64


@dataclass(frozen=True)
class LabKey:
    """How a model is loaded."""

    model: str
    device: str
    dtype: str


@dataclass(frozen=True)
class TextKey:
    """One text read by one model."""

    lab: LabKey
    text: str


@dataclass(frozen=True)
class HeadKey:
    """The weights of one head on one text."""

    lab: LabKey
    text: str
    layer: int
    head: int


@dataclass(frozen=True)
class EffectKey:
    """What edits change on one text at one position; `edits` is their JSON, kinds included."""

    lab: LabKey
    text: str
    edits: str
    position: int


@dataclass(frozen=True)
class Reading:
    """Every head on one text.

    Attributes:
        tokens: what the model was fed.
        maps: [L, H, q, s] float32; the weights themselves where `whole`, else pooled.
        first_share: share of all attention on the first token; None where it was not measured.
    """

    tokens: tuple[Any, ...]
    maps: np.ndarray
    whole: bool
    first_share: float | None


@dataclass(frozen=True)
class Reader:
    """A loaded model together with the key that it was loaded by."""

    lab: Any
    key: LabKey


def reader(selection: Selection) -> Reader:
    """The model of `selection`, loaded once for all sessions.

    Raises:
        AttnLabError: it cannot be loaded; the message says why.
    """
    key = LabKey(selection.model, selection.device, selection.dtype)

    def load(job: Any) -> Any:
        return al.load(key.model, device=key.device, dtype=key.dtype)

    return Reader(work.perform(key, "Loading the model", load, work.stores().labs), key)


def read(reader: Reader, text: str, name: str) -> Reading:
    """Every head's weights on `text`.

    Args:
        name: how the page calls the text ("Sentence A").

    Raises:
        AttnLabError: the text is empty or too long, or the work was stopped.
    """
    texts.check_text(text, name)
    tokens = tuple(reader.lab.tokens(text))
    texts.check_tokens(tokens, name)
    whole = len(tokens) <= WHOLE_TOKENS
    capture = al.Capture("weights", thumbnails=None if whole else WHOLE_TOKENS)

    def run(job: Any) -> Reading:
        trace = reader.lab.run(
            text, capture=(capture,), logits=None, progress=job.progress, cancel=job.cancel
        )
        if not whole:
            return Reading(tokens, _array(trace.weights.thumbnails), False, None)
        share = maps.first_token_share(trace.weights[:])
        return Reading(tokens, _array(trace.weights[:]), True, float(share))

    key = TextKey(reader.key, text)
    return work.perform(key, f"Reading {name[0].lower()}{name[1:]}", run, work.stores().maps)


def head_weights(reader: Reader, text: str, reading: Reading, layer: int, head: int) -> np.ndarray:
    """[Q, S] weights of one head: part of the reading, or one more run for a long text."""
    if reading.whole:
        return reading.maps[layer, head]

    def run(job: Any) -> np.ndarray:
        capture = al.Capture("weights", layers=(layer,), heads=(head,))
        trace = reader.lab.run(
            text, capture=(capture,), logits=None, progress=job.progress, cancel=job.cancel
        )
        return _array(trace.weights[layer, head])

    key = HeadKey(reader.key, text, layer, head)
    return work.perform(key, f"Reading layer {layer}, head {head}", run, work.stores().heads)


def effect(
    reader: Reader, text: str, ablation: Ablation, layer: int, head: int, position: int
) -> Any:
    """What ablating one head changes in the prediction at `position`."""
    edits = (_EDITS[ablation](layer, head),)
    spelled = json.dumps([edit.to_json() for edit in edits], sort_keys=True)

    def run(job: Any) -> Any:
        return effects.compare(reader.lab, text, edits, position=position, k=5)

    key = EffectKey(reader.key, text, spelled, position)
    return work.perform(key, "Ablating the head", run, work.stores().effects)


def random_heads(reader: Reader, count: int, seed: int = 0) -> list[tuple[int, int]]:
    """Up to `count` different (layer, head) pairs; the same ones for the same seed."""
    layers, heads = shape(reader)
    every = [(layer, head) for layer in range(layers) for head in range(heads)]
    return random.Random(seed).sample(every, min(count, len(every)))


def shape(reader: Reader) -> tuple[int, int]:
    """(layers, heads) of the model's main role."""
    sites = [site for site in reader.lab.sites if site.role == reader.lab.main_role]
    return len(sites), max((site.heads for site in sites), default=0)


def causal(reader: Reader) -> bool:
    """Whether no word sees the words after it."""
    return all(site.causal for site in reader.lab.sites if site.role == reader.lab.main_role)


def _array(tensor: Any) -> np.ndarray:
    """A float32 copy on the CPU that no cache user can change."""
    array = np.array(tensor.detach().float().cpu().numpy())
    array.setflags(write=False)
    return array


_EDITS: Final[dict[str, Callable[[int, int], Any]]] = {"zero": al.ZeroHead, "mean": al.MeanHead}
