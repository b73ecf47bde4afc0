"""Schemes: each as a picture of its own, with its own controls."""

from typing import Final

import streamlit as st

from attnlab.ui import say
from attnlab.ui.cards.positions import biases, parts, table, turning, waves
from attnlab.ui.positions_selection import SCHEMES, Positions
from attnlab.ui.selection import Selection

TITLES: Final = {
    "sinusoidal": "Sinusoidal",
    "learned": "Learned",
    "rope": "RoPE",
    "alibi": "ALiBi",
    "buckets": "T5 buckets",
}
_SAID: Final = {
    "sinusoidal": "Each position is a row of clock hands, the fast ones left, the slow ones right; "
    "it is added to the word’s vector.",
    "learned": "One vector for each position, learned like a word’s and added to it. After the "
    "last one there is nothing.",
    "rope": "Queries and keys turn by their position. What is left in q·k is how far apart they "
    "stand.",
    "alibi": "Nothing is added to the words. Each head takes something off a score for every token "
    "of distance, each its own amount.",
    "buckets": "Nothing is added to the words. Each head has learned what to add to a score at "
    "each distance; far distances share a bucket.",
}


def draw(selection: Selection, value: Positions) -> None:
    """The chosen scheme."""
    with st.container(key="which-model"):
        parts.words("Which scheme", SCHEMES, "scheme", TITLES.get)
    say.remark(_SAID[value.scheme], "scheme")
    if value.scheme == "sinusoidal":
        waves.draw(value)
    elif value.scheme == "learned":
        table.draw(selection)
    elif value.scheme == "rope":
        turning.draw(value)
    elif value.scheme == "alibi":
        biases.slopes(value)
    else:
        biases.buckets(selection, value)
