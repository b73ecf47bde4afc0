"""How a generation reads what is new: beside a key/value cache, or the whole text again.

A feeder is told the ids so far and reads what it has not read. Where they part from those that it
has, it goes back first: the cache is cut, or made again where it cannot be cut (a window that has
dropped keys, a recurrent state). A forward that was broken off counts as not begun.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from attnlab.attention.keep import KeepLast
from attnlab.errors import EditRefused, InputError
from attnlab.pretrained.caches import crop, full_cache
from attnlab.pretrained.keeping import kept_cache
from attnlab.pretrained.result import Asked
from attnlab.trace.run import Row, Run

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab


class Feeder:
    """What both kinds have in common.

    Args:
        source, goal: the ids of the text, and of an encoder-decoder's target.
        asked: what to keep; ``row``: the edits, bound; ``keep``: what the cache holds on to.

    Attributes:
        prompt: how many ids the text has; ``first``: how many of them are read in one forward.
        ids: what has been read of the ids that grow.
        run: the run that read them.
        rows: the logits [V] after each forward; the last alone, where the whole text is read each
            time.
        steps: forwards that the progress counts; None: each read by itself.
    """

    def __init__(
        self,
        lab: Lab,
        source: list[int],
        goal: list[int] | None,
        asked: Asked,
        row: Row,
        keep: KeepLast | None = None,
    ) -> None:
        self.lab, self.source, self.goal, self.asked, self.row = lab, source, goal, asked, row
        self.keep = keep
        self.prompt = self.first = len(source if goal is None else goal)
        self.ids: list[int] = []
        self.run = asked.run([row])
        self.rows: list[Tensor] = []
        self.steps: int | None = None

    def read(self, ids: Sequence[int], asked: Asked) -> Tensor:
        """The logits [V] after the last id, once what is new has been read.

        Args:
            asked: who is told of the progress, and who may cancel.

        Raises:
            Cancelled, EditMissed, InputError: see ``attnlab.errors``; nothing has changed then.
        """
        raise NotImplementedError

    def run_until(self, length: int) -> Run:
        """The run as it was when so many ids had been read.

        Raises:
            LookupError: there was no such moment.
        """
        raise NotImplementedError

    def inputs(self, ids: list[int]) -> dict[str, Any]:
        """All of a text as the model takes it."""
        if self.goal is None:
            return self.lab.inputs([ids], [None])
        return self.lab.inputs([self.source], [ids])

    def _told(self, run: Run, asked: Asked, forwards: int = 1) -> None:
        run.cancel, run.progress = asked.cancel, asked.progress
        if self.steps is None:
            run.expect(forwards, asked.progress)


class Uncached(Feeder):
    """The whole text again for each token, each time in a run of its own."""

    def read(self, ids: Sequence[int], asked: Asked) -> Tensor:
        if list(ids) == self.ids:
            return self.rows[-1]
        lab, old = self.lab, self.run
        run = self.asked.run([self.row], self.steps or 1)
        run.store.step = old.store.step if self.ids else 0
        self._told(run, asked)
        run.positions = self.asked.positions([len(ids)], lab.has_head, lab.device)
        outputs = lab.forward(run, self.inputs(list(ids)))
        run.require_reached()
        self.run, self.ids, self.rows = run, list(ids), [_last(outputs)]
        return self.rows[-1]

    def run_until(self, length: int) -> Run:
        if length != len(self.ids):
            raise LookupError(length)
        return self.run


class Cached(Feeder):
    """Only what is new, beside transformers' own key/value cache.

    A cache that drops tokens is handed as many as it holds, then one at a time: so each sees just
    what it would see if all had come one by one.
    """

    cache: Any = None
    encoded: Any = None
    """What the encoder gave in the first forward."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        if self.keep is not None:
            self.first = min(self.prompt, self.keep.capacity)
            self.run.sinks = self.keep.sinks

    def read(self, ids: Sequence[int], asked: Asked) -> Tensor:
        ids, same = list(ids), _common(self.ids, ids)
        if same < len(self.ids):
            self._rewind(same)
        self._told(self.run, asked, len(ids) - max(len(self.ids), self.first - 1))
        while len(self.ids) < len(ids):
            self._forward(ids[: max(self.first, len(self.ids) + 1)])
            self.run.require_reached()
        return self.rows[-1]

    def run_until(self, length: int) -> Run:
        step = length - self.first + 1
        if not 0 < step <= self.run.store.step:
            raise LookupError(length)
        view = copy(self.run)
        view.store = self.run.store.until(step)
        return view

    def _forward(self, ids: list[int]) -> None:
        """Read the newest id, or the prompt."""
        done = False
        try:
            outputs = self._outputs(ids)
            done = True
        finally:
            if not done:  # some layers have kept keys of it, and parts of what was asked for
                self._rewind(len(self.ids))
        self.ids = ids
        self.rows.append(_last(outputs))

    def _rewind(self, length: int) -> None:
        """Back to the moment when so many ids had been read, or to the start."""
        if length >= self.first and crop(self.cache, length):
            step = length - self.first + 1
            self.ids, self.rows = self.ids[:length], self.rows[:step]
            self.run.rewind(step, length)
            return
        self.ids, self.rows, self.cache, self.encoded = [], [], None, None
        sinks, self.run = self.run.sinks, self.asked.run([self.row], self.steps or 1)
        self.run.sinks = sinks

    def _outputs(self, ids: list[int]) -> Any:
        inputs, run, full = self.inputs(ids), self.run, None
        if self.cache is None and self.keep is not None:
            full = kept_cache(self.lab, self.keep)
            inputs |= {"cache": full}
        elif self.cache is None and any(bound.looks_far for bound in self.row.edits):
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
                f"{self.lab.name} keeps a cache of its own, which no other can take the place of: "
                "pass use_cache=False."
            )
        self.encoded = run.ends.get("encoder", self.encoded)
        return outputs

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


def _last(outputs: Any) -> Tensor:
    return outputs.logits[0, -1].float().cpu()


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many ids two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
