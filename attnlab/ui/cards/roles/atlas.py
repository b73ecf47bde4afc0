"""The map: which head has which role, or what every head scores under one of them."""

from __future__ import annotations

from functools import partial

import streamlit as st

from attnlab.analysis.roles import HeadRole, HeadRoles, role_named
from attnlab.ui import engine, export, mount, mount_diagram, own, roles_look, say, state
from attnlab.ui.cards.parts import action, role_choice
from attnlab.ui.export import architecture as files
from attnlab.ui.roles_selection import HEAD_ROLES, Roles
from attnlab.ui.selection import Head
from attnlab.viz.diagram import Diagram
from attnlab.viz.role_map import RoleMap, role_map

_WIDE = 1020.0
_LISTED = 6


def draw(reader: engine.Reader, value: Roles, found: HeadRoles, head: Head) -> None:
    """The map with its legend; of one role, what it is and its strongest heads too."""
    signs = roles_look.signs(found)
    only = value.only if value.only in signs else ""
    with st.container(border=True, key="card-atlas", gap="small"):
        _title(reader, found, only)
        of = _map_of(reader, found, only, head)
        drawn = role_map(of, wide=_WIDE, label=_label(of))
        key = "atlas"
        mount_diagram.choices(key, drawn, partial(_clicked, key, of, only))
        if only:
            _strongest(found, only, head)
        _left_out(found, value)
        _below(reader, found, drawn, only)


def alone(reader: engine.Reader) -> None:
    """The head of the card where there are no scores."""
    with st.container(border=True, key="card-atlas"):
        _title(reader, None, "")
        if reader.role == "cross":
            say.remark(
                "Roles say where a head looks within one text; cross-attention looks into another. "
                "Choose the encoder or the decoder.",
                "atlas-cross",
            )


def _title(reader: engine.Reader, found: HeadRoles | None, only: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="title-atlas"):
        st.markdown("**What heads look for**", width="content", help=roles_look.NAMED)
        with st.container(width="stretch"):
            if found is not None:
                say.pill(_counted(found, reader), "atlas")
        if len(reader.roles) > 1:
            role_choice(reader)
    if only:
        role = role_named(only)
        source = f" ({role.source})" if role.source else ""
        said = f"{role.said.rstrip('.')}{source}."
        least = f"A head is named from {role.floor:g} on, or more where chance gives more."
        say.remark(
            f"{only[0].upper()}{only[1:]}: {said[0].lower()}{said[1:]} {least}", "atlas-role"
        )
    elif found is not None:
        say.remark(
            "Each square is a head, in the colour of its clearest role. A role counts from its "
            f"threshold on: {roles_look.thresholds(found)} of attention. Click a head to open it.",
            "atlas-how",
        )


def _counted(found: HeadRoles, reader: engine.Reader) -> str:
    named, every = len(found.names()), sum(map(reader.heads_in, reader.layers))
    return f"{reader.title}: {named} of {every:,} heads named"


def _map_of(reader: engine.Reader, found: HeadRoles, only: str, head: Head) -> RoleMap:
    by_head: dict[Head, list[HeadRole]] = {}
    for row in found.rows:
        by_head.setdefault((row.layer, row.head), []).append(row)
    alone = {one: [r for r in rows if r.role == only] for one, rows in by_head.items()}
    told = {
        one: _figures(alone[one][0]) if only else roles_look.told(rows)
        for one, rows in by_head.items()
    }
    return RoleMap(
        rows={layer: reader.heads_in(layer) for layer in reader.layers},
        named=found.names(),
        signs=roles_look.signs(found),
        told=told,
        only=only,
        scores={one: rows[0].score for one, rows in alone.items() if rows},
        chosen=head,
    )


def _figures(row: HeadRole) -> tuple[str, ...]:
    return roles_look.told_row(row)[1:]


def _label(of: RoleMap) -> str:
    if of.only:
        return f"Every head's score for {of.only}; {roles_look.many(of.count(of.only))} named."
    counted = ", ".join(f"{role} {of.count(role)}" for role in of.signs)
    return f"The role of every head. Heads named: {counted}."


def _clicked(key: str, of: RoleMap, only: str) -> None:
    """A head is opened; a role of the legend is shown alone, or all of them again."""
    spot = mount_diagram.spot_value(key)
    if spot is None:
        return
    chosen = of.spots[spot]
    if isinstance(chosen, str):
        own.choose(HEAD_ROLES, only="" if chosen == only else chosen, probe="")
    else:
        opened(chosen)


def opened(head: Head) -> None:
    """Shows one head; of another head another text may say more."""
    state.choose(layer=head[0], head=head[1])
    own.choose(HEAD_ROLES, probe="")


def _strongest(found: HeadRoles, only: str, head: Head) -> None:
    rows = found.strongest(only, _LISTED)
    listed = [(row.layer, row.head, row.score) for row in rows]
    mount.ranks(
        "atlas-ranks",
        columns=[("The strongest", "ink", listed)],
        selected=head,
        label=f"The heads that score most for {only}",
        on_change=lambda: _ranked("atlas-ranks"),
    )
    if not any(row.named for row in rows):
        say.remark(f"No head reaches the threshold of {rows[0].threshold:.2f}.", "atlas-none")


def _ranked(key: str) -> None:
    chosen = mount.ranks_value(key)
    if chosen is not None:
        opened((chosen["layer"], chosen["head"]))


def _left_out(found: HeadRoles, value: Roles) -> None:
    """Roles that could not be tried."""
    reasons: dict[str, list[str]] = {}
    for role, why in found.left_out:
        reasons.setdefault(why, []).append(role)
    for number, (why, names) in enumerate(reasons.items()):
        say.remark(f"Not tried: {', '.join(names)}; {why}.", f"left-out-{number}")
    if (
        value.only
        and value.only not in dict(found.probes)
        and value.only not in dict(found.left_out)
    ):
        say.problem(f"No head of this model can have the role “{value.only}”.", "no-role")


def _below(reader: engine.Reader, found: HeadRoles, drawn: Diagram, only: str) -> None:
    columns, rows = roles_look.table(found)
    texts = max(dict(found.probes).values(), default=0)
    kept = files.picture(
        "attnlab-head-roles",
        f"What the heads of {reader.lab.name} look for" + (f": {only}" if only else ""),
        drawn,
        files.of_model(reader, None),
        what="Scores of every head under every role: shares of attention, or differences of two.",
        columns=columns,
        rows=rows,
        notes=(f"Up to {texts} made texts a role, seed {found.seed}.", roles_look.RATE),
        body={"probes": dict(found.probes), "left_out": dict(found.left_out)},
    )
    with st.container(horizontal=True, gap="medium", key="actions-atlas"):
        if only:
            action("All roles", "all-roles", own.choose, args=(HEAD_ROLES,), kwargs={"only": ""})
        say.remark(roles_look.RATE, "rate")
        export.menu("save-atlas", kept)
