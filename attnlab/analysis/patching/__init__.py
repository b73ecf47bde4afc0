"""Activation patching between two texts: which head, layer or position carries the difference.

Two texts that differ in what matters ("The capital of France is", "The capital of Germany is").
One runs with a single value taken from the other, for each head, layer or position in turn:

    denoising   the corrupted text runs, a value of the clean one is put in: is it enough?
    noising     the clean text runs, a value of the corrupted one is put in: is it needed?

    share = (patched − corrupted) / (clean − corrupted)

0 is what the corrupted text gives, 1 what the clean one does; beyond both it may go either way.
Where the two lie within rounding of one another (1e-4, or what checked rows are off) there is no
share. The raw numbers stay beside it.

Vig et al. 2020, "Investigating Gender Bias in Language Models Using Causal Mediation Analysis";
Meng et al. 2022, "Locating and Editing Factual Associations in GPT"; Heimersheim and Nanda 2024,
"How to Use and Interpret Activation Patching", section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from attnlab.analysis.grow import BUDGET, GROUPS, grown
from attnlab.analysis.metrics import Metric
from attnlab.analysis.pairing import Pairs, pairs_of
from attnlab.analysis.patching.contrast import Contrast, Raw
from attnlab.analysis.patching.table import Seen, Table
from attnlab.analysis.patching.variants import OF_HEADS, axis_of, check, narrowed, variants_of
from attnlab.errors import InputError
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.token import Token


@dataclass(frozen=True)
class Patching:
    """What each patched value does.

    Attributes:
        table: a row for each: layer, head or position (with its token, and ``donor_position`` in
            the other text), value (of the metric), effect (value minus that of the text that runs)
            and share.
        stage, by, direction: as they were asked for.
        metric: what was measured; ``unit`` of value and effect.
        clean, corrupted: its value for the two texts. Of a metric that compares two runs it is the
            distance from the clean run, so ``clean`` is 0.
        tokens: of the text that runs; ``pairs`` (position in it, position in the other text).
        how, why, difference, noise: how it was computed; see ``grow.Grown``. An effect below
            ``noise`` tells nothing.
    """

    table: pd.DataFrame
    stage: str
    by: str
    direction: str
    metric: Metric
    clean: float
    corrupted: float
    tokens: tuple[Token, ...]
    pairs: Pairs
    how: str
    why: str
    difference: float | None
    noise: float | None

    @property
    def unit(self) -> str:
        return self.metric.unit

    def grid(self, column: str = "share") -> pd.DataFrame:
        """The table as a grid: rows are layers, columns heads or positions."""
        if self.by == "layer":
            return self.table.set_index("layer")[[column]]
        return self.table.pivot(index="layer", columns=self.by, values=column)


def activation_patching(
    runner: Runner,
    clean: Any,
    corrupted: Any,
    stage: str = "z",
    *,
    by: str = "",
    direction: str = "denoising",
    metric: Metric | None = None,
    layers: Sequence[int] | int | None = None,
    positions: Sequence[int] | int | None = None,
    at: Pairs | None = None,
    window: int = 1,
    role: str | None = None,
    targets: tuple[Any, Any] = (None, None),
    groups: int = GROUPS,
    budget: int = BUDGET,
    progress: Callable[[float], None] | None = None,
    cancel: Cancel | None = None,
    seen: Seen | None = None,
) -> Patching:
    """Patch a stage between two texts, one head, position or layer at a time, each exactly.

    Args:
        clean, corrupted: the two texts, or their ids.
        stage: z, weights, v, q, k of heads; resid_pre, attn_out, cross_out, mlp_out, resid_post.
        by: "head" (by layer and head), "position" (by layer and position, all heads together) or
            "layer"; "": heads where the stage has them, else positions.
        metric: None: the logit difference of the two texts' likeliest next tokens; where those are
            the same, the KL divergence from the clean run; where the model predicts no next token,
            the cosine distance from the clean run's mean vector.
        layers: None: all.
        positions: of the text that runs; only these are patched. None: all that have a partner.
        at: pairs (position in the text that runs, position in the other); None: position by
            position in texts of one length, else as ``pairs_of`` aligns them.
        window: so many consecutive layers are patched together, around each.
        role: whose stage; the main role's where None.
        targets: what the decoder of an encoder-decoder is fed with each text.
        seen: called with the table so far and the share done, as results come in.

    Raises:
        InputError: an unknown stage, unit or direction, or a metric that looks at a position that
            is not the same in both texts.
        EditError: a patch does not fit.
        Cancelled: ``cancel`` was set.
    """
    by = by or ("head" if stage in OF_HEADS else "position")
    check(stage, by, direction, window)
    both = Contrast.run(runner, (clean, corrupted), targets, metric, cancel)
    receives, gives = (1, 0) if direction == "denoising" else (0, 1)
    role = role or runner.main_role
    tokens, others = (axis_of(both.traces[i], role, stage) for i in (receives, gives))
    whole = by != "position" and positions is None
    pairs = narrowed(_pairs(stage, tokens, others, at, whole), positions, len(tokens))
    what = {"donor": both.texts[gives], "donor_target": both.targets[gives], "role": role}
    rows, variants = variants_of(runner, stage, by, layers, pairs, window, what)
    table = Table(rows, by, tokens, both.values, receives)
    raw = Raw(both.metric, both.traces[0])
    options: dict[str, Any] = {"groups": groups, "budget": budget, "cancel": cancel}
    options |= {"target": both.targets[receives], "progress": progress}
    options["seen"] = None if seen is None else table.streaming(seen)
    result = grown(runner, both.texts[receives], variants, raw, **options)
    noise = None if result.noise is None else result.noise[0]
    table.least = max(table.least, noise or 0.0)
    table.fill(range(len(rows)), result.values[0])
    values = dict(zip(("clean", "corrupted"), both.values, strict=True))
    asked = {"stage": stage, "by": by, "direction": direction, "metric": both.metric}
    found = {"how": result.how, "why": result.why, "difference": result.difference, "noise": noise}
    return Patching(table.frame, **asked, **values, tokens=tokens, pairs=pairs, **found)


def where_facts_sit(
    runner: Runner,
    clean: Any = "The capital of France is",
    corrupted: Any = "The capital of Germany is",
    **options: Any,
) -> Patching:
    """Feed-forwards by layer and position: where a fact about a subject is looked up.

    The output of each feed-forward at each position is taken from the clean text. Meng et al. 2022
    (section 2) find that the middle layers carry it, at the subject's last token; they patch
    several layers at a time (``window=``), because a single one does little.
    """
    return activation_patching(runner, clean, corrupted, "mlp_out", by="position", **options)


def _pairs(
    stage: str,
    tokens: tuple[Token, ...],
    others: tuple[Token, ...],
    at: Pairs | None,
    whole: bool,
) -> Pairs:
    """Which positions stand for one another; ``whole``: none of them will be left out."""
    if stage == "weights" and len(tokens) != len(others) and not whole:
        raise InputError(
            f"A row of weights has a weight for each of its text's tokens, here {len(tokens)} and "
            f"{len(others)}: patch whole heads, or texts of one length."
        )
    return at or pairs_of([t.id for t in tokens], [t.id for t in others])
