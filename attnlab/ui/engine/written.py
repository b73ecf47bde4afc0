"""What an encoder-decoder writes for a text, and where it looks meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from attnlab.analysis import alignment
from attnlab.analysis.alignment import Look
from attnlab.trace import Capture
from attnlab.ui import texts, work
from attnlab.ui.engine.keys import LabKey
from attnlab.ui.engine.model import Reader
from attnlab.ui.engine.reading import Reading, as_array
from attnlab.ui.selection import Head


@dataclass(frozen=True)
class WrittenKey:
    """What one model writes for a text, up to `most` tokens."""

    lab: LabKey
    text: str
    most: int


@dataclass(frozen=True)
class Written:
    """What was written, the likeliest token each time.

    Attributes:
        text: without special tokens.
        ended: whether the model itself put an end to it.
        reading: its cross-attention; the tokens are those being written, one a row: the row that
            writes a token is that of the token before it.
        looks: for every head, the word it looks at most while each part is written.
        best: the head that tells the parts apart best; None where there is nothing to tell.
    """

    text: str
    ended: bool
    reading: Reading
    looks: dict[Head, list[Look]]
    best: Head | None


def written(reader: Reader, text: str, name: str, most: int) -> Written:
    """What the model writes for a text, greedily.

    Args:
        name: how the page calls the text ("The date").
        most: tokens; longer answers end there.

    Raises:
        AttnLabError: the text cannot be read.
    """
    texts.check_text(text, name)

    def run(job: Any) -> Written:
        trace = reader.lab.generate(
            text,
            max_new_tokens=most,
            capture=Capture("weights", roles=("cross",)),
            progress=job.progress,
            cancel=job.cancel,
        )
        return _told(reader, trace)

    key = WrittenKey(reader.key, text, most)
    return work.perform(key, f"Writing for {name[0].lower()}{name[1:]}", run, work.stores().maps)


def _told(reader: Reader, trace: Any) -> Written:
    weights = trace.role("cross").weights.stack()
    tokens, sources = trace.tokens[1:], trace.source_tokens
    spans = alignment.words(_texts(sources))
    parts = alignment.parts(_texts(tokens))
    found = alignment.looks(weights, parts, spans, reader.lab.layers("cross"))
    share = float(weights[..., 0].mean())
    spelled = reader.lab.tokenizer.decode(
        [token.id for token in tokens],
        skip_special_tokens=True,
        clean_up_tokenization_spaces=False,
    )
    reading = Reading(tuple(tokens), tuple(sources), as_array(weights), True, share)
    return Written(spelled, tokens[-1].special, reading, found, alignment.best(found))


def _texts(tokens: Any) -> list[str | None]:
    return [None if token.special else token.text for token in tokens]


def head_weights(of: Written, reader: Reader, head: Head) -> np.ndarray:
    """[Q, S] of one head."""
    return of.reading.maps[reader.lab.layers("cross").index(head[0]), head[1]]
