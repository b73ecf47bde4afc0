"""With grad=True, torch.autograd reaches every captured stage."""

import pytest
import torch

import attnlab as al
from tests.families import FAMILIES, build, lab, model, text

SOURCE, TARGET = text(13, seed=2), text(7, seed=4)
NAMES = [
    "gpt2",
    "llama",
    "gemma2",
    "gpt_oss",
    "bert",
    "t5",
    "bart",
    "bloom",
    "falcon",
    "deepseek_v3",
]


def run(ours, name, **options):
    target = {"target": TARGET} if FAMILIES[name].task == "seq2seq" else {}
    return ours.run(SOURCE, **target, **options)


def z_and_gradient(ours, name, role):
    trace = run(ours, name, capture=al.Capture("z", layers=1), grad=True)
    z = trace.graph["z", role, 1]
    (gradient,) = torch.autograd.grad(trace.logits[-1].square().sum(), z)
    return z, gradient


def by_autograd(name, inputs, projection, heads, made=None):
    """The same gradient [B, H, Q, E], where the projection of a model of one's own reads z."""
    made, kept = made or build(name), []

    def keep(module, args):
        args[0].retain_grad()
        kept.append(args[0])

    made.get_submodule(projection).register_forward_pre_hook(keep)
    made(**inputs).logits[0, -1].square().sum().backward()
    return kept[0].grad.unflatten(-1, (heads, -1)).transpose(1, 2)


@pytest.mark.parametrize("name", NAMES)
def test_the_gradient_is_that_of_a_model_of_ones_own(name):
    site = next(s for s in reversed(lab(name).sites) if s.layer == 1)
    z, gradient = z_and_gradient(lab(name), name, site.role)
    inputs = {"input_ids": torch.tensor([SOURCE])}
    if FAMILIES[name].task == "seq2seq":
        fed = [token.id for token in run(lab(name), name, capture=()).tokens]
        inputs["decoder_input_ids"] = torch.tensor([fed])
    right = by_autograd(name, inputs, site.out_proj, site.heads)
    assert z.shape == gradient.shape == right.shape
    assert (gradient - right).abs().max() <= 1e-5 * max(1.0, float(right.abs().max()))
    assert right.abs().max() > 1e-3


@pytest.mark.parametrize("name", ["t5", "granite", "mixtral", "bloom", "falcon", "gpt_neo"])
def test_every_stage_can_be_reached(name):
    trace = run(lab(name), name, capture=sorted(lab(name).stages), grad=True)
    target = trace.logits.logsumexp(-1).sum()
    reached = {
        key: torch.autograd.grad(target, tensor, retain_graph=True, allow_unused=True)[0]
        for key, tensor in trace.graph.items()
    }
    assert all(gradient is not None for gradient in reached.values())
    assert {stage for stage, _, _ in reached} == lab(name).stages


def test_frozen_weights_are_no_obstacle_and_collect_nothing():
    frozen = build("gpt2").requires_grad_(False)
    ours = al.load(frozen)
    _, gradient = z_and_gradient(ours, "gpt2", "decoder")
    _, right = z_and_gradient(lab("gpt2"), "gpt2", "decoder")
    assert torch.allclose(gradient, right, atol=1e-5)
    assert all(p.grad is None for p in (*frozen.parameters(), *model("gpt2").parameters()))


def test_long_texts_in_tiles_have_the_same_gradients():
    ours = al.load(build("llama", max_position_embeddings=512))
    ids = text(300)
    trace = ours.run(ids, capture=("z", "weights"), grad=True)
    loss = trace.logits[-1].square().sum()
    z = torch.autograd.grad(loss, trace.graph["z", "decoder", 0], retain_graph=True)[0]
    made = build("llama", max_position_embeddings=512)
    inputs = {"input_ids": torch.tensor([ids])}
    right = by_autograd("llama", inputs, "model.layers.0.self_attn.o_proj", 6, made)
    assert torch.allclose(z, right, atol=1e-4, rtol=1e-3)


def test_edits_hold_while_gradients_are_kept():
    edits = (al.ZeroHead(1, 2), al.Temperature(2.0))
    kept = run(lab("gpt2"), "gpt2", edits=edits, grad=True)
    assert torch.allclose(kept.logits, run(lab("gpt2"), "gpt2", edits=edits).logits, atol=1e-5)
    assert kept.logits.requires_grad
    assert not run(lab("gpt2"), "gpt2").logits.requires_grad
