"""Why sinks stay: a long text through a window, with and without its first words."""

from typing import Final

import streamlit as st

from attnlab.ui import masks_long, models, say
from attnlab.ui.cards.masks import longtext
from attnlab.ui.masks_selection import MOST_SINKS, Masks
from attnlab.ui.selection import Selection

_SINKS: Final = (
    "Softmax must put its weight somewhere. Most heads rest it on the first token, the sink, when "
    "they have nothing to look for. A window that moves on takes that place away."
)
_ABSOLUTE: Final = (
    "Positions stay absolute here: a word that is kept keeps its place in the text. StreamingLLM "
    "(Xiao et al. 2023), which found this, renumbers the words that are in its cache."
)


def draw(selection: Selection, value: Masks) -> None:
    """The text, the window, how many first words are kept, and the loss by position.

    Raises:
        AttnLabError: the model or the text does not fit, or the work was stopped.
    """
    with st.container(border=True, key="card-sinks"):
        st.markdown("**The window moves on, the first words stay**", help=_SINKS)
        with st.container(horizontal=True, key="which-text", gap="medium"):
            longtext.text_choice()
            longtext.slider("Keep", "keep", range(1, MOST_SINKS + 1), _said)
        longtext.pasted(value)
        reader = models.loaded(selection)
        ids = longtext.read(value, reader)
        longtext.curves("sinks", value, reader, ids, masks_long.sinks(value))
        say.remark(_ABSOLUTE, "absolute")


def _said(keep: int) -> str:
    return "first token kept" if keep == 1 else f"first {keep} tokens kept"
