"""Edits of what one head hands on, or of its queries, keys or values: zeros, or a mean."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from torch import Tensor

from attnlab.errors import EditError
from attnlab.trace.capture import Capture
from attnlab.trace.edits.donor import Corpus, Donor, Words, as_words
from attnlab.trace.edits.edit import Bound, Edit, Fed, main_or, site_at
from attnlab.trace.edits.places import as_positions, placed
from attnlab.trace.edits.writing import Written
from attnlab.trace.given import whole
from attnlab.trace.site import Site

if TYPE_CHECKING:
    from attnlab.trace.trace import Trace

WHAT = ("z", "q", "k", "v")


@dataclass(frozen=True)
class OfHead(Edit):
    """An edit of one head.

    Attributes:
        positions: where in the text; negative counts from its end; None: everywhere. They are those
            of queries, for "k" and "v" those of keys.
        what: "z", what the head hands on; "q", "k" or "v": its queries, keys or values, as
            attention takes them (rotated, where the model rotates). Where query heads share keys
            and values, this head gets a copy of its own, and the others keep theirs.
    """

    layer: int
    head: int
    _: KW_ONLY
    positions: tuple[int, ...] | None = None
    what: str = "z"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("layer", "head"):
            object.__setattr__(self, name, whole(name, getattr(self, name), EditError))
        object.__setattr__(self, "positions", as_positions(self.positions))
        if self.what not in WHAT:
            raise EditError(f"what= is one of {', '.join(WHAT)}, not {self.what!r}.")

    @property
    def stages(self) -> frozenset[str]:
        return frozenset({self.what})

    def role_in(self, runner: Any) -> str:
        return main_or(self.role, runner)

    def sites(self, runner: Any) -> list[Site]:
        return [site_at(self, self.layer, self.head, self.role, runner)]

    def read(self, runner: Any) -> Capture:
        """What to keep of a plain run, to have this head's own values."""
        (site,) = self.sites(runner)
        head = kept_head(site, self.what, self.head)
        return Capture(self.what, layers=self.layer, heads=head, roles=site.role)

    def value(self, runner: Any, trace: Trace) -> Tensor:
        """[n, size]: this head's values in a run that kept them."""
        (site,) = self.sites(runner)
        stage = getattr(trace.role(site.role), self.what)
        return stage[self.layer, kept_head(site, self.what, self.head)]

    def written(self, runner: Any, value: float | Tensor, here: tuple[int, ...] | None) -> Bound:
        """Bound to write a value at some positions."""
        (site,) = self.sites(runner)
        stages = frozenset({stage_of(self.what)})
        change = Written(value, self.head, here)
        return Bound(self, stages, lambda place: place == site, change)

    def __str__(self) -> str:
        more = "" if self.what == "z" else f", what={self.what!r}"
        return f"{type(self).__name__}({self.layer}, {self.head}{more})"


def stage_of(what: str) -> str:
    """Where one head's values are changed: keys and values in the head's own copy."""
    return f"{what}_heads" if what in ("k", "v") else what


def kept_head(site: Site, what: str, head: int) -> int:
    """The head by which a run keeps a query head's values: the one it shares, for "k" and "v"."""
    return head * site.kv_heads // site.heads if what in ("k", "v") else head


@dataclass(frozen=True)
class ZeroHead(OfHead):
    """Replace a head's output z by zeros: the head is gone.

    Equals zeroing the head's slice of what the output projection reads. With ``what="v"`` at chosen
    positions the head still looks there and reads nothing; with "q" or "k" its scores are 0.

    ``role`` None: the model's main role. ``positions``, ``what``: see ``OfHead``.
    """

    role: str | None = None
    kind: str = field(default="zero_head", init=False)

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        return self.bind_to(runner, donor, Fed())

    def bind_to(self, runner: Any, donor: Trace | None, fed: Fed) -> Bound:
        role, stage = self.role_in(runner), self.what
        return self.written(runner, 0.0, placed(self, self.positions, fed, role, stage))


@dataclass(frozen=True)
class MeanHead(OfHead):
    """Replace a head's output z at every position by its mean over this text's positions.

    The mean is that of a plain run of the same text (of the prompt, when generating), so edits
    of other heads do not move it.

    Args:
        role: None: the model's main role.
        corpus: texts (or token ids), over all positions of which the mean is taken instead.
        corpus_targets: what the decoder of an encoder-decoder is fed with each of them.
        positions, what: see ``OfHead``.

    Raises:
        EditError: there are not as many targets as texts, or none of what is given is a text.
    """

    role: str | None = None
    _: KW_ONLY
    corpus: tuple[Words, ...] = ()
    corpus_targets: tuple[Words, ...] = ()
    kind: str = field(default="mean_head", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("corpus", "corpus_targets"):
            texts = getattr(self, name)
            if isinstance(texts, str):
                raise EditError(f"{name}= takes several texts; put a single one in a list.")
            texts = tuple(as_words(name, text) for text in texts or ())
            object.__setattr__(self, name, texts)
        if self.corpus_targets and len(self.corpus_targets) != len(self.corpus):
            raise EditError(
                f"{len(self.corpus)} texts of a corpus take as many targets, not "
                f"{len(self.corpus_targets)}."
            )

    def _texts(self) -> Corpus:
        targets = self.corpus_targets or [None] * len(self.corpus)
        return Corpus(tuple(map(Donor, self.corpus, targets)))

    def needs(self, runner: Any) -> tuple[Capture, ...]:
        return () if self.corpus else (self.read(runner),)

    def donors(self, runner: Any) -> tuple[tuple[Corpus, Capture], ...]:
        return ((self._texts(), self.read(runner)),) if self.corpus else ()

    def bind(self, runner: Any, donor: Trace | None) -> Bound:
        return self.bind_to(runner, donor, Fed())

    def bind_to(self, runner: Any, donor: Trace | None, fed: Fed) -> Bound:
        if donor is None and not self.corpus:
            raise EditError(f"{self} needs a plain run of the same text.")
        given = fed.run_of(self._texts(), self) if self.corpus else donor
        mean = self.value(runner, given).mean(0)
        here = placed(self, self.positions, fed, self.role_in(runner), self.what)
        return self.written(runner, mean, here)
