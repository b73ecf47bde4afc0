"""The heads that look most like one of them on the text of a role."""

from __future__ import annotations

from attnlab.ui import engine, mount, say
from attnlab.ui.cards.roles.atlas import opened
from attnlab.ui.engine import roles as engine_roles
from attnlab.ui.selection import Head
from attnlab.viz.heads import short

_LISTED = 6
_ALIKE = (
    "Similarity is 1 where two heads look alike and 0 where they look at nothing in common: 1 "
    "minus the mean Jensen–Shannon divergence of their rows, in bits."
)


def draw(reader: engine.Reader, head: Head, probe: str) -> None:
    """The heads whose pattern on the text of a role is most like this one's."""
    ranked = engine_roles.alike(reader, probe, head, _LISTED)
    if not ranked:
        return
    mount.ranks(
        "alike",
        columns=[("Most alike on that text", "ink", ranked)],
        selected=head,
        label=f"The heads most like {short(head)}",
        on_change=_ranked,
    )
    say.remark("1 is the same pattern.", "alike", help=_ALIKE)


def _ranked() -> None:
    chosen = mount.ranks_value("alike")
    if chosen is not None:
        opened((chosen["layer"], chosen["head"]))
