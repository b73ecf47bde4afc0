"""Load a model: by catalogue name, Hub id, local folder, or as it stands in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    PreTrainedModel,
)
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as CAUSAL,
)
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_MASKED_LM_MAPPING_NAMES as MASKED,
)
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES as SEQ2SEQ,
)

from attnlab.errors import LoadError, ModelNotFound, UnsupportedModel
from attnlab.pretrained import embedded, own
from attnlab.pretrained.lab import Lab
from attnlab.pretrained.source import place_of, reader, require_safetensors
from attnlab.trace.given import brief

_CLASSES = {
    "causal": AutoModelForCausalLM,
    "masked": AutoModelForMaskedLM,
    "seq2seq": AutoModelForSeq2SeqLM,
    "none": AutoModel,
}
_DTYPES = {
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "float64": torch.float64,
}
Progress = Callable[[float, str], None]


def load(
    source: str | os.PathLike | PreTrainedModel,
    *,
    tokenizer: Any = None,
    device: str | torch.device = "auto",
    dtype: str | torch.dtype = "auto",
    revision: str | None = None,
    inputs: Mapping[str, Tensor] | None = None,
    progress: Progress | None = None,
) -> Lab:
    """A Lab around a model.

    Args:
        source: a catalogue name ("smollm2-135m"), a Hub id, a local folder, a file of ours (see
            ``attnlab.pretrained.own``), or a transformers model in memory, which is left untouched
            (its weights are shared, nothing else).
        tokenizer: for a model in memory; without one, ``run`` takes token ids only.
        device: "auto" (cuda, else mps, else cpu), or any torch device. A model in memory stays
            where it is.
        dtype: "auto" (float32; on cuda the checkpoint's own), or a floating type. A model in
            memory keeps its own.
        revision: a Hub revision.
        inputs: example inputs, for a model in memory that does not read token ids.
        progress: told of the one-time conversion of an embedded model.

    Raises:
        ModelNotFound, ModelNotReachable: it is not here, or nowhere that can be reached.
        UnsafeWeights: no safetensors, or code of its own.
        UnsupportedModel: it cannot be run on texts.
        LoadError: an unknown device or dtype, or a damaged folder.
    """
    if isinstance(source, PreTrainedModel):
        name = source.config.name_or_path or type(source).__name__
        return Lab(
            source, tokenizer, name=name, head_kind=head_kind(source.config, source), inputs=inputs
        )
    if not isinstance(source, str | os.PathLike):
        raise ModelNotFound(
            "al.load takes a name, a folder or a transformers model, and this is of another kind: "
            f"{type(source).__name__}."
        )
    place, name, title = place_of(str(source), progress)
    where, kind = _device(device), _dtype(dtype)
    if own.holds(Path(place)):
        lab = own.read(Path(place), name, where, torch.float32 if kind == "auto" else kind)
        lab.revision = embedded.revision(name)
        return lab
    read = reader(place, title, revision)
    config = read(AutoConfig)
    head = head_kind(config)
    if kind == "auto" and where.type != "cuda":
        kind = torch.float32
    require_safetensors(place, title)
    options = {"config": config, "dtype": kind, "use_safetensors": True}
    model, info = read(_CLASSES[head], output_loading_info=True, **options)
    if tokenizer is None:
        tokenizer = _usable(read, title)
    lab = _lab(model.to(where).eval(), tokenizer, name, title, head, info)
    if Path(place).is_dir():
        lab.revision = embedded.revision(str(source))
    return lab


def _lab(
    model: Any, tokenizer: Any, name: str, title: str, head: str, info: Mapping[str, Any]
) -> Lab:
    """The Lab, once it is certain that every weight that counts was in the file.

    transformers fills missing weights with random numbers. Here they become NaN, so the probe
    finds out whether any of them reaches the output.
    """
    missing, unused = sorted(info["missing_keys"]), sorted(info["unexpected_keys"])
    state = model.state_dict(keep_vars=True)
    with torch.no_grad():
        for key in missing:
            if key in state and state[key].is_floating_point():
                state[key].fill_(float("nan"))
    notes = tuple(
        f"{what}: {_some(keys)}."
        for what, keys in (
            ("Not in its file, and not needed", missing),
            ("In its file, but not used", unused),
        )
        if keys
    )
    try:
        return Lab(model, tokenizer, name=name, head_kind=head, notes=notes)
    except UnsupportedModel as error:
        if missing:
            raise LoadError(f"{title} lacks weights that it needs: {_some(missing)}.") from error
        raise


def _some(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - 3:,} more" if len(keys) > 3 else ""
    return ", ".join(keys[:3]) + more


def _usable(read: Callable[..., Any], title: str) -> Any:
    """The tokenizer beside a model; transformers makes an empty one where there is none."""
    none = LoadError(f"{title} has no tokenizer: save one beside the model, or pass tokenizer=.")
    try:
        tokenizer = read(AutoTokenizer)
    except LoadError as error:
        raise none from error
    known = set(tokenizer("a", verbose=False)["input_ids"]) - set(tokenizer.all_special_ids)
    if not known and len(tokenizer) <= len(tokenizer.all_special_ids):
        raise none
    return tokenizer


def head_kind(config: Any, model: Any = None) -> str:
    """ "causal", "masked", "seq2seq" or "none" (a body that gives hidden states).

    From the architectures that the configuration names; where it names none, from what the
    model type can be.
    """
    names = [type(model).__name__] if model is not None else config.architectures or []
    tables = {"seq2seq": SEQ2SEQ, "masked": MASKED, "causal": CAUSAL}
    for kind, table in tables.items():
        known = {n for v in table.values() for n in ((v,) if isinstance(v, str) else v)}
        if known.intersection(names):
            return kind
    if names:
        return "none"
    if config.is_encoder_decoder:
        return "seq2seq" if config.model_type in SEQ2SEQ else "none"
    return next(
        (kind for kind in ("masked", "causal") if config.model_type in tables[kind]), "none"
    )


def _device(device: str | torch.device) -> torch.device:
    if device == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        found = torch.device(device)
        torch.empty(0, device=found)
    except (RuntimeError, AssertionError, TypeError) as error:
        raise LoadError(f"There is no device {brief(device)} here; try 'auto' or 'cpu'.") from error
    return found


def _dtype(dtype: str | torch.dtype) -> torch.dtype | str:
    if dtype == "auto" or dtype in tuple(_DTYPES.values()):
        return dtype
    if not isinstance(dtype, str) or dtype not in _DTYPES:
        raise LoadError(f"There is no dtype {brief(dtype)}; try auto, {', '.join(_DTYPES)}.")
    return _DTYPES[dtype]
