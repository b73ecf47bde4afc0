"""The card of all heads: each a tile, on one canvas."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from attnlab.ui import explain, export, mount, phrases, roles_look, say, state
from attnlab.ui.cards.parts import choice, corrected_choice, role_choice
from attnlab.ui.engine import roles
from attnlab.ui.scene import Scene
from attnlab.ui.selection import SIDES, VIEWS, Head


def draw(of: Scene, ranks: Mapping[Head, int] | None = None) -> None:
    """Every head of the role that is shown.

    Args:
        ranks: the places, from 1, of heads that were found, by (layer, head).
    """
    with st.container(border=True, key="card-grid", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", key="head-grid"):
            st.markdown("**All heads**", width="content", help=_terms(of))
            with st.container(key="about-grid", width="stretch"):
                pooled = not of.reading(of.pictured).whole
                st.text(phrases.about_grid(of), help=explain.grid(of.view == "B-A", pooled))
            _controls(of)
        if of.obstacle and of.selection.view == "B-A":
            say.problem(f"{of.obstacle} This is B.", "difference")
        with st.container(horizontal=True, key="guide-grid"):
            with st.container(
                horizontal=True, vertical_alignment="center", width="stretch", gap="medium"
            ):
                st.markdown(explain.CHOOSE, width="content")
                _way_on(of)
            with st.container(width="content"):
                export.menu("save-grid", export.grid(of, ranks))
        _mounted(of, ranks or {})


def _terms(of: Scene) -> str:
    """What a head is, and whose attention can be shown where there are several."""
    heads = explain.heads(of.reader.causal)
    return f"{heads} {explain.ROLES}" if len(of.reader.roles) > 1 else heads


def _mounted(of: Scene, ranks: Mapping[Head, int]) -> None:
    maps, tokens = (of.a.maps, of.b and of.b.maps), (of.a.tokens, of.b and of.b.tokens)
    options = of.sources
    if of.view == "B-A":
        maps, tokens, options = of.compared
        if of.overlap is not None:
            options = {**options, "left_out": of.overlap.left_out}
    place = of.reader.layers.index
    mount.grid(
        "grid",
        a=maps[0],
        b=maps[1],
        tokens_a=tokens[0],
        tokens_b=tokens[1],
        view=of.view,
        drop_first=of.selection.drop_first,
        causal=of.reader.causal,
        layers=of.reader.layers,
        selected=(place(of.selection.layer), of.selection.head),
        ranks={(place(layer), head): rank for (layer, head), rank in ranks.items()},
        badges={(place(layer), head): badge for (layer, head), badge in _badges(of).items()},
        badge_note="Dots: roles that were found on the page Head roles",
        on_change=partial(_head_chosen, of.reader.layers),
        **options,
    )


def _badges(of: Scene) -> dict[Head, tuple[str, str]]:
    """The roles of heads, where they were scored already."""
    found = roles.known(of.reader)
    return {} if found is None else roles_look.badges(found)


def _controls(of: Scene) -> None:
    if len(of.reader.roles) > 1:
        role_choice(of.reader)
    st.toggle("Leave out the first token", key=state.seeded("drop_first"), help=explain.FIRST_TOKEN)
    if of.b is None:
        return
    if of.view == of.selection.view:
        choice("Text", VIEWS, "view")
    else:
        # The switch says what is shown; B − A stays what was wished, for texts that allow it.
        corrected_choice("Text", SIDES, of.view, "view_possible", "view")


def _way_on(of: Scene) -> None:
    """A way to the head worth opening: after new texts the chosen one may show nothing."""
    way = phrases.way_on(of)
    if way is None:
        return
    why, *head = way
    st.button(
        f"Go to the head that {why}: {phrases.title(head)}",
        key="way-on",
        type="tertiary",
        on_click=state.choose,
        kwargs={"layer": head[0], "head": head[1]},
    )


def _head_chosen(layers: tuple[int, ...]) -> None:
    chosen = mount.grid_value("grid")
    if chosen is not None:
        state.choose(layer=layers[min(chosen[0], len(layers) - 1)], head=chosen[1])
