"""Which layer knew: what each layer would say at each word, and the answer through the layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from attnlab.analysis.lens import Lens
from attnlab.ui import export, mount_diagram, say
from attnlab.ui.cards.trace import answers
from attnlab.ui.engine import trace
from attnlab.ui.export import trace as saved
from attnlab.ui.trace_answers import Prediction
from attnlab.viz import lensmap, lines
from attnlab.viz.diagram import Diagram
from attnlab.viz.svg.text import spoken

ABOUT: Final = (
    "The logit lens: the model’s own last step reads what stands after each layer, as if no layer "
    "came after it. In each field stands the word that would come; the stronger the blue, the "
    "likelier the word that the whole model says there. **Click a word of the text to follow its "
    "prediction.** Early layers write in a code of their own, so that the lens finds a word late "
    "does not prove that it was not known."
)
_ROWS: Final = 12
_WIDE: Final = 1080


def shown_rows(of: Prediction) -> tuple[int, ...]:
    """The words that have a row: of a long text those that end with the chosen one."""
    count = len(of.tokens)
    if count <= _ROWS:
        return tuple(range(count))
    end = max(of.position + 1, _ROWS)
    return tuple(range(end - _ROWS, end))


def draw(of: Prediction) -> None:
    """The card.

    Raises:
        AttnLabError: the stream cannot be read, or the work was stopped.
    """
    places = shown_rows(of)
    every = trace.lens_of(of.reader, of.passage, places, None)
    one = trace.lens_of(of.reader, of.passage, (of.position,), of.answer[1])
    other = None
    if of.other is not None:
        other = trace.lens_of(of.reader, of.passage, (of.position,), of.other[1])
    if len(places) < len(of.tokens):
        say.remark(
            f"Words {places[0]} to {places[-1]} of {len(of.tokens):,}: {_ROWS} have a row. Choose "
            "another word above to see those before it.",
            "lens-rows",
        )
    drawn = _map(of, every)
    mount_diagram.choices("lens", drawn, lambda: _clicked(places, len(every.layers), of.usual))
    chart = _chart(of, one, other)
    mount_diagram.diagram("lens-answer", chart)
    words = said(of, one)
    say.remark(words, "lens")
    with st.container(horizontal=True, key="actions-lens", gap="medium"):
        export.menu("save-lens", saved.lens(of, every, drawn), "Save the layers")
        kept = saved.answer(of, one, other, chart, words)
        export.menu("save-lens-answer", kept, "Save the curve")


def _clicked(places: tuple[int, ...], layers: int, usual: int) -> None:
    at = mount_diagram.spot_value("lens")
    if at is not None and at // layers < len(places):
        place = places[at // layers]
        answers.moved(-1 if place == usual else place)


def _map(of: Prediction, every: Lens) -> Diagram:
    names = [spoken(of.tokens[place]).strip() for place in every.positions]
    says = [[spoken(every.tokens[int(top)]).strip() for top in column] for column in every.top.T]
    right = [spoken(every.tokens[int(one)]).strip() for one in every.answer]

    def told(row: int, column: int) -> tuple[str, ...]:
        top, share = says[row][column], float(every.top_share[column, row])
        mine = float(every.share[column, row])
        rank = int(every.rank[column, row]) + 1
        return (
            f"after layer {every.layers[column]}, at “{names[row]}”",
            f"“{top}” {share:.2f}",
            f"“{right[row]}” {mine:.2g}, in place {rank:,}",
        )

    chosen = every.positions.index(of.position)
    shown = lensmap.LensMap(
        names,
        [f"L{layer}" for layer in every.layers],
        says,
        every.share.T.tolist(),
        told,
        chosen,
    )
    label = f"What the model would say after each of {len(every.layers)} layers, at each word."
    return lensmap.lens_map(shown, wide=_WIDE, label=label)


def _chart(of: Prediction, one: Lens, other: Lens | None) -> Diagram:
    """The probability of the answers after each layer."""
    drawn = [lines.Line(of.answer[0], one.share[:, 0].tolist(), "a")]
    if other is not None:
        values = other.share[:, 0].tolist()
        drawn.append(lines.Line(of.other[0], values, "mute", dashed=True))
    return lines.lines(
        f"Probability {of.where}",
        list(one.layers),
        drawn,
        x_name="after layer",
        write=lambda value: f"{value:.2g}",
        write_x=lambda value: f"{value:.0f}",
        span=(0.0, 1.0),
        high=190,
        wide=760,
    )


def said(of: Prediction, one: Lens) -> str:
    """From which layer on the answer leads, where it led before that, and where it stood."""
    word, share = of.answer[0], float(one.share[-1, 0])
    since, last = one.knew(), one.layers[-1]
    led = [layer for layer, rank in zip(one.layers, one.rank[:, 0], strict=True) if rank == 0]
    if since is None:
        end = f"at the end it has {share:.2g}, in place {int(one.rank[-1, 0]) + 1:,}"
        if not led:
            return f"“{word}” is never the likeliest; {end}."
        return f"“{word}” is the likeliest after {_several(led)}, and not in the end: {end}."
    if since == one.layers[0]:
        return f"“{word}” is the likeliest from the first layer on; at the end it has {share:.2f}."
    before = one.layers.index(since) - 1
    place = int(one.rank[before, 0]) + 1
    earlier = [layer for layer in led if layer < since]
    after = "after the last layer" if earlier else "only after the last layer"
    when = f"{after}, {last}" if since == last else f"from layer {since} on"
    also = f", as it was after {_several(earlier)}" if earlier else ""
    return (
        f"“{word}” is the likeliest {when}{also}: {share:.2f} at the end. "
        f"After layer {one.layers[before]} it stood in place {place:,}."
    )


def _several(layers: Sequence[int]) -> str:
    """Layers in words: "layer 3", "layers 3, 5 to 8 and 10"."""
    runs: list[list[int]] = []
    for layer in layers:
        if runs and layer == runs[-1][-1] + 1:
            runs[-1].append(layer)
        else:
            runs.append([layer])
    parts: list[str] = []
    for run in runs:
        parts += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run)
    words = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    return f"layer{'s' if len(layers) > 1 else ''} {words}"
