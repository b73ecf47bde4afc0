"""Work of many runs that waits to be asked for: on long texts, and on a server for many.

What was asked for last is remembered for the session, by the name of the work.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

import streamlit as st

from attnlab.ui import engine, work
from attnlab.ui.cards.parts import action
from attnlab.ui.engine.keys import Passage
from attnlab.ui.hosting import hosted

_ASKED: Final = "_trace_asked"
_MOST: Final = 16


def waits(reader: engine.Reader, *passages: Passage, what: Hashable = "others") -> bool:
    """Whether nothing is run yet: it would take long, and nobody has asked for it.

    Args:
        what: which work; a button of the same ``what`` starts it.
    """
    longest = max(len(reader.lab.tokens(passage.text)) for passage in passages)
    return (longest > engine.WHOLE_TOKENS or hosted()) and what not in st.session_state.get(
        _ASKED, ()
    )


def button(label: str, key: str, what: Hashable = "others") -> None:
    """Starts the work, also where it was stopped."""
    action(label, key, _start, args=(what,))


def _start(what: Hashable) -> None:
    work.resume()
    before = st.session_state.get(_ASKED, ())
    st.session_state[_ASKED] = (*before, what)[-_MOST:]
