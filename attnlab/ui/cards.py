"""The three cards of the Heads page: all heads, the chosen head, and what it does.

Each takes what was computed and draws it. Clicks end up in the selection, by a callback.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import streamlit as st

from attnlab.errors import AttnLabError, Cancelled
from attnlab.ui import engine, mount, say, state
from attnlab.ui.selection import ABLATIONS, MODES, VIEWS, Selection
from attnlab.viz.align import first_difference, pairs
from attnlab.viz.difference import largest
from attnlab.viz.tokens import label

_VIEW_WORDS: Final = {"B-A": "B − A"}
_ABLATION_WORDS: Final = {"zero": "set to zero", "mean": "set to its mean"}


@dataclass(frozen=True)
class Scene:
    """What the page is about: the model, one or two sentences, and every head on them."""

    reader: engine.Reader
    selection: Selection
    a: engine.Reading
    b: engine.Reading | None

    @property
    def view(self) -> str:
        """The view that can be shown: without a second sentence only A."""
        return self.selection.view if self.b is not None else "A"

    @property
    def side(self) -> str:
        """The sentence whose prediction is looked at."""
        return self.selection.side if self.b is not None else "A"

    def reading(self, side: str) -> engine.Reading:
        return self.b if side == "B" and self.b is not None else self.a

    def text(self, side: str) -> str:
        return self.selection.b if side == "B" else self.selection.a


def grid_card(scene: Scene) -> None:
    """Every head on one canvas."""
    layers, heads = scene.a.maps.shape[:2]
    with st.container(border=True, key="card-grid", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", key="head-grid"):
            st.markdown("**All heads**", width="content")
            with st.container(key="about-grid", width="stretch"):
                st.text(_about_grid(scene, layers, heads))
            st.toggle(
                "Leave out the first token",
                key=state.seeded("drop_first"),
                help="Most heads rest on the first token, which would drown everything else. "
                "Its column is left out of the drawing; no other value changes.",
            )
            if scene.b is not None:
                st.segmented_control(
                    "Sentence",
                    VIEWS,
                    key=state.seeded("view"),
                    required=True,
                    format_func=lambda view: _VIEW_WORDS.get(view, view),
                    label_visibility="collapsed",
                )
        mount.grid(
            "grid",
            a=scene.a.maps,
            b=None if scene.b is None else scene.b.maps,
            tokens_a=scene.a.tokens,
            tokens_b=None if scene.b is None else scene.b.tokens,
            view=scene.view,
            drop_first=scene.selection.drop_first,
            causal=engine.causal(scene.reader),
            selected=(scene.selection.layer, scene.selection.head),
            on_change=_head_chosen,
        )


def head_card(scene: Scene, a: np.ndarray, b: np.ndarray | None) -> None:
    """The chosen head on both sentences: [Q, S] weights each."""
    chosen, causal = scene.selection, engine.causal(scene.reader)
    row_a, row_b = pinned_rows(scene)
    with st.container(border=True, key="card-head", height="stretch"):
        with st.container(horizontal=True, vertical_alignment="center", key="head-head"):
            st.markdown(f"**Layer {chosen.layer} · Head {chosen.head}**", width="content")
            with st.container(key="about-head", width="stretch"):
                _badge(scene, a, b, causal)
            st.segmented_control(
                "Drawn as",
                MODES,
                key=state.seeded("mode"),
                required=True,
                label_visibility="collapsed",
            )
        mount.head(
            "head",
            a=a,
            b=b,
            tokens_a=scene.a.tokens,
            tokens_b=None if scene.b is None else scene.b.tokens,
            mode=chosen.mode,
            row_a=row_a,
            row_b=row_b,
            causal=causal,
            on_change=_word_pinned,
        )


def effect_card(scene: Scene) -> None:
    """What the prediction becomes without the head."""
    with st.container(border=True, key="card-effect", height="stretch"):
        with st.container(horizontal=True, vertical_alignment="center", key="head-effect"):
            st.markdown("**What if it were gone?**", width="stretch")
            if scene.b is not None and scene.reader.lab.head_kind != "none":
                st.segmented_control(
                    "Sentence to predict from",
                    ("A", "B"),
                    key=state.seeded("side"),
                    required=True,
                    label_visibility="collapsed",
                    on_change=_side_changed,
                    args=(pairs(scene.a.tokens, scene.b.tokens),),
                )
        if scene.reader.lab.head_kind == "none":
            _without_prediction(scene)
            return
        st.segmented_control(
            "The head's output",
            ABLATIONS,
            key=state.seeded("ablation"),
            required=True,
            format_func=_ABLATION_WORDS.__getitem__,
            label_visibility="collapsed",
        )
        try:
            _effect(scene)
        except Cancelled:
            raise
        except AttnLabError as error:
            say.problem(str(error), "effect")


def predicted_position(scene: Scene) -> int:
    """The token after which the prediction is looked at: the clicked one, else the last."""
    tokens = scene.reading(scene.side).tokens
    position = scene.selection.position
    if position is None or scene.selection.side != scene.side or position >= len(tokens):
        return len(tokens) - 1
    return position


def pinned_rows(scene: Scene) -> tuple[int | None, int | None]:
    """The looked-from position of A and of B: the clicked word, else the first that differs."""
    if scene.selection.position is None:
        if scene.b is None:
            return _last_word(scene.a.tokens), None
        differs = first_difference(scene.a.tokens, scene.b.tokens)
        if differs is None:
            return _last_word(scene.a.tokens), None
        return (
            min(differs, len(scene.a.tokens) - 1),
            min(differs, len(scene.b.tokens) - 1),
        )
    position = predicted_position(scene)
    if scene.b is None:
        return position, None
    to_b = dict(pairs(scene.a.tokens, scene.b.tokens))
    to_a = {there: here for here, there in to_b.items()}
    if scene.side == "A":
        return position, to_b.get(position, len(scene.b.tokens) - 1)
    return to_a.get(position, len(scene.a.tokens) - 1), position


def _about_grid(scene: Scene, layers: int, heads: int) -> str:
    parts = [f"{layers} layers, left to right", f"{heads} heads"]
    reading = scene.a if scene.view == "A" or scene.b is None else scene.b
    share = reading.first_share
    if share is not None:
        taken = f"takes {share:.0%} of all attention"
        dropped = scene.selection.drop_first
        parts.append(f"first token left out (it {taken})" if dropped else f"first token {taken}")
    if not reading.whole:
        parts.append(
            f"drawn as the strongest of each part, {engine.WHOLE_TOKENS} × "
            f"{engine.WHOLE_TOKENS} a head"
        )
    if scene.view == "B-A":
        parts.append("rows that can differ" if engine.causal(scene.reader) else "B minus A")
    return " · ".join(parts)


def _badge(scene: Scene, a: np.ndarray, b: np.ndarray | None, causal: bool) -> None:
    """Where the two sentences differ most in this head."""
    if b is None or scene.b is None:
        return
    change = largest(
        a, b, scene.a.tokens, scene.b.tokens, drop_first=scene.selection.drop_first, causal=causal
    )
    if change is None:
        say.pill("the same on both", "head")
        return
    tokens = scene.b.tokens
    say.pill(f"changes most on {label(tokens[change.query])} → {label(tokens[change.key])}", "head")


def _effect(scene: Scene) -> None:
    chosen, side = scene.selection, scene.side
    position = predicted_position(scene)
    found = engine.effect(
        scene.reader, scene.text(side), chosen.ablation, chosen.layer, chosen.head, position
    )
    say.remark(f"{_prediction(scene, position)} {_size(found.kl)}", "effect")
    # Figures only: nothing typed by anyone reaches this Markdown.
    st.markdown(f"**KL {found.kl:.4f}** nats")
    mount.bars("bars", rows=found.rows, label="Most likely words with and without the head")
    if chosen.position is not None:
        st.button(
            "Back to the last word",
            type="tertiary",
            on_click=state.choose,
            kwargs={"position": None},
        )


def _prediction(scene: Scene, position: int) -> str:
    """What is predicted, and where."""
    tokens = scene.reading(scene.side).tokens
    if scene.reader.lab.head_kind == "masked":
        return f"The word predicted at “{label(tokens[position])}”"
    return f"The next word after “{_phrase(tokens, position)}”"


def _phrase(tokens: Any, position: int) -> str:
    """The token at `position` with the two before it: “too wide.” says more than “.”."""
    near = [token for token in tokens[max(0, position - 2) : position + 1] if not token.special]
    whole = [token.text for token in near if token.piece is None or token.piece[0] == 1]
    return "".join(whole).strip() or label(tokens[position])


def _size(kl: float) -> str:
    """What a divergence in nats amounts to, in words."""
    if kl < 0.02:
        return "hardly moves. A head can look without mattering."
    if kl < 0.1:
        return "moves a little."
    if kl < 0.5:
        return "moves clearly."
    return "is no longer the same: this head matters here."


def _without_prediction(scene: Scene) -> None:
    say.remark(
        "This model gives each text a vector and predicts no word, "
        "so there is no prediction to compare.",
        "effect",
    )


def _last_word(tokens: Any) -> int:
    """The last token that is not special."""
    words = [position for position, token in enumerate(tokens) if not token.special]
    return words[-1] if words else len(tokens) - 1


def _head_chosen() -> None:
    chosen = mount.grid_value("grid")
    if chosen is not None:
        state.choose(layer=chosen[0], head=chosen[1])


def _word_pinned() -> None:
    pin = mount.head_value("head")
    if pin is not None:
        state.choose(side=pin["side"], position=pin["position"])


def _side_changed(matching: list[tuple[int, int]]) -> None:
    """The other sentence: its token that corresponds to the clicked one, where there is one."""
    chosen = state.chosen_now()
    if chosen.position is None:
        return
    here_to_there = {here: there for here, there in matching}
    if chosen.side == "A":
        here_to_there = {there: here for here, there in matching}
    state.choose(position=here_to_there.get(chosen.position))
