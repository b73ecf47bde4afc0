"""What if it were gone: what the model predicts, or says of a text, without chosen heads."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator as Place

from attnlab.analysis.baseline import Baseline
from attnlab.analysis.effects import Effect
from attnlab.ui import engine, explain, export, mount, phrases, say, scene, state
from attnlab.ui.cards.parts import action, choice, side_choice
from attnlab.ui.hosting import hosted
from attnlab.ui.scene import Scene
from attnlab.ui.selection import ABLATIONS, MAX_GONE

_RANDOM = 20
_ASKED = "_random_heads_asked"


def draw(of: Scene, wide: bool = False) -> Effect | None:
    """What becomes of the prediction, or of an encoder's output.

    Args:
        wide: whether the card has the width of the page: then the figures stand beside the words.

    Returns:
        The effect, where there is a prediction.
    """
    with st.container(border=True, key="card-effect", height="stretch"):
        words = figures = st.container()
        if wide:
            words, figures = st.columns(2, gap="large")
        with words:
            with st.container(horizontal=True, vertical_alignment="center", key="title-effect"):
                about = f"{explain.ABLATION} {explain.REPLACED}"
                st.markdown("**What if it were gone?**", width="stretch", help=about)
                side_choice(of, "Text to predict from")
            _tray(of)
        show = _effect if _predicts(of) else _moved
        return say.unless_refused(lambda: show(of, words, figures), "effect")


def _predicts(of: Scene) -> bool:
    return of.reader.lab.head_kind != "none"


def _tray(of: Scene) -> None:
    """Which heads are taken away, and what takes their place."""
    chosen, gone = of.selection.chosen, of.selection.gone
    heads = [
        (layer, head) for layer in of.reader.layers for head in range(of.reader.heads_in(layer))
    ]
    st.multiselect(
        "Heads taken away",
        heads,
        key=state.seeded("gone"),
        format_func=phrases.title,
        max_selections=MAX_GONE,
        placeholder=f"{phrases.title(chosen)}, the chosen head",
        label_visibility="collapsed",
        select_all=False,
    )
    with st.container(horizontal=True, vertical_alignment="center", key="replaced"):
        choice("What they hand on is", ABLATIONS, "ablation")
        if chosen not in gone and len(gone) < MAX_GONE:
            label = f"Add {phrases.title(chosen)}" if gone else "Several heads"
            kwargs = {"gone": (*gone, chosen)}
            action(label, "add-head", state.choose, kwargs=kwargs, help=explain.SEVERAL)
    if gone == (chosen,):
        say.remark("Open another head and add it, or type one into the box.", "tray")


def _effect(of: Scene, words: Place, figures: Place) -> Effect:
    heads, position = of.selection.taken_away, scene.effect_position(of)
    found = engine.effect(of.reader, of.passage(of.side), of.selection.ablation, heads, position)
    with words:
        size = phrases.size(found.kl, heads)
        fills = explain.FILLS if of.reader.lab.head_kind == "masked" else None
        say.remark(f"{phrases.prediction(of)} {size}{_hint(of)}", "effect", help=fills)
        # Figures only: nothing typed by anyone reaches this Markdown.
        st.markdown(f"**KL {found.kl:.4f}** nats", help=explain.KL)
    with figures:
        without = phrases.without(heads)
        label = f"Most likely words, as trained and {without}"
        mount.bars("bars", rows=found.rows, names=("as trained", without), label=label)
        others = _beside_others(of, found.kl, position, " nats")
        _below(of, export.effect(of, heads, position, found, others))
    return found


def _moved(of: Scene, words: Place, figures: Place) -> None:
    """An encoder without a language-model head: how far its output moves."""
    heads = of.selection.taken_away
    found = engine.moved(of.reader, of.passage(of.side), of.selection.ablation, heads)
    with words:
        says = "This model gives each text a vector and predicts no word."
        say.remark(f"{says} {phrases.movement(of, found)}", "effect")
        st.markdown(f"**Cosine distance {found.mean:.4f}**", help=explain.COSINE)
    tokens = of.reading(of.side).tokens
    with figures:
        mount.shifts(
            "shifts",
            rows=list(zip(tokens, found.tokens.tolist(), strict=True)),
            label="How far each token moves",
        )
        others = _beside_others(of, found.mean, None, "")
        _below(of, export.moved(of, heads, found, others))


def _hint(of: Scene) -> str:
    """What else could be asked, where nothing was clicked yet."""
    if of.selection.position is not None or scene.effect_position(of) < 0:
        return ""
    if of.reader.lab.head_kind == "masked":
        has = engine.mask_position(of.reader, of.reading(of.side).tokens) is not None
        mask = of.reader.lab.tokenizer.mask_token
        return "" if has else f" Write {mask} in the text to see what the model puts there."
    if of.selection.panel != "head":  # the others show no words to click, or want two
        return ""
    return " Click a word of the head to predict there instead."


def _beside_others(of: Scene, value: float, position: int | None, unit: str) -> Baseline | None:
    """The same with random heads: at once for a short text, else once someone asked for it."""
    if _waits_to_be_asked(of):
        return None
    heads, ablation = of.selection.taken_away, of.selection.ablation
    others = engine.baseline(
        of.reader, of.passage(of.side), ablation, len(heads), position, count=_RANDOM
    )
    words = phrases.beside_others(value, others, heads, unit)
    say.remark(words, "compared", help=explain.RANDOM)
    return others


def _waits_to_be_asked(of: Scene) -> bool:
    """Whether random heads are not run unasked: twenty more passes, on a server for many too."""
    long = len(of.reading(of.side).tokens) > engine.WHOLE_TOKENS
    return (long or hosted()) and not st.session_state.get(_ASKED, False)


def _below(of: Scene, kept: export.Savable) -> None:
    """What else can be done here."""
    with st.container(horizontal=True, gap="medium", key="actions-effect"):
        if _waits_to_be_asked(of):
            action(
                f"Compare with {_RANDOM} random heads",
                "compare-random",
                st.session_state.update,
                args=({_ASKED: True},),
                help=explain.RANDOM,
            )
        if _predicts(of) and scene.predicted_position(of) != scene.unasked_position(of):
            back = {"position": None, "key": None}
            action(f"Back to {phrases.unasked(of)}", "last-word", state.choose, kwargs=back)
        export.menu("save-effect", kept)
