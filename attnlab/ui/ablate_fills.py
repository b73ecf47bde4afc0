"""What a head is set to on the page Ablate: in words. Nothing here imports Streamlit."""

import re
from typing import Final

from attnlab.errors import InputError
from attnlab.ui.selection import Head
from attnlab.viz.figures import several

CORPUS_TEXTS: Final = 20
TITLES: Final = {
    "zero": "zero",
    "mean": "its mean",
    "corpus": f"its mean over {CORPUS_TEXTS} other texts",
    "resample": "what it is in B",
    "keys": "its keys in B",
    "values": "its values in B",
    "uniform": "looking everywhere alike",
    "previous": "looking one word back",
    "first": "looking at the first word",
    "pattern": "a pattern of your own",
}
"""Of the choice."""
DONE: Final = {
    "zero": ("without the head", "without it"),
    "mean": ("with the head’s mean", "with its mean"),
    "corpus": ("with the head’s mean over other texts", "with that mean"),
    "resample": ("with the head as in B", "with it as in B"),
    "keys": ("with the head’s keys of B", "with those keys"),
    "values": ("with the head’s values of B", "with those values"),
    "uniform": ("with the head looking everywhere alike", "with it so"),
    "previous": ("with the head looking one word back", "with it so"),
    "first": ("with the head looking at the first word", "with it so"),
    "pattern": ("with the head looking as in your pattern", "with it so"),
}
"""What is done to a head, and again in short."""
PLACES: Final = TITLES | {
    "mean": "its mean over the text",
    "corpus": f"its mean over {CORPUS_TEXTS} made sentences",
    "pattern": "a pattern of weights, painted or pasted",
}
"""What a head is set to, for files."""
ABOUT: Final = (
    "A head adds a few numbers to each word. **Zero**: it adds nothing, which the model never met "
    "in training. **Its mean**: the same for every word, the mean over this text, or over "
    f"{CORPUS_TEXTS} short sentences that ship with AttnLab. **What it is in B**: what the same "
    "head hands on in sentence B, word by word; only what differs between the sentences is taken "
    "away. **Its keys, its values in B**: that part of it alone. **Looking …**: it hands on what "
    "stands where it is made to look. **A pattern of your own**: it looks where you paint."
)


def rows_of(pasted: str, sizes: tuple[int, int], causal: bool) -> tuple[tuple[float, ...], ...]:
    """The weights in a pasted table: a line for each word that looks, numbers for what it sees.

    Args:
        sizes: how many words look, and how many are looked at.

    Raises:
        InputError: what is pasted is no such table; the message says what would be.
    """
    lines = [line for line in pasted.splitlines() if line.strip()]
    one = "for each word a line with a number for each word"
    if len(lines) != sizes[0]:
        raise InputError(
            f"A pattern of this text is {sizes[0]} lines of {sizes[1]} numbers, {one}; "
            f"{'nothing' if not lines else several(len(lines), 'line')} stands here."
        )
    return tuple(_row(line, at, sizes[1], causal) for at, line in enumerate(lines))


def _row(line: str, at: int, count: int, causal: bool) -> tuple[float, ...]:
    parts = [part for part in re.split(r"[\s,;]+", line.strip()) if part]
    try:
        row = tuple(map(float, parts))
    except ValueError as error:
        raise InputError(f"Line {at + 1} of the pattern holds more than numbers.") from error
    if len(row) != count:
        raise InputError(f"Line {at + 1} of the pattern has {len(row)} numbers, not {count}.")
    if not all(0 <= value <= 1 for value in row):
        raise InputError(f"Line {at + 1} of the pattern has a number that is not from 0 to 1.")
    if causal and any(row[at + 1 :]):
        raise InputError(f"Line {at + 1} of the pattern looks ahead, which this model cannot.")
    return row


def changed(heads: tuple[Head, ...], fill: str, layers: int = 0) -> str:
    """What a figure is of once these heads are changed, and so many feed-forwards with them."""
    done, count = DONE[fill][0], len(heads) + layers
    one, many = ("feed-forward", "feed-forwards") if not heads else ("head", "heads")
    if count == 1:
        return done.replace("head", one)
    many = "parts" if heads and layers else many
    return done.replace("the head’s", "their").replace("the head", f"the {count} {many}")


def together(fill: str) -> str:
    """What is said of several heads that are changed at once."""
    if fill == "zero":
        return "Taken away together"
    looking = TITLES[fill].startswith("looking")
    return f"Together, {TITLES[fill]}" if looking else f"Set to {TITLES[fill]}, together"
