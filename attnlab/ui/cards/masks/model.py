"""In the model: the same mask in the loaded model, and what becomes of its predictions."""

from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

from attnlab.errors import AttnLabError, Cancelled
from attnlab.ui import engine, export, masks_view, models, mount_masks, own, say, state, widget
from attnlab.ui.cards import edited, sentences
from attnlab.ui.cards.masks import controls
from attnlab.ui.cards.masks.paper import row_in
from attnlab.ui.cards.parts import action
from attnlab.ui.engine import Passage, sight
from attnlab.ui.export import masks as saved
from attnlab.ui.masks_cells import MOST_WORDS, NOTHING
from attnlab.ui.masks_selection import LAST_LAYER, MASKS, Masks
from attnlab.ui.masks_view import Sheet
from attnlab.ui.mount_diagram import diagram
from attnlab.ui.selection import Selection
from attnlab.viz import cells
from attnlab.viz.cells import Table
from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import several

_PAINT: Final = (
    "The mask takes the place of the model's own in the layers and heads chosen below; padding "
    "stays hidden. Click or drag to show or hide a cell. The prediction is that after the word "
    "whose row is chosen."
)
_DRAWN: Final = 192  # tokens whose mask is drawn at all
_NATIVE: Final = (
    "On: what the model hides by itself, such as a window in some of its layers, stays hidden. "
    "Off: the pattern alone counts."
)


def draw(selection: Selection, value: Masks) -> None:
    """The text, the mask over its tokens, and what it changes.

    Raises:
        AttnLabError: the model, the text or the mask does not fit; the message says why.
    """
    target = sentences.draw_one(selection)
    reader = models.loaded(selection)
    if not reader.layers:
        say.remark("This model shows no attention, so no mask of it can be changed.", "none")
        return
    if reader.writes:
        target()
    reader = engine.predicting(reader)
    passage = Passage(selection.a, selection.target_a)
    tokens, _ = engine.tokens_of(reader, passage, "Sentence A")
    if reader.writes and reader.role != "encoder" and not selection.target_a.strip():
        say.remark("The target is empty: one token stands for its start. Type some of it.", "start")
    sheet = _sheet(value, reader, tokens)
    with st.container(key="cards"):
        left, right = st.columns([1.35, 1], gap="small")
    with left, st.container(border=True, key="card-mask"):
        _mask(value, reader, sheet, tokens)
    edits = (_edit(value, reader, sheet),)
    edited.draw(
        edited.Shown(
            "masked",
            reader,
            passage,
            edits,
            masks_view.TITLES[value.kind],
            position=sheet.row,
            look=selection.chosen,
            on_look=_opened,
        ),
        (left, right),
    )


def _sheet(value: Masks, reader: engine.Reader, tokens: Sequence[Any]) -> Sheet:
    """The mask over the tokens; cells are painted on short texts only."""
    n = len(tokens)
    painted = value.painted.within(n) if n <= MOST_WORDS else NOTHING
    if painted != value.painted:
        say.problem("This text has no place for some of the painted cells.", "painted")
    base = value.pattern.mask(n, native=value.native).visible(n, reader.causal).numpy()
    words = tuple(engine.literal(reader, token) for token in tokens)
    return Sheet(words, base, painted, row_in(value.at, n, "at"))


def _mask(value: Masks, reader: engine.Reader, sheet: Sheet, tokens: Sequence[Any]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="title-mask"):
        st.markdown("**Who may look at whom**", width="content", help=_PAINT)
        say.pill(several(len(tokens), "token"), "tokens")
        with st.container(key="answer-count", width="content"):
            st.text(masks_view.counted(sheet))
        say.remark(masks_view.share(sheet), "share")
    controls.draw(value, sheet.words)
    _where(value, reader, tokens)
    if len(tokens) > MOST_WORDS:
        say.remark(f"Texts of up to {MOST_WORDS} tokens can be painted by hand.", "long")
        if len(tokens) <= _DRAWN:
            diagram("mask-long", _still(sheet))
        return
    mount_masks.paint(
        "mask",
        words=tokens,
        base=sheet.base,
        cells=sheet.cells,
        row=sheet.row,
        predicts=reader.lab.head_kind == "causal",
        label="Who may look at whom in the loaded model",
        on_change=_painted,
    )
    with st.container(horizontal=True, gap="medium", key="actions-mask"):
        if sheet.cells:
            action("Back to the pattern", "unpaint", _unpaint)
        export.menu("save-mask", saved.mask(value, sheet))


def _still(sheet: Sheet) -> Diagram:
    """The mask of a text that is too long to be painted."""
    numbers = [(at, f"{at:,}") for at, _ in cells.some(len(sheet.words), 440, 30)]
    one = Table(
        "",
        sheet.seen.astype(float),
        rows=numbers,
        columns=numbers,
        kinds=("attention", "attention"),
        column_name="position",
    )
    return cells.tables([one], wide=520, tall=440, left=44, label=masks_view.counted(sheet))


def _painted() -> None:
    done = mount_masks.paint_value("mask")
    if done is not None:
        own.choose(MASKS, at=done[0], painted=done[1])


def _unpaint() -> None:
    own.choose(MASKS, painted=NOTHING)


def _where(value: Masks, reader: engine.Reader, tokens: Sequence[Any]) -> None:
    """Which layers and heads, and whether the model's own windows stay."""
    if not any(value.first <= layer <= value.last for layer in reader.layers):
        which = f"from {value.first:,} to {value.last:,}"
        say.problem(f"There are no layers {which} here, so every layer is changed.", "layers")
        own.publish(MASKS, own.correct(MASKS, first=0, last=LAST_LAYER))
    with st.container(horizontal=True, vertical_alignment="center", key="switches", gap="medium"):
        _layers(value, reader)
        _heads(value, reader)
        if _has_own(reader, tuple(tokens)) or not value.native:
            key = own.seeded(MASKS, "native")
            st.toggle("The model's own windows stay", key=key, help=_NATIVE)


def _layers(value: Masks, reader: engine.Reader) -> None:
    layers = reader.layers
    if len(layers) < 2:
        return
    key = widget.mirrored("masks-layers", _span(value, layers))
    st.slider(
        "Layers",
        layers[0],
        layers[-1],
        key=key,
        on_change=_layers_chosen,
        args=(key, layers[0], layers[-1]),
        format="Layer %d",
        label_visibility="collapsed",
        width=290,
    )


def _span(value: Masks, layers: Sequence[int]) -> tuple[int, int]:
    """The first and the last of the layers that are changed."""
    within = [layer for layer in layers if value.first <= layer <= value.last]
    return (within[0], within[-1]) if within else (layers[0], layers[-1])


def _layers_chosen(key: str, least: int, most: int) -> None:
    first, last = st.session_state[key]
    every = (first, last) == (least, most)
    own.choose(MASKS, first=0 if every else first, last=LAST_LAYER if every else last)


def _heads(value: Masks, reader: engine.Reader) -> None:
    there = tuple(head for head in value.heads if head < reader.heads)
    if there != value.heads:
        say.problem("Heads that this model does not have were left out.", "heads")
        own.publish(MASKS, own.correct(MASKS, heads=there))
    st.multiselect(
        "Heads",
        range(reader.heads),
        key=own.seeded(MASKS, "heads"),
        format_func="Head {}".format,
        placeholder="Every head",
        label_visibility="collapsed",
        select_all=False,
        width=230,
    )


def _has_own(reader: engine.Reader, tokens: tuple[Any, ...]) -> bool:
    """Whether a layer hides something of its own on this text; True where that cannot be seen."""
    if reader.writes or len(tokens) > sight.MOST_WORDS:
        return True
    try:
        return not all(sight.measured(reader, tokens, ()).kinds.values())
    except Cancelled:
        raise
    except AttnLabError:
        return True


def _edit(value: Masks, reader: engine.Reader, sheet: Sheet) -> Any:
    """The mask as an edit of the loaded model."""
    first, last = _span(value, reader.layers)
    layers = tuple(layer for layer in reader.layers if first <= layer <= last)
    heads = tuple(head for head in value.heads if head < reader.heads)
    return value.pattern.mask(
        len(sheet.words),
        shown=sheet.cells.shown,
        hidden=sheet.cells.hidden,
        layers=None if layers == reader.layers else layers,
        heads=heads or None,
        role=reader.role,
        native=value.native,
    )


def _opened(head: tuple[int, int]) -> None:
    state.choose(layer=head[0], head=head[1])
