"""Which heads have which roles: a value that can be kept, sent and shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

import pandas as pd

from attnlab.errors import InputError
from attnlab.trace.site import Head

GENERAL = ("position only", "first token")
"""What says least of a head, said last: a head on the previous token is "position only" too, and
half of all heads rest on the first token."""


@dataclass(frozen=True)
class HeadRole:
    """One head under one role.

    Attributes:
        layer, head: which, counted from 0 within the stack.
        role: see ``kinds.ROLES``.
        score: its weight where the role says, mean over probes; see ``Role.said``.
        chance: the same weights, looked at in wrong places drawn at random.
        threshold: the least score that names the head: the role's floor, or chance and four of its
            standard deviations where that is more.
        spread: standard deviation of the score over probes, None where there was one.
    """

    layer: int
    head: int
    role: str
    score: float
    chance: float
    threshold: float
    spread: float | None

    @property
    def named(self) -> bool:
        return self.score >= self.threshold


@dataclass(frozen=True)
class HeadRoles:
    """Every head of a stack under every role that it could be scored for.

    Attributes:
        model: its name, and ``stack`` which of its attentions: "encoder" or "decoder".
        rows: one for each head and role, in order of layer, head and role.
        probes: by role, how many texts its score rests on.
        left_out: by role, why it has no score.
    """

    model: str
    stack: str
    seed: int
    rows: tuple[HeadRole, ...]
    probes: tuple[tuple[str, int], ...]
    left_out: tuple[tuple[str, str], ...] = ()
    kind: str = field(default="head_roles", init=False)

    def of(self, layer: int, head: int) -> tuple[HeadRole, ...]:
        """All roles of one head. Empty where there is no such head."""
        return tuple(row for row in self.rows if (row.layer, row.head) == (layer, head))

    def names(self) -> dict[Head, tuple[str, ...]]:
        """The roles of every head that has some, the clearest first, ``GENERAL`` ones last."""
        found: dict[Head, list[HeadRole]] = {}
        for row in self._named():
            found.setdefault((row.layer, row.head), []).append(row)
        return {
            head: tuple(r.role for r in sorted(rows, key=_rank)) for head, rows in found.items()
        }

    def strongest(self, role: str, count: int = 5) -> tuple[HeadRole, ...]:
        """The heads with the largest scores under a role, named or not."""
        rows = [row for row in self.rows if row.role == role]
        return tuple(sorted(rows, key=lambda row: -row.score)[:count])

    def frame(self) -> pd.DataFrame:
        """As a table: layer, head, role, score, chance, threshold, spread, named.

        ``attrs``: model, stack, seed, unit, probes and left_out.
        """
        columns = list(HeadRole.__dataclass_fields__)
        table = pd.DataFrame([asdict(row) for row in self.rows], columns=columns)
        table = table.astype({"score": float, "chance": float, "threshold": float, "spread": float})
        table["named"] = table["score"] >= table["threshold"]
        table.attrs = {
            "model": self.model,
            "stack": self.stack,
            "seed": self.seed,
            "unit": "weight of attention, 0 to 1; a difference of two weights where it says so",
            "probes": dict(self.probes),
            "left_out": dict(self.left_out),
        }
        return table

    def to_json(self) -> str:
        """As text that ``from_json`` reads."""
        return json.dumps(asdict(self), sort_keys=True, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> HeadRoles:
        """What ``to_json`` was given.

        Raises:
            InputError: the text is no such value.
        """
        try:
            plain = json.loads(text)
            if plain.pop("kind") != "head_roles":
                raise KeyError("kind")
            rows = tuple(HeadRole(**row) for row in plain.pop("rows"))
            pairs = {name: tuple(map(tuple, plain.pop(name))) for name in ("probes", "left_out")}
            return cls(rows=rows, **pairs, **plain)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise InputError("These are no head roles as to_json writes them.") from error

    def _named(self) -> Iterator[HeadRole]:
        return (row for row in self.rows if row.named)


def _rank(row: HeadRole) -> tuple[int, float]:
    general = GENERAL.index(row.role) + 1 if row.role in GENERAL else 0
    return general, -row.score / row.threshold
