"""What the cheap ones give up: five small models asked for what they have read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from attnlab import recall
from attnlab.ui import own, say
from attnlab.ui.cards.cost import parts
from attnlab.ui.cost_selection import COST, MOST_LIST, PAIRS, SEEDS, Cost
from attnlab.ui.engine import recall as engine
from attnlab.ui.engine.recall import Pairs
from attnlab.ui.export import architecture as files
from attnlab.ui.mount_diagram import diagram
from attnlab.viz import lines, recalled
from attnlab.viz.diagram import Diagram
from attnlab.viz.lines import Line
from attnlab.viz.recalled import Said
from attnlab.viz.tokens import label

TITLES: Final = {
    "softmax": "softmax",
    "window": "window",
    "linear": "linear",
    "state-space": "state space",
    "hybrid": "hybrid",
}
_COLOURS: Final = {
    "softmax": ("ink", False),
    "hybrid": ("attention", True),
    "linear": ("pink", False),
    "state-space": ("gold", False),
    "window": ("brown", False),
}
_TASK: Final = (
    "A model reads k pairs of a key and a value and is then asked for every key, so it must have "
    "kept them all. Five models of equal size that differ in how tokens are mixed alone, trained "
    "three times each, alike but for the state space, which got twice as long. Line: mean; band: "
    "least to most of the three. Arora et al. 2023."
)
_LIVE: Final = (
    "These are the models themselves. Teal: right, the stronger the surer. Any words will do: they "
    "stand for the symbols that the models were trained on."
)
_SOURCE: Final = files.computed(
    "models that ship with AttnLab", "associative recall, Arora et al. 2023, section 3"
)


def draw(value: Cost) -> None:
    """The measured curves, and the models live on one list.

    Raises:
        AttnLabError: the typed list is none; the message says why.
    """
    with st.container(key="cards"):
        left, right = st.columns(2, gap="small")
    with left, st.container(border=True, key="card-recall"):
        _curves()
    with right, st.container(border=True, key="card-asked"):
        _asked(value)


def _curves() -> None:
    st.markdown("**Recall of a list**", help=_TASK)
    found = engine.curves()
    drawn = _chart(found)
    diagram("recall-curves", drawn)
    said = _said(found)
    with st.container(key="told-recall"):
        say.remark(said, "recall")
    sizes = found["parameters"].values()
    about = (
        f"{min(sizes):,} to {max(sizes):,} parameters each; guessing is right one time in "
        f"{recall.VALUES}. Hybrid: one layer in four is softmax attention, the others state space."
    )
    say.remark(about, "recall-about")
    parts.keep(
        "recall",
        "Associative recall of five small models",
        drawn,
        _SOURCE,
        what="Share of right answers over random lists, each model, each seed.",
        columns=("model", "seed", "pairs", "accuracy"),
        rows=_rows(found),
        notes=(said, about),
    )


def _chart(found: Mapping[str, Any]) -> Diagram:
    return lines.lines(
        "Right answers",
        found["pairs"],
        [_line(name, found["accuracy"][name]) for name in _COLOURS],
        x_name="pairs in the list",
        write="{:.0%}".format,
        log_x=True,
        span=(0.0, 1.0),
        marks=[(recall.LONGEST, "trained up to here")],
        high=330,
        wide=560,
    )


def _rows(found: Mapping[str, Any]) -> list[list[Any]]:
    return [
        [name, seed, k, accuracy]
        for name, rows in found["accuracy"].items()
        for seed, row in enumerate(rows)
        for k, accuracy in zip(found["pairs"], row, strict=True)
    ]


def _line(name: str, rows: list[list[float]]) -> Line:
    kind, dashed = _COLOURS[name]
    each = list(zip(*rows, strict=True))
    mean = [sum(column) / len(column) for column in each]
    low, high = ([pick(column) for column in each] for pick in (min, max))
    return Line(TITLES[name], mean, kind, dashed, low=low, high=high)


def _said(found: Mapping[str, Any]) -> str:
    """What each keeps of a list, and how much of it comes back."""
    k = recall.LONGEST
    at = found["pairs"].index(k)
    back, kept = [], []
    for name in _COLOURS:
        column = [row[at] for row in found["accuracy"][name]]
        back.append(f"{TITLES[name]} {sum(column) / len(column):.0%}")
        kept.append(f"{TITLES[name]} {recall.kept(name, 2 * k):,}")
    return f"Of {k} pairs come back: {', '.join(back)}. Numbers kept of them: {', '.join(kept)}."


def _asked(value: Cost) -> None:
    """A list, and what each model says to it."""
    _list(value)
    pairs = engine.pairs_of(value.given, value.pairs, value.drawn)
    _answers(pairs, engine.answers(pairs, value.seed))


def _list(value: Cost) -> None:
    """The list that is asked for, typed or random, and by which training."""
    with st.container(horizontal=True, vertical_alignment="center", key="title-asked"):
        st.markdown("**Ask them yourself**", width="stretch", help=_LIVE)
        parts.slider("Pairs", "pairs", PAIRS, "{} pairs".format, 150)
        st.button("Another list", key="another", on_click=_another, type="tertiary")
    drawn_list = recall.random_pairs(value.pairs, value.drawn)
    st.text_area(
        "A list of pairs",
        key=own.seeded(COST, "given"),
        on_change=own.keep_first,
        args=(COST, "given", MOST_LIST),
        placeholder=", ".join(f"{key} {said}" for key, said in drawn_list),
        height=90,
        label_visibility="collapsed",
    )
    say.remark("Leave it empty for a random list, or type one: cat 3, dog 17, owl 5.", "list")
    st.segmented_control(
        "Trained",
        SEEDS,
        key=own.seeded(COST, "seed"),
        required=True,
        format_func=lambda seed: f"training {seed + 1}",
        label_visibility="collapsed",
    )


def _answers(pairs: Pairs, found: Mapping[str, Sequence[recall.Answer]]) -> None:
    asked = [(_shown(key), _shown(wanted)) for key, wanted in pairs]
    columns = [(TITLES[name], [_one(answer) for answer in found[name]]) for name in _COLOURS]
    table = recalled.recalled(asked, columns)
    diagram("recalled", table)
    parts.keep(
        "recalled",
        f"{len(pairs)} pairs, asked of five small models",
        table,
        _SOURCE,
        what="What each model says to each key, and the probability of the right value.",
        columns=("model", "key", "right_value", "says", "probability"),
        rows=[
            [name, one.key, one.wanted, one.value, one.probability]
            for name in _COLOURS
            for one in found[name]
        ],
    )


def _shown(word: str) -> str:
    return label({"text": word})


def _one(answer: recall.Answer) -> Said:
    said = "another" if answer.value is None else _shown(answer.value)
    return Said(said, answer.right, answer.probability)


def _another() -> None:
    now = own.chosen_now(COST)
    own.choose(COST, drawn=(now.drawn + 1) % 10_000, given="")
