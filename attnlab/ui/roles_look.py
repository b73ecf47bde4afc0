"""How head roles are drawn and said; nothing here imports Streamlit.

One colour for each family of roles, one character for each role: either tells them apart alone.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from attnlab.analysis.roles import ROLES, HeadRole, HeadRoles, role_named
from attnlab.viz.role_map import Sign

SIGNS: Final = {
    "previous token": Sign("←", "gold"),
    "next token": Sign("→", "gold"),
    "position only": Sign("#", "gold"),
    "first token": Sign("1", "feed"),
    "itself": Sign("=", "feed"),
    "duplicate token": Sign("2", "pink"),
    "induction": Sign("I", "pink"),
    "pattern successor": Sign("S", "pink"),
    "punctuation": Sign(",", "brown"),
    "opening bracket": Sign("(", "brown"),
    "subject of verb": Sign("V", "attention"),
    "pronoun": Sign("P", "attention"),
}
QUIET: Final = ("first token", "itself", "position only")
"""Roles that say little: they are no reason for a badge beside a picture of something else."""
PROBED: Final = {
    "plain": "A made text, cut to the length of the random ones.",
    "repeated": "Random words, then the same again.",
    "twofold": "Random words in threes, some with the same middle, then again in another order.",
    "sentences": "A made text of several sentences.",
    "brackets": "A made text with brackets and quotation marks.",
    "subject_verb": "One of 44 pairs of sentences in which the subject changes places.",
    "pronoun": "One of 44 pairs of sentences in which only the pronoun changes.",
}
NAMED: Final = (
    "Every head is scored on made texts, drawn with a fixed seed. It is named where its score "
    "reaches the threshold of the role: a floor, or what chance gives and four standard deviations "
    "where that is more. Chance looks at the same weights in wrong places."
)
RATE: Final = "Of the 640 heads of 20 random models, which learned nothing, at most one is named."
SCORES: Final = (
    "A score is a share of attention, 0 to 1; of the last few roles, one share less another. The "
    "upright stroke is the least score that names a head, the dot what chance gives, the thin line "
    "one standard deviation between texts. Click a row to see a text made for it."
)


def read_as_words(role: str) -> bool:
    """Whether the text of a role is read, rather than looked at as a pattern."""
    return role_named(role).family in ("subject_verb", "pronoun", "brackets", "sentences")


def signs(found: HeadRoles) -> dict[str, Sign]:
    """Of the roles that were looked for, in their order."""
    return {role.name: SIGNS[role.name] for role in ROLES if role.name in dict(found.probes)}


def thresholds(found: HeadRoles) -> str:
    """The lowest and the highest floor of the roles that were looked for: "0.15 to 0.7"."""
    floors = [role_named(name).floor for name, _ in found.probes]
    return f"{min(floors):g} to {max(floors):g}"


def badges(found: HeadRoles) -> dict[tuple[int, int], tuple[str, str]]:
    """By head that has a role worth a dot: its roles in words, and a colour."""
    shown = {}
    for head, names in found.names().items():
        loud = [name for name in names if name not in QUIET]
        if loud:
            shown[head] = (" · ".join(loud), SIGNS[loud[0]].kind)
    return shown


def clearest(rows: Sequence[HeadRole], names: Sequence[str]) -> str:
    """The role whose text shows a head best: the first it is named by, else the nearest miss."""
    if names:
        return names[0]
    return max(rows, key=lambda row: row.score / row.threshold).role


def told(rows: Iterable[HeadRole]) -> list[str]:
    """What a head says when it is pointed at: the roles it is named by, with their scores."""
    named = sorted((row for row in rows if row.named), key=lambda row: -row.score)
    return [f"{row.role} {row.score:.2f}" for row in named] or ["no role found"]


def told_row(row: HeadRole) -> tuple[str, ...]:
    """The figures of one score."""
    spread = "" if row.spread is None else f" ± {row.spread:.2f}"
    return (
        role_named(row.role).said,
        f"score {row.score:.2f}{spread}",
        f"threshold {row.threshold:.2f}, chance {row.chance:.2f}",
    )


def many(count: int, what: str = "head") -> str:
    """ "1 head", "12 heads"."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def table(found: HeadRoles) -> tuple[list[str], list[list[Any]]]:
    """Columns and rows of every score, for files."""
    frame = found.frame()
    return list(frame.columns), frame.values.tolist()
