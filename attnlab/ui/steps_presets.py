"""The worked examples of the page Step by step, with a name for every number that has one.

What they claim is recomputed by tests/attention/test_steps.py and tests/ui/test_steps_lessons.py.
Nothing here imports Streamlit.
"""

from dataclasses import dataclass
from typing import Final

from attnlab.attention.steps import Matrix, Worked


@dataclass(frozen=True)
class Preset:
    """An example as it opens.

    Attributes:
        name: its spelling in a link.
        family: the name that it shares with its variants.
        title: a few words: of the family where it is its first, of the variant in `variant`.
        variant: what sets it apart in its family; "" for a family of one.
        about: what the example is, one short sentence.
        example: its numbers.
        features: what each column of X says about a word.
        asks: what each column of Q and K is about; numbers where nothing is said.
        hands_on: what each column of V is.
        results: what each column of the output is.
        query: whose lookup is shown at first; None for the last word.
    """

    name: str
    family: str
    title: str
    variant: str
    about: str
    example: Worked
    features: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    hands_on: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    query: int | None = None


def _identity(size: int) -> Matrix:
    return tuple(tuple(float(i == j) for j in range(size)) for i in range(size))


def _cat() -> Preset:
    one = _identity(4)
    x = (
        (0.2, -0.4, 0.1, 0.9),
        (1.0, 0.3, -0.6, 0.2),
        (-0.3, 0.8, 0.5, -0.1),
        (0.4, 0.6, 0.9, -0.5),
    )
    words = ("The", "cat", "sat", "down")
    return Preset(
        "cat",
        "cat",
        "The cat sat down",
        "",
        "Four words, four numbers each. Every W passes the numbers on as they are, until you edit "
        "it.",
        Worked(words, x, one, one, one, one),
    )


def _decides(word: str, asks: tuple[float, float]) -> Preset:
    """One word's question decides where the look goes; the other two words ask nothing."""
    x = ((1.5, 0.0, 0.0, 0.0), (0.0, 1.5, 0.0, 0.0), (0.0, 0.0, *asks))
    offers = ((1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (0.0, 0.0))
    wants = ((0.0, 0.0), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
    words = ("animal", "street", word)
    return Preset(
        word,
        "decides",
        "Tired or wide",
        word,
        "“Tired” asks for a living thing, “wide” for a place: W_Q reads what a word asks, W_K what "
        "it is.",
        Worked(words, x, wants, offers, offers, _identity(2), scaled=False),
        features=("living", "place", "asks living", "asks place"),
        asks=("living", "place"),
        hands_on=("living", "place"),
        results=("living", "place"),
    )


def _colours() -> Preset:
    """X picks a row of each W, so that the keys, queries and values can be read off it."""
    keys = ((1.0, 1.0, 1.0, 1.0), (1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 0.0, 0.0))
    queries = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (2.0, 2.0, 2.0, 2.0))
    words, one = ("red", "green", "blue"), _identity(3)
    return Preset(
        "colours",
        "colours",
        "Scores 8, 2, 4",
        "",
        "The query of “blue” fits the three keys with 8, 2 and 4; the values are colours, and the "
        "output mixes them.",
        Worked(words, one, queries, keys, one, one),
        features=words,
        hands_on=words,
        results=words,
    )


def _bite(name: str, words: tuple[str, str, str]) -> Preset:
    """A verb asks two questions: who comes before it, and who after it."""
    dog, man = float(words[0] == "dog"), float(words[0] == "man")
    x = ((dog, man, 0.0, 1.0, 0.0), (0.0, 0.0, 1.0, 0.0, 0.0), (man, dog, 0.0, 0.0, 1.0))
    wants = ((0.0, 0.0), (0.0, 0.0), (4.0, 4.0), (0.0, 0.0), (0.0, 0.0))
    offers = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
    who = ((1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    twice = tuple((*row, *row) for row in who)
    roles = ("dog bites", "man bites", "dog bitten", "man bitten")
    return Preset(
        name,
        "bite",
        "Who bites whom",
        " ".join(words),
        "“Bites” asks two questions at once: who comes before me, and who after me?",
        Worked(words, x, wants, offers, twice, _identity(4), 2, causal=False, scaled=False),
        features=("dog", "man", "verb", "before", "after"),
        asks=("before", "after"),
        hands_on=roles,
        results=roles,
        query=1,
    )


PRESETS: Final = (
    _cat(),
    _decides("tired", (2.0, 0.0)),
    _decides("wide", (0.0, 2.0)),
    _colours(),
    _bite("dog", ("dog", "bites", "man")),
    _bite("man", ("man", "bites", "dog")),
)
NAMES: Final = tuple(preset.name for preset in PRESETS)
_BY_NAME: Final = {preset.name: preset for preset in PRESETS}


def preset(name: str) -> Preset:
    """The preset of this name.

    Raises:
        KeyError: there is none.
    """
    return _BY_NAME[name]


def families() -> tuple[Preset, ...]:
    """The first preset of each family."""
    return tuple({one.family: one for one in reversed(PRESETS)}.values())[::-1]


def variants(family: str) -> tuple[Preset, ...]:
    """The presets of a family."""
    return tuple(one for one in PRESETS if one.family == family)
