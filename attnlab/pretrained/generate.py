"""Generation under edits, with a key/value cache or without: at once, or a token at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from attnlab.attention.keep import KeepLast
from attnlab.errors import CaptureError, InputError
from attnlab.pretrained import texts
from attnlab.pretrained.binding import as_edits
from attnlab.pretrained.feeding import Cached, Uncached
from attnlab.pretrained.generation import Generation
from attnlab.pretrained.keeping import endless, require_edits, require_keep
from attnlab.pretrained.result import Asked
from attnlab.pretrained.sampling import Sampling
from attnlab.trace.capture import Capture, as_captures
from attnlab.trace.edits import Edit
from attnlab.trace.given import whole
from attnlab.trace.run import Cancel, Row
from attnlab.trace.trace import Trace

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab

Target = str | Sequence[int] | None
Captures = str | Capture | Iterable[str | Capture]

_STEPS: Final = 200
"""New tokens of a generation in steps, where nobody says how many."""


def generate(
    lab: Lab,
    text: Any,
    *,
    max_new_tokens: int = 20,
    target: Target = None,
    capture: Captures = ("weights",),
    edits: Sequence[Edit] = (),
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int = 0,
    use_cache: bool = True,
    cache: KeepLast | None = None,
    progress: Callable[[float], None] | None = None,
    cancel: Cancel | None = None,
) -> Trace:
    """Continue a text (an encoder-decoder's target) and give one trace of the whole.

    Its tokens are the prompt's and the generated ones; the last of them was not fed, so weights
    are [n − 1, n − 1] for n tokens. ``logits`` has a row for each generated token. Stops early at
    the model's end-of-sequence token. MeanHead takes its mean over the prompt.

    Args:
        temperature: 0 takes the likeliest token; above, tokens are drawn with ``seed``.
        top_k, top_p: draw from the k likeliest, or the fewest that reach p; see ``Sampling``.
        use_cache: keep keys and values; without, the whole text is run again for each token.
        cache: what is kept of them, a ``KeepLast``; None: all. With sinks, tokens are numbered
            anew, so the text may grow beyond what the model takes at once.

    Raises:
        InputError: the model does not generate, or the text would outgrow it.
    """
    sampling = Sampling(temperature, top_k, top_p, seed)
    fed = _prompt(lab, text, target, max_new_tokens, endless(lab, cache))
    kept = _checked(lab, edits, use_cache, cache)
    asked = _asked(capture, progress, cancel)
    generation = _begin(lab, fed, asked, kept, sampling, max_new_tokens, max_new_tokens - 1)
    feeder = generation._feeder
    feeder.steps = feeder.run.steps = max_new_tokens + feeder.prompt - feeder.first
    with lab.serial:
        while len(generation) < max_new_tokens and not generation.ended:
            generation.advance(None, progress, cancel)
    feeder.run.finish()
    return generation.trace()


def steps(
    lab: Lab,
    text: Any,
    *,
    max_new_tokens: int | None = None,
    target: Target = None,
    capture: Captures = ("weights",),
    edits: Sequence[Edit] = (),
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int = 0,
    use_cache: bool = True,
    cache: KeepLast | None = None,
    cancel: Cancel | None = None,
) -> Generation:
    """A generation to be taken further a token at a time; options as ``generate`` has them.

    Nothing is run yet but what edits need of other texts.

    Args:
        max_new_tokens: the most there may be; 200, or what the model still takes, when None.

    Raises:
        InputError: the model does not generate, or the text would outgrow it.
    """
    sampling = Sampling(temperature, top_k, top_p, seed)
    free = endless(lab, cache)
    fed = _prompt(lab, text, target, 1 if max_new_tokens is None else max_new_tokens, free)
    if max_new_tokens is None:
        source, goal = fed
        longest = _longest(lab, goal, free)
        max_new_tokens = min(_STEPS, (longest or math.inf) - len(goal or source))
    kept = _checked(lab, edits, use_cache, cache)
    asked = _asked(capture, None, cancel)
    return _begin(lab, fed, asked, kept, sampling, max_new_tokens, max_new_tokens)


@dataclass(frozen=True)
class _Kept:
    """What changes a generation, and what it keeps of what it has read."""

    edits: tuple[Edit, ...]
    cached: bool
    keep: KeepLast | None


def _checked(lab: Lab, edits: Sequence[Edit], use_cache: bool, keep: KeepLast | None) -> _Kept:
    given = as_edits(edits)
    if keep is not None:
        if not use_cache:
            raise InputError("cache= says what a cache keeps, and use_cache=False has none.")
        require_keep(lab, keep)
        require_edits(lab, given)
    return _Kept(given, use_cache, keep)


def _begin(
    lab: Lab,
    fed: tuple[list[int], list[int] | None],
    asked: Asked,
    kept: _Kept,
    sampling: Sampling,
    count: int,
    more: int,
) -> Generation:
    """Edits bound, nothing read yet. ``more``: how many of the ``count`` new tokens are read."""
    source, goal = fed
    told = {"more": more, "cached": kept.cached, "cancel": asked.cancel}
    (bounds,) = lab.bind_all([kept.edits], [source], [goal], **told)
    for item in asked.captures:
        texts.check_capture(lab, item)
    kind = Cached if kept.cached else Uncached
    feeder = kind(lab, source, goal, asked, Row(bounds), kept.keep)
    return Generation(lab, feeder, asked, sampling, count, _ends_of(lab))


def _asked(
    capture: Captures, progress: Callable[[float], None] | None, cancel: Cancel | None
) -> Asked:
    captures = as_captures(capture)
    if any(c.thumbnails or c.queries for c in captures):
        raise CaptureError("A generation keeps whole maps; thumbnails= and queries= are for run.")
    return Asked(captures, "last", progress=progress, cancel=cancel)


def _prompt(
    lab: Lab, text: Any, target: Any, count: int, free: bool
) -> tuple[list[int], list[int] | None]:
    """The ids of a text, and of a target. ``free``: of any length."""
    if lab.head_kind not in ("causal", "seq2seq"):
        raise InputError(f"{lab.name} has no causal language-model head, so it cannot generate.")
    if whole("max_new_tokens", count, InputError) < 1:
        raise InputError(f"max_new_tokens is at least 1, not {count}.")
    goal = texts.target_ids(lab, target)
    source = texts.ids_of(lab, text, free and not goal)
    length, longest = len(goal or source) + count, _longest(lab, goal, free)
    if longest is not None and length > longest:
        raise InputError(
            f"{length:,} tokens would be needed; {lab.name} takes at most {longest:,}."
        )
    return source, goal


def _longest(lab: Lab, goal: list[int] | None, free: bool) -> int | None:
    """The most tokens that what grows may have: a text, or an encoder-decoder's target."""
    if goal:
        return lab.longest_target
    return None if free else lab.longest


def _ends_of(lab: Lab) -> frozenset[int]:
    end = getattr(lab.model.config, "eos_token_id", None)
    return frozenset(end if isinstance(end, list | tuple) else {end})
