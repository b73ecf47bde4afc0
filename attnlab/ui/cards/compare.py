"""Up to six heads side by side, of any layers, on one scale."""

import numpy as np
import streamlit as st

from attnlab.ui import engine, explain, export, mount, phrases, say, state
from attnlab.ui.cards.parts import action, choice, open_head, side_choice
from attnlab.ui.kinds import kinds
from attnlab.ui.scene import Scene
from attnlab.ui.selection import DRAWN, MAX_PINS, Head, Side


def draw(of: Scene) -> None:
    """The pinned heads."""
    pins, named, kept = of.selection.pins, kinds(of), None
    with st.container(horizontal=True, vertical_alignment="center", key="title-compare"):
        st.markdown("**Heads side by side**", width="stretch", help=explain.SIDE_BY_SIDE)
        if pins:
            side_choice(of, "Text to compare on", "compare-side")
            choice("Drawn as", DRAWN, "drawn")
    if not pins:
        say.remark("Pin a head to start: choose a tile above, or take these.", "no-pins")
    else:
        kept = _heads(of, pins, {head: kind for kind, head in named.items()})
    with st.container(horizontal=True, gap="medium", key="actions-compare"):
        _actions(of, tuple(named.values()))
        if kept is not None:
            export.menu("save-compare", kept)


def _heads(of: Scene, pins: tuple[Head, ...], named: dict[Head, str]) -> export.Savable:
    """Draws them; returns what can be saved."""
    a, b = _maps(of, "A", pins), _maps(of, "B", pins)
    notes = [named.get(head, "") for head in pins]
    mount.compare(
        "compare",
        heads=list(pins),
        a=a,
        b=b,
        tokens_a=of.a.tokens,
        tokens_b=None if of.b is None else of.b.tokens,
        drawn=of.selection.drawn,
        side=of.side,
        similarity_a=_similarity(of, "A", a),
        similarity_b=_similarity(of, "B", b),
        notes=notes,
        causal=of.reader.causal,
        label="Pinned heads",
        on_change=_clicked,
        **of.sources,
    )
    if not (of.a.whole and (of.b is None or of.b.whole)):
        say.remark(
            f"How alike they look is told up to {engine.WHOLE_TOKENS} tokens.", "compare-long"
        )
    return export.compare(of, list(pins), a, b, notes)


def _maps(of: Scene, side: Side, pins: tuple[Head, ...]) -> np.ndarray | None:
    """[n, q, s] of the pinned heads, reduced where the text is long; None without the text."""
    if side == "B" and of.b is None:
        return None
    place = of.reader.layers.index
    return np.stack([of.reading(side).maps[place(layer), head] for layer, head in pins])


def _similarity(of: Scene, side: Side, weights: np.ndarray | None) -> np.ndarray | None:
    """[n, n]: how alike the pinned heads look; 1 alike, 0 apart. None of reduced maps."""
    return None if weights is None else engine.alike(of.reader, of.reading(side), weights)


def _actions(of: Scene, preset: tuple[Head, ...]) -> None:
    """Ways to pin and to unpin."""
    pins, chosen = of.selection.pins, of.selection.chosen
    if chosen not in pins and len(pins) < MAX_PINS:
        name = phrases.title(chosen)
        action(f"Pin {name}", "pin", state.choose, kwargs={"pins": (*pins, chosen)})
    if preset and preset != pins:
        several = f"Pin {len(preset)} heads of different kinds"
        action(several, "pin-kinds", state.choose, kwargs={"pins": preset}, help=explain.KINDS)
    if pins:
        action("Unpin all", "unpin", state.choose, kwargs={"pins": ()})


def _clicked() -> None:
    clicked = mount.compare_value("compare")
    if clicked is None:
        return
    head = (clicked["layer"], clicked["head"])
    if clicked["remove"]:
        left = tuple(pin for pin in state.chosen_now().pins if pin != head)
        state.choose(pins=left)
    else:
        open_head(head)
