"""How a word's vector becomes its meaning in context: the same word in two sentences, by layer.

    cosine of x_l(word in A) and x_l(word in B),   x_l: the stream after l layers

It starts at 1 (the same word at the same place has the same embedding) and falls as the layers mix
in what stands around. All vectors of a deep layer resemble one another, so the cosine to the other
words of B stands beside it as a yardstick (Ethayarajh 2019, "How Contextual are Contextualized Word
Representations?", section 3.4). In a causal model a word cannot know what comes after it: up to the
first word that differs, all vectors are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.analysis.alignment import words
from attnlab.errors import EditRefused, InputError
from attnlab.trace.capture import Capture
from attnlab.trace.given import whole
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.site import Block
from attnlab.trace.token import Token
from attnlab.trace.trace import Trace

Word = str | int | Sequence[int]
"""A word of the text, or the positions of its tokens."""


@dataclass(frozen=True)
class Meaning:
    """One word in two sentences, after 0 to L layers.

    Attributes:
        places: the positions of its tokens in A and in B; of several the mean vector counts.
        cosine: [L + 1], of the word in A and in B.
        others: [L + 1], the mean cosine of the word in A and every other word of B; NaN where there
            is none.
        toward: by word, [2, L + 1]: the cosine of the word and that other word, in A and in B.
        fixed: whether no layer could tell the two apart: nothing differs that the word can see.
        tokens: of A and of B.
    """

    places: tuple[tuple[int, ...], tuple[int, ...]]
    cosine: Tensor
    others: Tensor
    toward: Mapping[str, Tensor]
    fixed: bool
    tokens: tuple[tuple[Token, ...], tuple[Token, ...]]

    @property
    def lowest(self) -> tuple[int, float]:
        """After how many layers the two differ most, and the cosine there."""
        at = int(self.cosine.argmin())
        return at, float(self.cosine[at])


def meaning(
    runner: Runner,
    a: Any,
    b: Any,
    word: Word,
    *,
    word_b: Word | None = None,
    toward: Sequence[str] = (),
    role: str | None = None,
    cancel: Cancel | None = None,
) -> Meaning:
    """Follow a word through the layers in two sentences.

    Args:
        word: as it stands in A (its first appearance), or the positions of its tokens.
        word_b: the same in B; ``word`` where None.
        toward: other words of both sentences, whose vectors it may come nearer to.
        role: whose layers; the encoder's where there is one, else the decoder's.

    Raises:
        InputError: a sentence does not have the word, or the decoder of an encoder-decoder is asked
            for, which reads no sentence.
        EditRefused: no residual stream was found.
    """
    blocks, role = _blocks(runner, role)
    kept = [Capture("resid_pre", layers=blocks[0].layer, roles=role)]
    kept += [Capture("resid_post", roles=role)]
    traces = [runner.run(text, capture=kept, logits=None, cancel=cancel) for text in (a, b)]
    tokens = tuple(trace.source_tokens or trace.tokens for trace in traces)
    chosen = [word, word if word_b is None else word_b]
    places = tuple(places_of(own, one) for own, one in zip(tokens, chosen, strict=True))
    streams = [_stream(trace, role, blocks) for trace in traces]
    mine = [s[:, list(own)].mean(1) for s, own in zip(streams, places, strict=True)]
    others = [i for i, token in enumerate(tokens[1]) if not token.special and i not in places[1]]
    near = {
        name: torch.stack(
            [
                _cosine(vector, stream[:, list(places_of(own, name))].mean(1))
                for vector, stream, own in zip(mine, streams, tokens, strict=True)
            ]
        )
        for name in toward
    }
    return Meaning(
        places=places,
        cosine=_cosine(*mine),
        others=_cosine(mine[0][:, None], streams[1][:, others]).mean(-1),
        toward=near,
        fixed=_fixed(runner, role, tokens, places),
        tokens=tokens,
    )


def places_of(tokens: Sequence[Token], word: Word) -> tuple[int, ...]:
    """The positions of a word's tokens: of its first appearance, in whatever case.

    Raises:
        InputError: the word is not there, or a position is not.
    """
    if not isinstance(word, str):
        given = (word,) if isinstance(word, int) else tuple(word)
        found = tuple(whole("word", place, InputError) for place in given)
        if not found or not all(-len(tokens) <= place < len(tokens) for place in found):
            raise InputError(f"There are no positions {word}; this text has {len(tokens)} tokens.")
        return tuple(place % len(tokens) for place in found)
    spans = words([None if token.special else token.text for token in tokens])
    for fold in (str, str.casefold):
        for span in spans:
            if fold(span.text) == fold(word.strip()):
                return span.places
    raise InputError(
        f"The word “{word.strip()}” does not stand in “{' '.join(span.text for span in spans)}”; "
        "take one that does."
    )


def _blocks(runner: Runner, role: str | None) -> tuple[list[Block], str]:
    roles = {block.role for block in runner.blocks}
    role = role or ("encoder" if "encoder" in roles else runner.main_role)
    if role == "decoder" and any(site.role == "cross" for site in runner.sites):
        raise InputError("The decoder of an encoder-decoder reads no sentence; ask its encoder.")
    blocks = sorted((b for b in runner.blocks if b.role == role), key=lambda b: b.layer)
    if not blocks:
        raise EditRefused(f"{runner.name} has no residual stream of the role {role!r}.")
    return blocks, role


def _stream(trace: Trace, role: str, blocks: list[Block]) -> Float[Tensor, "layers n M"]:
    """The stream after 0 to L layers, in float64."""
    view = trace.role(role)
    after = [view.resid_post[block.layer] for block in blocks]
    return torch.stack([view.resid_pre[blocks[0].layer], *after]).double()


def _cosine(a: Tensor, b: Tensor) -> Tensor:
    return torch.cosine_similarity(a, b, dim=-1)


def _fixed(
    runner: Runner,
    role: str,
    tokens: tuple[tuple[Token, ...], ...],
    places: tuple[tuple[int, ...], ...],
) -> bool:
    """Whether everything that the word can see is the same in both."""
    causal = all(site.causal for site in runner.sites if site.role == role)
    end = max(places[0]) + 1
    ids = [[token.id for token in own[:end]] for own in tokens]
    return causal and places[0] == places[1] and ids[0] == ids[1]
