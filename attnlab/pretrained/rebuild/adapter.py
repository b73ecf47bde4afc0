"""Our transformer behind the signature that a Lab calls: transformers' names for what goes in and
comes out. Nothing is computed here but RoBERTa's positions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from attnlab.attention.cache import Cache
from attnlab.errors import InputError
from attnlab.transformer import EncoderDecoder, Stack


class Adapter(nn.Module):
    """What both kinds have in common."""

    def __init__(self, transformer: nn.Module, config: Any, pad: int | None = None) -> None:
        """``config``: the pretrained model's; ``pad``: see ``Plan``."""
        super().__init__()
        self.transformer, self.config, self.pad = transformer, config, pad

    @property
    def main(self) -> Stack:
        """The stack that predicts."""
        return self.transformer

    def get_output_embeddings(self) -> nn.Module | None:
        return self.main.head

    def prepare_inputs_for_generation(
        self, ids: Tensor, *, cache: Cache, **_: object
    ) -> dict[str, Any]:
        """The newest token alone: the cache knows how many came before."""
        return {"input_ids": ids[:, -1:], "cache": cache}

    def _outputs(self, hidden: Tensor, cache: Cache | None) -> SimpleNamespace:
        if self.main.head is None:
            return SimpleNamespace(last_hidden_state=hidden, cache=cache)
        return SimpleNamespace(logits=self.transformer.logits(hidden), cache=cache)


class OneStack(Adapter):
    """An encoder or a decoder."""

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        cache: Cache | None = None,
        use_cache: bool = False,
        **more: object,
    ) -> SimpleNamespace:
        _refuse(more)
        if use_cache and cache is None:
            cache = Cache()
        hidden = self.transformer(
            input_ids,
            real=_real(attention_mask),
            positions=self._positions(input_ids, 0 if cache is None else cache.length),
            segments=token_type_ids,
            cache=cache,
        )
        return self._outputs(hidden, cache)

    def _positions(self, ids: Tensor, past: int) -> Tensor | None:
        """Where each token stands among the real ones; −1, the row before the first, at padding."""
        if self.pad is None:
            return None
        counted = ids.ne(self.pad)
        return torch.where(counted, past + counted.cumsum(1) - 1, -1)


class TwoStacks(Adapter):
    """An encoder-decoder."""

    transformer: EncoderDecoder

    @property
    def main(self) -> Stack:
        return self.transformer.decoder

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        decoder_input_ids: Tensor | None = None,
        decoder_attention_mask: Tensor | None = None,
        encoder_outputs: Tensor | None = None,
        cache: Cache | None = None,
        use_cache: bool = False,
        **more: object,
    ) -> SimpleNamespace:
        """``encoder_outputs``: what the encoder gave at an earlier step."""
        _refuse(more)
        if decoder_input_ids is None:
            raise InputError("An encoder-decoder reads decoder_input_ids too.")
        if use_cache and cache is None:
            cache = Cache()
        source, source_real = encoder_outputs, _real(attention_mask)
        if source is None:
            source = self.transformer.encoder(input_ids, real=source_real)
        hidden = self.transformer.decoder(
            decoder_input_ids,
            real=_real(decoder_attention_mask),
            source=source,
            source_real=source_real,
            cache=cache,
        )
        return self._outputs(hidden, cache)


def _real(mask: Tensor | None) -> Tensor | None:
    return None if mask is None else mask.bool()


def _refuse(more: dict[str, object]) -> None:
    for name, value in more.items():
        if value is not None:
            raise InputError(f"Our transformer does not read {name}; the model itself may.")
