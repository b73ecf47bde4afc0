"""One head's scores under every role, and the heads that look most like it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from attnlab.analysis.roles import HeadRole, HeadRoles
from attnlab.ui import engine, export, mount, mount_diagram, own, roles_look, say
from attnlab.ui.cards.roles.atlas import opened
from attnlab.ui.cards.roles.probe import without
from attnlab.ui.engine import roles as engine_roles
from attnlab.ui.export import architecture as files
from attnlab.ui.roles_selection import HEAD_ROLES
from attnlab.ui.selection import Head
from attnlab.viz.bullets import Bullet, bullets
from attnlab.viz.heads import full, short, spelled

_WIDE = 520.0
_LISTED = 6
_ALIKE = (
    "Similarity is 1 where two heads look alike and 0 where they look at nothing in common: 1 "
    "minus the mean Jensen–Shannon divergence of their rows, in bits."
)


def draw(reader: engine.Reader, found: HeadRoles, head: Head, probe: str) -> None:
    """A row for each role; the one whose text is shown is marked."""
    rows, names = found.of(*head), found.names().get(head, ())
    with st.container(border=True, key="card-scores", height="stretch"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-scores"):
            st.markdown(f"**{full(head)}**", width="content", help=roles_look.SCORES)
            say.pill(" · ".join(names) or "no role found", "scores")
        drawn = bullets(
            [_bullet(row) for row in rows], wide=_WIDE, chosen=probe, label=_label(head, names)
        )
        mount_diagram.choices("scores", drawn, partial(_clicked, rows))
        without(reader, found, head, probe)
        _alike(reader, head, probe)
        columns = ("layer", "head", "role", "score", "chance", "threshold", "spread", "named")
        table = [[getattr(row, name) for name in columns] for row in rows]
        kept = files.picture(
            f"attnlab-roles-{spelled(head)}",
            f"{full(head)}: what it looks for",
            drawn,
            files.of_model(reader, None),
            what="Scores: shares of attention, or differences of two.",
            columns=columns,
            rows=table,
        )
        with st.container(horizontal=True, key="actions-scores"):
            export.menu("save-scores", kept)


def _bullet(row: HeadRole) -> Bullet:
    kind, told = roles_look.SIGNS[row.role].kind, roles_look.told_row(row)
    return Bullet(row.role, row.score, row.threshold, row.chance, row.spread, row.named, kind, told)


def _label(head: Head, names: tuple[str, ...]) -> str:
    return f"Scores of {short(head)} under every role; named {', '.join(names) or 'by none'}."


def _clicked(rows: tuple[HeadRole, ...]) -> None:
    spot = mount_diagram.spot_value("scores")
    if spot is not None:
        own.choose(HEAD_ROLES, probe=rows[spot].role)


def _alike(reader: engine.Reader, head: Head, probe: str) -> None:
    """The heads whose pattern on the text of a role is most like this one's."""
    text = engine_roles.shown(reader, probe)
    ranked = engine_roles.alike(reader, text, head, _LISTED)
    if not ranked:
        return
    mount.ranks(
        "alike",
        columns=[("Most alike on that text", "edit", ranked)],
        selected=head,
        label=f"The heads most like {short(head)}",
        on_change=_ranked,
    )
    say.remark("1 is the same pattern.", "alike", help=_ALIKE)


def _ranked() -> None:
    chosen = mount.ranks_value("alike")
    if chosen is not None:
        opened((chosen["layer"], chosen["head"]))
