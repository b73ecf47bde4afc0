"""The texts: boxes that grow with them, examples, files, and a view that is kept as a file."""

from collections.abc import Callable

import streamlit as st

from attnlab.errors import AttnLabError
from attnlab.pretrained import catalogue
from attnlab.ui import example, explain, gallery, link, say, state, texts, viewfile
from attnlab.ui.phrases import title
from attnlab.ui.selection import SIDES, Selection, Side

_GALLERY, _FILE = "examples", "from-file"  # the popovers
_LONG = "_long_texts"
_FILE_PROBLEM = "_file_problem"
_LINE = 240  # characters that a box of one line still shows as a sentence
_AREA_HEIGHT = 128


def draw(selection: Selection) -> dict[Side, Callable[[], None]]:
    """The two boxes and what stands below them; returns what draws a target box under each."""
    targets = {}
    with st.container(key="sentences", gap="xsmall"):
        for side in SIDES:
            _box(side, side.lower(), f"Sentence {side}", _PLACEHOLDERS[side], selection)
            slot = st.container(key=f"target-{side.lower()}", gap=None)
            targets[side] = _target(slot, side, selection)
        _below(selection)
    for number, trouble in enumerate(st.session_state.pop(_FILE_PROBLEM, ())):
        say.problem(trouble, f"file-{number}")
    return targets


def draw_one(selection: Selection) -> Callable[[], None]:
    """The box of A alone, for pages that read one text; returns what draws its target below."""
    with st.container(key="sentences", gap="xsmall"):
        _box("A", "a", "Sentence A", _PLACEHOLDERS["A"], selection)
        _too_long(selection)
        return _target(st.container(key="target-a", gap=None), "A", selection)


_PLACEHOLDERS = {"A": "A sentence", "B": "A second sentence to compare with, or nothing"}


def _target(slot: st.delta_generator.DeltaGenerator, side: Side, selection: Selection) -> Callable:
    def box() -> None:
        with slot:
            field = f"target_{side.lower()}"
            hint = f"What the model writes for {side}, as far as it has got"
            _box(side, field, f"Target of {side}", hint, selection, letter="→")

    return box


def _box(
    side: Side, field: str, label: str, placeholder: str, selection: Selection, letter: str = ""
) -> None:
    """The box of one text, with its letter in its colour."""
    name = side.lower()
    with st.container(horizontal=True, vertical_alignment="center", key=f"row-{field}"):
        sign = "al-arrow" if letter else "al-letter"
        st.html(
            f'<span class="{sign} al-{name}" aria-hidden="true">{letter or side}</span>',
            width="content",
        )
        options = {"label_visibility": "collapsed", "placeholder": placeholder}
        if _long(getattr(selection, field)):
            key = state.seeded(field, "~long")
            st.text_area(label, key=key, height=_AREA_HEIGHT, **options)
        else:
            st.text_input(label, key=state.seeded(field), **options)


def _long(text: str) -> bool:
    """Whether a text gets a box of several lines: a box of one would drop its line ends."""
    return st.session_state.get(_LONG, False) or len(text) > _LINE or "\n" in text


def _below(selection: Selection) -> None:
    """The limits, and other ways to a text."""
    many = any(_long(text) for text in (selection.a, selection.b))
    with st.container(horizontal=True, vertical_alignment="center", key="ways", gap="small"):
        st.caption(
            f"{'Ctrl+Enter' if many else 'Enter'} applies. Up to {texts.MAX_TOKENS:,} tokens each; "
            "leave B empty for one text.",
            width="stretch",
        )
        with st.container(horizontal=True, key="other-ways", width="content", gap="small"):
            _other_ways(many)
    _made_for(selection)
    _too_long(selection)


def _too_long(selection: Selection) -> None:
    """A text that a reload would lose, said before it does, and a file that holds it."""
    if link.left_out(selection):
        with st.container(
            horizontal=True, vertical_alignment="center", key="too-long", gap="small"
        ):
            with st.container(key="remark-too-long", width="content"):
                st.text("This text is too long for a link.")
            save_view(selection, "save-long", "Save this view as a file instead")


def _made_for(selection: Selection) -> None:
    """A way to a text that the model was made for, while it is shown one that it was not."""
    if example.wanted(selection) is None:
        return
    entry = catalogue.entry(selection.model)
    with st.container(horizontal=True, vertical_alignment="center", key="made-for", gap="small"):
        with st.container(key="remark-made-for", width="content"):
            st.text(f"{entry.title} was made for other texts.")
        st.button("Show one", key="open-made-for", type="tertiary", on_click=_open_made_for)


def _open_made_for() -> None:
    now = state.chosen_now()
    found = example.of(now.model)
    st.session_state[_GALLERY] = False
    if found is not None:
        state.open_whole(example.applied(found, now))


def _other_ways(many: bool) -> None:
    """The gallery, a file, and boxes of several lines; `many`: a text asks for those itself."""
    for label, key, draw_in in (("Examples", _GALLERY, _examples), ("From a file", _FILE, _files)):
        with st.popover(label, type="tertiary", key=key, on_change="rerun") as popover:
            if popover.open:
                draw_in()
    asked = st.session_state.get(_LONG, False)
    st.button(
        "One line" if asked else "Long text",
        key="long-text",
        type="tertiary",
        on_click=_toggle_long,
        help=explain.LONG_TEXT,
        disabled=not asked and many,
    )


def save_view(selection: Selection, key: str, label: str) -> None:
    """A button that keeps the view as a file, which opens again here."""
    st.download_button(
        label,
        data=lambda: viewfile.dump(selection),
        file_name=viewfile.NAME,
        mime="application/json",
        key=key,
        on_click="ignore",
        type="tertiary",
        help=explain.SAVED_VIEW,
    )


def _toggle_long() -> None:
    st.session_state[_LONG] = not st.session_state.get(_LONG, False)


def _examples() -> None:
    """What the model was made for, then the gallery: pairs worth trying, one group at a time."""
    model = state.current().model
    made_for = example.of(model)
    if made_for is not None:
        with st.container(key="pair-made-for", gap=None):
            st.text(made_for.a, width="stretch")
            st.text(made_for.b, width="stretch")
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                say.remark(f"What {catalogue.entry(model).title} was made for.", "pair-made-for")
                st.button("Open", key="open-pair-made-for", on_click=_open_made_for)
    groups = dict(gallery.groups())
    group = st.pills(
        "Kind",
        list(groups),
        key="gallery-group",
        required=True,
        default=next(iter(groups)),
        label_visibility="collapsed",
    )
    for number, pair in enumerate(groups[group]):
        with st.container(key=f"pair-{number}", gap=None):
            st.text(pair.a, width="stretch")
            if pair.b:
                st.text(pair.b, width="stretch")
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                say.remark(pair.look_for, f"pair-{number}")
                where = "Open" if pair.head is None else f"Open at {title(pair.head)}"
                st.button(where, key=f"open-pair-{number}", on_click=_open_pair, args=(pair.name,))


def _open_pair(name: str) -> None:
    pair = gallery.named(name)
    st.session_state[_GALLERY] = False  # closes the popover, which would hide what was opened
    if pair is not None:
        state.open_whole(pair.applied(state.chosen_now()))


def _files() -> None:
    """A text or a saved view, read once when it is chosen."""
    st.segmented_control(
        "Where to",
        SIDES,
        key="file-side",
        default="A",
        required=True,
        format_func=lambda side: f"into {side}",
        label_visibility="collapsed",
    )
    st.file_uploader(
        "A text (.txt, .md) or a saved view (.json)",
        type=["txt", "md", "json"],
        key="file",
        max_upload_size=1,
        on_change=_file_chosen,
    )


def _file_chosen() -> None:
    """Puts the file's text into its box, or opens the view that it holds."""
    file = st.session_state.get("file")
    if file is None:
        return
    content = file.getvalue()
    st.session_state[_FILE] = False
    if viewfile.is_view(content):
        state.open_whole(*viewfile.load(content))
        return
    if file.name.lower().endswith(".json"):
        _, st.session_state[_FILE_PROBLEM] = viewfile.load(content)
        return
    try:
        text = texts.read_file(content, file.name)
    except AttnLabError as error:
        st.session_state[_FILE_PROBLEM] = (str(error),)
        return
    state.choose(**{st.session_state["file-side"].lower(): text})
