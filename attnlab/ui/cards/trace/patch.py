"""One value of the other sentence put in: what becomes of the prediction."""

from __future__ import annotations

import math

import streamlit as st

from attnlab.analysis.beside import typical
from attnlab.analysis.patching import Patching
from attnlab.ui import engine, explain, export, mount, say
from attnlab.ui.cards.trace.exchange import Shown, name_of, percent, way
from attnlab.ui.engine import edited
from attnlab.ui.export import architecture as files
from attnlab.ui.export import trace as saved


def draw(shown: Shown, found: Patching, spot: tuple[int, int]) -> None:
    """What the chosen patch does to the prediction."""
    by, table = shown.of.by, found.table
    rows = table[(table.layer == spot[0]) & (table[by] == spot[1])]
    if not len(rows):
        return
    row, other, into = rows.iloc[0], shown.towards, shown.of.into
    share = shown.moved(float(row.share))
    title = f"L{spot[0]} {name_of(shown, spot[1])} of {other} in {into}"
    said = title
    if not math.isfinite(share):
        said = f"{said}: what it moves cannot be told, as nothing lies between the sentences"
    if math.isfinite(share):
        said = f"{said}: {way(share)} of the way to {other}{_usual(shown, found)}"
    said = f"{said}."
    with st.container(border=True, key="card-patch"):
        st.markdown("**With this value of the other sentence**", help=explain.KL)
        if shown.of.reader.lab.head_kind == "none":
            say.remark(said, "patch")
            return
        at = found.pairs if by == "head" else ((int(spot[1]), int(row.donor_position)),)
        edit = shown.of.patch(spot[0], spot[1] if by == "head" else None, tuple(at))
        reader = engine.predicting(shown.of.reader)
        place = shown.measured.places[0 if into == "A" else 1]
        effect = edited.predicted(reader, shown.of.receives, (edit,), place)
        names = (f"{into} as it is", f"with {other}’s value")
        mount.bars("patch", rows=effect.rows, names=names, label="The likeliest words")
        say.remark(said, "patch")
        with st.container(horizontal=True, key="actions-patch"):
            source = files.of_model(shown.of.reader, shown.of.a, (edit,), b=shown.of.b)
            body = {"kl": effect.kl, "share": share if math.isfinite(share) else None}
            name = "attnlab-patch"
            kept = saved.predicted(name, title, source, effect, names, said, body)
            export.menu("save-patch", kept)


def _usual(shown: Shown, found: Patching) -> str:
    """What one drawn at random does, in a few words."""
    moved = found.table.share.map(shown.moved).dropna().tolist()
    if len(moved) < 2:
        return ""
    what = "head" if shown.of.by == "head" else "square"
    return f" (a {what} drawn at random: less than {percent(typical(moved)[1])} in nine of ten)"
