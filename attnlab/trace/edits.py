"""Edits: frozen values that change attention for one run.

An edit holds no tensors: it can be hashed, compared, written as JSON and put in a URL. Binding
it to a runner and to the tokens of a run makes what it needs; the bound edit is what
``attend`` calls. The order of a tuple of edits is the order in which they act.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from attnlab.attention import Where
from attnlab.errors import EditError, EditRefused
from attnlab.trace.capture import Capture, chosen, whole
from attnlab.trace.site import Site, layers_in

if TYPE_CHECKING:
    from attnlab.trace.trace import Trace

Change = Callable[[str, Tensor, Where], Tensor]


@dataclass(frozen=True)
class Bound:
    """An edit made ready for one text: which stages, at which sites, and what to do there.

    ``whole_rows``: the change needs rows over all keys, so tiles may not skip the future.
    """

    edit: Edit
    stages: frozenset[str]
    reaches: Callable[[Any], bool]
    change: Change
    whole_rows: bool = False


@dataclass(frozen=True)
class Edit:
    """Base of every edit. ``kind`` is a field, so that two edits never share a cache key."""

    def sites(self, runner: Any) -> list[Site]:
        """The sites that the edit reaches. Raises EditRefused, saying what would work."""
        raise EditError(f"{type(self).__name__} does not say where it acts.")

    @property
    def stages(self) -> frozenset[str]:
        """The stages that a tier must let it change."""
        return frozenset()

    def needs(self, runner: Any) -> tuple[Capture, ...]:
        """What must be captured in a plain run of the same text before binding."""
        return ()

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        """Make the edit ready for one text; ``donor`` holds what ``needs`` asked for."""
        raise EditError(f"{type(self).__name__} cannot be bound.")

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def _main_or(role: str | None, runner: Any) -> str:
    return runner.main_role if role is None else role


def _at(edit: Edit, layer: int, head: int, role: str | None, runner: Any) -> Site:
    """The site of a layer and head, or a sentence that says which there are."""
    role = _main_or(role, runner)
    sites = [site for site in runner.sites if site.role == role]
    if not sites:
        roles = ", ".join(sorted({site.role for site in runner.sites})) or "none"
        raise EditRefused(f"{edit} names the role {role!r}, but {runner.name} has: {roles}.")
    site = next((site for site in sites if site.layer == layer), None)
    if site is None:
        layers = layers_in(sites)
        raise EditRefused(f"{edit} names layer {layer}, but {runner.name} has layers {layers}.")
    if not 0 <= head < site.heads:
        raise EditRefused(
            f"{edit} names head {head}, but layer {layer} of {runner.name} has heads "
            f"0 to {site.heads - 1}."
        )
    return site


@dataclass(frozen=True)
class _HeadEdit(Edit):
    """An edit of what one head hands on (z). ``role`` None: the model's main role."""

    layer: int
    head: int
    role: str | None = None

    def __post_init__(self) -> None:
        for name in ("layer", "head"):
            object.__setattr__(self, name, whole(name, getattr(self, name), EditError))

    @property
    def stages(self) -> frozenset[str]:
        return frozenset({"z"})

    def sites(self, runner: Any) -> list[Site]:
        return [_at(self, self.layer, self.head, self.role, runner)]

    def _bound(self, runner: Any, value: float | Tensor) -> Bound:
        (site,) = self.sites(runner)

        def change(stage: str, z: Tensor, where: Where) -> Tensor:
            z = z.clone()
            z[:, self.head] = value if isinstance(value, float) else value.to(z)
            return z

        return Bound(self, self.stages, lambda place: place == site, change)

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.layer}, {self.head})"


@dataclass(frozen=True)
class ZeroHead(_HeadEdit):
    """Replace a head's output z by zeros: the head is gone.

    Equals zeroing the head's slice of what the output projection reads.
    """

    kind: str = field(default="zero_head", init=False)

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        return self._bound(runner, 0.0)


@dataclass(frozen=True)
class MeanHead(_HeadEdit):
    """Replace a head's output z at every position by its mean over this text's positions.

    The mean is that of a plain run of the same text (of the prompt, when generating), so edits
    of other heads do not move it.
    """

    kind: str = field(default="mean_head", init=False)

    def needs(self, runner: Any) -> tuple[Capture, ...]:
        role = _main_or(self.role, runner)
        return (Capture("z", layers=self.layer, heads=self.head, roles=role),)

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        if donor is None:
            raise EditError(f"{self} needs a plain run of the same text.")
        z = donor.role(_main_or(self.role, runner)).z[self.layer, self.head]
        return self._bound(runner, z.mean(0))


@dataclass(frozen=True)
class Temperature(Edit):
    """Divide every number that enters the softmax by ``value``: above 1 flatter, below 1 sharper.

    A learned sink is such a number too. ``layers`` and ``heads`` narrow it; ``role`` None means
    every role.

    Raises:
        EditError: ``value`` is not from 0.01 to 1,000. Beyond, half precision overflows, and
            the softmax has long been one key or all of them alike.
    """

    value: float
    layers: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None
    role: str | None = None
    kind: str = field(default="temperature", init=False)

    def __post_init__(self) -> None:
        if not (isinstance(self.value, int | float) and 0.01 <= self.value <= 1000):
            raise EditError(f"A temperature is a number from 0.01 to 1,000, not {self.value!r}.")
        for name in ("layers", "heads"):
            object.__setattr__(self, name, chosen(name, getattr(self, name), int, EditError))

    @property
    def stages(self) -> frozenset[str]:
        return frozenset({"masked", "sinks"})

    def sites(self, runner: Any) -> list[Site]:
        if self.layers is not None or self.heads is not None:
            role = _main_or(self.role, runner)
            for layer in self.layers or (0,):
                for head in self.heads or (0,):
                    _at(self, layer, head, role, runner)
        found = [s for s in runner.sites if self.role in (None, s.role)]
        found = [s for s in found if self.layers is None or s.layer in self.layers]
        if not found:
            raise EditRefused(f"{self} reaches no attention in {runner.name}.")
        return found

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        sites = frozenset(self.sites(runner))
        heads = None if self.heads is None else list(self.heads)

        def change(stage: str, tensor: Tensor, where: Where) -> Tensor:
            if heads is None:
                return tensor / self.value
            divisor = torch.ones(tensor.shape[1], dtype=tensor.dtype, device=tensor.device)
            divisor[heads] = self.value
            return tensor / divisor.view(1, -1, *[1] * (tensor.dim() - 2))

        return Bound(self, self.stages, lambda place: place in sites, change)


_KINDS: dict[str, type[Edit]] = {
    cls.__dataclass_fields__["kind"].default: cls for cls in (ZeroHead, MeanHead, Temperature)
}


def edit_from_json(data: dict[str, Any]) -> Edit:
    """The edit that ``to_json`` wrote.

    Raises:
        EditError: an unknown kind, or a field that this kind does not have.
    """
    kind = data.get("kind") if isinstance(data, dict) else None
    cls = _KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise EditError(f"There is no edit of kind {kind!r}; there are {', '.join(_KINDS)}.")
    names = {f.name for f in fields(cls) if f.init}
    for name in data:
        if name not in names | {"kind"}:
            raise EditError(f"An edit of kind {kind!r} has no field {name!r}.")
    try:
        return cls(**{name: value for name, value in data.items() if name in names})
    except TypeError as error:
        raise EditError(f"An edit of kind {kind!r} is incomplete: {error}.") from error
