"""One head's scores under every role, and the heads that look most like it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from attnlab.analysis.roles import HeadRole, HeadRoles
from attnlab.ui import engine, export, mount_diagram, own, roles_look, say
from attnlab.ui.cards.roles import alike
from attnlab.ui.cards.roles.probe import without
from attnlab.ui.export import architecture as files
from attnlab.ui.roles_selection import HEAD_ROLES
from attnlab.ui.selection import Head
from attnlab.viz.bullets import Bullet, bullets
from attnlab.viz.heads import full, short, spelled

_WIDE = 520.0


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
        if not roles_look.read_as_words(probe):
            alike.draw(reader, head, probe)
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
