"""The whole view as one offline page."""

from functools import partial

import numpy as np

from attnlab.analysis.effects import Effect
from attnlab.ui import phrases, scene
from attnlab.ui.export import said
from attnlab.ui.export.cards import Maps, maps_of
from attnlab.ui.export.menu import Savable
from attnlab.ui.scene import Scene
from attnlab.viz.bars import bars_payload
from attnlab.viz.grid import grid_payload
from attnlab.viz.head import head_payload
from attnlab.viz.heads import full
from attnlab.viz.standalone import Part
from attnlab.viz.standalone import html as page


def view(
    of: Scene, a: np.ndarray, b: np.ndarray | None = None, effect: Effect | None = None
) -> Savable:
    """The grid, the chosen head (weights [Q, S]) and, where given, what it does."""
    return Savable("attnlab-view", page=partial(_page, of, maps_of(of), a, b, effect))


def _page(of: Scene, maps: Maps, a: np.ndarray, b: np.ndarray | None, effect: Effect | None) -> str:
    parts = [_grid(of, maps), _head(of, a, b)]
    if effect is not None:
        parts.append(_effect(of, effect))
    caption = said.caption(of, "Attention heads", said.sides(of))
    notes = [phrases.about_grid(of)]
    return page(parts, caption.title, caption.sentences, [*notes, caption.facts])


def _grid(of: Scene, maps: Maps) -> Part:
    payload = grid_payload(
        maps.a,
        maps.tokens[0],
        b=maps.b,
        tokens_b=maps.tokens[1],
        view=of.view,
        drop_first=of.selection.drop_first,
        causal=of.reader.causal,
        layers=of.reader.layers,
        selected=(of.reader.layers.index(of.selection.layer), of.selection.head),
        **maps.options,
    )
    names = {"A": "Every head on A", "B": "Every head on B", "B-A": "Every head, B − A"}
    return Part("grid", payload, names[of.view] if of.b is not None else "Every head")


def _head(of: Scene, a: np.ndarray, b: np.ndarray | None) -> Part:
    title = full(of.selection.chosen)
    options = scene.head_options(of)
    return Part("head", head_payload(a, of.a.tokens, b=b, label=title, **options), title)


def _effect(of: Scene, effect: Effect) -> Part:
    heads = of.selection.taken_away
    label = f"{phrases.prediction(of)} {phrases.size(effect.kl, heads)} KL {effect.kl:.4f} nats."
    names = ", ".join(map(phrases.title, heads[:8])) + (" …" if len(heads) > 8 else "")
    return Part("bars", bars_payload(effect.rows, label=label), f"Without {names}. {label}")
