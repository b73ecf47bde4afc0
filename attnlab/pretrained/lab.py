"""A Lab: a pretrained model with its tokenizer and what the probe found. A Runner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from attnlab.attention.positions import PositionModule
from attnlab.errors import InputError
from attnlab.pretrained import texts as typed
from attnlab.pretrained.binding import as_edits, bind
from attnlab.pretrained.donors import bind_all
from attnlab.pretrained.execute import execute
from attnlab.pretrained.generate import generate, steps
from attnlab.pretrained.generation import Generation
from attnlab.pretrained.growth import Growth
from attnlab.pretrained.inputs import (
    keywords,
    longest_text,
    pad_id,
    padded,
)
from attnlab.pretrained.install import output_head
from attnlab.pretrained.probe import Probed, batch_of, probe
from attnlab.pretrained.raw import bind_raw
from attnlab.pretrained.reading import read
from attnlab.pretrained.result import Asked
from attnlab.pretrained.serial import serial_for
from attnlab.pretrained.tap import SoftmaxTap
from attnlab.pretrained.tried import Tried
from attnlab.pretrained.trust import trust_of
from attnlab.trace.capture import Capture, as_captures
from attnlab.trace.edits import Edit
from attnlab.trace.given import several
from attnlab.trace.run import Cancel, Logits, Run
from attnlab.trace.token import Token
from attnlab.trace.trace import Trace

Text = str | Sequence[int] | Tensor | Mapping[str, Tensor]
"""A text, its token ids, or a model's own inputs (for models that do not read texts)."""


class Lab(Tried):
    """A loaded model, made by ``attnlab.load``.

    Attributes:
        model: the transformers model itself, never changed.
        tokenizer: its tokenizer, or None.
        sites, blocks: what the probe found.
        tier: "dispatch", "tap" or "none"; "ours" in our transformer.
        trust: the probe's verdict in words and figures.
        stages: what can be captured; ``editable``: what edits can change.
        sinks: the roles whose rows leave a share to a learned sink.
        longest: the most tokens that a text may have, or None; longest_target: that an
            encoder-decoder's target may have, its start token too.
        positions: by role, how the model knows the order of its tokens; see ``Positioning``.
        main_role: "decoder" where there is one, else "encoder".
        head_kind: "causal", "masked", "seq2seq" or "none".
        has_head: whether it gives logits; ``ends_in_head``: nothing is computed after them.
        own_inputs: the names of the inputs that it was loaded with.
        serial: entered around every run.
        revision: where its weights are from, if no Hub commit says so: a package and its version.
    """

    revision: str | None = None

    def __init__(
        self,
        model: Any,
        tokenizer: Any = None,
        *,
        name: str,
        head_kind: str,
        inputs: Mapping[str, Tensor] | None = None,
        notes: tuple[str, ...] = (),
        found: Probed | None = None,  # how to read the model, where that is known
    ) -> None:
        found = found or probe(model, inputs)
        self.model, self.tokenizer, self.name, self.head_kind = model, tokenizer, name, head_kind
        self.tier, self.trust = found.tier, trust_of(replace(found, notes=found.notes + notes))
        self.sites, self.blocks = found.layout.sites, found.layout.blocks
        self.stages, self.editable, self.sinks = found.stages, found.editable, found.sinks
        self.longest = longest_text(model.config, found.layout.longest)
        self.longest_target = longest_text(model.config, found.layout.longest_target)
        self.main_role, self.positions = found.layout.main_role, found.layout.order.roles
        self._rotaries = found.layout.order.rotaries
        self.serial = serial_for(found.clone)
        self.has_head = output_head(found.clone) is not None
        self._clone, self._taps, self.ends_in_head = found.clone, found.taps, found.ends_in_head
        self._keywords = keywords(found.clone)
        self.own_inputs = tuple(inputs or ())

    def __repr__(self) -> str:
        return f"Lab({self.name!r}, {self.trust.sentence})"

    @property
    def device(self) -> torch.device:
        return self.model.device

    @property
    def is_encoder_decoder(self) -> bool:
        return bool(self.model.config.is_encoder_decoder)

    @property
    def takes_padding(self) -> bool:
        """Whether texts of several lengths can be one batch."""
        return "attention_mask" in self._keywords

    def layers(self, role: str | None = None) -> tuple[int, ...]:
        """The layers that have attention, in order."""
        role = role or self.main_role
        return tuple(sorted({site.layer for site in self.sites if site.role == role}))

    def structure(self) -> tuple[nn.Module, nn.Module | None]:
        """The module that the paths of sites and blocks are relative to, and the matrix in it
        that gives logits, None where there is none."""
        return self.model, output_head(self.model)

    def module(self, path: str) -> nn.Module:
        """A module of what is run, by the path of a Site or a Block."""
        return self._clone.get_submodule(path)

    def rotation(self, role: str) -> PositionModule | None:
        """What turns the queries and keys of a stack, where it is known: in our transformer."""
        return None

    def tokens(self, text: str) -> list[Token]:
        """The tokens that a run of this text feeds to the model, special ones included.

        Raises:
            EmptyText, TextTooLong, InputError: the text cannot be run.
        """
        return typed.tokens_of(self, typed.ids_of(self, text))

    def target_tokens(self, target: str) -> list[Token]:
        """The tokens that an encoder-decoder's decoder is fed, its start token first.

        Raises:
            TextTooLong, InputError: it cannot be fed.
        """
        return typed.tokens_of(self, typed.target_ids(self, target) or [])

    def run(
        self,
        text: Text,
        *,
        target: str | Sequence[int] | None = None,
        capture: str | Capture | Iterable[str | Capture] = ("weights",),
        edits: Sequence[Edit] = (),
        logits: Logits = "all",
        grad: bool = False,
        progress: Callable[[float], None] | None = None,
        cancel: Cancel | None = None,
    ) -> Trace:
        """Run one text.

        Args:
            text: a text, token ids, or the model's own inputs.
            target: what an encoder-decoder's decoder is fed, after its start token.
            capture: what to keep; reading anything else is an error that names it.
            edits: what to change, in order.
            logits: "all", "last", a tuple of positions, or None; "loss" keeps the loss of each
                next token (and the last logits), the head applied in chunks.
            grad: keep the graph; ``trace.graph`` then holds the captured tensors in it.
            progress: called with the share of layers done.
            cancel: checked at every site and block.

        Raises:
            InputError, EditError, CaptureError: see ``attnlab.errors``.
            Cancelled: ``cancel`` was set.
        """
        options = Asked(as_captures(capture), logits, grad, progress, cancel)
        if not isinstance(text, Mapping):
            return self._texts([text], [target], options, edits)[0]
        typed.check_raw(self, text)
        if batch_of(text) != 1:
            raise InputError("run takes one text; pass a batch of inputs to run_many.")
        return self._raw(text, options, edits)[0]

    def run_many(
        self,
        texts: Sequence[Text] | Mapping[str, Tensor],
        *,
        targets: Sequence[str | Sequence[int] | None] | None = None,
        capture: str | Capture | Iterable[str | Capture] = ("weights",),
        edits: Sequence[Edit] = (),
        each: Iterable[Edit | Iterable[Edit]] | None = None,
        logits: Logits = "all",
        progress: Callable[[float], None] | None = None,
        cancel: Cancel | None = None,
    ) -> list[Trace]:
        """Run texts of any lengths as one batch; each trace is that of the text alone.

        ``edits`` act on every text, ``each`` holds more for every single one. The model's own
        inputs, as one batch, give a trace a row, padding included.
        """
        options = Asked(as_captures(capture), logits, False, progress, cancel)
        if isinstance(texts, Mapping):
            typed.check_raw(self, texts)
            if each is not None:
                raise InputError("each= takes texts or ids, not raw inputs.")
            return self._raw(texts, options, edits)
        given = typed.texts_of(texts)
        targets = [None] * len(given) if targets is None else typed.texts_of(targets)
        if len(targets) != len(given):
            raise InputError(f"{len(given)} texts take as many targets, not {len(targets)}.")
        if each is not None:
            each = several("each=", each, InputError, ordered=True)
            if len(each) != len(given):
                raise InputError(f"{len(given)} texts take as many of each=, not {len(each)}.")
        if not given:
            bind(self, as_edits(edits), None, check_only=True)
            return []
        return self._texts(given, targets, options, edits, each)

    def growing(self, text: Text, each: Sequence[Sequence[Edit]], **options: Any) -> Growth:
        """Many variants of one text, to be run in a batch that grows; see ``Growth``."""
        return Growth(self, text, each, **options)

    def generate(self, text: Text, **options: Any) -> Trace:
        """Continue a text token by token; see ``attnlab.pretrained.generate.generate``."""
        return generate(self, text, **options)

    def steps(self, text: Text, **options: Any) -> Generation:
        """A generation to be taken further a token at a time; see
        ``attnlab.pretrained.generate.steps``."""
        return steps(self, text, **options)

    def read(self, text: Text, **options: Any) -> Iterator[Tensor]:
        """Read a long text in pieces for its losses; see ``attnlab.pretrained.reading.read``."""
        return read(self, text, **options)

    def _texts(
        self,
        given: list[Text],
        targets: list,
        options: Asked,
        edits: Sequence[Edit],
        each: Sequence[Edit | Iterable[Edit]] | None = None,
    ) -> list[Trace]:
        sources = [typed.ids_of(self, text) for text in given]
        goals = [typed.target_ids(self, target) for target in targets]
        shared = as_edits(edits)
        own = [()] * len(given) if each is None else map(as_edits, each)
        each = [shared + more for more in own]
        bounds = self.bind_all(each, sources, goals, cancel=options.cancel)
        return execute(self, self.inputs(sources, goals), sources, goals, options, bounds)

    def _raw(
        self, inputs: Mapping[str, Tensor], options: Asked, edits: Sequence[Edit]
    ) -> list[Trace]:
        """Run inputs as they are, for models that read no texts or for padding of one's own."""
        bounds = bind_raw(self, as_edits(edits), inputs)
        alone = [None] * len(bounds)
        return execute(self, dict(inputs), alone, alone, options, bounds)

    def bind_all(self, edits: Sequence[tuple], sources: list, goals: list, **fed: Any) -> list:
        """The edits of each text bound; see ``attnlab.pretrained.donors.bind_all``."""
        return bind_all(self, edits, sources, goals, **fed)

    def inputs(self, sources: list[list[int]], goals: list) -> dict[str, Tensor]:
        """A padded batch of token ids as the model takes it."""
        pad = pad_id(self.model.config)
        ids, mask = padded(sources, pad, self.device)
        inputs = {"input_ids": ids}
        if self.takes_padding:
            inputs["attention_mask"] = mask
        elif bool((mask == 0).any()):
            raise InputError(f"{self.name} takes no attention mask: texts of one length only.")
        if self.is_encoder_decoder:
            inputs["decoder_input_ids"] = padded(goals, pad, self.device)[0]
        return inputs

    def forward(self, run: Run, inputs: Mapping[str, Any], *, use_cache: bool = False) -> Any:
        """The clone's forward under a run: what every path goes through."""
        if "use_cache" in self._keywords:
            inputs = {**inputs, "use_cache": use_cache}
        with run.entered(), self._observed(run, "encoder_outputs" in inputs):
            run.begin_forward()
            outputs = self._clone(**inputs)
        ids = inputs.get("decoder_input_ids", inputs.get("input_ids"))
        run.end_forward(0 if ids is None else ids.shape[1])
        return outputs

    def _observed(self, run: Run, encoded: bool) -> AbstractContextManager:
        if self._taps is None:
            return nullcontext()
        return SoftmaxTap(self._taps, run, self._taps.in_encoder if encoded else 0)
