"""Which role each head of a model has, and one head on the made text of a role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch

from attnlab.analysis import find, roles, similarity
from attnlab.analysis.roles import HeadRoles, role_named
from attnlab.analysis.silenced import Silenced, silenced
from attnlab.errors import InputError
from attnlab.trace import Capture
from attnlab.ui import work
from attnlab.ui.engine import kept
from attnlab.ui.engine.keys import LabKey
from attnlab.ui.engine.model import Reader
from attnlab.ui.engine.reading import stacked
from attnlab.ui.selection import Head

HALVES: Final = ("repeated", "twofold")
"""Families whose second half says again what the first one said: what counts is its loss."""


@dataclass(frozen=True)
class RolesKey:
    """The roles of one model's heads; with ``probe`` every head on the text of that role."""

    lab: LabKey
    stack: str
    probe: str = ""


@dataclass(frozen=True)
class SilencedKey:
    """The loss of a role's text without each of several sets of heads."""

    probe: RolesKey
    sets: tuple[tuple[Head, ...], ...]


@dataclass(frozen=True)
class AlikeKey:
    """The heads most like one of them on a role's text."""

    probe: RolesKey
    head: Head
    count: int


@dataclass(frozen=True)
class Shown:
    """Every head on the made text of a role.

    Attributes:
        given: the text, or the ids of one.
        tokens: as the model was fed them.
        weights: [L, H, n, n]; heads that a layer does not have are blank.
        look: a query and the key that the role looks at from there; None where it has none.
    """

    given: str | tuple[int, ...]
    tokens: tuple[Any, ...]
    weights: np.ndarray
    look: tuple[int, int] | None

    def of(self, reader: Reader, head: Head) -> np.ndarray:
        """[n, n] of one head."""
        return self.weights[reader.layers.index(head[0]), head[1]]


def scored(reader: Reader) -> HeadRoles:
    """The roles of all heads of the stack that is shown, scored once for all sessions.

    Raises:
        InputError: cross-attention is shown, or no made text fits the model.
        Cancelled: the work was stopped.
    """
    key = _key(reader)

    def run(job: Any) -> HeadRoles:
        known = kept.read(reader.key, key.stack, reader.lab)
        if known is not None:
            return known
        options = {"progress": job.progress, "cancel": job.cancel}
        found = roles.measure(reader.lab, stack=key.stack, **options)
        kept.write(reader.key, key.stack, reader.lab, found)
        return found

    heads = sum(map(reader.heads_in, reader.layers))
    return work.perform(key, f"Scoring {heads:,} heads on made texts", run, _store())


def known(reader: Reader) -> HeadRoles | None:
    """The roles of a model's heads where they are there already; nothing is run for them."""
    if reader.role == "cross":
        return None
    key = _key(reader)
    found = _store().get(key)
    if found is None:
        found = kept.read(reader.key, key.stack, reader.lab)
        if found is not None:
            _store().put(key, found)
    return found


def shown(reader: Reader, role: str) -> Shown:
    """Every head on the text of a role.

    Raises:
        InputError: the model has no text of this role.
        Cancelled: the work was stopped.
    """
    key = RolesKey(reader.key, _key(reader).stack, role)

    def run(job: Any) -> Shown:
        probe = roles.example_probe(reader.lab, role, stack=key.stack)
        given = probe.given
        capture = Capture("weights", roles=(key.stack,))
        options = {"capture": capture, "logits": None, "cancel": job.cancel}
        if (target := _target(reader, key.stack, given)) is not None:
            options["target"] = target
        trace = reader.lab.run(_list(given), **options)
        tokens = trace.tokens if key.stack == trace.main_role else trace.source_tokens
        weights = trace.role(key.stack).weights
        every = stacked([weights[layer] for layer in reader.layers])
        look = roles.one_look(probe, role, tokens, reader.causal)
        return Shown(given, tuple(tokens), every, look)

    return work.perform(key, "Reading a text made for this", run, work.stores().maps)


def alike(reader: Reader, role: str, head: Head, count: int) -> list[find.Ranked]:
    """The heads whose pattern on a role's text is most like that of ``head``: 1 the same."""
    text = shown(reader, role)

    def run(job: Any) -> list[find.Ranked]:
        heads = [(layer, one) for layer in reader.layers for one in range(reader.heads_in(layer))]
        weights = torch.tensor(np.stack([text.of(reader, one) for one in heads]))
        values = similarity.to_one(weights, heads.index(head), causal=reader.causal).tolist()
        rest = [(*one, value) for one, value in zip(heads, values, strict=True) if one != head]
        return sorted(rest, key=lambda item: -item[2])[:count]

    key = AlikeKey(RolesKey(reader.key, _key(reader).stack, role), head, count)
    return work.perform(key, "Looking for heads like it", run, _store(), stoppable=False)


def loss_without(reader: Reader, role: str, sets: Sequence[Sequence[Head]]) -> Silenced:
    """The loss of a role's text without each set of heads.

    Raises:
        AttnLabError: the model predicts no next token, or cannot be edited so.
    """
    text = shown(reader, role)
    key = RolesKey(reader.key, _key(reader).stack, role)
    chosen = tuple(tuple(sorted(set(one))) for one in sets)

    def run(job: Any) -> Silenced:
        return silenced(
            reader.lab,
            _list(text.given),
            chosen,
            role=key.stack,
            target=_target(reader, key.stack, text.given),
            half=role_named(role).family in HALVES,
            progress=job.progress,
            cancel=job.cancel,
        )

    words = "Reading it without these heads"
    return work.perform(SilencedKey(key, chosen), words, run, _store())


def _key(reader: Reader) -> RolesKey:
    if reader.role == "cross":
        raise InputError(
            "Roles say where a head looks within one text, so cross-attention has none; choose "
            "the encoder or the decoder."
        )
    return RolesKey(reader.key, reader.role)


def _target(reader: Reader, stack: str, given: Any) -> Any:
    """A decoder beside an encoder is given the same to write."""
    return _list(given) if stack == "decoder" and reader.writes else None


def _list(given: Any) -> Any:
    return given if isinstance(given, str) else list(given)


def _store() -> Any:
    return work.stores().effects
