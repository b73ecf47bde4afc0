"""Layouts: a window in most layers, full attention in every k-th."""

from typing import Final

import streamlit as st

from attnlab.ui import masks_long, models, say
from attnlab.ui.cards.masks import longtext
from attnlab.ui.masks_selection import EVERY, MOST_SINKS, Masks
from attnlab.ui.mount_diagram import diagram
from attnlab.ui.selection import Selection
from attnlab.viz.figures import ordinal
from attnlab.viz.layout import layout

_LAYOUTS: Final = (
    "A layer with full attention keeps every key and value, one with a window only the last few. "
    "Models such as Gemma 2 and gpt-oss alternate, and keep much less for a long text."
)
_TRAINED: Final = (
    "Models with such a layout were trained with it. Here the windows are put into the loaded "
    "model afterwards, which has never had to do without what they hide."
)


def draw(selection: Selection, value: Masks) -> None:
    """The text, the layout, and the loss by position.

    Raises:
        AttnLabError: the model or the text does not fit, or the work was stopped.
    """
    with st.container(border=True, key="card-layouts"):
        st.markdown("**A window in most layers, full attention in some**", help=_LAYOUTS)
        with st.container(horizontal=True, key="which-text", gap="medium"):
            longtext.text_choice()
            longtext.slider("Every", "every", EVERY, _every)
            longtext.slider("Hold", "hold", range(MOST_SINKS + 1), _hold)
        longtext.pasted(value)
        reader = models.loaded(selection)
        open_ = masks_long.full_layers(reader.layers, value.every)
        diagram("layout", layout(reader.layers, open_, ("full attention", "window")))
        ids = longtext.read(value, reader)
        longtext.curves("layouts", value, reader, ids, masks_long.layouts(value, reader.layers))
        say.remark(_TRAINED, "trained")


def _every(every: int) -> str:
    return f"every {ordinal(every)} layer full"


def _hold(hold: int) -> str:
    if not hold:
        return "windows keep no first token"
    return "windows keep the first token" if hold == 1 else f"windows keep {hold} first tokens"
