"""Who sees what: the masks of an encoder, a decoder and an encoder-decoder on typed words."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import streamlit as st

from attnlab.errors import AttnLabError, Cancelled
from attnlab.ui import engine, export, models, mount_sees, own, say, state
from attnlab.ui.architecture_selection import ARCHITECTURE, MOST_WRITTEN
from attnlab.ui.engine import sight
from attnlab.ui.export.menu import Savable
from attnlab.ui.selection import Selection
from attnlab.viz import svg
from attnlab.viz.figures import several
from attnlab.viz.numbers import Numbers
from attnlab.viz.sees import Sight

_KINDS: Final = {
    "encoder": ("Encoder", "BERT, MiniLM: every word sees every word."),
    "decoder": ("Decoder", "GPT, Llama: a word sees itself and the words before it."),
    "encoder-decoder": (
        "Encoder-decoder",
        "T5: what is read sees what is read; what is written also sees what came before it.",
    ),
}
_MASKS: Final = (
    "A mask says which words a word may look at; the others get no weight at all. Without one, a "
    "model that learns to write would see the word that it is to guess. The first three tables are "
    "the three kinds of transformer, the last is read off the loaded model's own scores: what it "
    "hides is −∞ there."
)


def draw(selection: Selection) -> None:
    """The tables on sentence A, and what an encoder-decoder would write for it."""
    reader = models.loaded(selection)
    with st.container(border=True, key="card-sees"):
        st.markdown("**Who may look at whom**", help=_MASKS)
        say.remark("Blue: may be looked at. Choose a word to see which words it may see.", "sees")
        slot = st.container(key="drawn-sees", gap=None)
        st.text_input(
            "What an encoder-decoder writes for it",
            key=own.seeded(ARCHITECTURE, "written"),
            on_change=own.keep_first,
            args=(ARCHITECTURE, "written", MOST_WRITTEN),
        )
        read, written = sight.words_of(reader, selection.a, own.current(ARCHITECTURE).written)
        sights = [
            Sight(*_KINDS[name], sight.kind(name, len(read), len(written))) for name in _KINDS
        ]
        with slot:
            sights += _own(reader, selection, read, written)
            row = _row(selection, len(read))
            mount_sees.sees(
                "sees",
                sights=sights,
                tokens=read,
                written=written,
                row=row,
                label="Who may look at whom in each kind of transformer",
                on_change=_clicked,
            )
        if max(len(read), len(written)) == sight.MOST_WORDS:
            say.remark(f"Up to {sight.MOST_WORDS} words of each text are drawn.", "sees-cut")
        with st.container(horizontal=True, key="actions-sees"):
            export.menu("save-sees", _savable(reader, selection, sights, read, written, row))


def _row(selection: Selection, count: int) -> int | None:
    """The word of A that is looked from: the chosen one, None where it is not drawn."""
    row = selection.position if selection.side == "A" else None
    if row is None or row < count:
        return row
    if count < sight.MOST_WORDS:  # the whole text is drawn, and it has no such word
        problem = f"A has {several(count, 'token')} and none numbered {row:,}."
        say.problem(problem, "sees-fit")
        state.publish(state.correct(problem, position=None, key=None))
    return None


def _own(
    reader: engine.Reader, selection: Selection, read: Sequence[Any], written: Sequence[Any]
) -> list[Sight]:
    """The loaded model's own mask, where it lets its scores be seen."""
    title = reader.title
    try:
        found = sight.measured(reader, tuple(read), tuple(written))
    except Cancelled:
        raise
    except AttnLabError as error:
        say.remark(f"{title}: {error}", "sees-model")
        return []
    if not found.seen:
        return []
    layer = min(found.seen, key=lambda one: abs(one - selection.layer))
    return [Sight(title, _about(found, layer), found.seen[layer])]


def _about(found: sight.Measured, layer: int) -> str:
    """Whose mask a model's own is, in all layers or in the drawn one."""
    if len(found.seen[layer]) == 1:
        return "Measured on this text: one word alone cannot tell one mask from another."
    kinds, named = set(found.kinds.values()), found.kinds[layer]
    whose = f"the mask of {'a decoder' if named == 'decoder' else f'an {named}'}"
    if named == "encoder-decoder":  # read from several roles, whose layers are counted apart
        return f"Measured on this text: {whose}."
    if len(kinds) == 1 and named:
        every = "its only layer" if len(found.kinds) == 1 else f"all {len(found.kinds)} layers"
        return f"Measured on this text: {whose}, in {every}."
    if named:
        return f"Measured on this text: layer {layer} has {whose}; others differ."
    return f"Measured on this text: layer {layer} has a mask of its own kind."


def _clicked() -> None:
    position = mount_sees.sees_value("sees")
    if position is not None:
        state.choose(side="A", position=position, key=None)


def _savable(
    reader: engine.Reader,
    selection: Selection,
    sights: Sequence[Sight],
    read: Sequence[Any],
    written: Sequence[Any],
    row: int | None,
) -> Savable:
    """The tables as files."""
    text = own.current(ARCHITECTURE).written
    caption = svg.Caption(
        "Who may look at whom",
        (("A", selection.a), ("A writes", text)),
        f"Words are the tokens of {reader.title}.",
    )
    looked = len(read) // 2 if row is None else row

    def draw_in(dark: bool, *notes: str) -> str:
        said = caption.noting(*notes)
        return svg.sees(sights, read, written, row=looked, caption=said, dark=dark)

    return Savable(
        "attnlab-who-sees-what", draw_in, partial(_numbers, reader, sights, read, written)
    )


def _numbers(
    reader: engine.Reader, sights: Sequence[Sight], read: Sequence[Any], written: Sequence[Any]
) -> Numbers:
    words = [engine.literal(reader, token) for token in (*read, *written)]
    rows = [
        [one.title, i, words[i], j, words[j], int(one.seen[i, j])]
        for one in sights
        for i in range(len(one.seen))
        for j in range(len(one.seen))
    ]
    return Numbers(
        "1 where the word of the query may look at the word of the key, else 0.",
        engine.provenance(reader),
        [],
        ("mask", "query", "query_token", "key", "key_token", "may_look"),
        rows,
        {one.title: one.seen.astype(int) for one in sights},
    )
