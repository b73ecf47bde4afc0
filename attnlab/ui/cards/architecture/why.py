"""Why it won: what must wait, how far apart two words are, and what that costs."""

import streamlit as st

from attnlab.analysis.paths import Full, Recurrent, Structure, Window
from attnlab.ui import explain, own, say
from attnlab.ui.architecture_selection import ARCHITECTURE, WINDOWS
from attnlab.ui.cards.architecture.keep import keep
from attnlab.ui.export import architecture as files
from attnlab.ui.mount_diagram import diagram
from attnlab.viz import curves
from attnlab.viz.curves import Curve
from attnlab.viz.diagram import Diagram

LENGTHS = tuple(2**power for power in range(1, 18))  # 2 to 131,072 positions
_CHARTS = (
    ("steps", "Steps that must wait for one another", "In one layer."),
    ("path", "Steps from the first word to the last", "Through as many layers as it takes."),
    ("work", "What it costs", "Values that one layer reads."),
)


def draw(window: int) -> None:
    """Three charts on the same lengths."""
    structures = (Recurrent(), Window(window), Full())
    with st.container(border=True, key="card-why"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-why"):
            st.markdown("**Against the length of the text**", width="stretch", help=explain.WHY)
            st.select_slider(
                "Window",
                WINDOWS,
                key=own.seeded(ARCHITECTURE, "window"),
                format_func="window of {:,}".format,
                label_visibility="collapsed",
                width=260,
            )
        with st.container(key="cards"):
            columns = st.columns(3, gap="medium")
        for column, (what, title, about) in zip(columns, _CHARTS, strict=True):
            with column:
                chart = _chart(structures, what, title)
                diagram(f"why-{what}", chart)
                say.remark(about, f"why-{what}")
                _keep(structures, what, title, about, chart)
        say.remark(
            "Every figure follows from what each value reads; a search of that graph finds the "
            "same. Writing goes word by word in all three; attention reads, and learns from, all "
            "words at once.",
            "why",
        )


def _chart(structures: tuple[Structure, ...], what: str, title: str) -> Diagram:
    styles = (("ink", False), ("feed", True), ("attention", False))
    lines = [
        Curve(one.name, [getattr(one, what)(n) for n in LENGTHS], *style)
        for one, style in zip(structures, styles, strict=True)
    ]
    return curves.curves(title, LENGTHS, lines, x_name="words", write=_short, high=280, wide=390)


def _short(value: float) -> str:
    """A count in few characters: 131,072, 8.6 bn."""
    if value >= 1e9:
        return f"{value / 1e9:,.3g} bn"
    return f"{value / 1e6:,.3g} M" if value >= 1e6 else f"{value:,.0f}"


def _keep(
    structures: tuple[Structure, ...], what: str, title: str, about: str, chart: Diagram
) -> None:
    rows = [[one.name, n, getattr(one, what)(n)] for one in structures for n in LENGTHS]
    window = next(one.size for one in structures if isinstance(one, Window))
    source = files.computed("the structure of each layer", "Vaswani et al. 2017, section 4")
    keep(
        *(what, what, title, chart, source),
        what=f"{title}. {about}",
        columns=("structure", "positions", what),
        rows=rows,
        notes=(f"The window holds {window:,} positions.",),
    )
