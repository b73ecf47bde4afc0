"""What the page Trace a prediction draws, as files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from attnlab.analysis.attribution import Attribution
from attnlab.analysis.beside import Beside
from attnlab.analysis.effects import Effect
from attnlab.analysis.lens import Lens
from attnlab.analysis.meaning import Meaning
from attnlab.analysis.patching import Patching
from attnlab.ui.engine.keys import Passage
from attnlab.ui.engine.model import Reader
from attnlab.ui.engine.trace import Exchange
from attnlab.ui.export import architecture as files
from attnlab.ui.export.menu import Savable
from attnlab.ui.trace_answers import Prediction
from attnlab.viz.diagram import Diagram
from attnlab.viz.numbers import Numbers
from attnlab.viz.svg.bars import bars
from attnlab.viz.svg.frame import Caption
from attnlab.viz.svg.text import spoken


def lens(of: Prediction, every: Lens, drawn: Diagram) -> Savable:
    """What each layer would say at each word."""
    rows = [
        [
            layer,
            place,
            spoken(of.tokens[place]),
            spoken(every.tokens[int(every.top[at, column])]),
            float(every.top_share[at, column]),
            spoken(every.tokens[int(every.answer[column])]),
            float(every.share[at, column]),
            int(every.rank[at, column]),
            float(every.kl[at, column]),
        ]
        for at, layer in enumerate(every.layers)
        for column, place in enumerate(every.positions)
    ]
    names = ("layer", "position", "token", "says", "probability", "final")
    return files.picture(
        "attnlab-lens",
        "What the model would say after each layer",
        drawn,
        files.of_model(of.reader, of.passage),
        what="The likeliest word after each layer, and the probability of what the whole model "
        "says; likelier: how many words are likelier; kl in nats from the model's prediction.",
        columns=(*names, "final_probability", "likelier", "kl"),
        rows=rows,
    )


def answer(of: Prediction, one: Lens, other: Lens | None, drawn: Diagram, said: str) -> Savable:
    """The answers through the layers."""
    rows = []
    for word, found in ((of.answer, one), (of.other, other)):
        if found is not None:
            rows += [
                [word[0], layer, float(share), int(rank)]
                for layer, share, rank in zip(
                    found.layers, found.share[:, 0], found.rank[:, 0], strict=True
                )
            ]
    return files.picture(
        "attnlab-answer-by-layer",
        f"Probability {of.where}, by layer",
        drawn,
        files.of_model(of.reader, of.passage),
        what="The probability that the logit lens gives after each layer.",
        columns=("answer", "layer", "probability", "likelier"),
        rows=rows,
        notes=(said,),
    )


def parts(of: Prediction, found: Attribution, drawn: Diagram, said: str) -> Savable:
    """The share of every part."""
    rows = [
        [row.part, row.role, *map(_whole, (row.layer, row.head)), row.share]
        for row in found.parts.itertuples()
    ]
    return files.picture(
        "attnlab-attribution",
        f"What each part adds to {of.what}, {of.where}",
        drawn,
        files.of_model(of.reader, of.passage),
        what="Direct logit attribution: shares in logits, on the direct way alone.",
        columns=("part", "role", "layer", "head", "share"),
        rows=rows,
        notes=(said,),
        body={"logit": found.logit, "sum": found.total, "norm_scale": found.scale},
    )


def _whole(value: Any) -> int | None:
    return None if pd.isna(value) else int(value)


def summed(
    of: Prediction, sums: Sequence[tuple[str, float]], found: Attribution, drawn: Diagram
) -> Savable:
    """The shares added up by kind."""
    rows = [*map(list, sums), ["sum", found.total], ["model", found.raw]]
    return files.picture(
        "attnlab-attribution-sum",
        f"The parts add up to {of.what}",
        drawn,
        files.of_model(of.reader, of.passage),
        what="Shares in logits, added up by kind, beside the model's own number.",
        columns=("what", "logits"),
        rows=rows,
    )


def without(
    of: Prediction,
    name: str,
    edits: Sequence[Any],
    effect: Effect,
    found: Beside,
    said: str,
) -> Savable:
    """The prediction as trained and without a part, and what other parts do."""
    body = {
        "word": of.answer[0],
        "probability": list(found.word),
        "kl": found.kl,
        "others": [
            {"kl": kl, "probability": word}
            for kl, word in zip(found.others, found.words, strict=True)
        ],
    }
    names = ("as trained", "without it")
    title = f"{name} taken away: what comes {of.where}"
    source = files.of_model(of.reader, of.passage, edits)
    return predicted("attnlab-without", title, source, effect, names, said, body)


def predicted(
    name: str,
    title: str,
    source: files.Source,
    effect: Effect,
    names: tuple[str, str],
    said: str,
    body: dict[str, Any],
) -> Savable:
    """The likeliest words before and after a change, as paired bars."""
    caption = Caption(title, source.sentences, source.facts, (said,))

    def drawn(dark: bool, *more: str) -> str:
        return bars(effect.rows, names=names, caption=caption.noting(*more), dark=dark)

    def numbers() -> Numbers:
        rows = [[token.id, spoken(token), before, after] for token, before, after in effect.rows]
        columns = ("id", "token", "before", "after")
        table = [dict(zip(columns, row, strict=True)) for row in rows]
        what = f"Probabilities of the likeliest words, {names[0]} and {names[1]}."
        return Numbers(
            what, source.provenance, source.texts, columns, rows, {"rows": table, **body}, (said,)
        )

    return Savable(name, drawn, numbers)


def pair(of: Exchange, found: Patching, drawn: Diagram, title: str, said: str) -> Savable:
    """What every patch does."""
    table = found.table
    return files.picture(
        "attnlab-patching",
        title,
        drawn,
        files.of_model(of.reader, of.a, b=of.b),
        what=f"{found.metric.name}, in {found.unit}; share = (value - B) / (A - B).",
        columns=tuple(table.columns),
        rows=table.astype(object).to_numpy().tolist(),
        notes=(said, f"Values of {'B' if of.into == 'A' else 'A'} are put into {of.into}."),
        body={
            "a": found.clean,
            "b": found.corrupted,
            "stage": found.stage,
            "pairs": [list(pair) for pair in found.pairs],
            "how": found.how,
        },
    )


def word(
    reader: Reader, texts: tuple[Passage, Passage], found: Meaning, drawn: Diagram, said: str
) -> Savable:
    """A word in two texts, by layer."""
    rows: list[list[Any]] = [
        [layer, float(cosine), float(others)]
        for layer, (cosine, others) in enumerate(zip(found.cosine, found.others, strict=True))
    ]
    columns = ["layers", "a_and_b", "others"]
    for name, both in found.toward.items():
        columns += [f"{name} in A", f"{name} in B"]
        rows = [[*row, *map(float, near)] for row, near in zip(rows, both.T, strict=True)]
    return files.picture(
        "attnlab-word",
        "One word in two sentences, by layer",
        drawn,
        files.of_model(reader, texts[0], b=texts[1]),
        what="Cosines after each number of layers: the word in A and B; the word in A and other "
        "words of B on average; the word and another one.",
        columns=tuple(columns),
        rows=rows,
        notes=(said,),
    )
