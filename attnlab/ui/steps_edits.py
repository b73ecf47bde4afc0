"""Edited cells of a worked example, as a frozen value and in a link.

``x1.2_0.75~q0.0_-1`` says: row 1, column 2 of X holds 0.75, and row 0, column 0 of W_Q holds -1.
Rows and columns count from 0. Nothing here imports Streamlit.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

from attnlab.attention.steps import LARGEST, TYPED, Worked
from attnlab.errors import InputError

_LETTERS: Final = dict(zip("xqkvo", TYPED, strict=True))
_MATRICES: Final = {matrix: letter for letter, matrix in _LETTERS.items()}
# Not \d, which takes the digits of every script.
_EDIT: Final = re.compile(r"([xqkvo])([0-9]{1,2})\.([0-9]{1,2})_(-?[0-9]{1,4}(?:\.[0-9]{1,6})?)")
_DECIMALS: Final = 6
MOST: Final = 200
"""More cells than any example has."""


@dataclass(frozen=True)
class Edit:
    """One cell holds another number."""

    matrix: str
    row: int
    column: int
    value: float


Edits = tuple[Edit, ...]


def applied(example: Worked, edits: Edits) -> tuple[Worked, Edits]:
    """The example with the edits that fit it, and those that do not."""
    left = []
    for edit in edits:
        try:
            example = example.typed(edit.matrix, edit.row, edit.column, edit.value)
        except InputError:
            left.append(edit)
    return example, tuple(left)


def read(given: str) -> Edits:
    """The edits that a link spells; of two for one cell the last one counts.

    Raises:
        ValueError: it spells none; the rest of the sentence.
    """
    parts = given.split("~") if given else []
    if len(parts) > MOST:
        raise ValueError(f"edits more than {MOST} cells")
    found: dict[tuple[str, int, int], Edit] = {}
    for part in parts:
        match = _EDIT.fullmatch(part)
        if match is None or abs(float(match[4])) > LARGEST:
            raise ValueError(
                "is not a list of cells such as x1.2_0.75~q0.0_-1, with numbers from "
                f"{-LARGEST:g} to {LARGEST:g}"
            )
        place = (_LETTERS[match[1]], int(match[2]), int(match[3]))
        found[place] = Edit(*place, float(match[4]))
    return tuple(found.values())


def write(edits: Edits) -> str:
    """The spelling of edits in a link."""
    return "~".join(
        f"{_MATRICES[edit.matrix]}{edit.row}.{edit.column}_{spelled(edit.value)}" for edit in edits
    )


def spelled(value: float) -> str:
    """A number in as few characters as give it back."""
    text = f"{value:.{_DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def clicked(given: Any) -> Edits | None:
    """The edits that a browser sent: [[matrix, row, column, value], ...]; None for what is none."""
    if not isinstance(given, list) or len(given) > MOST:
        return None
    found = []
    for one in given:
        if not isinstance(one, list) or len(one) != 4 or one[0] not in TYPED:
            return None
        if not all(type(number) in (int, float) for number in one[1:]):
            return None
        matrix, row, column, value = one
        # Written so that NaN fails too.
        if row % 1 or column % 1 or not -LARGEST <= value <= LARGEST:
            return None
        if not (0 <= row < 100 and 0 <= column < 100):
            return None
        found.append(Edit(matrix, int(row), int(column), round(float(value), _DECIMALS)))
    return tuple(found)
