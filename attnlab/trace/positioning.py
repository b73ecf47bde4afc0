"""How a model knows the order of its tokens, as a probe found it, and what can be done with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MOVES = ("none", "shifted", "shuffled", "reversed")
"""Schemes that give every token another position, or all of them the same."""
STRETCHES = ("base", "interpolated", "ntk", "yarn")
"""Schemes that turn queries and keys at other speeds."""
SCHEMES = (*MOVES, *STRETCHES, "alibi", "sinusoidal")

ROTARY, TABLE, BIAS = "rotary", "table", "bias"
"""Queries and keys turn; a vector is added to what is read; a number is added to the scores."""

SINGLE = "a single pair of coordinates turns, so none is slower than another"
"""Why NTK-aware scaling cannot be: it keeps the fastest pair, and slows the slowest."""


@dataclass(frozen=True)
class Positioning:
    """Where order enters in one role of a model.

    Attributes:
        role: "encoder" or "decoder".
        kinds: of "rotary", "table" and "bias" those that were seen; empty where none was.
        learned: whether the table is learned; False for fixed sinusoids, None without one.
        longest: how many positions the table holds, or None.
        width: of a row of the table, or None.
        bases: of the rotation; several where layers differ; empty where it could not be told.
        fraction: the share of a head's coordinates that turn, or None.
        stretch: how the rotation is stretched by the model itself: "" for not, or a name such as
            "linear", "yarn", "llama3", "dynamic".
        original: positions in a training text as the configuration says, or None.
        layered: whether a rotation or bias is handed to each layer apart, so that ``layers=``
            can narrow a change.
        table: where the table is: the path of its module, the name of its tensor, and the row of
            the first position.
        shared: whether one bias serves all texts of a batch, so that their edits must be the same.
        refused: for some schemes, why this model cannot take them.
    """

    role: str
    kinds: tuple[str, ...] = ()
    learned: bool | None = None
    longest: int | None = None
    width: int | None = None
    bases: tuple[float, ...] = ()
    fraction: float | None = None
    stretch: str = ""
    original: int | None = None
    layered: bool = False
    table: tuple[str, str, int] | None = None
    shared: bool = False
    refused: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def base(self) -> float | None:
        """The base of the rotation, where there is one for all layers."""
        return self.bases[0] if len(self.bases) == 1 else None

    @property
    def takes(self) -> tuple[str, ...]:
        """The schemes that ``Positions`` can give this role."""
        return tuple(scheme for scheme in SCHEMES if self.why_not(scheme) is None)

    def why_not(self, scheme: str) -> str | None:
        """Why this role cannot take a scheme, as the end of a sentence; None where it can."""
        if scheme in self.refused:
            return self.refused[scheme]
        if scheme in STRETCHES and ROTARY not in self.kinds:
            return "no queries and keys were seen to turn"
        if scheme == "sinusoidal" and TABLE not in self.kinds:
            return "no table of positions was seen whose place sinusoids could take"
        if scheme in MOVES and not self.kinds:
            return "nothing was seen that tells it the order of its tokens"
        return None

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        named = {ROTARY: self._rotation, TABLE: self._table, BIAS: "a bias on the scores"}
        found = [named[kind] for kind in self.kinds] or [
            "nothing seen that tells its order, beside what its mask may hold"
        ]
        found += ["something that was not seen"] if "none" in self.refused else []
        return f"Positions ({self.role}): {' and '.join(found)}."

    @property
    def _rotation(self) -> str:
        said = "queries and keys turn"
        if self.fraction is not None and self.fraction < 1:
            said += f", {self.fraction:.0%} of each head"
        if self.bases:
            said += f", base {' and '.join(f'{base:,.0f}' for base in self.bases)}"
        return f"{said}, stretched by the model itself ({self.stretch})" if self.stretch else said

    @property
    def _table(self) -> str:
        kind = "a learned table" if self.learned else "a table of fixed sinusoids"
        return kind if self.longest is None else f"{kind} of {self.longest:,} positions"
