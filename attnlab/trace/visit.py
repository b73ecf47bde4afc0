"""How a model shows a run what it computes: attention's stages, and the residual stream.

Our transformer calls these as it goes; hooks call them inside pretrained models. What comes back
is what the model goes on with.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from attnlab.attention import Where
from attnlab.attention.stages import HEAD_STAGES, STAGES
from attnlab.trace.run import Run
from attnlab.trace.site import Block, Site


def where_of(site: Site, run: Run, queries: int, keys: int) -> Where:
    """Absolute positions of one call: with a cache, the last query sits at the last key."""
    first = 0 if site.role == "cross" else run.past + queries - keys
    sinks = run.sinks if first > 0 else 0
    return Where(
        sinks=sinks,
        site=site,
        queries=range(run.past, run.past + queries),
        keys=range(first, first + keys),
        query_index=range(queries),
        key_index=range(keys),
    )


@dataclass(frozen=True)
class Visitor:
    """What ``attend`` calls at one site of one run."""

    run: Run
    site: Site
    stages: frozenset[str]
    whole_rows: bool
    queries: int
    keys: int
    fresh: bool = False

    def __call__(self, stage: str, tensor: Tensor, where: Where) -> Tensor:
        return self.run.visit(stage, self.site, tensor, where, self.queries, self.keys)


def visitor_of(run: Run, site: Site, queries: int, keys: int) -> Visitor | None:
    """The visitor of a site, or None where this run touches nothing there."""
    key = (site.path, site.role, site.layer)
    if key not in run.watching:  # the same at every token of a generation
        run.watching[key] = _watching(run, site)
    stages, whole, fresh = run.watching[key]
    return Visitor(run, site, stages, whole, queries, keys, fresh) if stages else None


def _watching(run: Run, site: Site) -> tuple[frozenset[str], bool, bool]:
    """The stages that a run touches at a site, whether it needs whole rows, and whether its masked
    scores are nobody's."""
    stages = frozenset(stage for stage in (*STAGES, *HEAD_STAGES) if run.touches(stage, site))
    # Scores in the masked future are skipped in tiles; whoever asks for them gets them computed.
    whole = bool({"scores", "scaled"} & stages) or run.needs_whole_rows(site)
    return stages, whole, run.is_fresh("masked", site)


def enter_block(block: Block, hidden: Tensor, run: Run, main: int | None) -> Tensor:
    """What a block reads, [B, n, M]: the batch may grow here, and ``resid_pre`` is shown.

    Args:
        main: how many blocks the main role has, where this is one of them: progress counts
            those, and rows join at those; None elsewhere.

    Raises:
        Cancelled: the caller cancelled the run.
    """
    run.check()
    if run.grad and not hidden.requires_grad:  # weights that are frozen carry no gradient
        hidden = hidden.detach().requires_grad_()
    if main is not None:
        run.report(block.layer + 1, main)
        hidden = grown(run, block, hidden)
    return visit_stream("resid_pre", block, hidden, run)


def grown(run: Run, block: Block, hidden: Tensor) -> Tensor:
    """Let the rows that enter at this block join, as copies of row 0."""
    joining = sum(row.enters == block.layer for row in run.rows)
    if not joining:
        return hidden
    run.batch += joining
    return torch.cat([hidden, hidden[:1].expand(joining, *hidden.shape[1:])])


def visit_stream(stage: str, block: Block, tensor: Tensor, run: Run) -> Tensor:
    """Show [B, Q, M] to the run."""
    if not run.touches(stage, block):
        return tensor
    queries = tensor.shape[1]
    where = Where(
        site=block,
        rows=range(tensor.shape[0]),
        queries=range(run.past, run.past + queries),
        query_index=range(queries),
    )
    return run.visit(stage, block, tensor, where, queries, 0)
