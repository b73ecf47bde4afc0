"""A model handed to load stays as it was: outputs to the bit, hooks, settings, buffers."""

import copy

import pytest
import torch

import attnlab as al
from tests.families import FAMILIES, build, text
from tests.pretrained import by_hand

SOURCE, TARGET = text(24, seed=2), text(7, seed=4)
NAMES = "gpt2 llama llama_dynamic phi3_longrope gemma2 gpt_oss bert t5 bart bloom xglm mamba"


def state_of(model):
    """Everything about a model that a run could leave changed."""
    hooks = {
        (path, kind): list(getattr(module, kind))
        for path, module in model.named_modules()
        for kind in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks")
    }
    attributes = {
        path: {key for key in vars(module) if not key.startswith("_")}
        for path, module in model.named_modules()
    }
    tensors = dict((*model.named_parameters(), *model.named_buffers()))
    return {
        "hooks": hooks,
        "attributes": attributes,
        "config": model.config.to_dict(),
        "attention": model.config._attn_implementation,
        "training": {path: module.training for path, module in model.named_modules()},
        "where": {name: tensor.data_ptr() for name, tensor in tensors.items()},
        "numbers": {name: tensor.detach().clone() for name, tensor in tensors.items()},
        "gradients": {name: p.grad for name, p in model.named_parameters()},
    }


def check(model, before):
    after = state_of(model)
    numbers = before.pop("numbers"), after.pop("numbers")
    assert all(torch.equal(numbers[0][name], numbers[1][name]) for name in numbers[0])
    assert after == before


def use(ours, name):
    """Everything that one does with a Lab."""
    target = {"target": TARGET} if FAMILIES[name].task == "seq2seq" else {}
    role = "cross" if target else None
    ours.run(SOURCE, **target, capture=sorted(ours.stages))
    if "z" in ours.editable:
        edits = (al.ZeroHead(1, 2, role), al.MeanHead(1, 3, role), al.Temperature(2.0))
        ours.run(SOURCE, **target, edits=edits, capture=())
        ours.run(SOURCE[:9], **target, capture=("z",), grad=True)
    if ours.head_kind in ("causal", "seq2seq"):
        ours.generate(SOURCE[:9], **target, max_new_tokens=2, capture=())


@pytest.mark.parametrize("training", [False, True], ids=["eval", "train"])
@pytest.mark.parametrize("name", NAMES.split())
def test_load_and_runs_leave_the_callers_model_alone(name, training):
    made = build(name)
    inputs = {"input_ids": torch.tensor([SOURCE])}
    if FAMILIES[name].task == "seq2seq":
        inputs["decoder_input_ids"] = torch.tensor([[2, *TARGET]])
    outputs = by_hand.outputs(made, inputs)
    made.train(training)
    before = state_of(made)
    ours = al.load(made)
    check(made, copy.copy(before))
    use(ours, name)
    check(made, before)
    assert ours.model is made
    assert torch.equal(by_hand.outputs(made.eval(), inputs), outputs)


def test_the_weights_are_shared_so_training_shows():
    made = build("gpt2")
    ours = al.load(made)
    before = ours.run(SOURCE, capture=()).logits
    with torch.no_grad():
        made.transformer.h[1].attn.c_proj.weight.mul_(0.5)
    after = ours.run(SOURCE, capture=()).logits
    assert not torch.equal(before, after)
    assert torch.equal(after, by_hand.outputs(made, {"input_ids": torch.tensor([SOURCE])}))


def test_hooks_that_the_caller_hung_on_the_model_come_along():
    made = build("gpt2")
    place = ("transformer.h.1.attn.c_proj", 3, 6, by_hand.zero)
    with by_hand.on_head(made, *place):
        right = by_hand.outputs(made, {"input_ids": torch.tensor([SOURCE])})
    made.transformer.h[1].attn.c_proj.register_forward_pre_hook(
        lambda module, args: (args[0] * (torch.arange(60) // 10 != 3),)
    )
    assert torch.equal(al.load(made).run(SOURCE, capture=()).logits, right)


def test_two_labs_of_one_model_do_not_meet():
    made = build("llama")
    one, two = al.load(made), al.load(made)
    plain = one.run(SOURCE, capture=()).logits
    two.run(SOURCE, edits=[al.ZeroHead(1, 2)], capture=())
    assert torch.equal(one.run(SOURCE, capture=()).logits, plain)
    assert torch.equal(two.run(SOURCE, capture=()).logits, plain)


def test_a_model_in_another_attention_implementation_keeps_it():
    made = build("llama")
    made.set_attn_implementation("sdpa")
    ours = al.load(made)
    ours.run(SOURCE)
    assert made.config._attn_implementation == "sdpa"
    assert ours.tier == "dispatch"
