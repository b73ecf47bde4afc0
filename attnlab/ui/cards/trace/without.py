"""What happens without the part that is looked at: the prediction, and where a head looks."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from attnlab.analysis.attribution import Attribution
from attnlab.trace import ZeroFeedForward, ZeroHead
from attnlab.ui import engine, explain, mount, say
from attnlab.ui.cards.trace import answers
from attnlab.ui.cards.trace.parts import figure
from attnlab.ui.engine import edited
from attnlab.ui.phrases import title
from attnlab.ui.selection import Selection
from attnlab.ui.trace_answers import Prediction
from attnlab.ui.trace_selection import Traced
from attnlab.viz.heads import full

_GONE: Final = (
    "The part is set to zero and the model reads the text anew. What a part adds on the direct way "
    "is not what is lost without it: later layers read what it wrote, and may make up for it."
)


def draw(of: Prediction, chosen: Selection, value: Traced, found: Attribution | None) -> None:
    """Two cards side by side; of a feed-forward one.

    Raises:
        AttnLabError: the part cannot be taken away, or the work was stopped.
    """
    if value.feed >= 0:
        name, edit = f"the feed-forward of layer {value.feed}", ZeroFeedForward(value.feed)
        _prediction(of, name, edit, _share(found, "feed_forward", value.feed, None))
        return
    layer, head = chosen.chosen
    with st.container(key="cards"):
        left, right = st.columns(2, gap="small")
    with left:
        edit = ZeroHead(layer, head, of.reader.role)
        _prediction(of, title(chosen.chosen), edit, _share(found, "head", layer, head))
    with right:
        _looks(of, chosen)


def _share(found: Attribution | None, part: str, layer: int, head: int | None) -> float | None:
    """What the part adds on the direct way, where that is known."""
    if found is None:
        return None
    table = found.parts
    rows = table[(table.part == part) & (table.layer == layer)]
    rows = rows if head is None else rows[rows["head"] == head]
    return float(rows.share.iloc[0]) if len(rows) else None


def _prediction(of: Prediction, name: str, edit: Any, share: float | None) -> None:
    effect = edited.predicted(of.reader, of.passage, (edit,), of.position)
    with st.container(border=True, key="card-without"):
        st.markdown(f"**Without {name}**", help=f"{_GONE} {explain.KL}")
        mount.bars(
            "without",
            rows=effect.rows,
            names=("as trained", "without it"),
            label=f"The likeliest words {of.where}",
        )
        mine = of.answer[1]
        row = next((row for row in effect.rows if row[0].id == mine), None)
        words = f"The prediction moves by {effect.kl:.3g} nats (KL)."
        if row is not None:
            words = f"“{of.answer[0]}”: {row[1]:.2f} → {row[2]:.2f}. {words}"
        if share is not None:
            words = f"{words} On the direct way it adds {figure(share)} logits."
        say.remark(words, "without")


def _looks(of: Prediction, chosen: Selection) -> None:
    reading = engine.read(of.reader, of.passage, "Sentence A", chosen.chosen)
    with st.container(border=True, key="card-looks"):
        st.markdown(f"**Where {title(chosen.chosen)} looks**", help=explain.WEIGHT)
        mount.head(
            "trace-head",
            a=engine.head_weights(of.reader, of.passage, reading, *chosen.chosen),
            tokens_a=reading.tokens,
            row_a=of.position,
            mode="words",
            causal=of.reader.causal,
            sink=of.reader.sink,
            label=full(chosen.chosen),
            on_change=lambda: _word_clicked(of.usual),
        )


def _word_clicked(usual: int) -> None:
    pin = mount.head_value("trace-head")
    if pin is not None:
        answers.moved(-1 if pin["position"] == usual else pin["position"])
