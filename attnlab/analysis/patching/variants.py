"""What is patched in turn: a row for each head, position or layer, and its patches."""

from __future__ import annotations

from typing import Any, Final

from attnlab.analysis.pairing import Pairs
from attnlab.errors import EditRefused, InputError
from attnlab.trace.edits import Patch
from attnlab.trace.given import chosen
from attnlab.trace.runner import Runner
from attnlab.trace.site import Block, Site
from attnlab.trace.token import Token
from attnlab.trace.trace import Trace

OF_HEADS: Final = ("z", "weights", "v", "q", "k")
OF_STREAM: Final = ("resid_pre", "attn_out", "cross_out", "mlp_out", "resid_post")
UNITS: Final = ("head", "position", "layer")
DIRECTIONS: Final = ("denoising", "noising")

Cell = tuple[int, int | None, int | None]
"""Layer, head or position, and the position in the other text."""


def check(stage: str, by: str, direction: str, window: int) -> None:
    for name, value, known in (
        ("stage", stage, OF_HEADS + OF_STREAM),
        ("by", by, UNITS),
        ("direction", direction, DIRECTIONS),
    ):
        if value not in known:
            raise InputError(f"{name} is one of {', '.join(known)}, not {value!r}.")
    if by == "head" and stage in OF_STREAM:
        raise InputError(f"{stage} has no heads; patch it by position or by layer.")
    if isinstance(window, bool) or not isinstance(window, int) or window < 1:
        raise InputError(f"window is a number of layers, at least 1, not {window!r}.")


def axis_of(trace: Trace, role: str, stage: str) -> tuple[Token, ...]:
    """The tokens that a stage has a row for."""
    source = role == "encoder" or (role == "cross" and stage in ("k", "v"))
    return trace.source_tokens if source else trace.tokens


def narrowed(pairs: Pairs, positions: Any, length: int) -> Pairs:
    """The pairs at some positions of the text that runs."""
    some = chosen("positions", positions, int, InputError)
    if some is not None:
        wrong = [place for place in some if not -length <= place < length]
        if wrong:
            raise InputError(f"There is no position {wrong[0]}; this text has {length} tokens.")
        wanted = {place % length for place in some}
        pairs = tuple(pair for pair in pairs if pair[0] in wanted)
    if not pairs:
        raise InputError("No position of the one text has a partner in the other; give at=.")
    return pairs


def variants_of(
    runner: Runner,
    stage: str,
    by: str,
    layers: Any,
    pairs: Pairs,
    window: int,
    what: dict[str, Any],
) -> tuple[list[Cell], list[tuple[Patch, ...]]]:
    """A row of the table for each variant, and its patches."""
    places = places_of(runner, stage, what["role"], layers)
    order = [place.layer for place in places_of(runner, stage, what["role"], None)]
    rows: list[Cell] = []
    variants = []
    for place in places:
        at, before = order.index(place.layer), (window - 1) // 2
        around = order[max(0, at - before) : at - before + window]
        if by == "head":
            cells = [((place.layer, head, None), head, pairs) for head in range(place.heads)]
        elif by == "position":
            cells = [((place.layer, here, there), None, ((here, there),)) for here, there in pairs]
        else:
            cells = [((place.layer, None, None), None, pairs)]
        for row, head, pair in cells:
            rows.append(row)
            variants.append(tuple(Patch(stage, one, head, at=pair, **what) for one in around))
    return rows, variants


def places_of(runner: Runner, stage: str, role: str, layers: Any) -> list[Site | Block]:
    """The sites or blocks that have a stage, by layer."""
    held = [p for p in (runner.sites if stage in OF_HEADS else runner.blocks) if p.role == role]
    if stage in ("attn_out", "cross_out", "mlp_out"):
        held = [block for block in held if getattr(block, stage)]
    some = chosen("layers", layers, int, InputError)
    found = sorted((p for p in held if some is None or p.layer in some), key=lambda p: p.layer)
    missing = sorted(set(some or ()) - {place.layer for place in found})
    if missing or not found:
        which = f"layer {missing[0]}" if missing else "any layer"
        raise EditRefused(f"{runner.name} shows no {stage} of the role {role!r} in {which}.")
    return found
