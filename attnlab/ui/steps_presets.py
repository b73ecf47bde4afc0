"""The worked examples of the page Step by step, with a name for every number that has one.

What they claim is recomputed by tests/attention/test_steps.py and tests/ui/test_steps_lessons.py.
Nothing here imports Streamlit.
"""

from dataclasses import dataclass
from typing import Final

from attnlab.attention import examples
from attnlab.attention.steps import Worked


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


_LIVING: Final = ("living", "place")
_COLOURS: Final = examples.COLOURS.tokens
_ROLES: Final = ("dog bites", "man bites", "dog bitten", "man bitten")


def _decides(example: Worked) -> Preset:
    word = example.tokens[-1]
    return Preset(
        word,
        "decides",
        "Tired or wide",
        word,
        "“Tired” asks for a living thing, “wide” for a place: W_Q reads what a word asks, W_K what "
        "it is.",
        example,
        features=(*_LIVING, "asks living", "asks place"),
        asks=_LIVING,
        hands_on=_LIVING,
        results=_LIVING,
    )


def _bite(example: Worked) -> Preset:
    return Preset(
        example.tokens[0],
        "bite",
        "Who bites whom",
        " ".join(example.tokens),
        "“Bites” asks two questions at once: who comes before me, and who after me?",
        example,
        features=("dog", "man", "verb", "before", "after"),
        asks=("before", "after"),
        hands_on=_ROLES,
        results=_ROLES,
        query=1,
    )


PRESETS: Final = (
    _decides(examples.TIRED),
    _decides(examples.WIDE),
    Preset(
        "cat",
        "cat",
        "The cat sat down",
        "",
        "Four words, four numbers each. Every W passes the numbers on as they are, until you edit "
        "it.",
        examples.CAT,
    ),
    Preset(
        "colours",
        "colours",
        "Scores 8, 2, 4",
        "",
        "The query of “blue” fits the three keys with 8, 2 and 4; the values are colours, and the "
        "output mixes them.",
        examples.COLOURS,
        features=_COLOURS,
        hands_on=_COLOURS,
        results=_COLOURS,
    ),
    _bite(examples.DOG),
    _bite(examples.MAN),
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
