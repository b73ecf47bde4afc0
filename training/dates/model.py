"""The tokenizer, one token a character, and the architecture: T5 in small.

T5 because everything in AttnLab that reads T5 then reads this one too. Its relative position biases
suit dates: what counts is not where a number stands, but what stands beside it. Two encoder layers
find out what each number is; one decoder layer has to fetch it by cross-attention, so that what it
looks at is what it writes.

Source: Raffel et al., "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
Transformer", 2020, section 2.1 (relu feed-forward, RMSNorm before each part, no biases).
"""

import string
from collections.abc import Sequence

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors
from torch import Tensor
from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

PAD, START, END, UNKNOWN = "<pad>", "<s>", "</s>", "<unk>"
SPECIAL = (PAD, START, END, UNKNOWN)
CHARACTERS = string.ascii_letters + string.digits + string.punctuation + " "
"""What the tokenizer knows: printable ASCII. Anything else is <unk>."""


def tokenizer() -> PreTrainedTokenizerFast:
    """One token a character, and </s> at the end."""
    vocabulary = {token: i for i, token in enumerate((*SPECIAL, *CHARACTERS))}
    core = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    core.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), behavior="isolated")
    core.decoder = decoders.Fuse()
    core.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", special_tokens=[(END, vocabulary[END])]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=PAD,
        bos_token=START,
        eos_token=END,
        unk_token=UNKNOWN,
        clean_up_tokenization_spaces=False,
    )


def config() -> T5Config:
    """Every size of the model."""
    ids = {token: i for i, token in enumerate(SPECIAL)}
    return T5Config(
        vocab_size=len(SPECIAL) + len(CHARACTERS),
        d_model=64,
        d_kv=16,
        num_heads=4,
        d_ff=256,
        num_layers=2,
        num_decoder_layers=1,
        # Dates are short: every distance up to 7 has a bias of its own, from 32 on all share one.
        relative_attention_num_buckets=32,
        relative_attention_max_distance=32,
        feed_forward_proj="relu",
        dropout_rate=0.0,
        tie_word_embeddings=True,
        pad_token_id=ids[PAD],
        bos_token_id=ids[START],
        eos_token_id=ids[END],
        decoder_start_token_id=ids[START],
    )


def build(seed: int) -> T5ForConditionalGeneration:
    """The untrained model."""
    torch.manual_seed(seed)
    return T5ForConditionalGeneration(config())


def batch_of(
    tokenizer: PreTrainedTokenizerFast, texts: Sequence[str], isos: Sequence[str]
) -> dict[str, Tensor]:
    """Inputs [B, n] and labels [B, 11] as the model takes them."""
    fed = tokenizer(list(texts), padding=True, return_tensors="pt", return_token_type_ids=False)
    labels = tokenizer(list(isos), return_tensors="pt")["input_ids"]
    return {**fed, "labels": labels}
