"""The roles that heads are scored for, and from which score a head is said to have one.

Each is a weight: how much of its attention a head gives to certain keys, from 0 to 1, or the
difference of two such weights. It stands in the table with the floor below which no head is named,
whatever chance would give.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Role:
    """One thing that a head can be for.

    Attributes:
        name: as it is shown and as ``HeadRole.role`` has it.
        said: what the score measures, as one sentence.
        family: the probes that it is scored on.
        floor: the least score that names a head.
        difference: the score is one weight less another, from −1 to 1, and 0 by chance.
        causal: whether a model that sees only the past can have it.
        source: where it was described, "" where it is a plain measure of ours.
    """

    name: str
    said: str
    family: str
    floor: float
    difference: bool = False
    causal: bool = True
    source: str = ""


ROLES = (
    Role(
        "previous token",
        "The weight on the token just before.",
        "plain",
        0.4,
        source="Clark et al. 2019, section 3.1; Elhage et al. 2021",
    ),
    Role(
        "next token",
        "The weight on the token just after.",
        "plain",
        0.4,
        causal=False,
        source="Clark et al. 2019, section 3.1",
    ),
    Role(
        "first token",
        "The weight on the first token: a head at rest.",
        "plain",
        0.7,
        source="Xiao et al. 2024, section 3.1",
    ),
    Role("itself", "The weight of a token on itself.", "plain", 0.4),
    Role(
        "position only",
        "The weight that a pattern common to all texts moves away from even, past the first token, "
        "less the weight that moves from one text to the next.",
        "plain",
        0.3,
        difference=True,
    ),
    Role(
        "duplicate token",
        "The weight on earlier copies of the same token, in random tokens repeated once.",
        "repeated",
        0.3,
        source="Wang et al. 2023, section 3",
    ),
    Role(
        "induction",
        "The weight on the token after the earlier copy, in random tokens repeated once.",
        "repeated",
        0.3,
        source="Olsson et al. 2022, section 2",
    ),
    Role(
        "pattern successor",
        "The weight on what followed the same two tokens, less that on what followed the last of "
        "them after another one.",
        "twofold",
        0.2,
        difference=True,
        source="Olsson et al. 2022, on longer prefixes",
    ),
    Role(
        "punctuation",
        "The weight of words on punctuation, line ends and separators before them; in an encoder "
        "after them too.",
        "sentences",
        0.4,
        source="Clark et al. 2019, section 3.2",
    ),
    Role(
        "opening bracket",
        "The weight of a closing bracket or quotation mark on the one that it closes.",
        "brackets",
        0.4,
    ),
    Role(
        "subject of verb",
        "The weight of a verb on its subject, less that on another noun before it; the nouns "
        "change places within a pair of sentences.",
        "subject_verb",
        0.15,
        difference=True,
        source="after Linzen et al. 2016, section 2",
    ),
    Role(
        "pronoun",
        "The weight of a pronoun on the noun that it stands for, less that on another one; only "
        "the pronoun changes within a pair of sentences.",
        "pronoun",
        0.15,
        difference=True,
        source="after Clark et al. 2019, section 4.3",
    ),
)
"""In the order in which they are shown."""

RANDOM_FAMILIES = ("plain", "repeated", "twofold")
"""The probes that need no tokenizer: they can be made of ids alone."""


def role_named(name: str) -> Role:
    """A role by its name. Raises KeyError where there is none."""
    return {role.name: role for role in ROLES}[name]
