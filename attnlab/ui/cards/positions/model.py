"""In the model: the loaded model with other positions; loss, next word, heads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from attnlab.ui import engine, models, own, say, widget
from attnlab.ui.cards import edited, sentences
from attnlab.ui.cards.edited import Shown
from attnlab.ui.cards.parts import role_choice
from attnlab.ui.cards.positions import parts
from attnlab.ui.positions_selection import BASES, EDITS, FACTORS, OFFSETS, POSITIONS, Positions
from attnlab.ui.selection import Head, Selection
from attnlab.viz.figures import several

TITLES: Final = {
    "none": "None",
    "shifted": "Shifted",
    "shuffled": "Shuffled",
    "reversed": "Reversed",
    "base": "Another base",
    "interpolated": "Interpolation",
    "ntk": "NTK-aware",
    "yarn": "YaRN",
    "alibi": "ALiBi added",
    "sinusoidal": "Sinusoidal",
}
_SAID: Final = {
    "none": "The model is told nothing about where its words stand.",
    "shifted": "Every word is told that it stands further on.",
    "shuffled": "The positions are dealt out at random.",
    "reversed": "The first word is told the last position.",
    "base": "Its pairs turn at other speeds.",
    "interpolated": "All pairs turn slower, as if the text were shorter.",
    "ntk": "A larger base: slow pairs turn slower, fast ones hardly.",
    "yarn": "Slow pairs turn slower, fast ones do not, and scores grow a little.",
    "alibi": "Each head also takes something off for distance.",
    "sinusoidal": "Waves take the place of its learned table.",
}
_WHICH: Final = (
    "What of the model's own positions is replaced, in all layers, while it reads sentence A. The "
    "weights stay as trained."
)


def draw(selection: Selection, value: Positions) -> None:
    """The schemes that the loaded model can take, and what the chosen one does to sentence A."""
    target = sentences.draw_one(selection)
    reader = models.loaded(selection)
    if reader.writes:
        target()
    with st.container(border=True, key="card-which-edit"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-edit"):
            st.markdown("**Its positions**", width="content", help=_WHICH)
            say.pill(reader.title, "edit-model")
            if len(reader.roles) > 1:
                role_choice(reader)
        found = reader.lab.positions.get(reader.role)
        if found is None or not found.takes:
            say.remark(f"{reader.title}: nothing about positions can be changed here.", "edit-none")
            return
        say.remark(found.sentence, "edit-found")
        possible = [name for name in EDITS if name in found.takes]
        refused = {name: found.why_not(name) for name in EDITS if name not in found.takes}
        chosen = value.edit if value.edit in possible else possible[0]
        _choice(possible, chosen)
        _settings(chosen)
        if value.edit in refused:
            why = _grouped({value.edit: refused.pop(value.edit)})
            say.problem(f"It cannot take {why}. Shown: {TITLES[chosen]}.", "edit-refused")
            own.publish(POSITIONS, own.correct(POSITIONS, edit=chosen))
        say.remark(_SAID[chosen], "edit-said")
        if refused:
            say.remark(f"It cannot take {_grouped(refused)}.", "edit-cannot")
    edits = (_edit(reader, value, chosen),)
    passage = engine.Passage(selection.a, selection.target_a)
    edited.draw(
        Shown(
            key="positions",
            reader=reader,
            passage=passage,
            edits=edits,
            what=f"positions: {TITLES[chosen].lower()}",
            look=value.look,
            on_look=_look,
            prediction_left=True,
        )
    )


def _grouped(refused: dict[str, str]) -> str:
    """Schemes that cannot be taken, those with the same reason together."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in refused.items():
        by_reason.setdefault(reason, []).append(TITLES[name])
    return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in by_reason.items())


def _edit(reader: engine.Reader, value: Positions, name: str) -> Any:
    from attnlab.trace import Positions as Edit

    takes = {
        "shifted": {"offset": value.offset},
        "shuffled": {"seed": value.seed},
        "base": {"base": float(value.to_base)},
        "interpolated": {"factor": float(value.by_factor)},
        "ntk": {"factor": float(value.by_factor)},
        "yarn": {"factor": float(value.by_factor)},
    }
    return Edit(name, role=reader.role, **takes.get(name, {}))


def _choice(possible: list[str], chosen: str) -> None:
    key = widget.mirrored("positions-edit", chosen)
    st.segmented_control(
        "Which positions",
        possible,
        key=key,
        required=True,
        format_func=TITLES.get,
        label_visibility="collapsed",
        on_change=_chosen,
        args=(key,),
    )


def _chosen(key: str) -> None:
    own.choose(POSITIONS, edit=st.session_state[key])


def _settings(chosen: str) -> None:
    """What the chosen scheme takes."""
    drawn: dict[str, Callable[[], None]] = {
        "shifted": lambda: parts.few("By", OFFSETS, "offset", lambda by: several(by, "position")),
        "shuffled": lambda: parts.whole("Dealt out by seed", 0, 20, "seed"),
        "base": lambda: parts.few("Base", BASES, "to_base", "{:,}".format),
    }
    factor = lambda: parts.few("Slower by", FACTORS, "by_factor", _slower)  # noqa: E731
    draw_in = factor if chosen in ("interpolated", "ntk", "yarn") else drawn.get(chosen)
    if draw_in is not None:
        with st.container(width=420, key="slide-edit"):
            draw_in()


def _slower(factor: int) -> str:
    return "nothing" if factor == 1 else f"{factor} times"


def _look(head: Head) -> None:
    own.choose(POSITIONS, look=head)
