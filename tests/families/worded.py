"""Decoders of our own that read words: one whose heads are set by hand, and random ones.

The tokenizer knows every word of the probes of head roles, so all roles can be tried.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import tokenizers
import torch
import transformers
from torch import Tensor

import attnlab as al
from attnlab.analysis.roles.minimal import SETS, pairs
from attnlab.analysis.roles.written import brackets, sentences
from attnlab.attention.positions import Learned, Scheme
from attnlab.pretrained import own
from attnlab.transformer import Config, Decoder

MARKS = (*"()[]{}", '"', *".,;:")
LONGEST = 131
_SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")


@functools.cache
def vocabulary() -> dict[str, int]:
    """Every word and mark of the probes by its id; special tokens and marks come first."""
    texts = [p.given for p in (*sentences(99, 0), *sentences(99, 0, "plain"), *brackets(99, 0))]
    texts += [one.given for name in SETS for pair in pairs(name) for one in pair]
    words = sorted({word for text in texts for word in re.findall(r"\w+", text.lower())})
    return {word: i for i, word in enumerate((*_SPECIAL, *MARKS, *words))}


def tokenizer() -> transformers.PreTrainedTokenizerFast:
    """One token a word or mark, in small letters, nothing added."""
    core = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary(), unk_token="<unk>"))
    core.normalizer = tokenizers.normalizers.Lowercase()
    pieces = tokenizers.pre_tokenizers
    core.pre_tokenizer = pieces.Sequence([pieces.WhitespaceSplit(), pieces.Punctuation()])
    names = dict(zip(("pad_token", "bos_token", "eos_token", "unk_token"), _SPECIAL, strict=True))
    return transformers.PreTrainedTokenizerFast(tokenizer_object=core, **names)


def lab_of(decoder: Decoder, folder: Path, name: str = "planted") -> al.Lab:
    """A Lab of a decoder, written to a folder and read again."""
    tokenizer().save_pretrained(folder)
    own.save(folder / f"{name}.safetensors", decoder, length=LONGEST)
    return al.load(folder / f"{name}.safetensors", device="cpu", dtype="float32")


def random(seed: int, positions: Scheme | None = None, std: float = 0.4) -> Decoder:
    """Random weights, by default large enough that attention is far from even."""
    torch.manual_seed(seed)
    config = Config(
        vocabulary=len(vocabulary()),
        width=48,
        layers=4,
        heads=8,
        hidden=96,
        positions=positions or Learned(LONGEST),
    )
    decoder = Decoder(config).eval()
    with torch.no_grad():
        for weight in decoder.parameters():
            if weight.dim() > 1:
                weight.normal_(std=std)
    return decoder


# --- heads set by hand ---------------------------------------------------------------------------

CODE = 128
"""Numbers that say which word a token is: random signs, so two words have little in common."""
_KINDS = ("he", "she", "it", "they")
_BRACKETS = ("()", "[]", "{}", '""')
_FLAGS = (
    *("one", "mark", "closes", "verb", "noun", "before", "of_before"),
    *(f"{says} {kind}" for kind in _KINDS for says in ("says", "is")),
    *(f"{opens} {pair}" for pair in _BRACKETS for opens in ("opens", "closes")),
)
HEADS = 7
ROLES = {
    (0, 0): {"previous token", "position only"},
    (0, 1): {"position only"},  # two back
    (0, 2): {"itself", "position only"},
    (0, 3): {"first token"},
    (0, 4): {"duplicate token"},
    (0, 5): {"punctuation"},
    (0, 6): {"opening bracket"},
    (1, 0): {"induction"},
    (1, 1): {"subject of verb"},
    (1, 2): {"pronoun"},
    (1, 3): {"induction", "pattern successor"},
    (1, 4): {"first token"},
}
"""What each head was made for; (1, 5) and (1, 6) look evenly at all that they see."""


class _Stream:
    """Where things stand in the residual stream, M numbers."""

    word = range(0, CODE)
    place = range(CODE, CODE + LONGEST)
    last = range(place.stop, place.stop + CODE)  # the word before, once the first block has run
    second = range(last.stop, last.stop + CODE)  # the one before that
    flags: ClassVar = dict(zip(_FLAGS, range(second.stop, second.stop + len(_FLAGS)), strict=True))
    width = second.stop + len(_FLAGS)


class _Head:
    """One head to be set: rows of its query and key matrix, [D, M]."""

    words = range(0, CODE)
    places = range(CODE, CODE + LONGEST)
    size = CODE + LONGEST + 7

    def __init__(self, decoder: Decoder, layer: int, head: int) -> None:
        self.attention, self.head = decoder.blocks[layer].attention, head

    def _rows(self, name: str) -> Tensor:
        weight = getattr(self.attention, f"w_{name}").weight
        return weight[self.head * self.size : (self.head + 1) * self.size]

    def match(self, slots: range, query: range, key: range, factor: float, step: int = 0) -> None:
        """A score of ``factor`` where what the query has in ``query`` is what the key has in
        ``key``, moved by ``step``."""
        for i, slot in enumerate(slots[: len(query)]):
            self._rows("q")[slot, query[i]] += factor
            if 0 <= i - step < len(key):
                self._rows("k")[slot, key[i - step]] += 1

    def flag(self, slot: int, query: str, factor: float, **keys: float) -> None:
        """A score of ``factor`` where the query has a flag and the key others, each weighed."""
        self._rows("q")[CODE + LONGEST + slot, _Stream.flags[query]] = factor
        for name, weight in keys.items():
            self._rows("k")[CODE + LONGEST + slot, _Stream.flags[name]] = weight

    def copy(self, source: Sequence[int], target: Sequence[int]) -> None:
        """Write what is read in ``source`` into ``target``."""
        values, out = self.attention.w_v.weight, self.attention.w_o.weight
        start = self.head * self.attention.value_size
        for i, (here, there) in enumerate(zip(source, target, strict=True)):
            values[start + i, here], out[there, start + i] = 1, 0.1


def planted() -> Decoder:
    """Two layers of heads that do what ``ROLES`` says; their feed-forward layers do nothing."""
    words = vocabulary()
    config = Config(
        vocabulary=len(words),
        width=_Stream.width,
        layers=2,
        heads=HEADS,
        hidden=1,
        key_size=_Head.size,
        value_size=CODE + 1,
        positions=Learned(LONGEST),
        scale=1.0,
        norm="rms",
        qkv_bias=False,
        out_bias=False,
        feed_forward_bias=False,
        final_norm=False,
        tied=True,
    )
    decoder = Decoder(config).eval()
    with torch.no_grad():
        for weight in decoder.parameters():
            if weight.dim() > 1:
                weight.zero_()
        _embed(decoder, words)
        _first_layer(decoder)
        _second_layer(decoder)
    return decoder


def _embed(decoder: Decoder, words: dict[str, int]) -> None:
    random = torch.Generator().manual_seed(1)
    signs = torch.randint(2, (len(words), CODE), generator=random) * 2.0 - 1
    table, flags = decoder.embed.weight, _Stream.flags
    table[:, :CODE] = signs / CODE**0.5
    table[:, flags["one"]] = 1
    for i, place in enumerate(_Stream.place):
        decoder.positions.table.weight[i, place] = 1
    for mark in MARKS:
        table[words[mark], flags["mark"]] = 1
    for pair in _BRACKETS:
        table[words[pair[0]], flags[f"opens {pair}"]] = 1
        table[words[pair[1]], flags[f"closes {pair}"]] = 1
        table[words[pair[1]], flags["closes"]] = 1
    for name, query, nouns, before in _grammar():
        if name == "pronoun":
            table[words[query], flags[f"says {query}"]] = 1
            table[words[nouns[0]], flags[f"is {query}"]] = 1
        else:
            table[words[query], flags["verb"]] = 1
            table[words[before], flags["before"]] = 1
            for noun in nouns:
                table[words[noun], flags["noun"]] = 1


def _grammar() -> list[tuple[str, str, tuple[str, str], str]]:
    """Of every sentence: its set, the word looked from, target and other noun, and for verbs the
    preposition that stands two words before the other noun."""
    found = []
    for name in SETS:
        for sentence in (one for pair in pairs(name) for one in pair):
            text, (mark,) = sentence.given.lower(), sentence.marks
            nouns = tuple(text[c[0] : c[-1] + 1] for c in (mark.target, mark.others))
            query = re.findall(r"\w+", text[: mark.query + 1])[-1]
            before = re.findall(r"\w+", text[: mark.others[0]])
            found.append((name, query, nouns, before[-2] if name == "subject_verb" else ""))
    return found


def _first_layer(decoder: Decoder) -> None:
    head = [_Head(decoder, 0, i) for i in range(HEADS)]
    stream = _Stream
    for which, step in ((0, 1), (1, 2), (2, 0)):
        head[which].match(_Head.places, stream.place, stream.place, 9.0, step)
    head[0].copy(stream.word, stream.last)
    head[1].copy(
        (*stream.word, stream.flags["before"]), (*stream.second, stream.flags["of_before"])
    )
    _rest(head[3])
    head[4].match(_Head.words, stream.word, stream.word, 3.0)
    head[4].match(_Head.places, stream.place, stream.place, -9.0)
    head[5].flag(0, "one", 3.0, mark=1)
    for slot, pair in enumerate(_BRACKETS):
        head[6].flag(slot, f"closes {pair}", 60.0, **{f"opens {pair}": 1})
    head[6].match(_Head.places, stream.place, stream.place, -90.0)
    late = CODE + LONGEST + 6  # of two that would do, the later one
    head[6]._rows("q")[late, stream.flags["closes"]] = 60.0
    for i, place in enumerate(stream.place):
        head[6]._rows("k")[late, place] = i / LONGEST


def _second_layer(decoder: Decoder) -> None:
    head = [_Head(decoder, 1, i) for i in range(HEADS)]
    stream = _Stream
    head[0].match(_Head.words, stream.word, stream.last, 3.0)
    head[1].flag(0, "verb", 3.0, noun=1, of_before=-3)
    for slot, kind in enumerate(_KINDS):
        head[2].flag(slot, f"says {kind}", 3.0, **{f"is {kind}": 1})
    head[3].match(_Head.words, stream.word, stream.last, 3.0)
    head[3].match(_Head.places[:CODE], stream.last, stream.second, 3.0)
    _rest(head[4])


def _rest(head: _Head) -> None:
    """Whatever the query, the first position."""
    head.flag(0, "one", 3.0)
    head._rows("k")[CODE + LONGEST, _Stream.place[0]] = 1
