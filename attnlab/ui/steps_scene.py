"""A worked example made ready to be drawn: its matrices, its reasons, and the words beside them.

Nothing here imports Streamlit.
"""

from typing import Any, Final

import numpy as np

from attnlab.attention.because import COMPUTED, HEADED, Because, Cell, why
from attnlab.attention.steps import TYPED, Steps, Worked, multiplications
from attnlab.ui.steps_selection import Example
from attnlab.viz.steps import Figures, Names

_SAYS: Final = {
    "tokens": "The text is cut into tokens, here words. Each gets a row in all that follows.",
    "x": "Each word is a row of numbers. Here they are typed by hand; a model learns them.",
    "q": "The query of a word says what it looks for: its row of X times W_Q.",
    "k": "The key of a word says what it has to offer: its row of X times W_K.",
    "v": "The value of a word is what it hands on when it is looked at: its row of X times W_V.",
    "scores": "Each query meets each key, number by number. A large score is a good match.",
    "weights": "Softmax turns each row of scores into shares that add up to 1.",
    "z": "Each word takes from every value its share, and adds these up.",
    "out": "W_O turns what the heads found into one new row for each word.",
}


def figures(example: Example, steps: Steps) -> Figures:
    """The matrices as numpy, with the names of their rows and columns."""
    worked, preset = example.worked, example.preset
    plain = {name: np.asarray(getattr(example.plain, name)) for name in TYPED}
    return Figures(
        {name: getattr(steps, name).numpy() for name in (*TYPED, *COMPUTED)},
        worked.heads,
        Names(worked.tokens, preset.features, preset.asks, preset.hands_on, preset.results),
        worked.scaled,
        worked.key_size,
        plain,
    )


def reasons(steps: Steps) -> dict[str, list[list[list[dict[str, Any]]]]]:
    """How every computed cell came about: by matrix, then [head][row][column]."""
    found = {}
    for name in COMPUTED:
        matrix = getattr(steps, name)
        heads = range(matrix.shape[0]) if name in HEADED else (0,)
        rows, columns = matrix.shape[-2:]
        found[name] = [
            [
                [_plain(why(steps, Cell(name, row, column, head))) for column in range(columns)]
                for row in range(rows)
            ]
            for head in heads
        ]
    return found


def sentences(worked: Worked) -> dict[str, str]:
    """One short sentence for each step."""
    root = worked.key_size**0.5
    scaled = (
        f"Divided by √{worked.key_size} = {root:.3g}, the root of how long a key is, so that long "
        "keys do not make large scores."
        if worked.scaled
        else "Scaling is off: the scores stay as they are."
    )
    masked = (
        "No word may look at words that come after it: those scores are taken out."
        if worked.causal
        else "The mask is off: every word may look at every word."
    )
    joined = (
        "With one head there is nothing to join."
        if worked.heads == 1
        else "What the heads found is put side by side, one row for each word."
    )
    return {**_SAYS, "scaled": scaled, "masked": masked, "joined": joined}


def products(worked: Worked) -> dict[str, str]:
    """What the multiplications of each step amount to."""
    counts = multiplications(worked)
    return {step: f"{count} multiplications" for step, count in counts.items()}


def cost(worked: Worked) -> str:
    """The multiplications of all steps, with one head as with two of the same columns."""
    count = sum(multiplications(worked).values())
    if worked.size("w_v")[1] % 2:
        return f"{count} multiplications in all. Two heads would need one more column of W_V."
    return (
        f"{count} multiplications in all, with one head as with two: heads share the columns out."
    )


def _plain(because: Because) -> dict[str, Any]:
    """A reason as JSON; the value itself is in the matrix already."""
    terms = [
        {
            "value": term.value,
            "factors": list(term.factors),
            "cells": [[cell.matrix, cell.head, cell.row, cell.column] for cell in term.cells],
        }
        for term in because.terms
    ]
    return {"kind": because.kind, "terms": terms, "own": because.own, "shift": because.shift}
