"""What every file says about itself: the texts, the model, and how it was read."""

from collections.abc import Sequence
from typing import Any

from attnlab.ui import engine
from attnlab.ui.scene import Scene
from attnlab.ui.selection import Head, Side
from attnlab.viz.numbers import Text
from attnlab.viz.svg import Caption


def sides(of: Scene) -> tuple[Side, ...]:
    """The texts there are."""
    return ("A",) if of.b is None else ("A", "B")


def facts(of: Scene, edits: Sequence[Any] = ()) -> str:
    """The model and how it was read, in one line."""
    return facts_of(of.reader, edits)


def facts_of(reader: engine.Reader, edits: Sequence[Any] = ()) -> str:
    """The model and how it was read, in one line."""
    known = engine.provenance(reader, edits)
    model = f"{known['model']}@{known['revision']}" if known["revision"] else known["model"]
    role = f"{reader.role} attention" if len(reader.roles) > 1 else ""
    versions = ", ".join(
        f"{name} {known['versions'][name]}" for name in ("attnlab", "torch", "transformers")
    )
    how = reader.lab.trust.sentence.rstrip(".")
    return " · ".join(part for part in (str(model), role, how, versions) if part)


def caption(
    of: Scene,
    title: str,
    of_sides: Sequence[Side],
    notes: Sequence[str] = (),
    edits: Sequence[Any] = (),
) -> Caption:
    """The caption of a picture of these texts."""
    sentences = []
    for side in of_sides:
        passage = of.passage(side)
        sentences.append((side, passage.text))
        if of.reader.writes and passage.target:
            sentences.append((f"{side} writes", passage.target))
    return Caption(title, tuple(sentences), facts(of, edits), tuple(filter(None, notes)))


def text(of: Scene, side: Side) -> Text:
    """A text with its tokens, their text as it was typed and not as it is drawn."""
    reading, passage = of.reading(side), of.passage(side)
    sources = None if of.reader.role != "cross" else _literal(of, reading.sources)
    target = passage.target if of.reader.writes else ""
    return Text(side, passage.text, _literal(of, reading.tokens), sources, target)


def _literal(of: Scene, tokens: Sequence[Any]) -> list[dict[str, Any]]:
    return [
        {
            "id": token.id,
            "raw": token.raw,
            "text": engine.literal(of.reader, token),
            "special": token.special,
            "piece": token.piece,
        }
        for token in tokens
    ]


def name(head: Head) -> str:
    """A head in the name of a file."""
    return f"L{head[0]}H{head[1]}"
