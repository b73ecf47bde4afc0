"""Generation, one token at a time, under edits, with a key/value cache or without."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from attnlab.errors import CaptureError, EditRefused, InputError
from attnlab.pretrained import texts
from attnlab.pretrained.binding import as_edits
from attnlab.pretrained.caches import full_cache
from attnlab.pretrained.result import Asked, trace_of
from attnlab.trace.capture import Capture, as_captures
from attnlab.trace.edits import Edit
from attnlab.trace.given import brief, whole
from attnlab.trace.run import Cancel, Row, Run
from attnlab.trace.trace import Trace

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab


def generate(
    lab: Lab,
    text: Any,
    *,
    max_new_tokens: int = 20,
    target: str | Sequence[int] | None = None,
    capture: str | Capture | Iterable[str | Capture] = ("weights",),
    edits: Sequence[Edit] = (),
    temperature: float = 0.0,
    seed: int = 0,
    use_cache: bool = True,
    progress: Callable[[float], None] | None = None,
    cancel: Cancel | None = None,
) -> Trace:
    """Continue a text (an encoder-decoder's target) and give one trace of the whole.

    Its tokens are the prompt's and the generated ones; the last of them was not fed, so weights
    are [n − 1, n − 1] for n tokens. ``logits`` has a row for each generated token. Stops early at
    the model's end-of-sequence token. MeanHead takes its mean over the prompt.

    Args:
        temperature: 0 takes the likeliest token; above, tokens are drawn with ``seed``.
        use_cache: keep keys and values; without, the whole text is run again for each token.

    Raises:
        InputError: the model does not generate, or the text would outgrow it.
    """
    source, goal = _prompt(lab, text, target, max_new_tokens)
    captures = as_captures(capture)
    if any(c.thumbnails or c.queries for c in captures):
        raise CaptureError("A generation keeps whole maps; thumbnails= and queries= are for run.")
    asked = Asked(captures, "last", progress=progress, cancel=cancel)
    fed = {"more": max_new_tokens - 1, "cached": use_cache}
    (bounds,) = lab.bind_all([as_edits(edits)], [source], [goal], **fed)
    for item in captures:
        texts.check_capture(lab, item)
    pick = _picker(temperature, seed)
    step = _Cached(lab, source, goal) if use_cache else _Uncached(lab, source, goal)
    with lab.serial:
        run, rows = _loop(step, asked, Row(bounds), max_new_tokens, pick, _ends_of(lab))
    return _trace(lab, run, rows, step, asked)


def _prompt(lab: Lab, text: Any, target: Any, count: int) -> tuple[list[int], list[int] | None]:
    if lab.head_kind not in ("causal", "seq2seq"):
        raise InputError(f"{lab.name} has no causal language-model head, so it cannot generate.")
    if whole("max_new_tokens", count, InputError) < 1:
        raise InputError(f"max_new_tokens is at least 1, not {count}.")
    source, goal = texts.ids_of(lab, text), texts.target_ids(lab, target)
    length = len(goal or source) + count
    longest = lab.longest_target if goal else lab.longest
    if longest is not None and length > longest:
        raise InputError(
            f"{length:,} tokens would be needed; {lab.name} takes at most {longest:,}."
        )
    return source, goal


def _picker(temperature: float, seed: int) -> Callable[[Tensor], int]:
    known = isinstance(temperature, int | float) and (
        temperature == 0 or 1e-3 <= temperature <= 1e3
    )
    if not known:
        raise InputError(
            f"The sampling temperature is 0, or from 0.001 to 1,000, not {brief(temperature)}."
        )
    if temperature == 0:
        return lambda logits: int(logits.argmax())
    draw = torch.Generator().manual_seed(whole("seed", seed, InputError, most=None) % 2**63)

    def sample(logits: Tensor) -> int:
        probabilities = torch.softmax(logits.double() / temperature, -1)
        return int(torch.multinomial(probabilities, 1, generator=draw))

    return sample


def _ends_of(lab: Lab) -> set[int]:
    end = getattr(lab.model.config, "eos_token_id", None)
    return set(end) if isinstance(end, list | tuple) else {end}


class _Steps:
    """The ids so far, and how to run the model for the next one."""

    def __init__(self, lab: Lab, source: list[int], goal: list[int] | None) -> None:
        self.lab, self.source, self.goal = lab, list(source), None if goal is None else list(goal)

    @property
    def ids(self) -> list[int]:
        """The ids that grow."""
        return self.source if self.goal is None else self.goal


class _Uncached(_Steps):
    """The whole text again for each token, each time in a run of its own."""

    def forward(self, run: Run, asked: Asked, row: Row, steps: int) -> tuple[Run, Any]:
        done = run.store.step
        fresh = asked.run([row], steps)
        fresh.store.step = done
        fresh.positions = asked.positions([len(self.ids)], self.lab.has_head, self.lab.device)
        return fresh, self.lab.forward(fresh, self.lab.inputs([self.source], [self.goal]))


class _Cached(_Steps):
    """Only what is new, beside transformers' own key/value cache."""

    def __init__(self, lab: Lab, source: list[int], goal: list[int] | None) -> None:
        super().__init__(lab, source, goal)
        self.cache: Any = None
        self.encoded: Any = None

    def forward(self, run: Run, asked: Asked, row: Row, steps: int) -> tuple[Run, Any]:
        inputs: dict[str, Any] = self.lab.inputs([self.source], [self.goal])
        full = None
        if self.cache is None and any(bound.looks_far for bound in row.edits):
            full = full_cache(self.lab)
            inputs |= {} if full is None else {"cache": full}
        if self.cache is not None:
            inputs = self._next_text(inputs) if self.goal is None else self._next_target(inputs)
        new = inputs["input_ids" if self.goal is None else "decoder_input_ids"].shape[1]
        run.positions = torch.tensor([[new - 1]]) if self.lab.has_head else None
        outputs = self.lab.forward(run, inputs, use_cache=True)
        self.cache = getattr(outputs, "cache", None)
        if self.cache is None:
            raise InputError(f"{self.lab.name} keeps no key/value cache: pass use_cache=False.")
        if full is not None and self.cache is not full:
            raise EditRefused(
                f"{self.lab.name} keeps a cache of its own that drops what its windows hide: pass "
                "use_cache=False."
            )
        self.encoded = run.ends.get("encoder", self.encoded)
        return run, outputs

    def _next_text(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The newest token, asked for as the model itself wants it.

        One text has no padding, so there is no mask to hand on: some models read a mask of the
        whole text as one of the newest token.
        """
        ids = inputs["input_ids"]
        fed = self.lab._clone.prepare_inputs_for_generation(
            ids, next_sequence_length=1, cache=self.cache, use_cache=True
        )
        if self.lab.counts_from_zero:  # some count on being told how far we are
            fed["position_ids"] = torch.tensor([[ids.shape[1] - 1]], device=ids.device)
        fed.pop("logits_to_keep", None)  # our hook on the head sees to that
        return {name: value for name, value in fed.items() if value is not None}

    def _next_target(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The newest token of the target; the source was encoded in the first step."""
        del inputs["input_ids"]
        newest = inputs["decoder_input_ids"][:, -1:]
        return inputs | {
            "decoder_input_ids": newest,
            "encoder_outputs": self.encoded,
            "cache": self.cache,
        }


def _loop(
    step: Any, asked: Asked, row: Row, count: int, pick: Callable[[Tensor], int], ends: set[int]
) -> tuple[Run, list[Tensor]]:
    run, rows = asked.run([row], count), []
    for _ in range(count):
        run, outputs = step.forward(run, asked, row, count)
        rows.append(outputs.logits[0, -1].float().cpu())
        step.ids.append(pick(rows[-1]))
        if step.ids[-1] in ends:
            break
    run.finish()
    return run, rows


def _trace(lab: Lab, run: Run, rows: list[Tensor], step: Any, asked: Asked) -> Trace:
    fed = len(step.ids) - 1
    trace = trace_of(lab, run, SimpleNamespace(), 0, step.source, step.goal, asked)
    return replace(
        trace, logits=torch.stack(rows), logit_positions=tuple(range(fed - len(rows), fed))
    )
