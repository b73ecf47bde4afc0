"""Plain runs that edits take values from: of a text itself, and of other texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from attnlab.errors import InputError
from attnlab.pretrained import texts as typed
from attnlab.pretrained.binding import bind, distinct
from attnlab.pretrained.execute import execute
from attnlab.pretrained.result import Asked, sizes_of
from attnlab.trace.capture import Capture
from attnlab.trace.edits import Corpus, Donor, Edit, Fed
from attnlab.trace.run import Cancel
from attnlab.trace.trace import Kept, Trace

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab

BATCH_TOKENS = 1024
"""Tokens, padding included, of the texts of a corpus that run together."""

Ids = tuple[list[int], list[int] | None]
"""What a text feeds: its ids, and those of the target of an encoder-decoder."""


def bind_all(
    lab: Lab,
    edits: Sequence[tuple[Edit, ...]],
    sources: list[list[int]],
    goals: list[list[int] | None],
    more: int = 0,
    cached: bool = False,
    cancel: Cancel | None = None,
) -> list[tuple]:
    """The edits of each text bound, after the plain runs that they need, each text once.

    Args:
        more: how many tokens a generation feeds after the text, ``cached`` or not.

    Raises:
        EditError, InputError, Cancelled: see ``Lab.run``.
    """
    for own in edits:
        bind(lab, own, None, check_only=True)
    plain = _of_themselves(lab, edits, sources, goals, cancel)
    others = _of_others(lab, edits, cancel)
    mains = goals if lab.is_encoder_decoder else sources
    bounds = []
    for own, source, main, donor in zip(edits, sources, mains, plain, strict=True):
        fed = Fed(sizes_of(source, main), more, cached, others)
        bounds.append(bind(lab, own, donor, fed))
    return bounds


def refuse_donors(lab: Lab, edits: Sequence[Edit]) -> None:
    """Raises InputError for edits that a model's own inputs cannot have."""
    if any(edit.needs(lab) or edit.donors(lab) for edit in edits):
        raise InputError("Edits that need a donor run take a text or ids, not raw inputs.")


def _of_themselves(
    lab: Lab, edits: Sequence[tuple], sources: list, goals: list, cancel: Cancel | None
) -> list[Trace | None]:
    """A plain run of each text that an edit needs one of. Every different text is a row of one
    batch, as those of the run that follows are, so that the numbers are the same."""
    needs = dict.fromkeys(n for own in edits for edit in own for n in edit.needs(lab))
    if not needs:
        return [None] * len(sources)
    once, which = distinct(sources, goals)
    traces = _run(lab, once, tuple(needs), cancel)
    return [traces[i] for i in which]


def _of_others(
    lab: Lab, edits: Sequence[tuple], cancel: Cancel | None
) -> dict[Donor | Corpus, Trace]:
    """Plain runs of the texts that edits name, each once, with what is needed of it kept."""
    wanted: dict[Donor | Corpus, dict[Capture, None]] = {}
    for edit in dict.fromkeys(edit for own in edits for edit in own):
        for donor, capture in edit.donors(lab):
            wanted.setdefault(donor, {})[capture] = None
    found: dict[Donor | Corpus, Trace] = {}
    alike: dict[tuple[Capture, ...], list[Donor]] = {}
    for donor, keep in wanted.items():
        if isinstance(donor, Corpus):
            found[donor] = _mean(lab, donor, tuple(keep), cancel)
        else:
            alike.setdefault(tuple(keep), []).append(donor)
    for captures, donors in alike.items():
        found |= dict(_runs(lab, donors, captures, cancel))
    return found


def _mean(lab: Lab, corpus: Corpus, captures: tuple[Capture, ...], cancel: Cancel | None) -> Trace:
    """What is kept of a corpus, averaged while its texts run: no more than a batch is held."""
    times = Counter(corpus.texts)
    sums: dict[tuple[tuple[str, str], int], Kept] = {}
    counts: Counter = Counter()
    for donor, trace in _runs(lab, times, captures, cancel):
        for name, layers in trace.values.items():
            for layer, kept in layers.items():
                key, own = (name, layer), kept.tensor.double().sum(-2, keepdim=True)
                own = own * times[donor] + (sums[key].tensor if key in sums else 0.0)
                sums[key] = replace(kept, tensor=own)
                counts[key] += kept.tensor.shape[-2] * times[donor]
    values: dict[tuple[str, str], dict[int, Kept]] = {}
    for (name, layer), kept in sums.items():
        mean = (kept.tensor / counts[name, layer]).float()
        values.setdefault(name, {})[layer] = replace(kept, tensor=mean)
    return Trace((), (), lab.main_role, values)


def _runs(
    lab: Lab, donors: Iterable[Donor], captures: tuple[Capture, ...], cancel: Cancel | None
) -> Iterator[tuple[Donor, Trace]]:
    ids = {d: (typed.ids_of(lab, d.text), typed.target_ids(lab, d.target)) for d in donors}
    for part in _batches(lab, ids):
        traces = _run(lab, [ids[donor] for donor in part], captures, cancel)
        yield from zip(part, traces, strict=True)


def _batches(lab: Lab, ids: dict[Donor, Ids]) -> Iterator[list[Donor]]:
    """Donors that run together: texts of like lengths, a bounded number of tokens."""
    part: list[Donor] = []
    pads = lab.takes_padding
    for donor in sorted(ids, key=lambda donor: len(ids[donor][0])):
        length = len(ids[donor][0])
        alike = not part or pads or len(ids[part[0]][0]) == length
        if part and not (alike and length * (len(part) + 1) <= BATCH_TOKENS):
            yield part
            part = []
        part.append(donor)
    if part:
        yield part


def _run(
    lab: Lab, texts: list[Ids], captures: tuple[Capture, ...], cancel: Cancel | None
) -> list[Trace]:
    sources, goals = (list(side) for side in zip(*texts, strict=True))
    asked: Any = Asked(captures, None, cancel=cancel)
    plain = [()] * len(texts)
    return execute(lab, lab.inputs(sources, goals), sources, goals, asked, plain)
