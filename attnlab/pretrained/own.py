"""Decoders of our own as files: one safetensors file a model, its tokenizer beside it.

The file's metadata hold the ``Config``, so nothing but our transformer is needed to read it. Like
any other model it becomes a Lab; there is nothing to compare it with, as it was trained in our
transformer in the first place.

    save(path, decoder, length=64)       attnlab.load(path)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import PretrainedConfig, PreTrainedTokenizerFast

from attnlab.attention import masks, positions
from attnlab.attention.masks import predicate
from attnlab.errors import LoadError
from attnlab.pretrained.hooks import install_head
from attnlab.pretrained.inputs import probe_inputs, real_rows
from attnlab.pretrained.probe import Probed
from attnlab.pretrained.rebuild.adapter import OneStack
from attnlab.pretrained.rebuild.ours import Ours, layout_of, stages_of
from attnlab.transformer import Config, Decoder

_KEY: Final = "attnlab"
_TIED: Final = "head.unembed.weight"
_KINDS: Final = {
    name: kind
    for module in (masks, positions, predicate)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and is_dataclass(kind)
}
"""Schemes of positions and patterns of masks by their names, the values that a Config can hold."""


class OwnModel(OneStack):
    """A decoder of ours, as the model that a Lab holds and runs."""

    main_input_name = "input_ids"

    @property
    def device(self) -> torch.device:
        return self.transformer.embed.weight.device


def save(path: Path, decoder: Decoder, *, length: int, dtype: torch.dtype | None = None) -> None:
    """Write a decoder; the same weights give the same bytes.

    Args:
        length: tokens of a text in training, which some ways to longer texts start from.
        dtype: of the weights in the file, None for their own.
    """
    tied = decoder.config.tied
    weights = {
        name: value.detach().to(dtype or value.dtype).contiguous()
        for name, value in decoder.state_dict().items()
        if not (tied and name == _TIED)
    }
    about = {"config": _plain(decoder.config), "length": length}
    save_file(weights, path, metadata={_KEY: json.dumps(about, sort_keys=True)})
    path.chmod(0o644)  # safetensors writes for the owner alone


def holds(path: Path) -> bool:
    """Whether a file is a model of ours."""
    return path.suffix == ".safetensors" and path.is_file() and _KEY in _metadata(path)


def read(path: Path, name: str, device: torch.device, dtype: torch.dtype) -> Ours:
    """The Lab of a file that ``save`` wrote.

    Raises:
        LoadError: the file is damaged, or has no tokenizer beside it.
    """
    try:
        about = json.loads(_metadata(path)[_KEY])
        config = _value(about["config"])
        weights = {name: value.to(dtype) for name, value in load_file(path).items()}
        decoder = _built(config, weights, device)
    except (LookupError, TypeError, ValueError, RuntimeError, SafetensorError) as error:
        raise LoadError(f"“{path.name}” could not be read as a model of ours: {error}.") from error
    tokenizer = _tokenizer(path)
    known = PretrainedConfig(
        vocab_size=config.vocabulary,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        original_max_position_embeddings=about["length"],
    )
    model = OwnModel(decoder, known)
    if decoder.head is not None:
        install_head(decoder.head)
    found = _found(model, dtype)
    return Ours(model, decoder, tokenizer, name=name, head_kind="causal", found=found)


def _built(config: Config, weights: dict[str, Tensor], device: torch.device) -> Decoder:
    """On the meta device, where building costs nothing, then given the weights."""
    with torch.device("meta"):
        decoder = Decoder(config)
    if config.tied:
        weights = weights | {_TIED: weights["embed.weight"]}
    weights = {name: value.to(device) for name, value in weights.items()}
    decoder.load_state_dict(weights, strict=True, assign=True)
    if config.tied:
        decoder.head.unembed.weight = decoder.embed.weight
    return decoder.requires_grad_(False).eval()


def _found(model: OwnModel, dtype: torch.dtype) -> Probed:
    """What is known about it without a probe."""
    layout = layout_of(model)
    stages = stages_of(model, layout)
    inputs = probe_inputs(model)
    with torch.no_grad():
        largest = float(real_rows(model(**inputs), inputs).abs().max())
    return Probed(
        model,
        "ours",
        layout,
        stages,
        stages | {"mask"},
        difference=None,
        largest=largest,
        dtype=dtype,
        ends_in_head=True,
    )


def _tokenizer(path: Path) -> PreTrainedTokenizerFast:
    if not (path.parent / "tokenizer.json").is_file():
        raise LoadError(f"“{path.name}” has no tokenizer.json beside it.")
    return PreTrainedTokenizerFast.from_pretrained(path.parent, local_files_only=True)


def _metadata(path: Path) -> Mapping[str, str]:
    try:
        with safe_open(path, "pt") as file:
            return file.metadata() or {}
    except (SafetensorError, OSError):
        return {}


def _plain(value: Any) -> Any:
    """A Config, or what it holds, as JSON: a value of ours says which kind it is."""
    if is_dataclass(value):
        of = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        return {"kind": type(value).__name__, **of}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def _value(plain: Any) -> Any:
    """What ``_plain`` was given."""
    if isinstance(plain, list):
        return tuple(map(_value, plain))
    if not isinstance(plain, dict):
        return plain
    given = dict(plain)
    kind: Callable[..., Any] = {"Config": Config, **_KINDS}[given.pop("kind")]
    return kind(**{name: _value(one) for name, one in given.items()})
