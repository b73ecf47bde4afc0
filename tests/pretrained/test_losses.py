"""Losses from a head applied in chunks are those of all logits."""

from __future__ import annotations

import pytest
import torch
import transformers as hf

import attnlab as al
from attnlab.errors import InputError

SIZES = {
    "vocab_size": 101,
    "hidden_size": 28,
    "intermediate_size": 44,
    "num_hidden_layers": 2,
    "num_attention_heads": 7,
    "num_key_value_heads": 7,
    "max_position_embeddings": 512,
}
IDS = torch.randint(3, 101, (307,), generator=torch.Generator().manual_seed(1)).tolist()


def by_definition(logits: torch.Tensor, ids: list[int]) -> torch.Tensor:
    return torch.nn.functional.cross_entropy(logits[:-1], torch.tensor(ids[1:]), reduction="none")


@pytest.fixture(params=["head last", "soft cap after the head"])
def lab(request):
    torch.manual_seed(0)
    if request.param == "head last":
        return al.load(hf.LlamaForCausalLM(hf.LlamaConfig(**SIZES)).eval())
    config = hf.Gemma2Config(**SIZES, head_dim=4, final_logit_softcapping=0.5)
    return al.load(hf.Gemma2ForCausalLM(config).eval())


def test_losses_in_chunks_equal_those_of_all_logits(lab):
    trace = lab.run(IDS, capture=(), logits="loss")
    whole = lab.run(IDS, capture=()).logits
    assert trace.losses.shape == (len(IDS) - 1,)
    torch.testing.assert_close(trace.losses, by_definition(whole, IDS), atol=1e-5, rtol=0)
    torch.testing.assert_close(trace.logits_at(-1), whole[-1], atol=1e-5, rtol=0)


def test_each_text_of_a_batch_has_its_own_losses(lab):
    texts = [IDS[:150], IDS[40:59]]
    for trace, ids in zip(lab.run_many(texts, capture=(), logits="loss"), texts, strict=True):
        alone = lab.run(ids, capture=(), logits="loss").losses
        torch.testing.assert_close(trace.losses, alone, atol=1e-5, rtol=0)


def test_only_the_losses_of_one_token_are_none(lab):
    assert lab.run(IDS[:1], capture=(), logits="loss").losses.shape == (0,)


def test_a_masked_model_has_no_next_token():
    config = hf.BertConfig(**{k: v for k, v in SIZES.items() if k != "num_key_value_heads"})
    lab = al.load(hf.BertForMaskedLM(config).eval())
    with pytest.raises(InputError, match="no next token"):
        lab.run(IDS[:9], logits="loss")
