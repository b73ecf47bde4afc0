"""A trace as it shows itself in a notebook: every head, and one head up close.

The page of :mod:`attnlab.viz.standalone` inside a frame that has no origin, no network and no way
out: hovering works, and token text can do nothing. A trace may hold little of its attention; then
what there is is shown, and one sentence says what is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from attnlab.viz.grid import MAX_SIDE, grid_payload
from attnlab.viz.head import head_payload
from attnlab.viz.pooling import reduced
from attnlab.viz.standalone import Part
from attnlab.viz.standalone import html as page
from attnlab.viz.strongest import most_focused
from attnlab.viz.svg.layout import laid_out
from attnlab.viz.svg.words import row_height

_ROLES = ("decoder", "encoder", "cross")
_NAMES = {"encoder": "Encoder", "decoder": "Decoder", "cross": "Cross-attention"}
_WIDTH, _LONG_HEAD = 900, 760  # CSS pixels: of a notebook's cell; of a long text's head
_MOST_HEAD = 1024  # tokens; a larger head would make a notebook of many MB


@dataclass
class _Shown:
    """The parts of one role and what to say about them; heights in CSS pixels."""

    parts: list[Part] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    height: int = 0


def html(trace: Any) -> str:
    """A trace for ``_repr_html_``: a sandboxed frame, or a paragraph where there is no map."""
    roles = [role for role in _ordered(trace) if _view(trace, role) is not None]
    shown = [_role(trace, role, len(roles) > 1) for role in roles]
    parts = [part for one in shown for part in one.parts]
    notes = [note for one in shown for note in one.notes]
    if not parts:
        said = " ".join([repr(trace)[1:-1] + ".", *notes, _missing(trace, roles)])
        return f"<p>{escape(said)}</p>"
    facts = [*notes, _missing(trace, roles), _how(trace.how)]
    whole = page(
        parts, f"Attention on {len(trace.tokens):,} tokens", _texts(trace), [f for f in facts if f]
    )
    lines = min(5, 1 + max(len(text) for _, text in _texts(trace)) // 110)
    height = (
        130
        + 20 * lines
        + 32 * len([fact for fact in facts if fact])
        + sum(one.height for one in shown)
    )
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{escape(whole, quote=True)}" '
        f'style="border:0;width:100%;height:{height}px" title="Attention"></iframe>'
    )


def _ordered(trace: Any) -> list[str]:
    """The main role first."""
    return [trace.main_role, *(role for role in _ROLES if role != trace.main_role)]


def _view(trace: Any, role: str) -> Any:
    """What was captured of a role's weights; None where nothing was."""
    kept = trace.values.get(("weights", role)) or trace.small.get(role)
    return trace.role(role).weights if kept else None


def _missing(trace: Any, roles: Sequence[str]) -> str:
    if roles:
        return ""
    return 'No attention weights were captured; run with capture=("weights",) to see them.'


def _texts(trace: Any) -> list[tuple[str, str]]:
    """The tokens as text; what the tokenizer added is left out."""
    said = []
    for name, tokens in (("Source", trace.source_tokens), ("Text", trace.tokens)):
        if tokens:
            said.append((name, _joined(tokens)))
    return said if len(said) < 2 or said[0][1] != said[1][1] else said[1:]


def _joined(tokens: Sequence[Any]) -> str:
    whole = [t for t in tokens if not t.special and (t.piece is None or t.piece[0] == 1)]
    return "".join(token.text for token in whole).strip()


def _how(how: Mapping[str, Any]) -> str:
    """How the trace was obtained, in one line."""
    versions = how.get("versions") or {}
    edits = how.get("edits") or ()
    parts = [
        how.get("model") and str(how["model"]),
        how.get("dtype"),
        how.get("tier") and f"read by {how['tier']}",
        f"{len(edits)} {'edit' if len(edits) == 1 else 'edits'}" if edits else None,
        versions.get("attnlab") and f"AttnLab {versions['attnlab']}",
    ]
    return " · ".join(str(part) for part in parts if part)


def _role(trace: Any, role: str, several: bool) -> _Shown:
    """The grid and one head of a role."""
    view, shown = _view(trace, role), _Shown()
    name = f"{_NAMES[role]}: " if several else ""
    queries, sources, numbered = _axes(trace, role, *_size(view))
    if numbered:
        shown.notes.append(f"{name}These inputs have no words; positions are numbered from 0.")
    keys = queries if sources is None else sources
    whole = {layer: kept for layer, kept in view.layers.items() if _fits(kept, queries, keys)}
    if len(whole) < len(view.layers):
        shown.notes.append(f"{name}Maps of layers with other sizes are not shown.")
    if not all(bool(kept.tensor.isfinite().all()) for kept in whole.values()):
        shown.notes.append(f"{name}Some weights are no finite numbers and are drawn as 0.")
    maps, layers, blank = _maps(whole, view.small)
    causal = maps is not None and sources is None and _looks_back(maps)
    alone = not view.small and sum(len(_heads(kept)) for kept in whole.values()) == 1
    if blank and not alone:
        shown.notes.append(f"{name}A blank tile is a head that was not captured.")
    chosen = _chosen(whole, maps, layers)
    if maps is not None and not alone:
        at = (layers.index(chosen[0]), chosen[1]) if chosen else most_focused(maps) or (0, 0)
        options = {"layers": layers, "selected": at, "sources_a": sources, "causal": causal}
        grid = grid_payload(maps, queries, label=f"{name}all heads", **options)
        shown.parts.append(Part("grid", grid, _started(f"{name}every head")))
        shown.notes.append(f"{name}The grid leaves out the first column, where many heads rest.")
        shown.height += 150 + laid_out(*maps.shape[:2], _WIDTH).size[1]
    _head(shown, whole, chosen, queries, sources, causal, name)
    return shown


def _head(
    shown: _Shown,
    whole: Mapping[int, Any],
    chosen: tuple[int, int] | None,
    queries: Sequence[Any],
    sources: Sequence[Any] | None,
    causal: bool,
    name: str,
) -> None:
    """Adds the chosen head, or says why none is shown."""
    if chosen is None:
        shown.notes.append(f"{name}Only thumbnails were captured, so no single head is shown.")
        return
    layer, head = chosen
    longest = max(len(queries), len(sources or queries))
    if longest > _MOST_HEAD:
        shown.notes.append(
            f"{name}One head of {longest:,} tokens is too large for a notebook, which shows up to "
            f"{_MOST_HEAD:,}."
        )
        return
    weights = _array(_weights(whole[layer], head))
    title = f"Layer {layer} · Head {head}"
    mode = "words" if longest <= MAX_SIDE else "matrix"
    options = {"sources_a": sources, "mode": mode, "causal": causal, "label": title}
    part = Part("head", head_payload(weights, queries, **options), f"{name}{title}")
    shown.parts.append(part)
    shown.height += 140 + (row_height(longest) * longest if longest <= MAX_SIDE else _LONG_HEAD)


def _size(view: Any) -> tuple[int, int]:
    """Queries and keys of what was captured; of thumbnails alone, as many keys as can be told."""
    if view.layers:
        return tuple(next(iter(view.layers.values())).tensor.shape[-2:])
    small = next(iter(view.small.values()))
    return small.first.shape[-1], 0


def _axes(
    trace: Any, role: str, queries: int, keys: int
) -> tuple[Sequence[Any], Sequence[Any] | None, bool]:
    """The tokens that look, those looked at where they are others, and whether any are numbers.

    Of what is no text (sound, pictures) there are no tokens, and positions stand for them.
    """
    reads_source = role == "encoder" and role != trace.main_role
    own = trace.source_tokens if reads_source else trace.tokens
    other = trace.source_tokens if role == "cross" else None
    rows = own if len(own) == queries else _numbered(queries)
    if role != "cross" and keys in (0, queries):
        return rows, None, rows is not own
    columns = other if other and keys in (0, len(other)) else _numbered(keys or queries)
    return rows, columns, rows is not own or columns is not other


def _numbered(count: int) -> list[dict[str, Any]]:
    return [{"id": None, "text": str(i), "raw": str(i)} for i in range(count)]


def _started(text: str) -> str:
    return text[:1].upper() + text[1:]


def _fits(kept: Any, queries: Sequence[Any], keys: Sequence[Any]) -> bool:
    return tuple(kept.tensor.shape[-2:]) == (len(queries), len(keys))


def _weights(kept: Any, head: int) -> Any:
    """[Q, S] of one captured head."""
    return kept.tensor[head if kept.heads is None else list(kept.heads).index(head)]


def _heads(kept: Any) -> Sequence[int]:
    return range(kept.tensor.shape[0]) if kept.heads is None else kept.heads


def _array(tensor: Any) -> np.ndarray:
    array = np.asarray(tensor.detach().float().cpu().numpy(), dtype=np.float32)
    return np.clip(np.nan_to_num(array), 0, 1)


def _maps(
    whole: Mapping[int, Any], small: Mapping[int, Any]
) -> tuple[np.ndarray | None, list[int], bool]:
    """[L, H, q, s] of the captured layers, their numbers, and whether some heads are blank."""
    layers = sorted(small or whole)
    if not layers:
        return None, [], False
    if small:
        found = [(_array(small[layer].map), range(len(small[layer].map))) for layer in layers]
    else:
        found = [(reduced(_array(whole[at].tensor), MAX_SIDE), _heads(whole[at])) for at in layers]
    heads = 1 + max(max(at) for _, at in found)
    blank = any(len(at) < heads for _, at in found)
    return np.stack([_padded(array, at, heads) for array, at in found]), layers, blank


def _looks_back(maps: np.ndarray) -> bool:
    """Whether no word of any map looks at a later one."""
    return maps.shape[-1] == maps.shape[-2] and not np.triu(maps, 1).any()


def _padded(array: np.ndarray, at: Sequence[int], heads: int) -> np.ndarray:
    """[h, q, s] as [H, q, s], each at its own head's place."""
    wide = np.zeros((heads, *array.shape[1:]), np.float32)
    wide[list(at)] = array
    return wide


def _chosen(
    whole: Mapping[int, Any], maps: np.ndarray | None, layers: Sequence[int]
) -> tuple[int, int] | None:
    """The captured head that looks hardest past the first word; None where none is whole."""
    if not whole:
        return None
    places = [(layer, head) for layer in sorted(whole) for head in _heads(whole[layer])]
    best = most_focused(maps) if maps is not None else None
    if best is not None and (layers[best[0]], best[1]) in places:
        return layers[best[0]], best[1]
    return places[0]
