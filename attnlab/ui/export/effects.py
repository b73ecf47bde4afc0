"""What taking heads away changes, and which heads look from one word to another, as files."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from attnlab.analysis.baseline import Baseline
from attnlab.analysis.effects import Effect
from attnlab.ui import engine, phrases
from attnlab.ui.export import said
from attnlab.ui.export.menu import Savable
from attnlab.ui.scene import Scene
from attnlab.ui.selection import Head, Side
from attnlab.viz import svg
from attnlab.viz.numbers import Numbers

_PLACES = {"zero": "zero", "mean": "its mean over the text"}

Column = tuple[str, str, Sequence[tuple[int, int, float]]]


def effect(
    of: Scene,
    heads: Sequence[Head],
    position: int,
    found: Effect,
    others: Baseline | None = None,
) -> Savable:
    """What ablating heads does to a prediction."""
    name = f"attnlab-effect-{_names(heads)}"
    return Savable(
        name,
        partial(_effect_picture, of, heads, found, others),
        partial(_effect_numbers, of, heads, position, found, others),
    )


def _edits(of: Scene, heads: Sequence[Head]) -> tuple[Any, ...]:
    return engine.edits_of(of.reader, of.selection.ablation, heads)


def _names(heads: Sequence[Head]) -> str:
    """The heads in the name of a file."""
    return "-".join(map(said.name, heads[:3])) + ("-and-more" if len(heads) > 3 else "")


def _title(of: Scene, heads: Sequence[Head]) -> str:
    shown = ", ".join(map(phrases.title, heads[:8]))
    more = f" and {len(heads) - 8} more" if len(heads) > 8 else ""
    return f"What if {shown}{more} were gone?"


def _effect_picture(
    of: Scene,
    heads: Sequence[Head],
    found: Effect,
    others: Baseline | None,
    dark: bool,
    *more: str,
) -> str:
    notes = [
        f"{phrases.prediction(of)} {phrases.size(found.kl, heads)}",
        f"KL divergence {found.kl:.4f} nats. "
        f"What the heads hand on is set to {_PLACES[of.selection.ablation]}.",
        phrases.beside_others(found.kl, others, heads, " nats") if others else "",
        *more,
    ]
    return svg.bars(
        found.rows,
        names=("as trained", phrases.without(heads)),
        caption=said.caption(of, _title(of, heads), [of.side], notes, _edits(of, heads)),
        dark=dark,
    )


def _effect_numbers(
    of: Scene, heads: Sequence[Head], position: int, found: Effect, others: Baseline | None
) -> Numbers:
    body = {
        "heads": [list(head) for head in heads],
        "ablation": of.selection.ablation,
        "position": position,
        "kl_nats": found.kl,
        "predictions": [
            {"id": token.id, "text": engine.literal(of.reader, token), "before": p, "after": q}
            for token, p, q in found.rows
        ],
    }
    if others is not None:
        body["random_heads"] = _random(others, "kl_nats")
    return Numbers(
        "Probabilities before and after the edits, and their KL divergence in nats.",
        engine.provenance(of.reader, _edits(of, heads)),
        [said.text(of, of.side)],
        ("token", "id", "before", "after"),
        [[engine.literal(of.reader, token), token.id, p, q] for token, p, q in found.rows],
        body,
        [f"KL {found.kl:.9g} nats at position {position}."],
    )


def _random(others: Baseline, name: str) -> dict[str, Any]:
    """What as many random heads do, beside the heads that were taken away."""
    return {name: list(others.values), "median": others.median}


def moved(
    of: Scene, heads: Sequence[Head], found: engine.Moved, others: Baseline | None = None
) -> Savable:
    """How far ablating heads moves an encoder's output."""
    return Savable(
        f"attnlab-shift-{_names(heads)}",
        partial(_moved_picture, of, heads, found, others),
        partial(_moved_numbers, of, heads, found, others),
    )


def _moved_picture(
    of: Scene,
    heads: Sequence[Head],
    found: engine.Moved,
    others: Baseline | None,
    dark: bool,
    *more: str,
) -> str:
    tokens = of.reading(of.side).tokens
    notes = [
        f"{phrases.movement(of, found)} Cosine distance {found.mean:.4f}.",
        f"What the heads hand on is set to {_PLACES[of.selection.ablation]}.",
        phrases.beside_others(found.mean, others, heads, "") if others else "",
        *more,
    ]
    return svg.shifts(
        list(zip(tokens, found.tokens.tolist(), strict=True)),
        caption=said.caption(of, _title(of, heads), [of.side], notes, _edits(of, heads)),
        dark=dark,
    )


def _moved_numbers(
    of: Scene, heads: Sequence[Head], found: engine.Moved, others: Baseline | None
) -> Numbers:
    text = said.text(of, of.side)
    body = {
        "heads": [list(head) for head in heads],
        "ablation": of.selection.ablation,
        "mean": found.mean,
        "tokens": found.tokens,
    }
    if others is not None:
        body["random_heads"] = _random(others, "mean_distance")
    return Numbers(
        "Cosine distances, 0 to 2, between the output before and after the edits.",
        engine.provenance(of.reader, _edits(of, heads)),
        [text],
        ("position", "token", "distance"),
        [
            [at, token["text"], float(distance)]
            for at, (token, distance) in enumerate(zip(text.tokens, found.tokens, strict=True))
        ],
        body,
        [f"The text's vector, the mean over its tokens, moves by {found.mean:.9g}."],
    )


def find(of: Scene, side: Side, query: int, key: int, columns: Sequence[Column]) -> Savable:
    """Heads ranked by their weight from one word to another."""
    return Savable(
        "attnlab-heads-found",
        partial(_found_picture, of, side, query, key, columns),
        partial(_found_numbers, of, side, query, key, columns),
    )


def _found_picture(
    of: Scene, side: Side, query: int, key: int, columns: Sequence[Column], dark: bool, *more: str
) -> str:
    title = f"Heads by their weight {phrases.pair(of, side, query, key)}"
    note = f"Positions {query} and {key} of {side}, counted from 0."
    return svg.ranks(
        columns,
        selected=of.selection.chosen,
        caption=said.caption(of, title, said.sides(of), [note, *more]),
        dark=dark,
    )


def _found_numbers(
    of: Scene, side: Side, query: int, key: int, columns: Sequence[Column]
) -> Numbers:
    rows = [
        [title, place, layer, head, value]
        for title, _, ranked in columns
        for place, (layer, head, value) in enumerate(ranked, start=1)
    ]
    ranked = {
        title: [[layer, head, float(value)] for layer, head, value in found]
        for title, _, found in columns
    }
    return Numbers(
        "Heads by their weight from one word to another.",
        engine.provenance(of.reader),
        [said.text(of, name) for name in said.sides(of)],
        ("column", "place", "layer", "head", "weight"),
        rows,
        {"side": side, "query": query, "key": key, "ranked": ranked},
        [f"From position {query} to position {key} of {side}, counted from 0."],
    )
