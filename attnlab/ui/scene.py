"""What the Heads page is about, and what follows from it: positions, phrases, sentences.

A scene is a selection together with what a model made of its texts. Nothing is drawn here.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from attnlab.analysis.maps import last_word
from attnlab.ui import engine
from attnlab.ui.selection import Selection, Side, View
from attnlab.viz.align import first_difference, pairs
from attnlab.viz.difference import largest, obstacle
from attnlab.viz.strongest import most_changed, most_focused
from attnlab.viz.tokens import identity, label


@dataclass(frozen=True)
class Scene:
    """The model, one or two sentences, and every head on them.

    `selection` names a head that the model has.
    """

    reader: engine.Reader
    selection: Selection
    a: engine.Reading
    b: engine.Reading | None

    @property
    def view(self) -> View:
        """The view that can be shown: without a second sentence A, and B where B − A is blank."""
        if self.b is None:
            return "A"
        return "B" if self.selection.view == "B-A" and self.obstacle else self.selection.view

    @cached_property
    def obstacle(self) -> str:
        """One sentence on why B − A of these sentences would be blank; "" where it is not."""
        if self.b is None:
            return ""
        shapes = {"shape_a": self.a.maps.shape[-2:], "shape_b": self.b.maps.shape[-2:]}
        return obstacle(self.a.tokens, self.b.tokens, **shapes, **self.comparison)

    @property
    def comparison(self) -> dict[str, bool]:
        """How sentences are compared: without the first column, without rows before a change."""
        return {"drop_first": self.selection.drop_first, "causal": self.reader.causal}

    @property
    def side(self) -> Side:
        """The sentence whose prediction is looked at."""
        return self.selection.side if self.b is not None else "A"

    def reading(self, side: Side) -> engine.Reading:
        """Every head on sentence `side`."""
        return self.b if side == "B" and self.b is not None else self.a

    def text(self, side: Side) -> str:
        """Sentence `side`, as typed."""
        return self.selection.b if side == "B" else self.selection.a


def predicted_position(scene: Scene) -> int:
    """The token after which the prediction is looked at: the clicked one, else the last."""
    last = len(scene.reading(scene.side).tokens) - 1
    position = scene.selection.position
    clicked_here = position is not None and scene.selection.side == scene.side
    return min(position, last) if clicked_here else last


def effect_position(scene: Scene) -> int:
    """Where the prediction is compared; an encoder-decoder's is the first word of its answer."""
    return -1 if scene.reader.lab.head_kind == "seq2seq" else predicted_position(scene)


def pinned_rows(scene: Scene) -> tuple[int, int | None]:
    """The looked-from position of A and of B.

    The clicked word and the one that corresponds to it. Before any click the first words where the
    sentences differ, if they stand in for each other and something comes before them; else, and
    with one sentence, the last word.
    """
    a, b = scene.a.tokens, scene.b and scene.b.tokens
    if scene.selection.position is not None:
        position = predicted_position(scene)
        if b is None:
            return position, None
        if scene.side == "A":
            return position, dict(pairs(a, b)).get(position, last_word(b))
        return {there: here for here, there in pairs(a, b)}.get(position, last_word(a)), position
    if b is None:
        return last_word(a), None
    differs, matching = first_difference(a, b), pairs(a, b)
    if differs is not None and (differs, differs) in matching and not _opens(a, differs):
        return differs, differs
    return _last_words(a, b, matching)


def _opens(tokens: Sequence[Any], position: int) -> bool:
    """Whether no word comes before `position`: there is nothing yet to look at."""
    return all(token.special for token in tokens[:position])


def _last_words(
    a: Sequence[Any], b: Sequence[Any], matching: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """The last word of A, and the same word of B where it corresponds, else B's last word."""
    last = last_word(a)
    there = dict(matching).get(last)
    same = there is not None and identity(a[last]) == identity(b[there])
    return last, there if same else last_word(b)


def corresponding(matching: Sequence[tuple[int, int]], position: int, to: Side) -> int | None:
    """The token of sentence `to` that corresponds to `position` of the other one, if any."""
    there = {j: i for i, j in matching} if to == "A" else dict(matching)
    return there.get(position)


def about_grid(scene: Scene) -> str:
    """One line on what the grid shows and what it leaves out."""
    layers, heads = scene.a.maps.shape[:2]
    parts = [f"{layers} layers, left to right", f"{heads} heads"]
    reading = scene.reading("A" if scene.view == "A" else "B")
    taken = f"takes {reading.first_share:.0%} of all attention"
    dropped = scene.selection.drop_first
    parts.append(f"first token left out (it {taken})" if dropped else f"the first token {taken}")
    return " · ".join(parts)


def largest_change(scene: Scene, a: np.ndarray, b: np.ndarray | None) -> str | None:
    """Where one head differs most between the sentences, given its [Q, S] weights on each."""
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
    return f"changes most on {label(tokens[change.query])} → {label(tokens[change.key])}"


def way_on(scene: Scene) -> tuple[str, int, int] | None:
    """The head worth opening: why, its layer and its head; None where that is the chosen one."""
    found, why = None, "changes most"
    if scene.b is not None:
        both = (scene.a.maps, scene.b.maps, scene.a.tokens, scene.b.tokens)
        found = most_changed(*both, **scene.comparison)
    if found is None:
        shown = scene.reading("A" if scene.view == "A" else "B")
        found, why = most_focused(shown.maps), "looks hardest past the first word"
    if found is None:
        return None
    layer, head = scene.reader.layers[found[0]], found[1]
    chosen = (scene.selection.layer, scene.selection.head)
    return None if chosen == (layer, head) else (why, layer, head)


def prediction(scene: Scene) -> str:
    """What is predicted, and where."""
    tokens, position = scene.reading(scene.side).tokens, predicted_position(scene)
    if scene.reader.lab.head_kind == "seq2seq":
        return f"The first word of its answer to {scene.side}"
    if scene.reader.lab.head_kind == "masked":
        return f"The word predicted at “{label(tokens[position])}”"
    where = "the end of" if position == len(tokens) - 1 else "in"
    return f"The next word after “{_phrase(tokens, position)}” ({where} {scene.side})"


def size(kl: float) -> str:
    """What a divergence of `kl` nats amounts to, in words."""
    if kl < 0.02:
        return "hardly moves. A head can look without mattering."
    if kl < 0.1:
        return "moves a little."
    if kl < 0.5:
        return "moves clearly."
    return "is no longer the same: this head matters here."


def movement(scene: Scene, moved: engine.Moved) -> str:
    """How far an encoder's output moves, in words."""
    tokens = scene.reading(scene.side).tokens
    most = label(tokens[int(np.argmax(moved.tokens))])
    how = "hardly moves" if moved.mean < 0.001 else "moves a little"
    how = how if moved.mean < 0.02 else "moves clearly"
    return f"The vector of {scene.side} {how}; of its tokens “{most}” moves most."


def beside_others(kl: float, others: Sequence[float]) -> str:
    """How a divergence compares with those of random heads on the same words."""
    larger = sum(kl > other for other in others)
    return (
        f"Of {len(others)} random heads, half move it by less than "
        f"{statistics.median(others):.4f} nats; this head moves it more than {larger} of them."
    )


def _phrase(tokens: Sequence[Any], position: int) -> str:
    """The token at `position` with the two before it: “too wide.” says more than “.”."""
    near = [token for token in tokens[max(0, position - 2) : position + 1] if not token.special]
    whole = [token.text for token in near if token.piece is None or token.piece[0] == 1]
    return "".join(whole).strip() or label(tokens[position])
