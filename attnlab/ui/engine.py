"""What pages ask of a model, as cached arrays and numbers; no mathematics of its own.

Every key is a frozen dataclass that names every argument of the result.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from attnlab.analysis import effects, maps
from attnlab.errors import EmptyText, TextTooLong
from attnlab.trace import Capture, MeanHead, ZeroHead
from attnlab.ui import texts, work
from attnlab.ui.selection import Ablation, Selection

# Longer texts are pooled to this many rows and columns a head while they are computed; up to it
# every head's weights are kept as they are.
WHOLE_TOKENS: Final = 64


_HUB_ID_AND_REVISION: Final = re.compile(r"(\w[\w.-]*/[\w.-]+)@(\S+)")


@dataclass(frozen=True)
class LabKey:
    """How a model is loaded; `revision` is that of a Hub model, None for its main one."""

    model: str
    revision: str | None
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
    """What edits change on one text; `edits` is their JSON, kinds included.

    `position` is that of the prediction, None where the whole output is compared.
    """

    lab: LabKey
    text: str
    edits: str
    position: int | None


@dataclass(frozen=True)
class Reading:
    """Every head on one text.

    Attributes:
        tokens: what the model was fed.
        maps: [L, H, q, s] float32; the weights themselves where `whole`, else pooled.
        first_share: share of all attention on the first token.
    """

    tokens: tuple[Any, ...]
    maps: np.ndarray
    whole: bool
    first_share: float


@dataclass(frozen=True)
class Moved:
    """How far an output moves: cosine distances, 0 to 2.

    `mean` is that of the mean over positions, the text's vector; `tokens` [Q] of each position.
    """

    mean: float
    tokens: np.ndarray


@dataclass(frozen=True)
class Reader:
    """A loaded model together with the key that it was loaded by."""

    lab: Any
    key: LabKey

    @property
    def role(self) -> str:
        """Whose attention the page shows: of an encoder-decoder the encoder's, which reads."""
        return "encoder" if self.lab.head_kind == "seq2seq" else self.lab.main_role

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers that have attention, in order; hybrids have others between them."""
        return tuple(self.lab.layers(self.role))

    @property
    def heads(self) -> int:
        """Heads a layer; the most, where layers differ."""
        return max((site.heads for site in self._sites), default=0)

    @property
    def causal(self) -> bool:
        """Whether no word sees the words after it."""
        return all(site.causal for site in self._sites)

    @property
    def _sites(self) -> list[Any]:
        return [site for site in self.lab.sites if site.role == self.role]


def named(model: str) -> tuple[str, str | None]:
    """The name and the revision in what was typed: "owner/name@revision", or a name alone."""
    match = _HUB_ID_AND_REVISION.fullmatch(model.strip())
    return (match[1], match[2]) if match else (model.strip(), None)


def reader(selection: Selection) -> Reader:
    """The model of `selection`, loaded once for all sessions.

    Raises:
        AttnLabError: it cannot be loaded; the message says why.
    """
    key = LabKey(*named(selection.model), selection.device, selection.dtype)

    def open_lab(job: Any) -> Any:
        # Here and not above: transformers takes seconds to import, and the page is on screen now.
        from attnlab.pretrained.load import load

        return load(
            key.model,
            revision=key.revision,
            device=key.device,
            dtype=key.dtype,
            progress=job.progress,
        )

    return Reader(work.perform(key, "Loading the model", open_lab, work.stores().labs), key)


def read(reader: Reader, text: str, name: str) -> Reading:
    """Every head's weights on `text`.

    Args:
        name: how the page calls the text ("Sentence A").

    Raises:
        AttnLabError: the text is empty or too long, or the work was stopped.
    """
    texts.check_text(text, name)
    tokens = _tokens(reader, text, name)
    whole = len(tokens) <= WHOLE_TOKENS
    capture = Capture("weights", roles=(reader.role,), thumbnails=None if whole else WHOLE_TOKENS)

    def run(job: Any) -> Reading:
        weights = _weights(reader, text, capture, job)
        if not whole:
            share = maps.share_of(weights.on_first)
            return Reading(tokens, _array(weights.thumbnails), False, share)
        every = weights.stack()
        return Reading(tokens, _array(every), True, float(maps.first_token_share(every)))

    key = TextKey(reader.key, text)
    return work.perform(key, f"Reading {name[0].lower()}{name[1:]}", run, work.stores().maps)


def _tokens(reader: Reader, text: str, name: str) -> tuple[Any, ...]:
    """The tokens of a text that can be shown; each refusal names the text."""
    try:
        tokens = tuple(reader.lab.tokens(text))
    except EmptyText as error:
        raise EmptyText(f"{name}: {error}") from error
    except TextTooLong as error:
        raise TextTooLong(
            f"{name}: {error} Up to {texts.MAX_TOKENS:,} can be shown here, so shorten it."
        ) from error
    texts.check_tokens(tokens, name)
    return tokens


def literal(reader: Reader, token: Any) -> str:
    """The text of a token, with line ends and the like instead of the signs drawn for them."""
    if token.piece is not None or token.special or not any(map(_is_sign, token.text)):
        return token.text
    return reader.lab.tokenizer.decode([token.id], clean_up_tokenization_spaces=False)


def _is_sign(char: str) -> bool:
    """Whether `char` may stand for an invisible one."""
    return char in "↵⇥␡⟨" or "\u2400" <= char <= "\u2421"


def head_weights(reader: Reader, text: str, reading: Reading, layer: int, head: int) -> np.ndarray:
    """[Q, S] weights of one head: part of the reading, or one more run for a long text."""
    if reading.whole:
        return reading.maps[reader.layers.index(layer), head]
    capture = Capture("weights", layers=(layer,), heads=(head,), roles=(reader.role,))

    def run(job: Any) -> np.ndarray:
        return _array(_weights(reader, text, capture, job)[layer, head])

    key = HeadKey(reader.key, text, layer, head)
    return work.perform(key, f"Reading layer {layer}, head {head}", run, work.stores().heads)


def effect(
    reader: Reader, text: str, ablation: Ablation, layer: int, head: int, position: int
) -> effects.Effect:
    """What ablating one head changes in the prediction at `position`."""
    edits = (_EDITS[ablation](layer, head, reader.role),)

    def run(job: Any) -> effects.Effect:
        return effects.compare(reader.lab, text, edits, position=position, k=5, cancel=job.cancel)

    key = EffectKey(reader.key, text, _spelled(edits), position)
    return work.perform(key, "Ablating the head", run, work.stores().effects)


def moved(reader: Reader, text: str, ablation: Ablation, layer: int, head: int) -> Moved:
    """How far ablating one head moves an encoder's output."""
    edits = (_EDITS[ablation](layer, head, reader.role),)

    def run(job: Any) -> Moved:
        shift = effects.shift(reader.lab, text, edits, cancel=job.cancel)
        return Moved(shift.mean, _array(shift.tokens))

    key = EffectKey(reader.key, text, _spelled(edits), None)
    return work.perform(key, "Ablating the head", run, work.stores().effects)


def _spelled(edits: tuple[Any, ...]) -> str:
    return json.dumps([edit.to_json() for edit in edits], sort_keys=True)


def _weights(reader: Reader, text: str, capture: Capture, job: Any) -> Any:
    """One plain run: the weights of the role that the page shows."""
    trace = reader.lab.run(
        text, capture=(capture,), logits=None, progress=job.progress, cancel=job.cancel
    )
    return trace.role(reader.role).weights


def _array(tensor: Any) -> np.ndarray:
    """A float32 copy on the CPU that no cache user can change."""
    array = np.array(tensor.detach().float().cpu().numpy())
    array.setflags(write=False)
    return array


_EDITS: Final[dict[str, Callable[[int, int], Any]]] = {"zero": ZeroHead, "mean": MeanHead}
