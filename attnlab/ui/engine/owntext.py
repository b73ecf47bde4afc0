"""A long text that a model writes itself, to be read again beside other caches: cached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from attnlab.ui import work
from attnlab.ui.engine.keys import LabKey
from attnlab.ui.engine.model import Reader

OPENING: Final = "Once upon a time"
"""What the model goes on from."""
_APART: Final = 8
"""Tokens after which what there is so far is told."""
Ids = tuple[int, ...]


@dataclass(frozen=True)
class OwnTextKey:
    """What one model writes: how many tokens in all, and how they are drawn."""

    lab: LabKey
    tokens: int
    heat: float
    seed: int


def ids_of(
    of: Reader,
    tokens: int,
    heat: float,
    seed: int,
    partly: Callable[[Ids], None] | None = None,
) -> Ids:
    """``OPENING`` and what the model writes after it, beside a cache that keeps everything.

    It writes on where it would have put an end: as many tokens are wanted.

    Args:
        tokens: in all; fewer where the model takes fewer.
        heat: the sampling temperature.
        partly: called with what there is so far.

    Raises:
        AttnLabError: the model does not write, or the work was stopped.
    """

    def run(job: Any) -> Ids:
        lab = of.lab
        most = tokens if lab.longest is None else min(tokens, lab.longest)
        going = lab.steps(
            OPENING,
            max_new_tokens=max(1, most - len(lab.tokens(OPENING))),
            capture=(),
            temperature=heat,
            seed=seed,
            cancel=job.cancel,
        )
        while len(going) < going.most:
            going.advance(cancel=job.cancel)
            job.progress(len(going) / going.most)
            if len(going) % _APART == 0:
                job.share(tuple(going.ids))
        return tuple(going.ids)

    key = OwnTextKey(of.key, tokens, heat, seed)
    return work.perform(key, "Writing a text", run, work.stores().effects, partly=partly)


def spelled(of: Reader, ids: Ids) -> str:
    """These tokens as a text, special ones too."""
    return of.lab.tokenizer.decode(
        list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False
    )
