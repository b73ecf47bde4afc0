"""A selection in the URL.

The URL is the state: `parse(format_url(selection))` gives the selection back, and any other URL,
however mangled, gives a selection that works and one sentence for each part that was not
understood. Nothing here imports Streamlit.

    ?a=…&b=…            the two texts (b may be empty: one text only)
    ta=…  tb=…          what an encoder-decoder writes for each
    model=  device=  dtype=     which model, and how it is loaded
    ours=1              its weights run in our own transformer
    role=encoder|decoder|cross  whose attention, where a model has several
    view=A|B|B-A        what the grid of all heads shows
    first=hidden|shown  whether the grid leaves out the first token's column
    head=L4H2           the chosen head, counted from 0
    panel=head|compare|find|circuits    which card stands under the grid
    mode=words|matrix|difference        how the chosen head is drawn
    at=B11              the clicked token: its text and its position, counted from 0;
                        at=A is text A, no token clicked
    key=6               the clicked key of the same text
    pins=L16H0.L13H8    the heads to compare, and drawn=matrices|arcs how
    gone=L4H2.L23H4     the heads taken away; none is the chosen one
    ablate=zero|mean    what takes the place of their output
    try=street          the experiment that set this up
    long=a.b            the texts that were too long for this link
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import quote

from attnlab.ui.selection import (
    ABLATIONS,
    DEFAULT,
    DEVICES,
    DRAWN,
    DTYPES,
    MAX_GONE,
    MAX_PINS,
    MODES,
    PANELS,
    ROLES,
    VIEWS,
    Head,
    Selection,
)
from attnlab.viz.heads import spelled

# A longer text travels in a file instead.
LINK_CHARACTERS: Final = 3000
# All texts together, percent-encoded: a server takes about 64 KiB of address.
_LINK_BYTES: Final = 56_000
_MAX_NAME: Final = 300
# The texts' parameters: the field of a selection that each sets, and how a sentence names it.
TEXTS: Final = {"a": "a", "b": "b", "ta": "target_a", "tb": "target_b"}
NAMES: Final = {
    "a": "Sentence A",
    "b": "Sentence B",
    "ta": "The target of A",
    "tb": "The target of B",
}
_HEAD: Final = re.compile(r"L([0-9]{1,4})H([0-9]{1,4})")  # \d takes the digits of every script


spell = spelled
"""How a head is written: L4H2."""


def unspell(written: str) -> Head | None:
    """The head that "L4H2", "l4 h2" or "4.2" means, or None."""
    plain = re.fullmatch(r"\s*[lL]?([0-9]{1,4})[\s.·,]*[hH.\s]([0-9]{1,4})\s*", written)
    return None if plain is None else (int(plain[1]), int(plain[2]))


def literal(text: str) -> str:
    """`text` with lone surrogates, which are no characters, as the replacement character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def left_out(selection: Selection) -> tuple[str, ...]:
    """The query parameters of the texts that are too long for a link, the longest first."""
    encoded = {name: quote(literal(getattr(selection, field))) for name, field in TEXTS.items()}
    longest = sorted(encoded, key=lambda name: -len(encoded[name]))
    total, out = sum(map(len, encoded.values())), []
    for name in longest:
        if total > _LINK_BYTES or len(getattr(selection, TEXTS[name])) > LINK_CHARACTERS:
            out.append(name)
            total -= len(encoded[name])
    return tuple(out)


def format_url(selection: Selection) -> dict[str, str]:
    """The query parameters that reopen `selection`; what equals the default is left out."""
    spelled, out = _spelled(selection), left_out(selection)
    default = _spelled(DEFAULT)
    url = {
        name: value for name, value in spelled.items() if value != default[name] and name not in out
    }
    return {**url, "long": ".".join(sorted(out))} if out else url


def _spelled(selection: Selection) -> dict[str, str]:
    """Every parameter of `selection`."""
    position = "" if selection.position is None else str(selection.position)
    return {
        "model": selection.model,
        "device": selection.device,
        "dtype": selection.dtype,
        "ours": "1" if selection.ours else "",
        **{name: getattr(selection, field) for name, field in TEXTS.items()},
        "role": selection.role,
        "view": selection.view,
        "first": "hidden" if selection.drop_first else "shown",
        "head": spell(selection.chosen),
        "panel": selection.panel,
        "mode": selection.mode,
        "at": selection.side + position,
        "key": "" if selection.key is None else str(selection.key),
        "pins": ".".join(map(spell, selection.pins)),
        "drawn": selection.drawn,
        "gone": ".".join(map(spell, selection.gone)),
        "ablate": selection.ablation,
        "try": selection.experiment,
    }


def parse(parameters: Mapping[str, str]) -> tuple[Selection, tuple[str, ...]]:
    """The selection that `parameters` spell, and a sentence for each part not understood.

    Unknown parameters are left alone: they may belong to another page.
    """
    selection, problems = DEFAULT, []
    for name, read in _READERS.items():
        value = parameters.get(name)
        if value is None:
            continue
        try:
            selection = replace(selection, **read(literal(value)))
        except ValueError as error:
            problems.append(f"The link's “{name}” {error}, so it was left out.")
    for name in parameters.get("long", "").split("."):
        if name in NAMES and name not in parameters:
            problems.append(
                f"{NAMES[name]} was too long for this link; a saved view would have held it."
            )
    return selection, tuple(dict.fromkeys(problems))


def url_names() -> tuple[str, ...]:
    """The query parameters that a selection may use."""
    return (*_READERS, "long")


def _read_text(field: str):
    """A reader of a text."""

    def read(value: str) -> dict[str, object]:
        if len(value) > LINK_CHARACTERS:
            raise ValueError(f"is longer than {LINK_CHARACTERS:,} characters")
        return {field: value}

    return read


def _read_model(value: str) -> dict[str, object]:
    if not value.strip() or len(value) > _MAX_NAME or not value.isprintable():
        raise ValueError("is not the name of a model")
    return {"model": value}


def _read_choice(field: str, choices: tuple[str, ...]):
    """A reader of one word out of `choices`."""

    def read(value: str) -> dict[str, object]:
        if value not in choices:
            raise ValueError(f"is none of {', '.join(filter(None, choices))}")
        return {field: value}

    return read


def _read_ours(value: str) -> dict[str, object]:
    if value not in ("", "1"):
        raise ValueError("is not 1")
    return {"ours": value == "1"}


def _read_first(value: str) -> dict[str, object]:
    if value not in ("hidden", "shown"):
        raise ValueError("is neither hidden nor shown")
    return {"drop_first": value == "hidden"}


def _read_head(value: str) -> dict[str, object]:
    match = _HEAD.fullmatch(value)
    if match is None:
        raise ValueError("is not a head such as L4H2")
    return {"layer": int(match[1]), "head": int(match[2])}


def _read_heads(field: str, most: int):
    """A reader of several heads; one named twice counts once."""

    def read(value: str) -> dict[str, object]:
        found = [_HEAD.fullmatch(part) for part in value.split(".")] if value else []
        if None in found:
            raise ValueError("is not a list of heads such as L16H0.L13H8")
        heads = tuple(dict.fromkeys((int(match[1]), int(match[2])) for match in found))
        if len(heads) > most:
            raise ValueError(f"names more than {most} heads")
        return {field: heads}

    return read


def _read_at(value: str) -> dict[str, object]:
    match = re.fullmatch(r"([AB])([0-9]{1,6})?", value)
    if match is None:
        raise ValueError("is not a token such as B11")
    return {"side": match[1], "position": None if match[2] is None else int(match[2])}


def _read_key(value: str) -> dict[str, object]:
    if not re.fullmatch(r"[0-9]{0,6}", value):
        raise ValueError("is not a position such as 6")
    return {"key": int(value) if value else None}


def _read_experiment(value: str) -> dict[str, object]:
    if not re.fullmatch(r"[a-z0-9-]{0,40}", value):
        raise ValueError("is not the name of an experiment")
    return {"experiment": value}


_READERS: Final = {
    "model": _read_model,
    "device": _read_choice("device", DEVICES),
    "dtype": _read_choice("dtype", DTYPES),
    "ours": _read_ours,
    **{name: _read_text(field) for name, field in TEXTS.items()},
    "role": _read_choice("role", ROLES),
    "view": _read_choice("view", VIEWS),
    "first": _read_first,
    "head": _read_head,
    "panel": _read_choice("panel", PANELS),
    "mode": _read_choice("mode", MODES),
    "at": _read_at,
    "key": _read_key,
    "pins": _read_heads("pins", MAX_PINS),
    "drawn": _read_choice("drawn", DRAWN),
    "gone": _read_heads("gone", MAX_GONE),
    "ablate": _read_choice("ablation", ABLATIONS),
    "try": _read_experiment,
}
