"""Masks: who may look at whom, changed for one run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from attnlab.attention import masks
from attnlab.attention.masks import Predicate
from attnlab.errors import EditError, EditRefused
from attnlab.trace.edits.cells import cells_of, painted_rows, rows_of
from attnlab.trace.edits.edit import Bound, Edit, Fed, main_or, site_at
from attnlab.trace.edits.fitted import fitted
from attnlab.trace.edits.masking import Masking, cannot_show, shows_later
from attnlab.trace.given import brief, several, whole
from attnlab.trace.site import Site

if TYPE_CHECKING:
    from attnlab.trace.trace import Trace

_MADE: dict[str, Callable[[Mask], Predicate]] = {
    "causal": lambda m: masks.Causal(),
    "bidirectional": lambda m: masks.Bidirectional(),
    "window": lambda m: masks.SinksWindow(m.sinks, m.window) if m.sinks else masks.Window(m.window),
    "strided": lambda m: masks.Strided(m.window),
    "global": lambda m: masks.GlobalWindow(m.globals, m.window),
    "prefix": lambda m: masks.Prefix(m.prefix),
    "document": lambda m: masks.Document(m.documents),
    "painted": lambda m: masks.Painted(m.rows),
}
"""Each pattern as the predicate that draws it; see ``attnlab.attention.masks``."""
_NEEDS = {
    "window": ("window",),
    "strided": ("window",),
    "global": ("window", "globals"),
    "prefix": ("prefix",),
    "document": ("documents",),
    "painted": ("rows",),
}
_MAY = {"window": ("sinks",)}
_SETTINGS = ("window", "sinks", "prefix", "globals", "documents", "rows")
_OF_THE_PAST = ("causal", "window", "strided")
_OF_ANY_DIRECTION = ("global", "document")
"""Patterns that say who is near or akin, and nothing of before and after."""
_SAID = 4
"""Items of a long setting that a message still spells out."""
MOST_VISIBLE = 32_768
"""Tokens of a table that is drawn whole: 1 GiB."""


@dataclass(frozen=True)
class Mask(Edit):
    """Who may look at whom: another mask in place of the model's own.

        Mask("window", window=128, sinks=1)        the last 128, the token itself among them,
                                                   and the first
        Mask("bidirectional")                      in a decoder: the future is seen too
        Mask("causal", hidden=((5, 2),))           5 does not see 2
        Mask.painted([[1, 0], [1, 1]])             a row for each query

    Patterns: "causal", "bidirectional", "window" (``window``, ``sinks``), "strided" (``window`` is
    the stride), "global" (``window`` and the tokens ``globals``), "prefix" (``prefix`` tokens),
    "document" (``documents``: an id for each token), "painted" (``rows``). Positions are absolute
    and count from the text's first token, so a window is the same with a key/value cache and in
    a padded batch. Windows, strides and prefixes
    hide the future in an encoder too: they are taken as they are drawn. "global" and "document"
    keep a model's own direction.

    Args:
        shown, hidden: cells (query, key) that are changed over the pattern.
        layers, heads: where; None: everywhere in the role.
        role: None: the self-attention of the model's main role. "cross" takes "painted", or
            "bidirectional" with cells changed.
        native: True: a window of the model's own stays, and where the pattern opens the future, it
            reaches as far there. False: the pattern alone counts, in both directions. Padding
            stays hidden in any case.

    Several masks compose: what one hides, a later one with ``native`` does not show again. Of
    later tokens that holds once a mask has shown some of them; before, it is the model that hides
    them.

    While generating, new tokens see all of what came before where it is painted, and belong to
    the last document.

    Raises:
        EditError: an unknown pattern, or settings that it does not have or that make no sense.
    """

    pattern: str
    _: KW_ONLY
    window: int | None = None
    sinks: int = 0
    prefix: int | None = None
    globals: tuple[int, ...] = ()
    documents: tuple[int, ...] = ()
    rows: tuple[str, ...] = ()
    shown: tuple[tuple[int, int], ...] = ()
    hidden: tuple[tuple[int, int], ...] = ()
    layers: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None
    role: str | None = None
    native: bool = True
    kind: str = field(default="mask", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.pattern, str) or self.pattern not in _MADE:
            raise EditError(
                f"There is no mask {brief(self.pattern)}; there are {', '.join(_MADE)}."
            )
        self._settle()
        needs = _NEEDS.get(self.pattern, ())
        for name in _SETTINGS:
            given = getattr(self, name) != self.__dataclass_fields__[name].default
            if name in needs and not given:
                raise EditError(f"A {self.pattern} mask needs {name}=.")
            if given and name not in needs + _MAY.get(self.pattern, ()):
                raise EditError(f"A {self.pattern} mask has no {name}.")
        try:
            self.predicate()
        except ValueError as error:
            raise EditError(f"This {self.pattern} mask makes no sense: {error}.") from error

    def _settle(self) -> None:
        """Numbers as ints and lists as tuples, so that equal masks are equal."""
        for name in ("window", "prefix"):
            if getattr(self, name) is not None:
                self._set(name, whole(name, getattr(self, name), EditError))
        self._set("sinks", whole("sinks", 0 if self.sinks is None else self.sinks, EditError))
        for name in ("globals", "documents"):
            given = () if getattr(self, name) is None else getattr(self, name)
            items = several(name, given, EditError, ordered=name == "documents")
            self._set(name, tuple(whole(name, item, EditError) for item in items))
        self._set("globals", tuple(sorted(set(self.globals))))
        for name in ("shown", "hidden"):
            self._set(name, cells_of(name, getattr(self, name)))
        self._set("rows", rows_of(self.rows))
        if not isinstance(self.native, bool):
            raise EditError(f"native is True or False, not {brief(self.native)}.")

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @classmethod
    def painted(cls, matrix: Any, **more: Any) -> Mask:
        """A painted mask from a matrix [Q, S] of any kind: true or 1 where a query may look.

        Raises:
            EditError: it is no matrix of numbers, or there is no cell.
        """
        if "rows" in more or "pattern" in more:
            raise EditError("A painted mask takes its rows from the matrix, and from there alone.")
        return cls("painted", rows=painted_rows(matrix), **more)

    def predicate(self, causal: bool = True) -> Predicate:
        """The pattern and its changed cells, as a question about two positions.

        Args:
            causal: of a model whose own mask hides the future.
        """
        base = _MADE[self.pattern](self)
        if causal and self.native and self.pattern in _OF_ANY_DIRECTION:
            base = base & masks.Causal()
        if self.shown or self.hidden:
            base = masks.Changed(base, self.shown, self.hidden)
        return base

    def visible(self, n: int, causal: bool = True) -> Tensor:
        """Who sees whom among n tokens, bool [n, n], the model's own window aside.

        Raises:
            EditError: it was painted for less than ``n`` tokens, has ids for less, or n is not from
                1 to ``MOST_VISIBLE``.
        """
        if not 1 <= whole("n", n, EditError) <= MOST_VISIBLE:
            raise EditError(f"A table has 1 to {MOST_VISIBLE:,} tokens, not {n:,}.")
        places = torch.arange(n)
        try:
            return self.predicate(causal)(places[:, None], places[None])
        except ValueError as error:
            raise EditError(f"{self} has no table of {n:,} tokens: {error}.") from error

    @property
    def stages(self) -> frozenset[str]:
        return frozenset({"mask"})

    def stages_in(self, runner: Any) -> frozenset[str]:
        """Where a model is only observed, keys can still be hidden as they enter the softmax."""
        return self.stages if "mask" in runner.editable else frozenset({"masked"})

    def sites(self, runner: Any) -> list[Site]:
        role = main_or(self.role, runner)
        layers = self.layers or tuple(s.layer for s in runner.sites if s.role == role) or (0,)
        found = [site_at(self, layer, 0, role, runner) for layer in dict.fromkeys(layers)]
        for site in found:
            for head in self.heads or ():
                site_at(self, site.layer, head, role, runner)
        open_to_cells = self.pattern == "bidirectional" and bool(self.shown or self.hidden)
        if role == "cross" and not (self.pattern == "painted" or open_to_cells):
            raise EditRefused(
                f"{self} is about the order of one text; cross-attention looks from one text into "
                f'another, and takes "painted", or "bidirectional" with hidden= cells.'
            )
        return found

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        return self.bind_to(runner, donor, Fed())

    def bind_to(self, runner: Any, donor: Trace | None, fed: Fed) -> Bound:
        sites = frozenset(self.sites(runner))
        role = main_or(self.role, runner)
        size = fed.sizes.get(role)
        mask = self if size is None else fitted(self, role, size, fed.more)
        if size is not None and role != "cross" and any(site.causal for site in sites):
            self._check_future(runner, mask.predicate(), size[1], fed)
        masking = Masking(
            str(self),
            mask.predicate,
            self.native,
            self.heads,
            size=None if fed.more else size,
            padded=not fed.more,
        )
        return Bound(
            self,
            self.stages_in(runner),
            lambda place: place in sites,
            masking,
            alike=True,
            looks_far=not self.native,
        )

    def _check_future(self, runner: Any, predicate: Predicate, n: int, fed: Fed) -> None:
        """Raises EditRefused where the future would be shown and cannot be."""
        if self.pattern in _OF_THE_PAST and not any(key > query for query, key in self.shown):
            return
        total = n + fed.more
        if self.stages_in(runner) == {"masked"} and shows_later(predicate, total, range(total)):
            raise EditRefused(cannot_show(str(self)))
        if fed.cached and shows_later(predicate, total, range(n, total)):
            raise EditRefused(
                f"{self} lets a token see later ones, so that each new token changes those before "
                "it, which a key/value cache keeps as they were: pass use_cache=False."
            )

    def __str__(self) -> str:
        """As it is typed, a painted table by its size alone."""
        said = [repr(self.pattern)]
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name in ("pattern", "kind") or value == item.default:
                continue
            long = isinstance(value, tuple) and len(value) > _SAID
            said.append(f"{item.name}=" + (f"({len(value)} of them)" if long else repr(value)))
        return f"Mask({', '.join(said)})"
