"""The sentences of the Heads page, put together from a scene. Nothing is drawn here."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnlab.analysis.baseline import Baseline
from attnlab.ui import engine
from attnlab.ui.scene import Scene, pinned_key, predicted_position
from attnlab.ui.selection import Head, Side
from attnlab.viz.difference import largest, obstacle
from attnlab.viz.heads import short
from attnlab.viz.strongest import most_changed, most_focused
from attnlab.viz.tokens import label

# KL in nats. Zeroed one by one on “The capital of France is”, half of SmolLM2's 270 heads do less
# than 0.004 and nine in ten less than 0.03; the one that takes Paris from 0.77 to 0.14 does 1.2.
HARDLY, _A_LITTLE, _CLEARLY = 0.02, 0.1, 0.5
# Cosine distance. On the opening sentence half of MiniLM's 72 heads turn its vector by less than
# 0.002, and nineteen in twenty by less than 0.025.
_TURNS_A_LITTLE, _TURNS_CLEARLY = 0.001, 0.02

title = short
"""How a head is called on the page."""


def about_grid(scene: Scene) -> str:
    """One line on what the grid shows and what it leaves out."""
    layers, heads = scene.a.maps.shape[:2]
    parts = [f"{layers} {'layer' if layers == 1 else 'layers'}, left to right", f"{heads} heads"]
    where = "" if scene.b is None else f" on {scene.pictured}"
    share = scene.reading(scene.pictured).first_share
    taken = f"takes {share:.0%} of all attention{where}"
    dropped = scene.selection.drop_first
    parts.append(f"first token left out (it {taken})" if dropped else f"the first token {taken}")
    return " · ".join(parts)


def largest_change(scene: Scene, a: np.ndarray, b: np.ndarray | None) -> str | None:
    """Where one head differs most between the texts, given its [Q, S] weights on each."""
    if b is None or scene.b is None:
        return None
    tokens = scene.b.tokens
    change = largest(a, b, scene.a.tokens, tokens, **scene.comparison)
    if change is None:
        # Of texts that cannot be compared nothing is said here: neither that they are the same.
        shapes = {"shape_a": a.shape, "shape_b": b.shape}
        return obstacle(scene.a.tokens, tokens, **shapes, **scene.comparison) or None
    if change.before == change.after:
        return "the same on both"
    key = scene.b.sources[change.key]
    return f"changes most on {label(tokens[change.query])} → {label(key)}"


def pinned_figures(scene: Scene, a: np.ndarray, b: np.ndarray | None) -> str | None:
    """What the clicked query gives the clicked key, [Q, S] of the head on each text."""
    key = pinned_key(scene)
    if key is None:
        return None
    reading, query = scene.reading(scene.side), predicted_position(scene)
    weights = b if scene.side == "B" and b is not None else a
    pair = f"{label(reading.tokens[query])} → {label(reading.sources[key])}"
    return f"{pair} {weights[query, key]:.2f} in {scene.side}"


def way_on(scene: Scene) -> tuple[str, int, int] | None:
    """The head worth opening: why, its layer and its head; None where that is the chosen one."""
    found, why = None, "changes most"
    if scene.b is not None and (scene.overlap is None or scene.view == "B-A"):
        maps, tokens, options = scene.compared
        found = most_changed(*maps, *tokens, **{**scene.comparison, **options})
    if found is None:
        shown = scene.reading(scene.pictured)
        found, why = most_focused(shown.maps), "looks hardest past the first word"
    if found is None:
        return None
    layer, head = scene.reader.layers[found[0]], found[1]
    return None if scene.selection.chosen == (layer, head) else (why, layer, head)


def gone(heads: Sequence[Head]) -> str:
    """The heads that are taken away, as a subject."""
    return "this head" if len(heads) == 1 else f"these {len(heads)} heads"


def without(heads: Sequence[Head]) -> str:
    """What a figure is of once these heads are taken away."""
    return "without the head" if len(heads) == 1 else f"without the {len(heads)} heads"


def prediction(scene: Scene) -> str:
    """What is predicted, and where."""
    tokens, position = scene.reading(scene.side).tokens, predicted_position(scene)
    if scene.reader.writes and scene.reader.role == "encoder":
        return f"The next word of its answer to {scene.side}"
    if scene.reader.lab.head_kind == "masked":
        return f"The word predicted at “{label(tokens[position])}”"
    where = "the end of" if position == len(tokens) - 1 else "in"
    what = f"{scene.side}’s target" if scene.reader.writes else scene.side
    return f"The next word after “{_phrase(tokens, position)}” ({where} {what})"


def unasked(scene: Scene) -> str:
    """Where the prediction is looked at before anything is clicked, in words."""
    masked = scene.reader.lab.head_kind == "masked"
    tokens = scene.reading(scene.side).tokens
    has = masked and engine.mask_position(scene.reader, tokens) is not None
    return "the mask" if has else "the last word"


def size(kl: float, heads: Sequence[Head]) -> str:
    """What a divergence of `kl` nats amounts to, in words."""
    if kl < HARDLY:
        look = "A head can look without mattering." if len(heads) == 1 else ""
        return f"hardly moves. {look}".strip()
    if kl < _A_LITTLE:
        return "moves a little."
    if kl < _CLEARLY:
        return "moves clearly."
    matter = "matters" if len(heads) == 1 else "matter"
    return f"is no longer the same: {gone(heads)} {matter} here."


def movement(scene: Scene, moved: engine.Moved) -> str:
    """How far an encoder's output moves, in words."""
    tokens = scene.reading(scene.side).tokens
    most = label(tokens[int(np.argmax(moved.tokens))])
    how = "hardly moves" if moved.mean < _TURNS_A_LITTLE else "moves a little"
    how = how if moved.mean < _TURNS_CLEARLY else "moves clearly"
    return f"The vector of {scene.side} {how}; of its tokens “{most}” moves most."


def beside_others(value: float, others: Baseline, heads: Sequence[Head], unit: str) -> str:
    """How an effect compares with that of random sets of as many heads on the same words."""
    count, larger = len(others.values), sum(value > other for other in others.values)
    sets = "random heads" if len(heads) == 1 else f"random sets of {len(heads)} heads"
    moves = "moves" if len(heads) == 1 else "move"
    subject, most = gone(heads), {0: "none", count: "all"}.get(larger, larger)
    little = HARDLY if unit else _TURNS_A_LITTLE
    yet = " More than most, and still little." if 2 * larger > count and value < little else ""
    return (
        f"Of {count} {sets}, half move it by less than {others.median:.4f}{unit}; "
        f"{subject} {moves} it more than {most} of them.{yet}"
    )


def replaced(reader: engine.Reader, wanted: Head, shown: Head) -> str:
    """That a model lacks the head that was asked for, and which one stands here instead."""
    return f"{reader.title} has no head {title(wanted)}; {title(shown)} is shown instead."


def pair(scene: Scene, side: Side, query: int, key: int) -> str:
    """A query and a key, in words."""
    reading = scene.reading(side)
    return f"“{label(reading.tokens[query])}” → “{label(reading.sources[key])}”"


def _phrase(tokens: Sequence[Any], position: int) -> str:
    """The token at `position` with the two before it: “too wide.” says more than “.”."""
    near = [token for token in tokens[max(0, position - 2) : position + 1] if not token.special]
    whole = [token.text for token in near if token.piece is None or token.piece[0] == 1]
    return "".join(whole).strip() or label(tokens[position])
