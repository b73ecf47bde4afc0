"""What every model in AttnLab can do, whoever computes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from torch import Tensor, nn

from attnlab.trace.edits import Bound
from attnlab.trace.site import Block, Site
from attnlab.trace.token import Token
from attnlab.trace.trace import Trace


class Growing(Protocol):
    """Variants of one text, to be run as rows that join the batch where they begin to differ.

    ``enters``: the block at which each joins, None where it differs from the start. ``bounds``: its
    own edits made ready.
    """

    bounds: tuple[tuple[Bound, ...], ...]
    enters: tuple[int | None, ...]

    def run(self, which: Sequence[int | None], **options: Any) -> list[Trace]: ...


class Runner(Protocol):
    """A model that runs texts under edits. Analyses are written against this.

    ``serial`` is a context manager entered around every run: a lock where the model cannot be
    shared between threads, and nothing elsewhere. ``longest`` is the most tokens that a text may
    have, or None. ``head_kind``: "causal", "masked", "seq2seq" or "none". ``stages`` can be
    captured, ``editable`` ones changed. ``structure`` gives the module that paths of sites and
    blocks are relative to, and the matrix in it that gives logits; ``module`` one module by its
    path.
    """

    name: str
    tier: str
    sites: tuple[Site, ...]
    blocks: tuple[Block, ...]
    main_role: str
    head_kind: str
    has_head: bool
    serial: AbstractContextManager
    tokenizer: Any
    longest: int | None
    stages: frozenset[str]
    editable: frozenset[str]

    def structure(self) -> tuple[nn.Module, nn.Module | None]: ...

    def module(self, path: str) -> nn.Module: ...

    def tokens(self, text: str) -> list[Token]: ...

    def run(self, text: Any, **options: Any) -> Trace: ...

    def run_many(self, texts: Sequence[Any], **options: Any) -> list[Trace]: ...

    def growing(self, text: Any, each: Sequence[Any], **options: Any) -> Growing: ...

    def generate(self, text: Any, **options: Any) -> Trace: ...

    def steps(self, text: Any, **options: Any) -> Any: ...

    def read(self, text: Any, **options: Any) -> Iterator[Tensor]: ...
