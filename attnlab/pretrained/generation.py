"""A generation under way, a token at a time: what the next could be, one more, one fewer.

    generation = lab.steps("The capital of France is")
    generation.top(5)                 # what could come, with probabilities
    generation.step()                 # the likeliest, or drawn: see Sampling
    generation.step(choose=7042)      # this one
    generation.undo()
    generation.trace()                # what lab.generate would have given

Every call enters the model and leaves it again, so nothing of a run stays behind between two calls.
One lock keeps threads apart.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.errors import InputError, NotCaptured
from attnlab.pretrained import texts
from attnlab.pretrained.caches import Held, held
from attnlab.pretrained.feeding import Cached, Feeder
from attnlab.pretrained.result import Asked, trace_of
from attnlab.pretrained.sampling import Candidate, Luck, Sampling, Step
from attnlab.trace.given import brief, several, whole
from attnlab.trace.run import Cancel, Run
from attnlab.trace.token import Token
from attnlab.trace.trace import Trace, at_least_one

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab

Progress = Callable[[float], None]


class Generation:
    """Made by ``lab.steps``.

    Attributes:
        ids: those that grow: the prompt's (an encoder-decoder's target) and the new ones.
        prompt: how many of them are the prompt's.
        choices: for each new token the id that somebody chose, None where it was drawn.
        sampling: how tokens are drawn.
        most: how many new tokens there may be.
    """

    def __init__(
        self,
        lab: Lab,
        feeder: Feeder,
        asked: Asked,
        sampling: Sampling,
        most: int,
        ends: frozenset[int],
    ) -> None:
        self.lab, self.sampling, self.most = lab, sampling, most
        self.ids = list(feeder.source if feeder.goal is None else feeder.goal)
        self.prompt = feeder.prompt
        self.choices: list[int | None] = []
        self._feeder, self._asked, self._ends = feeder, asked, ends
        self._luck = Luck(sampling.seed)
        self._rows: list[Tensor] = []
        self._steps: list[Step] = []
        self._shown: tuple[Token, ...] = ()
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"<Generation of {len(self)} tokens after {self.prompt} in {self.lab.name}>"

    def __len__(self) -> int:
        """New tokens."""
        return len(self.choices)

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The prompt's tokens and the new ones, readable."""
        if [token.id for token in self._shown] != self.ids:
            self._shown = tuple(texts.tokens_of(self.lab, self.ids))
        return self._shown

    @property
    def source_tokens(self) -> tuple[Token, ...]:
        """What an encoder-decoder's encoder reads; () elsewhere."""
        feeder = self._feeder
        return () if feeder.goal is None else tuple(texts.tokens_of(self.lab, feeder.source))

    @property
    def ended(self) -> bool:
        """Whether the newest token is the model's end of sequence."""
        return bool(self.choices) and self.ids[-1] in self._ends

    def look(
        self, progress: Progress | None = None, cancel: Cancel | None = None
    ) -> Float[Tensor, " V"]:
        """The logits of the token to come, after all tokens so far have been read.

        Raises:
            Cancelled: and the next call takes up where this one began.
            EditMissed, InputError: see ``lab.generate``.
        """
        with self._lock:
            if len(self._rows) <= len(self):
                self._read(self.ids, progress, cancel)
            return self._rows[len(self)]

    def top(self, k: int = 10, cancel: Cancel | None = None) -> list[Candidate]:
        """The k likeliest tokens to come, by the model's own probability."""
        logits = self.look(cancel=cancel)
        probabilities = torch.softmax(logits.double(), -1)
        top = probabilities.topk(min(at_least_one(k), len(logits)))
        chances = self.sampling.chances(logits)[top.indices]
        tokens = texts.each_alone(self.lab.tokenizer, top.indices.tolist())
        found = zip(tokens, top.values.tolist(), chances.tolist(), strict=True)
        return [Candidate(*one) for one in found]

    def step(
        self,
        choose: int | None = None,
        *,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> Step:
        """One more token: ``choose``, or drawn.

        The new token itself is read at the next look, step or ``top``, as nobody may want more.

        Raises:
            InputError: no such token, or no room for one more.
            Cancelled: then nothing has changed.
        """
        with self._lock:
            if len(self) == self.most:
                raise InputError(
                    f"This generation has the {self.most:,} new tokens that it may have; "
                    "pass a larger max_new_tokens, or undo some."
                )
            size = len(self.look(progress, cancel))
            if choose is not None:
                choose = self._checked(choose, size)
            self.advance(choose)
            return self.steps()[-1]

    def advance(
        self,
        choose: int | None = None,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> None:
        """A step of which nobody asks how likely it was."""
        logits = self.look(progress, cancel)
        drawn = self.sampling.draw(logits, self._luck.at(len(self)))
        self.ids.append(drawn if choose is None else choose)
        self.choices.append(choose)

    def play(self, count: int, *, cancel: Cancel | None = None) -> Iterator[Step]:
        """Up to so many drawn tokens, each as it comes, to the end of sequence or of the room."""
        for _ in range(whole("count", count, InputError)):
            if self.ended or len(self) == self.most:
                return
            yield self.step(cancel=cancel)

    def undo(self, count: int = 1) -> None:
        """Take back the newest tokens; the next one is drawn with the luck of its place.

        Raises:
            InputError: there are not so many.
        """
        count = at_least_one(count, "count")
        with self._lock:
            if count > len(self):
                raise InputError(f"There are {len(self)} new tokens, so not {count} to take back.")
            del self.ids[-count:], self.choices[-count:]
            del self._rows[len(self) + 1 :], self._steps[len(self) :]

    def follow(
        self, choices: Sequence[int | None], *, cancel: Cancel | None = None
    ) -> Iterator[Step]:
        """Go to where these choices lead (None: drawn), from what is already shared with them.

        Gives each token that is new as it comes. To go there at once: ``list(…follow(choices))``.
        Between two tokens the lock is free, so of two threads let one come to its end first.
        """
        choices = several("choices", choices, InputError, ordered=True)
        same = 0
        while same < min(len(choices), len(self)) and choices[same] == self.choices[same]:
            same += 1
        if same < len(self):
            self.undo(len(self) - same)
        for choice in choices[same:]:
            yield self.step(choice, cancel=cancel)

    def steps(self) -> list[Step]:
        """Every new token, with the probability that it had."""
        with self._lock:
            self._steps += [self._came(place) for place in range(len(self._steps), len(self))]
            own = zip(self._steps, self.tokens[self.prompt :], strict=True)
            return [replace(step, token=token) for step, token in own]

    def weights(
        self,
        layer: int,
        head: int | None = None,
        role: str | None = None,
        *,
        cancel: Cancel | None = None,
    ) -> Float[Tensor, "Q S"]:
        """One head's weights [Q, S] (all heads' [H, Q, S]), a row for each token so far; the
        newest is last. In the role "cross" the keys are the source's.

        Raises:
            NotCaptured, Cancelled: these weights are not kept, or were not read.
        """
        role = role or self.lab.main_role
        with self._lock:
            run = self._at(self.ids, None, cancel)
            key = ("weights", role, layer)
            kept = run.store.heads(*key) if key in run.store.parts else ()
            heads = range(run.store.parts[key][0].tensor.shape[1]) if kept is None else kept
            if not heads or (head is not None and head not in heads):
                named = f"layer {layer}" + ("" if head is None else f", head {head}")
                raise NotCaptured(f"This generation keeps no weights of the {role}, {named}.")
            place = None if head is None else list(heads).index(head)
            found = run.store.whole(key, place)[0].float().cpu()
            return found if head is None else found[0]

    def held(self, cancel: Cancel | None = None) -> tuple[Held, ...]:
        """What the key/value cache holds once the newest token is read, by role and layer; ()
        without a cache."""
        with self._lock:
            self._read(self.ids, None, cancel)
            feeder = self._feeder
            return held(self.lab, feeder.cache) if isinstance(feeder, Cached) else ()

    def trace(
        self,
        newest: bool = False,
        *,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> Trace:
        """The trace that ``lab.generate`` gives of the same tokens.

        The last token is not fed there. With ``newest`` it is: weights then have its row, and
        ``logits`` those of the token to come. Without a new token the prompt is all there is.
        """
        with self._lock:
            fed = self.ids if newest or not self.choices else self.ids[:-1]
            run = self._at(fed, progress, cancel)
            rows = self._rows[: len(fed) - self.prompt + 1]
            feeder = self._feeder
            source, goal = feeder.source, feeder.goal
            pair = (self.ids, None) if goal is None else (source, self.ids)
            trace = trace_of(self.lab, run, SimpleNamespace(), 0, *pair, self._asked)
            places = tuple(range(self.prompt - 1, len(fed)))
            return replace(trace, logits=torch.stack(rows), logit_positions=places)

    def _at(self, ids: list[int], progress: Progress | None, cancel: Cancel | None) -> Run:
        """The run as it is when just these ids, which the present ones begin with, were read."""
        read = self._feeder.ids
        if read[: len(ids)] != ids:
            self._read(ids, progress, cancel)
        try:
            return self._feeder.run_until(len(ids))
        except LookupError:  # a run that reads the whole text each time has read more
            self._read(ids, progress, cancel)
            return self._feeder.run_until(len(ids))

    def _read(self, ids: list[int], progress: Progress | None, cancel: Cancel | None) -> None:
        asked = replace(self._asked, progress=progress, cancel=cancel)
        with self.lab.serial:
            row = self._feeder.read(ids, asked)
        if len(self._rows) == len(ids) - self.prompt:
            self._rows.append(row)

    def _checked(self, choice: int, size: int) -> int:
        choice = whole("choose", choice, InputError)
        if not 0 <= choice < size:
            raise InputError(f"{brief(choice)} is no token id of {self.lab.name}: 0 to {size - 1}.")
        return choice

    def _came(self, place: int) -> Step:
        logits, chosen = self._rows[place], self.ids[self.prompt + place]
        probability = float(torch.softmax(logits.double(), -1)[chosen])
        return Step(
            token=self.tokens[self.prompt + place],
            probability=probability,
            chance=float(self.sampling.chances(logits)[chosen]),
            rank=int((logits > logits[chosen]).sum()),
            chosen=self.choices[place] is not None,
        )
