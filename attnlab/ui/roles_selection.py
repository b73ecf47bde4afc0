"""What the page Head roles shows of its own; nothing here imports Streamlit.

only=induction      the role whose scores the map shows, all roles without it
probe=pronoun       the role whose text the head is shown on, its clearest without it
lesson=again        the experiment that set this up

The head is the one that all pages share.
"""

from dataclasses import dataclass
from typing import Final

from attnlab.analysis.roles import ROLES
from attnlab.ui.own_link import Page, one_of, typed

NAMES: Final = tuple(role.name for role in ROLES)


@dataclass(frozen=True)
class Roles:
    """What is looked at.

    Attributes:
        only: the role that the map shows alone, "" for all.
        probe: the role whose text the head is shown on, "" for its clearest.
        lesson: the name of the experiment that set this up, "" for none.
    """

    only: str = ""
    probe: str = ""
    lesson: str = ""


HEAD_ROLES: Final = Page(
    "head-roles",
    Roles(),
    {
        "only": one_of("only", ("", *NAMES)),
        "probe": one_of("probe", ("", *NAMES)),
        "lesson": typed("lesson", 40),
    },
)
