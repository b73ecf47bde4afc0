"""A batch of texts of different lengths gives what each text gives alone."""

import pytest
import torch

import attnlab as al
from attnlab.errors import InputError
from tests.families import FAMILIES, build, lab, text

TEXTS = [text(13, seed=1), text(1, seed=2), text(7, seed=3)]
TARGETS = [text(4, seed=4), text(9, seed=5), []]
NAMES = "gpt2 llama gemma3 gpt_oss opt bloom bert distilbert modernbert xlm_roberta t5 bart marian"


def both(name, **options):
    """Each trace of a batch, beside that of its text alone."""
    seq2seq = FAMILIES[name].task == "seq2seq"
    targets = TARGETS if seq2seq else [None] * 3
    together = lab(name).run_many(TEXTS, **({"targets": targets} if seq2seq else {}), **options)
    alone = [
        lab(name).run(ids, **({"target": target} if seq2seq else {}), **options)
        for ids, target in zip(TEXTS, targets, strict=True)
    ]
    return zip(together, alone, strict=True)


def check(together, alone):
    assert together.tokens == alone.tokens
    assert together.source_tokens == alone.source_tokens
    assert together.logit_positions == alone.logit_positions
    assert (together.logits - alone.logits).abs().max() <= 1e-5
    assert together.values.keys() == alone.values.keys()
    for key, layers in alone.values.items():
        for layer, kept in layers.items():
            found = together.values[key][layer].tensor
            assert found.shape == kept.tensor.shape
            assert torch.allclose(found, kept.tensor, atol=2e-5, rtol=1e-4), key


@pytest.mark.parametrize("name", NAMES.split())
def test_every_stage_of_every_text(name):
    for together, alone in both(name, capture=sorted(lab(name).stages)):
        check(together, alone)


@pytest.mark.parametrize("name", ["gpt2", "gpt_oss", "bert", "t5", "bart", "bloom"])
def test_under_edits_with_a_mean_of_each_text_of_its_own(name):
    role = "cross" if FAMILIES[name].task == "seq2seq" else None
    edits = (al.MeanHead(1, 2, role), al.Temperature(3.0), al.ZeroHead(2, 5, role))
    traces = [together for together, _ in both(name, edits=edits, capture=("z", "weights"))]
    for (together, alone), trace in zip(
        both(name, edits=edits, capture=("z", "weights")), traces, strict=True
    ):
        check(together, alone)
        z = trace.role(role or trace.main_role).z
        assert torch.allclose(z[1, 2], z[1, 2][:1].expand_as(z[1, 2]))
        assert not z[2, 5].any()
    means = [trace.role(role or trace.main_role).z[1, 2][0] for trace in traces]
    assert not torch.allclose(means[0], means[2])


def test_a_dropped_padding_row_leaves_no_weight_behind():
    for trace, ids in zip(lab("bert").run_many(TEXTS), TEXTS, strict=True):
        assert trace.weights[0].shape == (6, len(ids), len(ids))
        assert torch.allclose(trace.weights.stack().sum(-1), torch.ones(3, 6, len(ids)))


def test_inputs_of_ones_own_give_a_trace_a_row():
    ids = torch.tensor([text(9, seed=1), text(9, seed=2)])
    mask = torch.ones_like(ids)
    mask[1, :3] = 0
    traces = lab("llama").run_many({"input_ids": ids, "attention_mask": mask})
    assert [trace.logits.shape for trace in traces] == [(9, 97)] * 2
    assert not traces[1].weights.stack()[..., :3].any()
    assert torch.equal(traces[0].logits_at(-1), traces[0].logits[8])
    with pytest.raises(InputError, match="run takes one text; pass a batch of inputs to run_many"):
        lab("llama").run({"input_ids": ids})
    with pytest.raises(InputError, match="need a donor run"):
        lab("llama").run_many({"input_ids": ids}, edits=al.MeanHead(0, 0))


def test_no_texts_give_no_traces_and_a_wrong_one_names_itself():
    assert lab("gpt2").run_many([]) == []
    with pytest.raises(InputError, match="97 is no token id of GPT2LMHeadModel; its ids are 0 to"):
        lab("gpt2").run_many([text(3), [97]])


def test_a_model_without_an_attention_mask_takes_texts_of_one_length():
    made = al.load(build("rwkv"))
    same = made.run_many([text(5, seed=1), text(5, seed=2)], capture="final")
    assert torch.allclose(same[1].logits, made.run(text(5, seed=2), capture=()).logits, atol=1e-6)
    if "attention_mask" not in made._keywords:
        with pytest.raises(InputError, match="texts of one length"):
            made.run_many(TEXTS, capture=())
