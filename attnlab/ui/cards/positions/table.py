"""The learned table of a model: how alike the vectors of its positions are."""

from typing import Final

import streamlit as st

from attnlab.ui import say
from attnlab.ui.cards.positions import parts
from attnlab.ui.cards.positions.subject import model_with
from attnlab.ui.engine import positions as engine
from attnlab.ui.engine.positions import LearnedTable
from attnlab.ui.export import architecture as files
from attnlab.ui.selection import Selection
from attnlab.viz import cells
from attnlab.viz.cells import Table
from attnlab.viz.figures import ordinal
from attnlab.viz.lines import Line, lines

_ALIKE: Final = (
    "The cosine between the vectors of two positions: teal 1, the same direction; white 0; brown "
    "−1, opposite. Nobody told the model that 7 comes after 6: that neighbours are alike was "
    "learned."
)
_LENGTH: Final = "How long each position’s vector is. Where it is short, order is said quietly."
_OTHER: Final = "minilm-l6"


def draw(selection: Selection) -> None:
    """The table of the loaded model, or MiniLM's."""
    reader, found, lacks = model_with(selection, _OTHER, engine.learned_table)
    if found is None:
        say.remark("No model with a table of positions can be opened here.", "table-none")
        return
    source = files.of_model(reader, None)
    with st.container(key="cards"):
        left, right = st.columns(2, gap="small")
    with left, st.container(border=True, key="card-table"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-table"):
            st.markdown("**How alike positions are**", width="content", help=_ALIKE)
            say.pill(reader.title, "table-model")
        if lacks:
            say.remark(lacks, "table-lacks")
        _alike(found, reader.title, source)
    with right, st.container(border=True, key="card-lengths"):
        st.markdown("**How long their vectors are**", help=_LENGTH)
        _lengths(found, reader.title, source)


def _alike(found: LearnedTable, title: str, source: files.Source) -> None:
    count = len(found.chosen)
    numbers = [(at, f"{found.chosen[at]:,}") for at, _ in cells.some(count, 440, 44)]
    one = Table(
        "",
        found.likeness,
        rows=numbers,
        columns=numbers,
        kinds=("attention", "brown"),
        column_name="position",
    )
    drawn = cells.tables(
        [one], wide=520, tall=440, left=44, label=f"Cosines between {count} positions of {title}."
    )
    parts.picture("table", drawn)
    step = found.chosen[1] - found.chosen[0] if count > 1 else 1
    shown = "every one is" if step == 1 else f"{count} positions, every {ordinal(step)}, are"
    near = float(found.likeness.diagonal(1).mean()) if count > 1 else 1.0
    said = (
        f"A table of {found.longest:,} positions, {found.width} numbers each; {shown} drawn. "
        f"Neighbours in the picture: cosine {near:.2f} on average."
    )
    say.remark(said, "table")
    parts.keep(
        "table",
        f"Learned positions of {title}: how alike",
        drawn,
        source,
        what="Cosine between the vectors of two positions.",
        columns=("position", *(f"p{at}" for at in found.chosen)),
        rows=[[at, *map(float, row)] for at, row in zip(found.chosen, found.likeness, strict=True)],
        notes=(said,),
    )


def _lengths(found: LearnedTable, title: str, source: files.Source) -> None:
    x = list(range(found.longest))
    drawn = lines(
        "",
        x,
        [Line("length", found.lengths.tolist(), "attention", named=False)],
        x_name="position",
        span=(0.0, float(found.lengths.max())),
    )
    parts.picture("lengths", drawn)
    last = found.longest - 1
    said = f"After position {last:,} there is no vector: a longer text cannot be read."
    say.remark(said, "lengths")
    parts.keep(
        "table-lengths",
        f"Learned positions of {title}: how long",
        drawn,
        source,
        what="Length of the vector of each position.",
        columns=("position", "length"),
        rows=[[at, float(length)] for at, length in enumerate(found.lengths)],
        notes=(said,),
    )
