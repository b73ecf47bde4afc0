"""What the panel “A real head” draws: one opened head as sections of strips, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any, Final

import numpy as np

from attnlab.analysis.opened import Opened, largest, strongest
from attnlab.viz.strips import Dials, Row, Section, Strip, Strips, Sum, Word
from attnlab.viz.tokens import label

LISTED: Final = 24  # keys that a row lists, and
BLENDED: Final = 6  # those whose values are drawn
TERMS: Final = 5  # products that are written out


@dataclass(frozen=True)
class Shown:
    """One head at one pair: the query is ``head.query``; tokens of both axes."""

    head: Opened
    key: int
    tokens: Sequence[Any]
    sources: Sequence[Any]

    @property
    def query_word(self) -> Any:
        return self.tokens[self.head.query]

    @property
    def key_word(self) -> Any:
        return self.sources[self.key]


def sections(of: Shown) -> list[Section]:
    """Every step that this model shows, from q and k to what W_O makes of z."""
    head, found = of.head, []
    if head.q is not None and head.k is not None and head.scores is not None:
        found += [*_before(of), _products(of), _sum(of)]
    found.append(_row(of))
    if head.v is not None and head.z is not None:
        found.append(_blend(of))
    elif head.z is not None:
        z = Strip("z", head.z, of.query_word)
        found.append(Strips("What the head hands on", "z, of this head alone.", [z]))
    if head.added is not None:
        found.append(_added(of))
    return found


def said(token: Any) -> str:
    """A token within a sentence."""
    return f"“{label(token)}”"


def grouped(head: Opened) -> str:
    """Which key/value head is read, and who else reads it; "" where each has its own."""
    if head.site.kv_heads == head.site.heads:
        return ""
    others = [str(number) for number in head.sharing if number != head.head]
    listed = f"{', '.join(others[:-1])} and {others[-1]}" if len(others) > 1 else others[0]
    heads = "heads" if len(others) > 1 else "head"
    return (
        f"Query head {head.head} reads key/value head {head.kv_head}, shared with {heads} {listed}."
    )


def _made(of: Shown) -> str:
    head, size = of.head, len(of.head.q)
    return (
        f"{said(of.query_word)} at position {head.query} asks with q, {said(of.key_word)} at "
        f"position {of.key} answers with k: {size} numbers each, the word’s vector times W_Q and "
        f"W_K. {grouped(head)}"
    ).strip()


def _before(of: Shown) -> list[Section]:
    """q and k as the projections left them, and the rotation; nothing where there is none."""
    head = of.head
    if head.q_before is None or head.k_before is None:
        return []
    strips = [
        Strip("q", head.q_before, of.query_word, scale="all"),
        Strip("k", head.k_before[of.key], of.key_word, "ink", scale="all"),
    ]
    found: list[Section] = [Strips("Query and key", _made(of), strips)]
    return found if head.turns is None else [*found, _dials(of)]


def _dials(of: Shown) -> Dials:
    head, turns = of.head, of.head.turns
    still = len(head.q) - 2 * len(turns.pairs)
    rest = f" The other {still} of {len(head.q)} dimensions do not turn." if still else ""
    longer = "" if turns.factor == 1 else f" Both also get {turns.factor:.4g} times longer."
    angles = turns.angles.astype(np.float64)
    return Dials(
        "Turned by position (RoPE)",
        "Each dial is a pair of dimensions. The coloured hand is how far q has turned at position "
        f"{head.query}, the other one k at position {of.key}: the score feels only the angle "
        f"between them, so how far apart the words are.{rest}{longer}",
        turns.pairs,
        angles[head.query],
        angles[of.key],
        turns.step(),
        (head.query, of.key),
    )


def _products(of: Shown) -> Strips:
    head, products = of.head, of.head.products(of.key)
    turned = head.q_before is not None
    note = "Each number of q times the number of k below it."
    strips = [
        Strip("q, turned" if turned else "q", head.q, of.query_word, scale="qk"),
        Strip("k, turned" if turned else "k", head.k[of.key], of.key_word, "ink", scale="qk"),
        Strip("q × k", products, marked=tuple(largest(products, TERMS))),
    ]
    title = "Multiplied, number by number" if turned else "Query and key, multiplied"
    return Strips(title, note if turned else f"{_made(of)} {note}", strips)


def _sum(of: Shown) -> Sum:
    head = of.head
    terms, others = head.named(of.key, TERMS)
    return Sum(
        "Added up: the score",
        f"How well {said(of.query_word)} and {said(of.key_word)} match in this head, and which "
        "dimensions decide it.",
        terms,
        (len(head.q) - len(terms), others),
        float(head.scores[of.key]),
    )


def scale_words(head: Opened) -> str:
    """How scores are scaled: "÷ √64", or the factor where it is another one."""
    scale, size = head.site.scale, head.site.key_size
    if scale is None:
        return "scaled"
    if isclose(scale, size**-0.5, rel_tol=1e-4):
        return f"÷ √{size}"
    return "× 1" if scale == 1 else f"× {scale:.4g}"


def _row(of: Shown) -> Row:
    head = of.head
    listed = _listed(of)
    figures = {"q · k": head.scores, scale_words(head): head.scaled}
    if head.bias is not None:
        figures["with bias"] = head.masked
    elif head.scaled is None and head.masked is not None:
        figures["score"] = head.masked
    columns = {name: values for name, values in figures.items() if values is not None}
    words = [
        Word(
            of.sources[key],
            key,
            [float(values[key]) for values in columns.values()],
            float(head.weights[key]),
            bool(head.hidden[key]),
        )
        for key in listed
    ]
    others = (len(head.weights) - len(listed), head.share_of_others(listed))
    return Row("Scaled, masked, softmax", _row_note(of, listed), list(columns), words, others)


def _listed(of: Shown) -> list[int]:
    """The keys of the row: all of them, or those of largest weight."""
    count = len(of.head.weights)
    return list(range(count)) if count <= LISTED else strongest(of.head, LISTED, [of.key])


def _row_note(of: Shown, listed: Sequence[int]) -> str:
    head, count = of.head, len(of.head.weights)
    parts = [f"The whole row of {said(of.query_word)}: every key it could look at."]
    if head.capped:
        parts.append("Scaled scores are bent so that none gets too large (a soft cap).")
    if head.bias is not None:
        parts.append("A bias for how far apart two words are is added.")
    hidden = int(head.hidden.sum())
    if hidden:
        words, whose = ("word", "its") if hidden == 1 else ("words", "their")
        parts.append(
            f"The mask hides {hidden:,} {words}: {whose} score becomes −∞, {whose} weight 0."
        )
    parts.append("Softmax makes the rest positive, and 1 together.")
    if head.left > 1e-3:
        parts.append(f"A learned sink takes {head.left:.4f} of it and gives nothing.")
    if len(listed) < count:
        parts.append(f"Listed: the {len(listed)} of {count:,} keys with the largest weights.")
    parts.append("Click a key to open it.")
    return " ".join(parts)


def _blend(of: Shown) -> Strips:
    head = of.head
    keys = strongest(head, BLENDED, [of.key])
    parts, others, count = head.blended(keys)
    strips = [
        Strip(f"{head.weights[key]:.4f} × v", part, of.sources[key], "ink", scale="v")
        for key, part in zip(keys, parts, strict=True)
    ]
    if count:
        name = f"{count:,} others" if count > 1 else "1 other"
        strips.append(Strip(name, others, colour="ink", scale="v"))
    strips.append(Strip("z", head.z, of.query_word, scale="v"))
    return Strips(
        "Weights times values",
        f"Each key’s v, {len(head.v[0])} numbers, times its weight; added up they are z, all that "
        f"this head hands on for {said(of.query_word)}.",
        strips,
    )


def _added(of: Shown) -> Strips:
    added = of.head.added
    return Strips(
        "Through W_O",
        f"This head’s share of the {len(added):,} numbers that attention gives to "
        f"{said(of.query_word)}; its length is {of.head.length:.4g}. The shares of all heads are "
        "added.",
        [Strip("W_O z", added, of.query_word)],
        places="number",
    )
