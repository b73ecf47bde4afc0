"""A head on a text that was made for its role, and what that text costs without it."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from attnlab.analysis.roles import HeadRoles, role_named
from attnlab.ui import engine, export, mount, mount_diagram, roles_look, say
from attnlab.ui.cards.roles import alike
from attnlab.ui.engine import roles as engine_roles
from attnlab.ui.engine.roles import Shown
from attnlab.ui.export import architecture as files
from attnlab.ui.export.menu import Savable
from attnlab.ui.selection import Head
from attnlab.viz import cells, dumbbells
from attnlab.viz.cells import Table
from attnlab.viz.heads import full, short, spelled
from attnlab.viz.svg.text import spoken

_WIDE = 520.0
_LOSS = (
    "The mean of −log of the probability that the model gives each token, in nats; of a text that "
    "says everything twice, of its second half. "
    "Random heads: the middle one of ten sets of as many, drawn with a fixed seed."
)


def draw(reader: engine.Reader, head: Head, probe: str) -> None:
    """The pattern of the head on the text of a role."""
    role, text = role_named(probe), engine_roles.shown(reader, probe)
    weights = text.of(reader, head)
    with st.container(border=True, key="card-probe", height="stretch"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-probe"):
            st.markdown("**On a made text**", width="content", help=role.said)
            say.pill(f"made for: {probe}", "probe")
        say.remark(roles_look.PROBED[role.family], "probe-text")
        words = roles_look.read_as_words(probe)
        mount.head(
            "probe-head",
            a=weights,
            tokens_a=text.tokens,
            mode="words" if words else "matrix",
            label=f"{full(head)} on a text made for {probe}",
            row_a=None if text.look is None else text.look[0],
            key_position=None if text.look is None else text.look[1],
            causal=reader.causal,
            sink=reader.sink,
            lead="In it, from",
        )
        if words:
            alike.draw(reader, head, probe)
        with st.container(horizontal=True, key="actions-probe"):
            export.menu("save-probe", _kept(reader, head, probe, text, weights))


def without(reader: engine.Reader, found: HeadRoles, head: Head, probe: str) -> None:
    """The loss of that text without this head, and without all that have the role."""
    if reader.lab.head_kind not in ("causal", "seq2seq") or reader.role == "encoder":
        say.remark("No next token is predicted here, so this text has no loss.", "probe-loss")
        return
    team = tuple(one for one, names in found.names().items() if probe in names)
    sets = [(head,), *([team] if len(team) > 1 else [])]
    lose = partial(engine_roles.loss_without, reader, probe, sets)
    lost = say.unless_refused(lose, "probe-loss")
    if lost is None:
        return
    rows = []
    for one, value, other in zip(sets, lost.without, lost.random, strict=True):
        name = short(head) if one == (head,) else f"all {len(one)} named"
        random = "1 random head" if len(one) == 1 else f"{len(one)} random heads"
        rows += [(name, lost.plain, value), (random, lost.plain, other)]
    half = role_named(probe).family in engine_roles.HALVES
    st.markdown(f"**{'The second half' if half else 'That text'} without them**", help=_LOSS)
    drawn = dumbbells.dumbbells("", rows, names=("as trained", "without"), unit="nats a token")
    mount_diagram.diagram("probe-loss", drawn)


def _kept(
    reader: engine.Reader, head: Head, probe: str, text: Shown, weights: np.ndarray
) -> Savable:
    words = [spoken(token) for token in text.tokens]
    marks = [(at, words[at]) for at, _ in cells.some(len(words), _WIDE, 14)]
    shown = Table(short(head), np.clip(weights, 0, 1), rows=marks, kinds=("ink", "ink"))
    drawn = cells.tables([shown], wide=_WIDE, left=76, label=f"Attention of {short(head)}")
    rows = [
        [q, words[q], k, words[k], float(weights[q, k])]
        for q in range(len(words))
        for k in range(len(words))
        if weights[q, k] > 0
    ]
    return files.picture(
        f"attnlab-{spelled(head)}-made-text",
        f"{full(head)} on a text made for {probe}",
        drawn,
        files.of_model(reader, None),
        what="Attention weights; those that are 0 are left out.",
        columns=("query", "query_token", "key", "key_token", "weight"),
        rows=rows,
        notes=(roles_look.PROBED[role_named(probe).family],),
        body={"text": text.given if isinstance(text.given, str) else list(text.given)},
    )
