"""The pictures of the Architecture page and their numbers, as files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from attnlab.ui import engine
from attnlab.ui.export import said
from attnlab.ui.export.menu import Savable
from attnlab.version import VERSION
from attnlab.viz.diagram import Diagram
from attnlab.viz.numbers import Numbers, Text
from attnlab.viz.svg.diagram import diagram
from attnlab.viz.svg.frame import Caption


@dataclass(frozen=True)
class Source:
    """Where numbers are from: a loaded model on a text, or published sizes.

    Attributes:
        facts: one line under the picture; ``provenance``: the same for programs.
        sentences: (name, text) of what was read, ``texts`` with the tokens.
    """

    facts: str
    provenance: dict[str, Any]
    sentences: tuple[tuple[str, str], ...] = ()
    texts: tuple[Text, ...] = ()


def of_model(
    reader: engine.Reader,
    passage: engine.Passage | None,
    edits: Sequence[Any] = (),
    *,
    b: engine.Passage | None = None,
) -> Source:
    """A loaded model, on a passage where there is one, under edits where there are any.

    Args:
        passage: sentence A; ``b``: sentence B, where two are compared.
    """
    facts, known = said.facts_of(reader, edits), engine.provenance(reader, edits)
    read = [(side, one) for side, one in (("A", passage), ("B", b)) if one is not None]
    sentences: list[tuple[str, str]] = []
    for side, one in read:
        sentences.append((side, one.text))
        if reader.writes and one.target:
            sentences.append((f"{side} writes", one.target))
    texts = tuple(_text(reader, side, one) for side, one in read)
    return Source(facts, known, tuple(sentences), texts)


def _text(reader: engine.Reader, side: str, passage: engine.Passage) -> Text:
    """A sentence with its tokens."""
    tokens = [
        {
            "id": token.id,
            "raw": token.raw,
            "text": engine.literal(reader, token),
            "special": token.special,
            "piece": token.piece,
        }
        for token in reader.lab.tokens(passage.text)
    ]
    return Text(side, passage.text, tokens, target=passage.target if reader.writes else "")


def computed(what: str, source: str = "") -> Source:
    """Numbers that follow from sizes or structures alone."""
    facts = " · ".join(part for part in (what, source, f"attnlab {VERSION}") if part)
    known = {"computed_from": what, "source": source, "versions": {"attnlab": VERSION}}
    return Source(facts, known)


def picture(
    name: str,
    title: str,
    drawn: Diagram,
    source: Source,
    *,
    what: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    notes: Sequence[str] = (),
    body: dict[str, Any] | None = None,
) -> Savable:
    """A diagram and its table as files.

    Args:
        what: the numbers with their unit, in a sentence.
    """
    caption = Caption(title, source.sentences, source.facts, tuple(filter(None, notes)))
    table = [dict(zip(columns, row, strict=True)) for row in rows]
    numbers = Numbers(
        what,
        source.provenance,
        source.texts,
        columns,
        rows,
        {"rows": table, **(body or {})},
        tuple(filter(None, notes)),
    )
    return Savable(name, partial(_drawn, drawn, caption), lambda: numbers)


def _drawn(drawn: Diagram, caption: Caption, dark: bool, *more: str) -> str:
    return diagram(drawn, caption=caption.noting(*more), dark=dark)
