"""What the page Generate draws, as files: texts with their chances, one head, the cache."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from attnlab.ui import engine
from attnlab.ui.export import architecture as files
from attnlab.ui.export import said
from attnlab.ui.export.architecture import Source
from attnlab.ui.export.menu import Savable
from attnlab.ui.generate_runs import Shown, edited_sides, keep_said
from attnlab.ui.selection import Selection
from attnlab.viz import svg
from attnlab.viz.diagram import Diagram
from attnlab.viz.heads import full
from attnlab.viz.numbers import Numbers, Text, cells, least_of
from attnlab.viz.svg.frame import Caption
from attnlab.viz.svg.text import spoken

_CELL = ("query", "query_token", "key", "key_token", "weight")


def texts(
    reader: engine.Reader, runs: Sequence[Shown], drawn: Sequence[Diagram], words: str
) -> Savable:
    """The texts with the chance that each token had."""
    sheet = Diagram(max(one.width for one in drawn), 0, " ".join(one.label for one in drawn))
    for one in drawn:
        sheet.place(0, sheet.height, one)
        sheet.height += one.height + 14
    rows = [
        [
            run.track.side,
            run.written.given + at,
            step.token.id,
            spoken(run.written.tokens[run.written.given + at]),
            step.probability,
            step.chance,
            step.rank + 1,
            int(step.chosen),
        ]
        for run in runs
        for at, step in enumerate(run.written.came)
    ]
    return files.picture(
        "attnlab-generated",
        "A text as it was written",
        sheet,
        _source(reader, runs),
        what="Each new token: the model's probability of it, the chance with which it was drawn, "
        "its place among all tokens (1 is the likeliest), and whether it was chosen by hand (1).",
        columns=("run", "position", "id", "token", "probability", "chance", "rank", "by_hand"),
        rows=rows,
        notes=(words,),
        body={"runs": [_how(run) for run in runs]},
    )


def head(
    reader: engine.Reader, selection: Selection, runs: Sequence[Shown], options: Mapping[str, Any]
) -> Savable:
    """One head on the texts: the picture as it is drawn, and every weight."""
    chosen = selection.chosen
    return Savable(
        f"attnlab-generated-{said.name(chosen)}",
        partial(_head_picture, reader, full(chosen), tuple(runs), dict(options)),
        partial(_head_numbers, reader, chosen, tuple(runs)),
    )


def _head_picture(
    reader: engine.Reader,
    title: str,
    runs: Sequence[Shown],
    options: dict[str, Any],
    dark: bool,
    *more: str,
) -> str:
    source = _source(reader, runs)
    caption = Caption(f"{title}, on a text as it was written", source.sentences, source.facts, more)
    given = {key: value for key, value in options.items() if key not in ("a", "tokens_a")}
    return svg.head(options["a"], options["tokens_a"], **given, caption=caption, dark=dark)


def _head_numbers(reader: engine.Reader, chosen: tuple[int, int], runs: Sequence[Shown]) -> Numbers:
    found = [_text(reader, run) for run in runs]
    least, note = least_of(sum(run.weights.size for run in runs))
    return Numbers(
        "Attention weights of one head, a row for each token of the text, the written ones too.",
        engine.provenance(reader, _edits(runs)),
        found,
        ("run", "layer", "head", *_CELL),
        _cells(reader, chosen, runs, found, least),
        {
            "head": list(chosen),
            "weights": {run.track.side: run.weights for run in runs},
            "runs": [_how(run) for run in runs],
        },
        [note] if note else [],
    )


def every(
    reader: engine.Reader, selection: Selection, run: Shown, maps: np.ndarray, drop_first: bool
) -> Savable:
    """Every head on one text: maps [L, H, q, s], reduced where the text is long."""
    return Savable(
        f"attnlab-generated-heads{f'-{run.track.side.lower()}' if run.track.name else ''}",
        partial(_every_picture, reader, selection, run, maps, drop_first),
        partial(_every_numbers, reader, run, maps),
    )


def every_sides(run: Shown, maps: np.ndarray) -> dict[str, Any]:
    """What the grid of one run is drawn of: a second run is B, an edited one has its colour."""
    sides = {"a": maps, "tokens_a": run.written.tokens, "sources_a": run.sources}
    sides["edited"] = edited_sides([run])
    if run.track.side == "A":
        return sides
    second = {"b": maps, "tokens_b": run.written.tokens, "sources_b": run.sources}
    return sides | second | {"view": "B"}


def _every_picture(
    reader: engine.Reader,
    selection: Selection,
    run: Shown,
    maps: np.ndarray,
    drop_first: bool,
    dark: bool,
    *more: str,
) -> str:
    source = _source(reader, [run])
    title = "Every head on a text as it was written"
    title += f", {run.track.title}" if run.track.name else ""
    return svg.grid(
        **every_sides(run, maps),
        drop_first=drop_first,
        causal=reader.causal,
        layers=reader.layers,
        selected=(reader.layers.index(selection.layer), selection.head),
        caption=Caption(title, source.sentences, source.facts, more),
        dark=dark,
    )


def _every_numbers(reader: engine.Reader, run: Shown, maps: np.ndarray) -> Numbers:
    least, note = least_of(maps.size)
    rows = [
        [layer, head, *map(int, cell), float(maps[place, head][tuple(cell)])]
        for place, layer in enumerate(reader.layers)
        for head in range(reader.heads_in(layer))
        for cell in np.argwhere(maps[place, head] >= max(least, 1e-9))
    ]
    return Numbers(
        "Attention weights of every head; of a text of more than 64 tokens the largest of each "
        "square of positions.",
        engine.provenance(reader, run.track.edits),
        [_text(reader, run)],
        ("layer", "head", "row", "column", "weight"),
        rows,
        {"layers": list(reader.layers), "weights": maps, "runs": [_how(run)]},
        [note] if note else [],
    )


def _cells(
    reader: engine.Reader,
    chosen: tuple[int, int],
    runs: Sequence[Shown],
    found: Sequence[Text],
    least: float,
) -> Iterator[list[Any]]:
    for run, text in zip(runs, found, strict=True):
        for cell in cells(run.weights, text, causal=reader.causal, least=least):
            yield [run.track.side, *chosen, *cell]


def coming(reader: engine.Reader, run: Shown, drawn: Diagram) -> Savable:
    """What may come next."""
    rows = [
        [one.token.id, spoken(one.token), one.probability, one.chance] for one in run.written.coming
    ]
    newest = spoken(run.written.tokens[-1]).strip()
    return files.picture(
        "attnlab-next-tokens",
        f"What may come after “{newest}”",
        drawn,
        _source(reader, [run]),
        what="The likeliest next tokens: the model's probability, and the chance of being drawn "
        "after temperature, top-k and top-p.",
        columns=("id", "token", "probability", "chance"),
        rows=rows,
        body={"runs": [_how(run)]},
    )


def cache(reader: engine.Reader, runs: Sequence[Shown], drawn: Diagram, words: str) -> Savable:
    """What each layer of each run keeps."""
    rows = [
        [
            *(run.track.side, one.role, one.layer, one.positions, one.kv_heads),
            *(one.key_bytes, one.value_bytes, one.other_bytes),
        ]
        for run in runs
        for one in run.written.kept
    ]
    sizes = ("key_bytes", "value_bytes", "other_bytes")
    return files.picture(
        "attnlab-cache",
        f"The key/value cache after {len(runs[0].written.tokens):,} tokens",
        drawn,
        _source(reader, runs),
        what="What the cache holds of each layer, in bytes.",
        columns=("run", "role", "layer", "tokens", "kv_heads", *sizes),
        rows=rows,
        notes=(words,),
        body={"runs": [_how(run) for run in runs]},
    )


def _source(reader: engine.Reader, runs: Sequence[Shown]) -> Source:
    """The prompts, and the model with the edits of the last run."""
    edits = _edits(runs)
    sentences = []
    for run in runs:
        name = run.track.side if len(runs) > 1 else "A"
        sentences.append((name, run.ask.passage.text))
        text = _writes(reader, run)
        if text:
            sentences.append((f"{name} writes", text))
    found = tuple(_text(reader, run) for run in runs)
    known, facts = engine.provenance(reader, edits), said.facts_of(reader, edits)
    keep = runs[-1].track.keep
    if keep is not None:
        facts += f" · cache: {keep_said(keep)}"
    return Source(facts, known, tuple(sentences), found)


def _writes(reader: engine.Reader, run: Shown) -> str:
    """What was written, a character that several tokens spell once: a step knows only how its
    token read before the next one came."""
    came = run.written.tokens[run.written.given :]
    read = [(engine.literal(reader, token), token.piece) for token in came]
    return "".join(text[1:] if piece and piece[0] > 1 else text for text, piece in read)


def _edits(runs: Sequence[Shown]) -> tuple[Any, ...]:
    return runs[-1].track.edits


def _text(reader: engine.Reader, run: Shown) -> Text:
    written, passage = run.written, run.ask.passage
    sources = None if run.sources is None else _tokens(reader, run.sources)
    target = passage.target if reader.writes else ""
    return Text(run.track.side, passage.text, _tokens(reader, written.tokens), sources, target)


def _tokens(reader: engine.Reader, tokens: Sequence[Any]) -> list[dict[str, Any]]:
    return [
        {
            "id": token.id,
            "raw": token.raw,
            "text": engine.literal(reader, token),
            "special": token.special,
            "piece": token.piece,
        }
        for token in tokens
    ]


def _how(run: Shown) -> dict[str, Any]:
    """How a run was drawn, so that ``lab.generate`` gives it again."""
    ask, keep = run.ask, run.track.keep
    return {
        "run": run.track.side,
        "prompt_tokens": run.written.given,
        "new_tokens": run.made,
        "temperature": ask.heat,
        "top_k": ask.topk or None,
        "top_p": ask.topp if ask.topp < 1 else None,
        "seed": ask.seed,
        "chosen": [list(pair) for pair in run.chosen],
        "edits": [edit.to_json() for edit in run.track.edits],
        "cache": None if keep is None else {"window": keep.window, "sinks": keep.sinks},
    }
