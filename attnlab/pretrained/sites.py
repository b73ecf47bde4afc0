"""Sites and blocks, read off one watched forward."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn

from attnlab.attention import Mask
from attnlab.pretrained.dispatch import Call, same_values
from attnlab.pretrained.order.find import Found, find
from attnlab.pretrained.stream import contributions
from attnlab.pretrained.watch import Event, Record, Seen
from attnlab.trace.site import Block, Site


@dataclass(frozen=True)
class Layout:
    """What the probe found: sites and blocks, each in the order in which they run.

    ``ends``: the modules that give the last hidden states, each with its role. ``longest``: as
    many positions as its tables hold, None where it keeps none; ``longest_target``: those of an
    encoder-decoder's decoder.
    """

    sites: tuple[Site, ...]
    blocks: tuple[Block, ...]
    ends: tuple[tuple[str, str], ...] = ()
    longest: int | None = None
    longest_target: int | None = None
    order: Found = field(default_factory=Found)
    """Where the order of the tokens enters."""

    @property
    def main_role(self) -> str:
        """Decoder where there is one, else encoder."""
        roles = {place.role for place in (*self.sites, *self.blocks)}
        return "encoder" if roles == {"encoder"} else "decoder"


def layout_of(record: Record, model: Any, lengths: tuple[int, int] | None) -> Layout:
    """Sites and blocks of a watched forward.

    Args:
        record: what ``watch`` saw.
        lengths: source and target length of the inputs where the model is an encoder-decoder.
    """
    modules = dict(model.named_modules())
    homes = [_block_event(seen, modules) for seen in record.calls]
    roles = [role_of(seen.call, lengths) for seen in record.calls]
    events = _block_events(record, homes)
    owners = _roles_of_lists(homes, roles)
    numbers = _numbered(events, owners)
    sites = _sites(record, homes, roles, numbers)
    blocks = []
    for event in events:
        inside = [
            (seen, role)
            for seen, role in zip(record.calls, roles, strict=True)
            if event.start < seen.time < event.end
        ]
        bare = Block(event.path, owners[_list_of(event.path)], numbers[id(event)])
        blocks.append(contributions(record, event, inside, bare))
    layout = Layout(tuple(sites), tuple(blocks))
    ends = _ends(record, model, layout.main_role)
    order = find(record, sites, lengths, model)
    longest, goal = _longest(record, None if lengths is None else lengths[1])
    return replace(layout, ends=ends, longest=longest, longest_target=goal, order=order)


def _ends(record: Record, model: Any, main_role: str) -> tuple[tuple[str, str], ...]:
    """The modules that give the last hidden states; none where two towers each have their own."""
    if model.config.is_encoder_decoder:
        roles = {id(model.get_encoder()): "encoder", id(model.get_decoder()): "decoder"}
        return tuple((e.path, roles[id(e.module)]) for e in record.events if id(e.module) in roles)
    found = [event for event in record.events if event.last]
    outermost = found[-1:]
    alone = all(outermost[0].start <= event.start for event in found)
    return ((outermost[0].path, main_role),) if outermost and alone else ()


def _longest(record: Record, target: int | None) -> tuple[int | None, int | None]:
    """The most tokens of a text, and of a target of the length given, that tables of positions
    hold. Such a one is asked for rows n, n + 1, n + 2 … along a text, and n of them are no
    position's: RoBERTa begins at 2, so it takes fewer tokens than its configuration says. A table
    whose last row all later tokens share, as in ProphetNet's encoder, sets no limit."""
    words, counted = set(), []
    for indices, count in record.lookups:
        _, last = record.bounded.get(id(indices), (None, count))
        row = indices.reshape(-1, indices.shape[-1])[0] if indices.numel() > 1 else indices[:0]
        steps = row.diff() == 1
        # A model that fills up its windows asks for another row after the text.
        if len(steps) and bool(steps[: len(steps) // 2 + 1].all()):
            if last >= count:
                counted.append((len(row), count - int(row[0])))
        else:
            words.add(len(row))
    read = [(length == target, limit) for length, limit in counted if length in words]
    text, goal = ([limit for of, limit in read if of is is_target] for is_target in (False, True))
    return min(text, default=None), min(goal, default=None)


def role_of(call: Call, lengths: tuple[int, int] | None) -> str:
    """Encoder, decoder or cross: from the lengths in an encoder-decoder, else from the mask."""
    queries, keys = call.q.shape[2], call.k.shape[2]
    if lengths is not None:
        source, target = lengths
        if queries == target and keys == source:
            return "cross"
        return "encoder" if queries == source else "decoder"
    if queries != keys:
        return "cross"
    return "decoder" if is_causal(call) else "encoder"


def is_causal(call: Call) -> bool:
    """Whether no query sees a later key."""
    if call.mask is None:
        return call.causal
    visible = Mask.of(call.mask).visible
    if visible is None or visible.shape[-1] != visible.shape[-2] or visible.shape[-1] == 1:
        return False
    return not bool(visible.triu(1).any())


def _list_of(path: str) -> str:
    return path.rpartition(".")[0]


def _block_event(seen: Seen, modules: dict[str, nn.Module]) -> Event | None:
    """The outermost element of a ModuleList that encloses a call and keeps the stream's shape."""
    for event in seen.stack:
        listed = isinstance(modules.get(_list_of(event.path)), nn.ModuleList)
        if listed and _keeps_stream(event):
            return event
    return None


def _keeps_stream(event: Event) -> bool:
    if event.input is None or event.output is None:
        return False
    return event.input.dim() >= 3 and event.input.shape == event.output.shape


def _block_events(record: Record, homes: Sequence[Event | None]) -> list[Event]:
    """Every element of the lists that hold a block, those without attention included."""
    lists = {_list_of(event.path) for event in homes if event is not None}
    found = [e for e in record.events if _list_of(e.path) in lists and _keeps_stream(e)]
    return sorted(found, key=lambda event: event.start)


def _roles_of_lists(homes: Sequence[Event | None], roles: Sequence[str]) -> dict[str, str]:
    owners: dict[str, str] = {}
    for event, role in zip(homes, roles, strict=True):
        if event is not None and role != "cross":
            owners.setdefault(_list_of(event.path), role)
    for event in homes:
        if event is not None:
            owners.setdefault(_list_of(event.path), "decoder")
    return owners


def _numbered(events: Sequence[Event], owners: dict[str, str]) -> dict[int, int]:
    """The layer of each block, counted within its role."""
    counts: Counter[str] = Counter()
    numbers = {}
    for event in events:
        role = owners[_list_of(event.path)]
        numbers[id(event)] = counts[role]
        counts[role] += 1
    return numbers


def _sites(
    record: Record,
    homes: Sequence[Event | None],
    roles: Sequence[str],
    numbers: dict[int, int],
) -> list[Site]:
    sites = []
    ordinal: Counter[str] = Counter()
    for seen, home, role in zip(record.calls, homes, roles, strict=True):
        call = seen.call
        layer = ordinal[role] if home is None else numbers[id(home)]
        ordinal[role] += 1
        sites.append(
            Site(
                path=seen.path,
                role=role,
                layer=layer,
                heads=call.q.shape[1],
                kv_heads=call.k.shape[1],
                key_size=call.q.shape[-1],
                value_size=call.v.shape[-1],
                scale=call.scale,
                causal=role != "cross" and is_causal(call),
                out_proj=_out_proj(record, seen),
            )
        )
    return _distinct(sites)


def _distinct(sites: list[Site]) -> list[Site]:
    """Where two sites of a role share a layer (two towers, two attentions in a block), count."""
    doubled = {key[0] for key, n in Counter((s.role, s.layer) for s in sites).items() if n > 1}
    ordinal: Counter[str] = Counter()
    result = []
    for site in sites:
        number = ordinal[site.role]
        ordinal[site.role] += 1
        result.append(replace(site, layer=number) if site.role in doubled else site)
    return result


def _out_proj(record: Record, seen: Seen) -> str:
    """The first module after a call that reads exactly its z and has a matrix."""
    later = [e for e in record.events if e.start > seen.time and _has_matrix(e.module)]
    for event in sorted(later, key=lambda event: event.start)[:4]:
        if event.input is not None and _reads(event.input, seen.call.z):
            return event.path
    return ""


def _reads(tensor: Tensor, z: Tensor) -> bool:
    if z.is_meta:  # only observed: by shape now, the tap checks it by ablation
        return (
            tensor.dim() == 3 and tensor.shape[1] == z.shape[1] and not tensor.shape[2] % z.shape[2]
        )
    return tensor.shape[-1] == z.shape[-1] * z.shape[-2] and same_values(z, tensor)


def _has_matrix(module: nn.Module) -> bool:
    weight = getattr(module, "weight", None)
    return isinstance(weight, torch.Tensor) and weight.dim() >= 2
