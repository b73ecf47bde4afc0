"""What the probe's forward shows of how a model knows the order of its tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn

from attnlab.attention import Mask
from attnlab.pretrained.order.evidence import (
    are_sinusoids,
    counts,
    first_row,
    is_turn,
    own_tensors,
    pairs_of,
    rebuilds,
    rope_parameters,
    takes,
    turns,
)
from attnlab.pretrained.order.rotary import Rotary, original_of, parts_of
from attnlab.pretrained.order.route import Route, argument_of
from attnlab.pretrained.order.slopes import are_slopes
from attnlab.pretrained.order.table import Table
from attnlab.pretrained.watch import Event, Record
from attnlab.trace.positioning import BIAS, MOVES, ROTARY, SINGLE, STRETCHES, TABLE, Positioning
from attnlab.trace.site import Site


@dataclass(frozen=True)
class Found:
    """What was found: by role, and the modules that are to be hooked."""

    roles: Mapping[str, Positioning] = field(default_factory=dict)
    rotaries: tuple[Rotary, ...] = ()
    routes: tuple[Route, ...] = ()
    tables: tuple[Table, ...] = ()
    slopes: tuple[Route, ...] = ()
    """Where layers are handed a bias that rises with the key."""


def find(
    record: Record, sites: Sequence[Site], lengths: tuple[int, int] | None, model: nn.Module
) -> Found:
    """Read a watched forward.

    Args:
        sites: of the record's calls, in their order.
        lengths: of source and target, in an encoder-decoder.
    """
    roles = dict.fromkeys(site.role for site in sites if site.role != "cross")
    seen = _Seen(record, sites, lengths, tuple(roles))
    rotaries = {id(event): event for event in record.events if seen.is_rotary(event)}
    routes, fed = [], {}
    for event in rotaries.values():
        for route in seen.routes(event):
            routes.append(route)
            fed[route.role, route.layer] = event
    found = {}
    for role in roles:
        turned = [e for e in rotaries.values() if seen.role_of(e, routes, fed) == role]
        found[role] = seen.positioning(role, turned, fed, model)
    made = tuple(
        Rotary(e.path, seen.position_key(e), role, found[role].layered)
        for e in rotaries.values()
        if (role := seen.role_of(e, routes, fed)) in found
    )
    kept = tuple(r for r in routes if found[r.role].layered)
    return Found(found, tuple(dict.fromkeys(made)), kept, seen.tables, seen.slopes)


class _Seen:
    """One record, looked at from several sides."""

    def __init__(
        self,
        record: Record,
        sites: Sequence[Site],
        lengths: tuple[int, int] | None,
        roles: tuple[str, ...],
    ) -> None:
        self.record, self.sites, self.roles = record, sites, roles
        self.calls = list(zip(record.calls, sites, strict=True))
        self.lengths = self._lengths(lengths)
        found = (self._table(event) for event in record.events)
        self.tables = tuple(dict.fromkeys(table for table in found if table is not None))
        self.slopes = tuple(self._slopes())

    def _lengths(self, lengths: tuple[int, int] | None) -> dict[str, int]:
        """How many tokens each role reads."""
        if lengths is not None:
            named = dict(zip(("encoder", "decoder"), lengths, strict=True))
            return {role: named[role] for role in self.roles}
        shapes = {site.role: seen.call.q.shape[2] for seen, site in self.calls}
        return {role: shapes[role] for role in self.roles}

    def is_rotary(self, event: Event) -> bool:
        """Whether it gives, for each position, cosines and sines, and has learned nothing."""
        parts = parts_of(event.result)
        if any(True for _ in event.module.parameters()) or not parts:
            return False
        if not all(part.dim() == 3 and part.shape == parts[0].shape for part in parts):
            return False
        if parts[0].shape[-2] not in self.lengths.values() or not turns(parts):
            return False
        return self.position_key(event) is not None

    def position_key(self, event: Event) -> int | str | None:
        """Where it is told the positions."""
        count = parts_of(event.result)[0].shape[-2]
        return argument_of(event.given, lambda value: counts(value, count))

    def routes(self, event: Event) -> list[Route]:
        """The layers that are handed what an event gave, and where."""
        found = []
        for seen, site in self.calls:
            for outer in seen.stack:
                key = argument_of(outer.given, lambda value: is_turn(value, event.result))
                if key is not None and site.role != "cross":
                    found.append(Route(outer.path, key, site.role, site.layer))
                    break
        return found

    def _slopes(self) -> list[Route]:
        """Where each layer is handed a bias that rises with the key; nothing unless all are."""
        found, self.one_bias = [], False
        for seen, site in self.calls:
            batch = seen.call.q.shape[0]
            for outer in seen.stack:
                key = argument_of(outer.given, lambda value: are_slopes(value, site.heads, batch))  # noqa: B023
                if key is not None:
                    found.append(Route(outer.path, key, site.role, site.layer))
                    args, kwargs = outer.given
                    bias = kwargs[key] if isinstance(key, str) else args[key]
                    self.one_bias = bias.shape[0] != batch * site.heads
                    break
        return found if len(found) == len(self.calls) else []

    def role_of(self, event: Event, routes: list[Route], fed: Mapping) -> str | None:
        """Whose queries and keys an event turns."""
        handed = next((place for place, source in fed.items() if source is event), None)
        if handed is not None:
            return handed[0]
        count = parts_of(event.result)[0].shape[-2]
        return next((role for role, length in self.lengths.items() if length == count), None)

    def _table(self, event: Event) -> Table | None:
        output = event.result
        if not isinstance(output, Tensor) or not output.is_floating_point():
            return None
        if output.dim() not in (2, 3) or output.shape[-2] < 2:
            return None
        role = next((r for r, n in self.lengths.items() if n == output.shape[-2]), None)
        if role is None:
            return None
        for name, weight in own_tensors(event.module):
            first = first_row(output.reshape(-1, *output.shape[-2:])[0], weight)
            if first is not None:
                return Table(event.path, name, first, role, self._handed(output))
        return None

    def _handed(self, output: Tensor) -> bool:
        """Whether layers are handed a table's rows, rather than the sum with them."""

        def fits(value: Any) -> bool:
            same = isinstance(value, Tensor) and value.data_ptr() == output.data_ptr()
            return same and value.numel() == output.numel()

        return any(
            argument_of(event.given, fits) is not None
            for seen, _ in self.calls
            for event in seen.stack
        )

    def positioning(
        self, role: str, turned: list[Event], fed: Mapping, model: nn.Module
    ) -> Positioning:
        """What is known of one role."""
        tables = [table for table in self.tables if table.role == role]
        added = [table for table in tables if not table.turns]
        biases = self._biases(role)
        kinds = [ROTARY] * bool(turned or len(added) < len(tables))
        kinds += [TABLE] * bool(added) + [BIAS] * bool(biases or self.slopes)
        modules = dict(model.named_modules())
        layers = {site.layer for site in self.sites if site.role == role}
        handed = all((role, layer) in fed for layer in layers) and bool(layers)
        facts = self._facts(role, turned, modules) if turned else {}
        refused = dict(facts.pop("refused", {}))
        if ROTARY in kinds and not turned:
            refused |= dict.fromkeys(STRETCHES, _NO_FREQUENCIES)
        if added:
            weight = getattr(modules[added[0].path], added[0].name)
            facts |= {
                "learned": not are_sinusoids(weight, added[0].first),
                "longest": min(len(getattr(modules[t.path], t.name)) - t.first for t in added),
                "width": weight.shape[1],
                "table": (added[0].path, added[0].name, added[0].first),
            }
            if weight.shape[1] % 2:
                refused["sinusoidal"] = f"sinusoids come in pairs, and {weight.shape[1]} is odd"
        if self.slopes:
            refused |= dict.fromkeys(("shuffled", "reversed"), _COUNTS_KEYS)
        if biases is None:
            refused |= dict.fromkeys(MOVES, "its mask holds a bias on the scores as well")
        layered = bool(kinds) and not tables and (handed if turned else bool(biases or self.slopes))
        facts |= {"layered": layered, "refused": refused, "shared": self.one_bias}
        return Positioning(role, tuple(kinds), **facts)

    def _biases(self, role: str) -> bool | None:
        """Whether a bias comes beside the mask; None where it is in the mask."""
        calls = [seen.call for seen, site in self.calls if site.role == role]
        if any(c.mask is not None and Mask.of(c.mask).bias is not None for c in calls):
            return None
        return any(c.bias is not None and bool(c.bias.any()) for c in calls)

    def _facts(self, role: str, turned: list[Event], modules: Mapping) -> dict[str, Any]:
        """Base, fraction and stretching of a rotation; what its class cannot build."""
        event = turned[0]
        config = getattr(event.module, "config", None)
        size = next(site.key_size for site in self.sites if site.role == role)
        pairs = pairs_of(parts_of(event.result))
        facts: dict[str, Any] = {
            "fraction": 2 * pairs / size if 2 * pairs <= size else None,
            "refused": dict.fromkeys(STRETCHES, _NO_CONFIGURATION),
        }
        if config is None or not all(rebuilds(event) for event in turned):
            return facts
        own = [p for p in rope_parameters(config) if p]
        kinds = {p.get("rope_type", "default") for p in own} - {"default"}
        bases = sorted({float(p["rope_theta"]) for p in own if p.get("rope_theta")})
        single = {"ntk": SINGLE} if pairs == 1 else {}
        trial = {"base": 1e4, "interpolated": 2.0, "ntk": 2.0, "yarn": 2.0}
        refused = {
            scheme: _NO_CONFIGURATION
            for scheme, number in trial.items()
            if not all(takes(event, scheme, number) for event in turned)
        }
        return facts | {
            "bases": tuple(bases),
            "stretch": " and ".join(sorted(kinds)),
            "original": original_of(config),
            "refused": refused | single,
        }


_NO_FREQUENCIES = "its rotation is read from a table, which has no other speeds"
_COUNTS_KEYS = "its bias counts keys from the first one on, whatever position they claim"
_NO_CONFIGURATION = "its rotation could not be built anew with other speeds"
