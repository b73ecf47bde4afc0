"""What was asked of a run, and the trace made of what it kept."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from attnlab.errors import InputError
from attnlab.pretrained import texts
from attnlab.pretrained.losses import next_token_losses
from attnlab.trace.capture import ATTENTION_STAGES, KEY_VALUE_STAGES, SQUARE_STAGES, Capture
from attnlab.trace.given import brief, whole
from attnlab.trace.run import Cancel, Logits, Row, Run
from attnlab.trace.token import Token
from attnlab.trace.trace import Kept, Small, Trace
from attnlab.version import VERSION

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab


@dataclass(frozen=True)
class Asked:
    """The options of one call of ``run``."""

    captures: tuple[Capture, ...]
    logits: Logits = "all"
    grad: bool = False
    progress: Callable[[float], None] | None = None
    cancel: Cancel | None = None

    def __post_init__(self) -> None:
        asked = self.logits
        words = isinstance(asked, str) and asked in ("all", "last", "loss")
        if not (asked is None or words or (isinstance(asked, tuple) and asked)):
            raise InputError(
                f"logits is 'all', 'last', 'loss', None or positions, not {brief(asked)}."
            )
        if isinstance(self.logits, tuple):
            places = tuple(whole("logits", p, InputError) for p in self.logits)
            object.__setattr__(self, "logits", places)
        if self.progress is not None and not callable(self.progress):
            raise InputError(
                f"progress is called with a share, so it cannot be {brief(self.progress)}."
            )
        if not isinstance(self.cancel, Cancel | None):
            raise InputError(f"cancel is an al.Cancel(), not {brief(self.cancel)}.")

    def run(self, rows: Sequence[Row], steps: int = 1) -> Run:
        return Run(rows, self.captures, self.grad, self.progress, self.cancel, steps)

    def positions(
        self, lengths: Sequence[int | None], has_head: bool, device: torch.device
    ) -> Tensor | None:
        """Positions [B, P] to which the language-model head is applied; None: all."""
        if not has_head or self.logits == "all" or None in lengths:
            return None
        rows = [self.chosen(length) for length in lengths]
        return torch.tensor(rows, device=device)

    def chosen(self, length: int) -> tuple[int, ...]:
        """The positions of a text of this length whose logits are wanted, from 0."""
        if self.logits == "all":
            return tuple(range(length))
        if not isinstance(self.logits, tuple):  # None too: one position is the cheapest
            return (length - 1,)
        wrong = next((p for p in self.logits if not -length <= p < length), None)
        if wrong is not None:
            raise InputError(f"There is no position {wrong}; this text has {length} tokens.")
        return tuple(p % length for p in self.logits)


def trace_of(
    lab: Lab,
    run: Run,
    outputs: Any,
    row: int,
    source: list[int] | None,
    goal: list[int] | None,
    asked: Asked,
) -> Trace:
    """The trace of one row of the batch, cut to the text's own length."""
    main = goal if lab.is_encoder_decoder else source
    tokens = _tokens(lab, run, main)
    sources = tokens if source is main else _tokens(lab, run, source)
    logits, places = _logits(run, outputs, row, len(main) if main else None, asked)
    return Trace(
        tokens=tokens,
        source_tokens=sources,
        main_role=lab.main_role,
        values=_values(run, row, len(source) if source else None, len(main) if main else None),
        small=_small(run, row),
        logits=logits,
        losses=_losses(run, outputs, row, len(main) if main else None),
        logit_positions=places,
        how=how(lab, [bound.edit for bound in run.rows[row].edits]),
        tokens_of=partial(texts.each_alone, lab.tokenizer),
        graph={key: run.store.whole(key) for key in run.store.parts} if run.grad else {},
    )


def _tokens(lab: Lab, run: Run, ids: list[int] | None) -> tuple[Token, ...]:
    """Readable tokens, worked out once for all rows that have the same text."""
    if not ids:
        return ()
    key = ("tokens", tuple(ids))
    if key not in run.memo:
        run.memo[key] = tuple(texts.tokens_of(lab, ids))
    return run.memo[key]


def _logits(
    run: Run, outputs: Any, row: int, length: int | None, asked: Asked
) -> tuple[Tensor | None, tuple[int, ...]]:
    logits = getattr(outputs, "logits", None)
    if asked.logits is None or logits is None or logits.dim() != 3:
        return None, ()
    own = logits[row].float().cpu()
    if length is None:
        return own, tuple(range(len(own)))
    places = asked.chosen(length)
    return own if run.narrowed else own[list(places)], places


def _losses(run: Run, outputs: Any, row: int, length: int | None) -> Tensor | None:
    """The losses that the head left, or those of all logits where more follows the head."""
    if run.targets is None or length is None:
        return None
    if run.losses is None:
        run.losses = next_token_losses(lambda a, b: outputs.logits[:, a:b], run.targets)
    return run.losses[row, : length - 1].float().cpu()


def _values(
    run: Run, row: int, source: int | None, main: int | None
) -> dict[tuple[str, str], dict[int, Kept]]:
    values: dict[tuple[str, str], dict[int, Kept]] = {}
    for key in run.store.parts:
        stage, role, layer = key
        whole = run.store.whole(key)
        # Before a row joined the batch, it was the first one.
        tensor = whole[row if row < len(whole) else 0]
        queries, keys = _lengths(role, source, main)
        if stage in ATTENTION_STAGES:
            tensor = tensor[:, : keys if stage in KEY_VALUE_STAGES else queries]
            if stage in SQUARE_STAGES:
                tensor = tensor[..., :keys]
        else:
            tensor = tensor[:queries]
        kept = Kept(
            tensor.float().cpu(),
            run.store.heads(*key) if stage in ATTENTION_STAGES else None,
            run.store.queries(*key) if stage in SQUARE_STAGES else None,
        )
        values.setdefault((stage, role), {})[layer] = kept
    return values


def _lengths(role: str, source: int | None, main: int | None) -> tuple[int | None, int | None]:
    """Queries and keys of a role; None where nothing is to be cut."""
    if role == "cross":
        return main, source
    return (source, source) if role == "encoder" else (main, main)


def sizes_of(source: list[int] | None, main: list[int] | None) -> dict[str, tuple[int, int]]:
    """Queries and keys of each role for one text; nothing where its length is not known."""
    if not source or not main:
        return {}
    n, m = len(source), len(main)
    return {"encoder": (n, n), "decoder": (m, m), "cross": (m, n)}


def _small(run: Run, row: int) -> dict[str, dict[int, Small]]:
    small: dict[str, dict[int, Small]] = {}
    thumbnails = run.store.thumbnails
    for role, layer in dict.fromkeys((role, layer) for role, layer, _ in thumbnails):
        thumb = thumbnails.get((role, layer, row)) or thumbnails[role, layer, 0]
        kept = Small(thumb.map[0].cpu(), thumb.first[0].cpu())
        small.setdefault(role, {})[layer] = kept
    return small


def how(lab: Lab, edits: Sequence[Any]) -> dict[str, Any]:
    """How a trace was obtained, ready for JSON."""
    return {
        "model": lab.name,
        "revision": getattr(lab.model.config, "_commit_hash", None) or lab.revision,
        "tier": lab.tier,
        "difference_from_eager": lab.trust.difference,
        "dtype": lab.trust.dtype,
        "device": str(lab.device),
        "edits": [edit.to_json() for edit in edits],
        "versions": {
            "attnlab": VERSION,
            **_versions(),
        },
    }


@cache
def _versions() -> dict[str, str]:
    """Read once: it takes a millisecond, and a batch of short texts asks for it in every trace."""
    return {name: importlib.metadata.version(name) for name in ("torch", "transformers")}
