"""The tokenizer and the architecture: a GPT-2 in small, with one of five kinds of positions.

The head reads with the embeddings, shrunk by 1/√M: the same as Vaswani et al. (2017, section 3.4),
who let them be small and grow by √M when they are read. So words come in about as large as
sinusoids do, and neither drowns the other.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from attnlab.attention.positions import Alibi, Learned, NoPositions, Rope, Scheme, Sinusoidal
from attnlab.transformer import Config, Decoder

LENGTH: Final = 64
"""Tokens of a text in training, <s> among them."""
VOCABULARY: Final = 1024
START: Final = "<s>"

SCHEMES: Final[dict[str, Scheme]] = {
    "none": NoPositions(),
    "sinusoidal": Sinusoidal(),
    "learned": Learned(LENGTH),
    "rope": Rope(),
    "alibi": Alibi(),
}

_WIDTH: Final = 64
_CONFIG: Final = Config(
    vocabulary=VOCABULARY,
    width=_WIDTH,
    layers=4,
    heads=4,
    hidden=4 * _WIDTH,
    tied=True,
    logits_scale=_WIDTH**-0.5,
)
_EMBEDDING_STD: Final = 0.5
"""Of the embeddings at first; a sinusoid's is 0.7."""
_TABLE_STD: Final = 0.02
"""Of a learned table at first, as in GPT-2."""


def tokenizer(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """Byte-level BPE (Sennrich et al. 2016), so that every text can be read; <s> comes first."""
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[START],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    core.train_from_iterator(texts, trainer)
    start = core.token_to_id(START)
    core.post_processor = processors.TemplateProcessing(
        single=f"{START} $A", special_tokens=[(START, start)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=core, bos_token=START, clean_up_tokenization_spaces=False
    )


def build(scheme: str, seed: int) -> Decoder:
    """The untrained model: of one seed, all five schemes begin with the same weights."""
    torch.manual_seed(seed)
    plain = Decoder(_CONFIG)
    torch.nn.init.normal_(plain.embed.weight, std=_EMBEDDING_STD)
    if scheme == "none":
        return plain
    net = Decoder(replace(_CONFIG, positions=SCHEMES[scheme]))
    found = net.load_state_dict(plain.state_dict(), strict=False)
    for name in found.missing_keys:  # the learned table, which the others do not have
        torch.nn.init.normal_(net.get_parameter(name), std=_TABLE_STD)
    return net
