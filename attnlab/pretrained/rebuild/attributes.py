"""A configuration read attribute by attribute, and refused where an attribute is left over.

An attribute that nobody looked at may change what a model computes. So each family says which it
reads, and in which values; what is left is refused by name, with its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attnlab.errors import RebuildRefused

FAMILIES = "GPT-2, GPT-NeoX, Llama, Mistral, Qwen2, BERT, RoBERTa and T5"

_KINDS = {
    "where a model is from, and how it is stored": """
        _attn_implementation _commit_hash _experts_implementation _model_name_or_path _name_or_path
        architectures
        auto_map dtype is_llama_config model_type name_or_path torch_dtype transformers.js_config
        transformers_version unsloth_version""",
    "tokens, which the ids that are fed tell already": """
        begin_suppress_tokens bos_token_id cls_token_id decoder_start_token_id eos_token_id
        forced_bos_token_id forced_eos_token_id mask_token_id pad_token_id sep_token_id
        suppress_tokens tokenizer_class unk_token_id""",
    "what else is returned, and tasks with heads of their own": """
        classifier_dropout finetuning_task id2label is_encoder_decoder label2id num_labels
        output_attentions output_hidden_states output_past problem_type return_dict
        summary_activation summary_first_dropout summary_proj_to_labels summary_type
        summary_use_proj task_specific_params use_cache""",
    "training": """
        attention_dropout attention_probs_dropout_prob attn_pdrop dropout_rate embd_pdrop
        gradient_checkpointing hidden_dropout hidden_dropout_prob initializer_factor
        initializer_range resid_pdrop""",
    "the same arithmetic in another order": """
        chunk_size_feed_forward pretraining_tp reorder_and_upcast_attn""",
}
_HARMLESS = frozenset(name for names in _KINDS.values() for name in names.split())
"""Attributes that change nothing of what a model computes, by why."""


class Attributes:
    """The attributes of one configuration, and which of them somebody has looked at."""

    def __init__(self, values: Mapping[str, Any], title: str) -> None:
        """``title``: how a sentence calls the model."""
        self.title = title
        self._values, self._seen = dict(values), set(_HARMLESS)

    def take(self, name: str, default: Any = None) -> Any:
        """An attribute's value; ``default`` where it is not set."""
        self._seen.add(name)
        value = self._values.get(name)
        return default if value is None else value

    def only(self, name: str, *known: Any, default: Any = None) -> Any:
        """An attribute that is understood in some values.

        Raises:
            RebuildRefused: it has another one.
        """
        value = self.take(name, default)
        if value not in known:
            raise self.refusal(name, value)
        return value

    def finish(self) -> None:
        """Raises RebuildRefused where something is set that nobody took."""
        for name, value in sorted(self._values.items()):
            if value is not None and name not in self._seen:
                raise self.refusal(name, value)

    def refusal(self, name: str, value: Any) -> RebuildRefused:
        return RebuildRefused(
            f"Our transformer does not know {_short(name)} = {_short(repr(value))}, which "
            f"{self.title} sets; it takes models of {FAMILIES}, in their usual settings."
        )


def _short(text: str) -> str:
    """No more of a name or a value than a sentence holds: anybody may have written them."""
    return text if len(text) <= 60 else text[:57] + "…"
