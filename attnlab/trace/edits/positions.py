"""Positions changed: taken away, moved, turned at other speeds, or put in place of a table."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from torch import Tensor

from attnlab.attention import Where
from attnlab.errors import EditError, EditRefused
from attnlab.trace.edits.distance import penalizing
from attnlab.trace.edits.edit import Bound, Edit, Fed, main_or, site_at
from attnlab.trace.edits.placed import STAGE, Placed, entrance
from attnlab.trace.given import MOST, brief, number, whole
from attnlab.trace.positioning import SCHEMES, Positioning
from attnlab.trace.site import Site

if TYPE_CHECKING:
    from attnlab.trace.trace import Trace

_OWN = {
    "shifted": ("offset",),
    "shuffled": ("seed",),
    "base": ("base",),
    "interpolated": ("factor",),
    "ntk": ("factor",),
    "yarn": ("factor", "original"),
}
"""The settings that belong to each scheme; the first of them it needs."""


@dataclass(frozen=True)
class Positions(Edit):
    """Give the tokens other positions than the model would, or have them act otherwise.

    | scheme         | what changes                                                              |
    |----------------|---------------------------------------------------------------------------|
    | "none"         | every token stands at the same place: no order but what a mask shows       |
    | "shifted"      | every position is ``offset`` later                                         |
    | "shuffled"     | the positions of the text are dealt out at random, by ``seed``             |
    | "reversed"     | the first token has the last position                                      |
    | "base"         | RoPE turns with another ``base``                                           |
    | "interpolated" | RoPE turns ``factor`` times slower (Chen et al. 2023)                      |
    | "ntk"          | RoPE's base grows so that its slowest pair turns ``factor`` times slower   |
    | "yarn"         | fast pairs keep their speed, slow ones turn slower (Peng et al. 2023);     |
    |                | ``original``: the training length, else what the model says of it          |
    | "alibi"        | a penalty on distance is added to the scores (Press et al. 2022)           |
    | "sinusoidal"   | fixed sinusoids (Vaswani et al. 2017) in place of the table of positions   |

    "base" keeps a stretching that the model has itself; "interpolated", "ntk" and "yarn" replace
    it. "alibi" is added to what the model has; together with "none" it stands alone. It counts the
    tokens between two, wherever they claim to stand: a move reaches only what the model has itself.
    Several act together: what moves moves first, in its order, and "none" undoes it. Of two bases,
    or of two of "interpolated", "ntk" and "yarn", the last holds; base and stretching join in
    either order. Angles are rounded as the model rounds them, which shows in texts that are shifted
    by 100,000 and more.

    While a text is continued, the prompt's positions are shuffled or reversed, and the tokens that
    follow stand where they would anyway: the same with a key/value cache and without.

    Recurrent and convolutional layers know the order of what they read by themselves, and keep it.

    ``layers`` narrows it where a rotation or bias reaches each layer apart; a table is added once,
    before the first. ``heads`` narrows "alibi". ``role`` None: the model's main role.

    Raises:
        EditError: an unknown scheme, a setting that it lacks or does not have, or one out of range.
    """

    scheme: str
    _: KW_ONLY
    offset: int | None = None
    seed: int | None = None
    base: float | int | None = None
    factor: float | int | None = None
    original: int | None = None
    layers: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None
    role: str | None = None
    kind: str = field(default="positions", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.scheme, str) or self.scheme not in SCHEMES:
            raise EditError(
                f"There is no scheme {brief(self.scheme)}; there are {', '.join(SCHEMES)}."
            )
        if self.scheme == "shuffled" and self.seed is None:
            object.__setattr__(self, "seed", 0)
        own = _OWN.get(self.scheme, ())
        for name in ("offset", "seed", "base", "factor", "original"):
            if getattr(self, name) is not None and name not in own:
                raise EditError(f"Positions({self.scheme!r}) has no {name}=.")
        if own and getattr(self, own[0]) is None:
            raise EditError(f"Positions({self.scheme!r}) needs {own[0]}=.")
        self._check_numbers()

    def _check_numbers(self) -> None:
        for name, most in (("offset", MOST), ("seed", None), ("original", MOST)):
            if getattr(self, name) is not None:
                self._set(name, whole(name, getattr(self, name), EditError, most))
        if self.offset is not None and abs(self.offset) > 10**6:
            raise EditError(f"offset= is at most 1,000,000 either way, not {self.offset:,}.")
        if self.original is not None and self.original < 1:
            raise EditError(f"original= is a length of at least 1, not {self.original}.")
        for name, low, high in (("base", 1.01, 1e12), ("factor", 0.01, 1e5)):
            if getattr(self, name) is not None:
                self._set(name, number(f"{name}=", getattr(self, name), low, high, EditError))

    def _set(self, name: str, value: int | float) -> None:
        object.__setattr__(self, name, value)

    @property
    def stages(self) -> frozenset[str]:
        return frozenset({"masked"}) if self.scheme == "alibi" else frozenset()

    def found(self, runner: Any) -> Positioning:
        """What the probe found of the role. Raises EditRefused where it cannot take the scheme."""
        role = main_or(self.role, runner)
        found = runner.positions.get(role)
        if found is None:
            known = ", ".join(runner.positions) or "none"
            raise EditRefused(
                f"{self} names the role {role!r}; {runner.name} has positions in: {known}."
            )
        why = found.why_not(self.scheme)
        if why is not None:
            can = ", ".join(found.takes) or "nothing"
            raise EditRefused(f"{runner.name} cannot take {self}: {why}. It takes: {can}.")
        return found

    def sites(self, runner: Any) -> list[Site]:
        found = self.found(runner)
        for layer in self.layers or ():
            site_at(self, layer, 0, found.role, runner)
        sites = [s for s in runner.sites if s.role == found.role]
        sites = [s for s in sites if self.layers is None or s.layer in self.layers]
        for site in sites:
            for head in self.heads or ():
                site_at(self, site.layer, head, found.role, runner)
        if self.scheme == "alibi":
            return sites
        if self.heads is not None:
            raise EditRefused(
                f"{self}: heads= narrows 'alibi' only; what else tells positions reaches all heads "
                "of a layer at once. Leave heads= out."
            )
        if self.layers is not None and not found.layered:
            raise EditRefused(
                f"{self}: layers= cannot narrow it in {runner.name}, where positions enter before "
                "the first layer, once for all; leave layers= out."
            )
        if self.scheme == "yarn" and self.original is None and found.original is None:
            raise EditRefused(
                f"{runner.name} does not say how long its training texts were: give original=."
            )
        return sites

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        return self.bind_to(runner, donor, Fed())

    def bind_to(self, runner: Any, donor: Trace | None, fed: Fed) -> Bound:
        """Make it ready for one text."""
        found, sites = self.found(runner), frozenset(self.sites(runner))
        length = fed.sizes.get(found.role, (None, None))[0]
        if self.scheme == "alibi":
            change = penalizing(self.heads)
            return Bound(self, self.stages, lambda place: place in sites, change, fresh=True)
        more = fed.more if found.role == runner.main_role else 0
        doors = frozenset() if self.layers is not None else frozenset({entrance(found.role)})
        reached = sites | doors
        kept = length if self.scheme in ("shuffled", "reversed") else None
        stages = frozenset({STAGE})
        told: dict[str, Any] = {"length": kept, "original": self.original or found.original}
        told |= {"shared": found.shared}
        if self.scheme == "shifted" and length is not None:
            told |= {"real": length + more, "longest": found.longest}
        return Placed(self, stages, lambda place: place in reached, _unseen, **told)

    def __str__(self) -> str:
        names = (*_OWN.get(self.scheme, ()), "layers", "heads", "role")
        own = [name for name in names if getattr(self, name) is not None]
        said = [repr(self.scheme), *(f"{name}={getattr(self, name)!r}" for name in own)]
        return f"Positions({', '.join(said)})"


def _unseen(stage: str, tensor: Tensor, where: Where) -> Tensor:
    raise EditError(f"The stage {stage!r} is made anew, not shown.")
