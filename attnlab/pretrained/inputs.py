"""Inputs for the probe, and the shapes that runs feed to a model."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from attnlab.errors import UnsupportedModel

Inputs = Mapping[str, Tensor]

_PROBE_LENGTHS = (11, 7)
"""Source and target lengths of the probe: different, so that a call's shape tells its role."""

_LIMITS = ("max_position_embeddings", "max_encoder_position_embeddings", "max_seq_len")
"""What configurations call it; tables of positions are measured by the probe besides."""

MISFITS = (RuntimeError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
"""What a model raises that cannot take its inputs, or our function."""


def keywords(model: nn.Module) -> frozenset[str]:
    """The keywords that a model's forward takes by name."""
    return frozenset(inspect.signature(model.forward).parameters)


def probe_inputs(model: Any) -> dict[str, Tensor]:
    """Two random texts, the second one shorter and padded on the right.

    Raises:
        UnsupportedModel: it does not read token ids; the caller passes inputs of their own.
    """
    if model.main_input_name != "input_ids":
        raise UnsupportedModel(
            f"{type(model).__name__} reads {model.main_input_name}, not texts: pass inputs=."
        )
    config = model.config.get_text_config()
    length, target = (min(n, longest_text(model.config) or n) for n in _PROBE_LENGTHS)
    ids = _random_ids(config, 2, length, model.device)
    mask = torch.ones_like(ids)
    mask[1, -3:] = 0
    inputs = {"input_ids": ids, "attention_mask": mask}
    if model.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = _random_ids(config, 2, target, model.device)
    return inputs


def runs_on_text(model: Any) -> bool:
    """Whether a model can be fed ids and nothing else; a pair of towers wants a picture as well."""
    try:
        with torch.no_grad():
            model(**probe_inputs(model))
    except (*MISFITS, UnsupportedModel):
        return False
    return True


def longest_text(config: Any, of_tables: int | None = None) -> int | None:
    """The most tokens that the configuration and tables of positions allow, or None where neither
    sets a limit."""
    config = config.get_text_config()
    limits = (getattr(config, name, None) for name in _LIMITS)
    limit = next((n for n in limits if isinstance(n, int) and n > 0), None)
    if limit is None:
        return of_tables
    rope = getattr(config, "rope_parameters", None) or {}
    # Here the limit is where the stretching starts, and the factor how far it is meant to go.
    stretch = rope.get("factor", 1) if rope.get("rope_type") == "dynamic" else 1
    limit = int(limit * stretch)
    return limit if of_tables is None else min(limit, of_tables)


def _random_ids(config: Any, batch: int, length: int, device: torch.device) -> Tensor:
    """Random ids that are no special tokens: some models read their positions off those."""
    special = {
        value
        for name in ("pad", "bos", "eos", "mask", "decoder_start", "cls", "sep")
        for value in _listed(getattr(config, f"{name}_token_id", None))
    }
    ordinary = [i for i in range(min(config.vocab_size, 4096)) if i not in special]
    pick = torch.Generator().manual_seed(len(ordinary))
    chosen = torch.randint(len(ordinary), (batch, length), generator=pick)
    return torch.tensor(ordinary)[chosen].to(device)


def _listed(value: Any) -> list[int]:
    return [] if value is None else list(value) if isinstance(value, list | tuple) else [value]


def pad_id(config: Any) -> int:
    """The id that fills up shorter texts: the model's own where it has one in its vocabulary."""
    config = config.get_text_config()
    pad = getattr(config, "pad_token_id", None)
    return pad if isinstance(pad, int) and 0 <= pad < config.vocab_size else 0


def padded(ids: Sequence[Sequence[int]], pad: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Ids [B, n] padded on the right, and their attention mask.

    On the right because there it changes nothing: positions count from the left, and under a
    causal mask no real token sees what follows it.
    """
    longest = max(map(len, ids))
    rows = torch.full((len(ids), longest), pad, dtype=torch.long)
    mask = torch.zeros(len(ids), longest, dtype=torch.long)
    for row, text in enumerate(ids):
        rows[row, : len(text)] = torch.tensor(text)
        mask[row, : len(text)] = 1
    return rows.to(device), mask.to(device)


def output_of(outputs: Any) -> Tensor:
    """What a run is judged by: logits, or the last hidden states."""
    for name in ("logits", "logits_per_text", "last_hidden_state"):
        found = getattr(outputs, name, None)
        if found is not None:
            return found
    raise KeyError("The model gives neither logits nor hidden states.")


def real_rows(outputs: Any, inputs: Inputs) -> Tensor:
    """The output at unpadded positions: an emptied padding row legitimately differs."""
    output, mask = output_of(outputs), inputs.get("attention_mask")
    reads_mask = "decoder_input_ids" not in inputs and mask is not None
    if reads_mask and output.dim() == 3 and output.shape[:2] == mask.shape:
        return output[mask.bool()]
    return output
