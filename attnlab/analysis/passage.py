"""Long texts that come with AttnLab: what a model knows after many tokens needs many tokens.

Two books of the King James Version (1611), as Debian's package bible-kjv-text has them: Ruth,
about 3,300 tokens of a usual tokenizer, and Esther, about 7,200. One line a chapter, no numbers of
verses. The translation is in the public domain, except in the United Kingdom, where the Crown's
letters patent hold. Our models of ``schemes`` have never seen these two books.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from attnlab.errors import InputError

PASSAGES = ("ruth", "esther")


@cache
def passage(name: str = "ruth") -> str:
    """The text of one of ``PASSAGES``.

    Raises:
        InputError: there is no such passage.
    """
    if name not in PASSAGES:
        raise InputError(f"There is no passage {name!r}; there are {', '.join(PASSAGES)}.")
    return (Path(__file__).parent / "passages" / f"{name}.txt").read_text(encoding="utf-8")
