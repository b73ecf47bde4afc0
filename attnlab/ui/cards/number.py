"""A number to type, with its name beside it, or to choose among a few."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from attnlab.ui import own


def number(
    page: own.Page,
    field: str,
    title: str,
    least: float,
    most: float,
    *,
    step: float = 1,
    width: int = 110,
    about: str = "",
) -> None:
    """A box that edits ``field`` of a page; all of its numbers are whole, or none is.

    Args:
        width: of the box alone, CSS pixels.
        about: what is said of the name under the pointer; plain words of ours.
    """
    said = f' title="{about}"' if about else ""
    with st.container(
        horizontal=True,
        vertical_alignment="center",
        width="content",
        gap="small",
        key=f"size-{field}",
    ):
        st.html(f'<span class="al-size"{said}>{title}</span>', width="content")
        st.number_input(
            title,
            min_value=least,
            max_value=most,
            step=step,
            key=own.seeded(page, field),
            label_visibility="collapsed",
            width=width,
        )


def few(
    page: own.Page,
    label: str,
    field: str,
    options: Sequence[Any],
    words: Callable[[Any], str],
    wide: int = 230,
) -> None:
    """A slider that edits ``field`` of a page; ``words`` says what it stands at."""
    st.select_slider(
        label,
        options,
        key=own.seeded(page, field),
        format_func=words,
        label_visibility="collapsed",
        width=wide,
    )
