"""A mask over a few words, and how far it reaches, as files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from attnlab.ui.export import architecture as files
from attnlab.ui.export.menu import Savable
from attnlab.ui.masks_selection import Masks
from attnlab.ui.masks_view import ABOUT, TITLES, Sheet, counted, share
from attnlab.viz import svg
from attnlab.viz.cone import cone
from attnlab.viz.figures import several
from attnlab.viz.numbers import Numbers
from attnlab.viz.sees import Sight

_NAMED: Final = 12  # painted cells that a file's notes name


def mask(value: Masks, sheet: Sheet) -> Savable:
    """Who may look at whom, as it was painted."""
    return Savable("attnlab-mask", partial(_picture, value, sheet), partial(_numbers, value, sheet))


def _picture(value: Masks, sheet: Sheet, dark: bool, *notes: str) -> str:
    caption = svg.Caption(
        "Who may look at whom",
        (("Words", " ".join(sheet.words)),),
        files.computed("the mask").facts,
        tuple(filter(None, (*_notes(sheet), *notes))),
    )
    sight = Sight(TITLES[value.kind], ABOUT[value.kind], sheet.seen)
    return svg.sees([sight], sheet.tokens, row=sheet.row, caption=caption, dark=dark)


def _notes(sheet: Sheet) -> tuple[str, ...]:
    said = (f"{counted(sheet)} {share(sheet)}.",)
    painted = len(sheet.cells.shown) + len(sheet.cells.hidden)
    if not painted:
        return said
    many = "1 cell was" if painted == 1 else f"{painted} cells were"
    kinds = (("shown", sheet.cells.shown), ("hidden", sheet.cells.hidden))
    listed = "; ".join(f"{kind}: {_pairs(sheet, cells)}" for kind, cells in kinds if cells)
    return (*said, f"{many} painted by hand ({listed}).")


def _pairs(sheet: Sheet, cells: Sequence[tuple[int, int]]) -> str:
    """Cells as pairs of words, the first few of them."""
    named = [f"“{sheet.words[q]}” → “{sheet.words[k]}”" for q, k in cells[:_NAMED]]
    return ", ".join(named + ["…"] * (len(cells) > _NAMED))


def _numbers(value: Masks, sheet: Sheet) -> Numbers:
    places = range(len(sheet.words))
    rows = [
        [q, sheet.words[q], k, sheet.words[k], int(sheet.seen[q, k]), int(sheet.base[q, k])]
        for q in places
        for k in places
    ]
    return Numbers(
        "1 where the word of the query may look at the word of the key, else 0.",
        files.computed("the mask").provenance
        | {"mask": _spelled(value), "shown": sheet.cells.shown, "hidden": sheet.cells.hidden},
        [],
        ("query", "query_token", "key", "key_token", "may_look", "in_the_pattern"),
        rows,
        {"may_look": sheet.seen.astype(int), "words": list(sheet.words)},
        _notes(sheet),
    )


def _spelled(value: Masks) -> dict[str, Any]:
    pattern = value.pattern
    return {name: getattr(pattern, name) for name in pattern.__dataclass_fields__}


def reach(value: Masks, sheet: Sheet, held: np.ndarray) -> Savable:
    """How far a word hears through the layers that are shown."""
    drawn = cone(sheet.tokens, sheet.seen, held, row=sheet.row, layers=value.layers)
    rows = [
        [layer, q, sheet.words[q], int(held[layer, q].sum()), q - int(held[layer, q].argmax())]
        for layer in range(len(held))
        for q in range(len(sheet.words))
    ]
    return files.picture(
        "attnlab-reach",
        f"What word {sheet.row} hears after {several(value.layers, 'layer')}",
        drawn,
        files.computed(f"powers of the mask: {value.pattern}"),
        what="How many words each word can hold something of, and how far back the farthest lies.",
        columns=("layers", "position", "token", "words_heard", "farthest_back"),
        rows=rows,
        notes=_notes(sheet),
    )
