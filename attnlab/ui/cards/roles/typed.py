"""A head on the typed text, and what the text says without it."""

from __future__ import annotations

import streamlit as st

from attnlab.analysis.baseline import Baseline
from attnlab.ui import engine, explain, export, mount, phrases, say, scene
from attnlab.ui.hosting import hosted
from attnlab.ui.scene import Scene
from attnlab.viz.heads import full

_RANDOM = 20


def pattern(of: Scene) -> None:
    """Where the head looks on sentence A."""
    head = of.selection.chosen
    weights = of.weights("A", head)
    with st.container(border=True, key="card-typed", height="stretch"):
        st.markdown("**On your text**", help=explain.HEAD)
        options = scene.head_options(of)
        mount.head("typed", a=weights, tokens_a=of.a.tokens, label=full(head), **options)
        with st.container(horizontal=True, key="actions-typed"):
            export.menu("save-typed", export.head(of, weights, None))


def gone(of: Scene) -> None:
    """What is predicted, or how far the output moves, without the head."""
    with st.container(border=True, key="card-gone", height="stretch"):
        st.markdown("**What if it were gone?**", help=explain.ABLATION)
        show = _effect if of.reader.lab.head_kind != "none" else _moved
        say.unless_refused(lambda: show(of), "gone")


def _effect(of: Scene) -> None:
    heads, position = (of.selection.chosen,), scene.effect_position(of)
    passage, fill = of.passage("A"), of.selection.ablation
    found = engine.effect(of.reader, passage, fill, heads, position)
    say.remark(f"{phrases.prediction(of)} {phrases.size(found.kl, heads)}", "gone")
    # Figures only: nothing typed by anyone reaches this Markdown.
    st.markdown(f"**KL {found.kl:.4f}** nats", help=explain.KL)
    names = ("as trained", phrases.without(heads))
    mount.bars("gone-bars", rows=found.rows, names=names, label="Most likely words")
    others = _others(of, found.kl, position, " nats")
    with st.container(horizontal=True, key="actions-gone"):
        export.menu("save-gone", export.effect(of, heads, position, found, others))


def _moved(of: Scene) -> None:
    heads = (of.selection.chosen,)
    found = engine.moved(of.reader, of.passage("A"), of.selection.ablation, heads)
    says = "This model gives each text a vector and predicts no word."
    say.remark(f"{says} {phrases.movement(of, found)}", "gone")
    st.markdown(f"**Cosine distance {found.mean:.4f}**", help=explain.COSINE)
    rows = list(zip(of.a.tokens, found.tokens.tolist(), strict=True))
    mount.shifts("gone-shifts", rows=rows, label="How far each token moves")
    others = _others(of, found.mean, None, "")
    with st.container(horizontal=True, key="actions-gone"):
        export.menu("save-gone", export.moved(of, heads, found, others))


def _others(of: Scene, value: float, position: int | None, unit: str) -> Baseline | None:
    """The same with random heads; of a long text, or where many ask, it is left to Ablate."""
    if len(of.a.tokens) > engine.WHOLE_TOKENS or hosted():
        return None
    fill, passage = of.selection.ablation, of.passage("A")
    others = engine.baseline(of.reader, passage, fill, 1, position, count=_RANDOM)
    words = phrases.beside_others(value, others, (of.selection.chosen,), unit)
    say.remark(words, "gone-compared", help=explain.RANDOM)
    return others
