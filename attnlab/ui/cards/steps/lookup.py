"""One query of the example: looked up more softly or more sharply, or with every key hidden."""

import math
from typing import Final

import numpy as np
import streamlit as st

from attnlab.attention.soft import blend, hidden_row
from attnlab.attention.steps import Steps
from attnlab.ui import mount_steps, own, say
from attnlab.ui.steps_selection import SHARPNESS, STEP_BY_STEP, Example, StepByStep
from attnlab.viz.steps import Figures, View

_KEY: Final = "lookup"
_QUERY: Final = "lookup-query"
_STOPS: Final = {
    "0": "Sharpness 0: every key gets the same share",
    "1": "Sharpness 1: attention as it is",
    "inf": "Sharpness ∞: the best match alone, as in a dictionary",
}
_DICTIONARY: Final = (
    "A dictionary gives the value of the one key that fits. Attention gives a blend of all values, "
    "by how well each key fits the query. The sharpness multiplies the scores before softmax."
)
_NOTHING: Final = (
    "What a query gets when every key is hidden from it, as in a row of padding. Masks are often "
    "made by adding −1e9 to hidden scores; this app takes hidden keys out."
)
_LEVELLED: Final = (
    "A billion swallows small differences: hidden words get weight, and all the same."
)
_ROUNDED: Final = (
    "Next to a billion scores count in steps of 64: hidden words get weight, by what rounding left "
    "of their differences."
)


def draw(value: StepByStep, figures: Figures, example: Example, steps: Steps) -> None:
    """Two cards about the same query; the second is closed until somebody asks for it."""
    n, heads = len(example.worked.tokens), example.worked.heads
    unasked = n - 1 if example.preset.query is None else example.preset.query
    query = unasked if value.query is None else value.query
    head, row = divmod(query, n)
    with st.container(border=True, key="card-lookup"):
        st.markdown("**A dictionary, looked up softly**", help=_DICTIONARY)
        _choice(example, query, n * heads)
        _blend(value, figures, steps, head, row)
    with st.container(key="card-nothing"), st.expander("A row that may see nothing"):
        say.remark(_NOTHING, "what-nothing")
        _nothing(example, steps, head, row)


def _choice(example: Example, query: int, count: int) -> None:
    """Whose query."""
    tokens, several = example.worked.tokens, example.worked.heads > 1

    def called(place: int) -> str:
        head, row = divmod(place, len(tokens))
        return f"{tokens[row]}, head {head}" if several else tokens[row]

    st.session_state[_QUERY] = query
    st.segmented_control(
        "Whose query",
        range(count),
        key=_QUERY,
        required=True,
        format_func=called,
        on_change=lambda: own.choose(STEP_BY_STEP, query=st.session_state[_QUERY]),
        label_visibility="collapsed",
    )


def _blend(value: StepByStep, figures: Figures, steps: Steps, head: int, row: int) -> None:
    found = [blend(steps, head, row, float(stop)) for stop in SHARPNESS]
    size = steps.example.value_size
    view = View("v", 0, head * size, (head + 1) * size)
    mount_steps.blend(
        _KEY,
        stops=[_STOPS.get(stop, f"Sharpness {stop}") for stop in SHARPNESS],
        stop=SHARPNESS.index(value.sharp),
        keys=steps.example.tokens,
        values=figures.block(view),
        columns=figures.labels(view)[1],
        weights=np.stack([one.weights.numpy() for one in found]),
        blends=np.stack([one.z.numpy() for one in found]),
        hidden=[math.isinf(score) for score in steps.masked[head, row].tolist()],
        label=f"Shares of the query of {steps.example.tokens[row]}",
        on_change=_turned,
    )


def _turned() -> None:
    stop = mount_steps.blend_value(_KEY)
    if stop is not None:
        own.choose(STEP_BY_STEP, sharp=SHARPNESS[stop])


def _nothing(example: Example, steps: Steps, head: int, row: int) -> None:
    found, asks = hidden_row(steps, head, row), example.worked.tokens[row]
    say.remark(f"Every key is hidden from “{asks}”. What is left of its weights?", "nothing")
    lines = [
        (
            "−1e9 added, float32",
            found.added_32.numpy(),
            _LEVELLED if found.levelled else _ROUNDED,
        ),
        (
            "−1e9 added, float64",
            found.added_64.numpy(),
            "All scores fall alike: the weights are those of no mask at all.",
        ),
        ("−∞, softmax alone", found.softmax.numpy(), "0 divided by 0 is no number, and spreads."),
        (
            "removed, as here",
            found.removed.numpy(),
            "No key, no weight: the row hands on zeros.",
        ),
    ]
    mount_steps.rows("nothing-rows", example.worked.tokens, lines, label="A fully masked row")
