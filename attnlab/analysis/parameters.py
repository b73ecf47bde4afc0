"""Where the parameters of a loaded model are, counted from the parameters themselves.

What a parameter is for follows from what the probe found (sites, blocks, output head) and from the
kind of its module, never from the name of an architecture. Every parameter is in exactly one class,
and one that several modules share counts once, so the classes add up to the model's own number.

    embeddings     tables whose rows are looked up: tokens, positions, segments
    attention      what belongs to a site, its output projection included
    cross          the same where the site looks at another text
    feed_forward   the rest of a block, where the probe saw which module ends it
    norms          scales and shifts of normalisations, those of queries and keys included
    head           what makes logits, unless it is the table of tokens once more
    other          the rest: layers without attention, poolers, projections of pictures
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from torch import nn

from attnlab.trace.site import Block, Site

CLASSES: Final = (
    "embeddings",
    "attention",
    "cross",
    "feed_forward",
    "norms",
    "head",
    "other",
)
Shapes = tuple[tuple[int, ...], ...]
Weights = tuple[tuple[str, nn.Parameter], ...]
"""Parameters, each with the path of the module that holds it."""


@dataclass(frozen=True)
class Layer:
    """What one block holds.

    Attributes:
        weights: its parameters by class; classes that it has none of are missing.
        shared: whether an earlier layer runs the same module.
    """

    role: str
    layer: int
    weights: Mapping[str, Weights]
    shared: bool = False

    @property
    def counts(self) -> dict[str, int]:
        """How many parameters of each class."""
        return {kind: sum(w.numel() for _, w in held) for kind, held in self.weights.items()}

    @property
    def matrices(self) -> Shapes:
        """The shapes of its feed-forward's matrices."""
        held = self.weights.get("feed_forward", ())
        return tuple(tuple(weight.shape) for _, weight in held if weight.dim() > 1)

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True)
class Parameters:
    """The parameters of a model.

    Attributes:
        counts: by class, every one of ``CLASSES``; they add up to ``total``.
        layers: the blocks, in the order in which they run.
        tied: whether the output head is the table of tokens.
        bytes: what the weights take as they are stored.
        other: paths of the modules that hold what is in no other class.
    """

    counts: Mapping[str, int]
    layers: tuple[Layer, ...]
    tied: bool
    bytes: int
    other: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def of(self, role: str, layer: int) -> Layer | None:
        """One layer of a role; None where no block is known."""
        return next((one for one in self.layers if (one.role, one.layer) == (role, layer)), None)


def parameters(
    model: nn.Module,
    sites: Sequence[Site],
    blocks: Sequence[Block],
    head: nn.Module | None = None,
) -> Parameters:
    """Count a model's parameters, each once.

    Args:
        model: the module that the paths of the sites and blocks are relative to.
        head: the module that gives logits; None where there is none.
    """
    places = _Places(model, sites, blocks, head)
    counts, size, other = dict.fromkeys(CLASSES, 0), 0, []
    of_block: dict[str, dict[str, Weights]] = {block.path: {} for block in blocks}
    for owner, module, weight in _each(model):
        kind, home = places.kind(owner, module), places.block(owner)
        counts[kind] += weight.numel()
        size += weight.numel() * weight.element_size()
        if kind == "other":
            other.append(owner)
        if home is not None:
            of_block[home][kind] = (*of_block[home].get(kind, ()), (owner, weight))
    layers, seen = [], set()
    for block in blocks:
        layers.append(Layer(block.role, block.layer, of_block[block.path], block.path in seen))
        seen.add(block.path)
    return Parameters(counts, tuple(layers), places.tied, size, tuple(dict.fromkeys(other)))


def feed_forward_form(matrices: Shapes, width: int) -> tuple[int, bool] | None:
    """(hidden width, whether it is gated) of a feed-forward on a stream of ``width``.

    Read off the shapes of its matrices: one in and one out; two in and one out, one of them the
    gate; or both ways in as one matrix of twice the width. None where they are none of these.
    """
    if any(len(shape) != 2 or width not in shape for shape in matrices):
        return None
    inner = sorted(sum(shape) - width for shape in matrices)
    if len(inner) in (2, 3) and inner[0] == inner[-1]:
        return inner[0], len(inner) == 3
    if len(inner) == 2 and inner[1] == 2 * inner[0]:
        return inner[0], True
    return None


def _each(model: nn.Module) -> Iterator[tuple[str, nn.Module, nn.Parameter]]:
    """Every parameter once, with the module that holds it.

    Tables of rows come first: one that is the output head too is a table.
    """
    seen: set[int] = set()
    modules = list(model.named_modules())
    tables = [(path, module) for path, module in modules if isinstance(module, nn.Embedding)]
    for path, module in (*tables, *modules):
        for weight in module.parameters(recurse=False):
            if id(weight) not in seen:
                seen.add(id(weight))
                yield path, module, weight


def is_norm(module: nn.Module) -> bool:
    """A module that holds nothing but a scale and, perhaps, a shift: LayerNorm, RMSNorm."""
    held = list(module.parameters(recurse=False))
    alone = next(module.children(), None) is None
    return alone and bool(held) and all(weight.dim() < 2 for weight in held)


def inside(path: str, parent: str) -> bool:
    """Whether a module is ``parent`` or within it; everything is within the model itself, ""."""
    return not parent or path == parent or path.startswith(parent + ".")


class _Places:
    """Which part of a model a module belongs to, by its path."""

    def __init__(
        self,
        model: nn.Module,
        sites: Sequence[Site],
        blocks: Sequence[Block],
        head: nn.Module | None,
    ) -> None:
        self.blocks = {block.path: block for block in blocks}
        self.attention: dict[str, str] = {}
        for site in sites:
            kind = "cross" if site.role == "cross" else "attention"
            for path in _belongs(site, sites, blocks):
                self.attention.setdefault(path, kind)
        # A block of which not all is known is like those of its list of which it is.
        attending = {self.block(site.path) for site in sites} - {None}
        lists = {_list(path) for path in attending if self.blocks[path].mlp_out}
        self.known = {path for path in attending if _list(path) in lists}
        paths = {id(module): path for path, module in model.named_modules()}
        self.head = None if head is None else _around(paths.get(id(head)), model, blocks)
        tables = [m for m in model.modules() if isinstance(m, nn.Embedding)]
        held = {id(weight) for table in tables for weight in table.parameters(recurse=False)}
        self.tied = head is not None and any(id(weight) in held for weight in head.parameters())

    def block(self, path: str) -> str | None:
        """The path of the block that a module is in, None outside of all."""
        parts = path.split(".")
        ends = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
        return next((end for end in ends if end in self.blocks), None)

    def kind(self, path: str, module: nn.Module) -> str:
        """The class of the parameters that a module itself holds."""
        if isinstance(module, nn.Embedding):
            return "embeddings"
        if is_norm(module):
            return "norms"
        attention = [kind for place, kind in self.attention.items() if inside(path, place)]
        if attention:
            return attention[0]
        home = self.block(path)
        if home is not None:
            return "feed_forward" if home in self.known else "other"
        if self.head is not None and inside(path, self.head):
            return "head"
        return "other"


def _list(path: str) -> str:
    return path.rpartition(".")[0]


def _belongs(site: Site, sites: Sequence[Site], blocks: Sequence[Block]) -> list[str]:
    """The modules of a site: its own, what surrounds that alone, and its output projection."""
    home = next((block for block in blocks if inside(site.path, block.path)), None)
    own = site.path
    if home is not None:
        if inside(home.path, own) or (home.mlp_out and inside(home.mlp_out, own)):
            own = home.attn_out  # the block itself computes it
        others = [other.path for other in sites if other.path != site.path]
        others += [end for end in (home.mlp_out, home.path) if end]
        while home.mlp_out and own.rpartition(".")[0]:
            outer = own.rpartition(".")[0]
            if any(inside(other, outer) for other in others):
                break
            own = outer
    return [path for path in dict.fromkeys((own, site.out_proj)) if path]


def _around(head: str | None, model: nn.Module, blocks: Sequence[Block]) -> str | None:
    """The outermost module around the output head that holds no block and no table of rows."""
    if not head:
        return head
    tables = [path for path, module in model.named_modules() if isinstance(module, nn.Embedding)]
    others = [*tables, *(block.path for block in blocks)]
    while head.rpartition(".")[0]:
        outer = head.rpartition(".")[0]
        if any(inside(other, outer) for other in others):
            break
        head = outer
    return head
