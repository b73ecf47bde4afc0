"""What every head does, and what a set of heads does, as files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attnlab.analysis.tray import Together
from attnlab.ui.ablate_fills import PLACES
from attnlab.ui.ablate_measure import Measured, write
from attnlab.ui.engine.ask import Ask
from attnlab.ui.export import architecture as files
from attnlab.ui.export.menu import Savable
from attnlab.ui.selection import Head
from attnlab.viz.diagram import Diagram
from attnlab.viz.heads import FEED, short


def sweep(ask: Ask, measured: Measured, found: Any, drawn: Diagram, how: str) -> Savable:
    """The effect of every head alone; ``found`` as ``cards.ablate.grid`` has it."""
    rows = [
        [layer, *_head_of(found, layer, head), value, found.estimate.get((layer, head))]
        for (layer, head), value in found.exact.items()
    ]
    correlation = found.correlation
    return files.picture(
        "attnlab-sweep",
        f"What each head does: {measured.what}",
        drawn,
        files.of_model(ask.reader, ask.passage),
        what=f"Effect of setting one head to {PLACES[ask.fill]}: {measured.what}, "
        f"in {measured.unit}.",
        columns=("layer", "head", "rank", "effect", "estimate"),
        rows=rows,
        notes=(how, f"Set to {PLACES[ask.fill]}.", _donor(ask)),
        body={
            "metric": found.swept.metric.to_json(),
            "as_trained": found.swept.plain,
            "rank_correlation_of_estimate": correlation,
        }
        | _pattern(ask),
    )


def _head_of(found: Any, layer: int, head: int) -> tuple[int | None, int | None]:
    """A head and its place among all; of a feed-forward neither."""
    return (None, None) if head == FEED else (head, found.rank((layer, head)))


def _pattern(ask: Ask) -> dict[str, Any]:
    """The weights that every head was given, where they were painted or pasted."""
    weights = ask.weights
    return {"pattern": {"rows": weights.rows, "positions": weights.places}} if weights.rows else {}


def _donor(ask: Ask) -> str:
    return "" if ask.donor is None else f"B: {ask.donor.text}"


def tray(
    ask: Ask, measured: Measured, units: Sequence[Head], found: Together, drawn: Diagram
) -> Savable:
    """A set of heads and feed-forwards beside its parts and beside random sets."""
    rows = [["together", "", found.effect]]
    rows += [
        ["alone", short(unit), value] for unit, value in zip(units, found.singles, strict=True)
    ]
    rows += [["random set", str(at), value] for at, value in enumerate(found.random, start=1)]
    return files.picture(
        "attnlab-heads-gone",
        f"{', '.join(map(short, units[:8]))} set to {PLACES[ask.fill]}",
        drawn,
        files.of_model(ask.reader, ask.passage, ask.edits(units)),
        what=f"{measured.what}, in {measured.unit}; set to {PLACES[ask.fill]}.",
        columns=("what", "which", "effect"),
        rows=rows,
        notes=(f"Together {write(found.effect)}, each alone added up {write(found.sum)}.",),
        body={"metric": ask.metric.to_json()},
    )
