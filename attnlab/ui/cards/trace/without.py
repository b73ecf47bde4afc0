"""What happens without the part that is looked at: the prediction, and where a head looks."""

from __future__ import annotations

import statistics
from typing import Any, Final

import streamlit as st

from attnlab.analysis.attribution import Attribution
from attnlab.analysis.beside import COUNT, Beside
from attnlab.trace import ZeroFeedForward, ZeroHead
from attnlab.ui import engine, explain, export, mount, mount_diagram, say
from attnlab.ui.ablate_measure import write
from attnlab.ui.cards.trace import answers, asked
from attnlab.ui.cards.trace.parts import figure
from attnlab.ui.engine import edited, trace
from attnlab.ui.export import trace as saved
from attnlab.ui.phrases import title
from attnlab.ui.selection import Selection
from attnlab.ui.trace_answers import Prediction
from attnlab.ui.trace_selection import Traced
from attnlab.viz import together
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
    feeds = isinstance(edit, ZeroFeedForward)
    kind = "random feed-forwards" if feeds else "random heads"
    with st.container(border=True, key="card-without"):
        st.markdown(f"**Without {name}**", help=f"{_GONE} {explain.KL}")
        mount.bars(
            "without",
            rows=effect.rows,
            names=("as trained", "without it"),
            label=f"The likeliest words {of.where}",
        )
        waits = asked.waits(of.reader, of.passage)
        count = 0 if waits else COUNT
        part = (edit.layer, None if feeds else edit.head)
        found = trace.without(of.reader, of.passage, part, of.place, of.answer[1], count=count)
        title_ = f"{name[0].upper()}{name[1:]}"
        drawn = together.together(
            found.kl, [("KL, without it", found.kl)], found.others, write=write, others=kind
        )
        mount_diagram.diagram("without-others", drawn)
        words = said(of, found, kind, share)
        say.remark(words, "without", help=explain.RANDOM)
        with st.container(horizontal=True, key="actions-without", gap="medium"):
            if waits:
                asked.button(f"Compare with {COUNT} {kind}", "compare-without")
            kept = saved.without(of, title_, (edit,), effect, found, words)
            export.menu("save-without", kept)


def said(of: Prediction, found: Beside, kind: str, share: float | None) -> str:
    """What becomes of the answer and of the whole prediction, and what others make of both."""
    before, after = found.word
    words = f"“{of.answer[0]}”: {chance(before)} → {chance(after)}"
    moves = f"The whole prediction moves by {write(found.kl)} nats (KL)"
    if found.others:
        low, high = chance(min(found.words)), chance(max(found.words))
        between = low if low == high else f"{low} to {high}"
        words = f"{words}; without one of {len(found.others)} {kind}: {between}"
        least, most = write(min(found.others)), write(max(found.others))
        half = write(statistics.median(found.others))
        little = "next to nothing" if half == "0" else f"less than {half}"
        moves = f"{moves}, theirs by {least} to {most}, half by {little}"
    direct = "" if share is None else f" On the direct way it adds {figure(share)} logits."
    return f"{words}. {moves}.{direct}"


def chance(value: float) -> str:
    """A probability."""
    return f"{value:.2f}" if value >= 0.005 else f"{value:.1g}"


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
