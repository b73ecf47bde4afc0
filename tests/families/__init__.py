"""Tiny models of many families with random weights: nothing is downloaded, each builds in a blink.

Sizes that are free are all different, and most are prime, so that an axis taken for another one
shows at once. A table entry says no more than what the family's own configuration needs.
"""

from __future__ import annotations

import functools
from typing import Any

import tokenizers
import torch
import transformers

import attnlab as al
from tests.families import decoders, encoder_decoders, encoders
from tests.families.sizes import FAMILIES, FIRST_ORDINARY, VOCABULARY

_CLASSES = {
    "causal": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "seq2seq": "AutoModelForSeq2SeqLM",
    "speech": "AutoModelForSpeechSeq2Seq",
    "picture": "AutoModel",
    "pair": "AutoModel",
    "sound": "AutoModel",
}
TEXT_TASKS = ("causal", "masked", "seq2seq")


def names(*tasks: str) -> list[str]:
    """The families of some tasks, or all of them."""
    return [f.name for f in FAMILIES.values() if not tasks or f.task in tasks]


def build(name: str, **changes: Any) -> Any:
    """A fresh model in eager attention, its weights large enough that attention is not flat."""
    family = FAMILIES[name]
    config = getattr(transformers, family.config)(**{**family.options, **changes})
    loader = getattr(transformers, _CLASSES[family.task])
    torch.manual_seed(7)
    model = loader.from_config(config, attn_implementation="eager").eval()
    random = torch.Generator().manual_seed(11)
    with torch.no_grad():
        for path, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=random)
            if weight.dim() < 2:
                weight.copy_(noise if "sink" in path else weight + noise / 10)
            else:
                table = "embed" in path or "wte" in path
                weight.copy_(noise * (0.5 if table else 1.3 / weight.shape[-1] ** 0.5))
    return model


@functools.cache
def model(name: str) -> Any:
    """The family's model, shared: leave it as it is."""
    return build(name)


@functools.cache
def lab(name: str) -> al.Lab:
    """A Lab around the shared model, which stays in eager attention for comparison."""
    return al.load(model(name), inputs=None if reads_ids(name) else raw_inputs(name))


def tokenizer() -> Any:
    """A tokenizer for any family: the words w5 to w96, one a token, nothing added."""
    words = {"<pad>": 0, "<s>": 1, "</s>": 2, "<unk>": 3, "<mask>": 4}
    words |= {f"w{i}": i for i in range(FIRST_ORDINARY, VOCABULARY)}
    core = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<unk>"))
    core.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )


def reads_ids(name: str) -> bool:
    return FAMILIES[name].task in TEXT_TASKS


def text(length: int = 13, seed: int = 3) -> list[int]:
    """Random ordinary ids."""
    random = torch.Generator().manual_seed(seed)
    return torch.randint(FIRST_ORDINARY, VOCABULARY, (length,), generator=random).tolist()


def raw_inputs(name: str, batch: int = 2) -> dict[str, torch.Tensor]:
    """Inputs of a model that reads something other than texts."""
    random = torch.Generator().manual_seed(5)

    def noise(*size: int) -> torch.Tensor:
        return torch.randn(batch, *size, generator=random)

    ids = torch.tensor([text(9, seed) for seed in range(batch)])
    task = FAMILIES[name].task
    if task == "speech":
        return {"input_features": noise(7, 32), "decoder_input_ids": ids[:, :6]}
    if task == "sound":
        return {"input_values": noise(400)}
    pixels = {"pixel_values": noise(3, 12, 12)}
    if task == "picture":
        return pixels
    ids[:, -1] = 2  # CLIP reads its sentence vector at the end-of-text token
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids)} | pixels
