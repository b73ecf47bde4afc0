"""Shares of a logit: they add up to it, and one of them is worked out by hand."""

import pytest
import torch

import attnlab as al
from attnlab.analysis.attribution import attribute
from attnlab.analysis.ending import ending_of, frozen
from attnlab.analysis.outputs import each_alone, output_of
from attnlab.errors import EditRefused, InputError, StageNotAvailable
from tests.families import build, lab, model, text

IDS = text(11, seed=5)
GOAL = text(6, seed=2)
BY_HEAD = ["llama", "gpt2", "gpt_neox", "gemma2", "qwen2", "cohere", "granite", "olmo", "bloom"]


def target(name):
    return {"target": GOAL} if lab(name).is_encoder_decoder else {}


@pytest.mark.parametrize("name", [*BY_HEAD, "t5", "mbart"])
def test_the_shares_of_heads_and_feed_forwards_add_up_to_the_logit(name):
    found = attribute(lab(name), IDS, position=4, **target(name))
    logits = lab(name).run(IDS, capture=(), **target(name)).logits[4]
    assert found.logit == pytest.approx(float(logits.max()), abs=1e-5)
    assert found.token.id == int(logits.argmax()) and found.position == 4
    assert found.total == pytest.approx(found.parts.share.sum())
    assert abs(found.error) <= 1e-5 and found.total == pytest.approx(found.raw, abs=1e-5)
    roles = ["decoder", "cross"] if target(name) else ["decoder"]
    counted = found.parts.part.value_counts()
    assert counted["head"] == 18 * len(roles) and counted["feed_forward"] == 3
    for role in roles:
        assert found.heads(role).shape == (3, 6)
    if name != "gemma2":  # it bends its logits before it hands them on
        assert found.raw == pytest.approx(found.logit, abs=1e-5)
    else:
        assert found.raw - found.logit > 1


@pytest.mark.parametrize("name", ["openai_gpt", "bart", "qwen3_5", "zamba2"])
def test_what_cannot_be_told_apart_is_one_part_and_the_sum_holds(name):
    found = attribute(lab(name), IDS, **target(name))
    assert abs(found.error) <= 1e-5
    assert {"layer", "attention"} & set(found.parts.part)
    assert found.parts[found.parts.part.isin(["layer", "attention"])]["head"].isna().all()


def test_the_share_of_a_head_by_hand():
    """Llama: z of one head through its columns of o_proj, the frozen norm and a row of lm_head."""
    body, trace = model("llama"), lab("llama").run(IDS, capture=("z", "resid_post"))
    found = attribute(lab("llama"), IDS, 31, against=7, position=6)
    with torch.no_grad():
        part = trace.z[1, 2][6] @ body.model.layers[1].self_attn.o_proj.weight[:, 20:30].T
        size = (trace.resid_post[2][6].square().mean() + 1e-6).rsqrt()
        rows = body.lm_head.weight[31] - body.lm_head.weight[7]
        right = float((part * size * body.model.norm.weight) @ rows)
    row = found.parts.query("part == 'head' and layer == 1 and head == 2")
    assert float(row.share.item()) == pytest.approx(right, abs=1e-6)
    assert found.heads("decoder").loc[1, 2] == float(row.share.item())
    assert found.scale == pytest.approx(float(size), rel=1e-5)
    assert (found.token.id, found.against.id) == (31, 7)
    assert found.logit == pytest.approx(float(trace.logits[6, 31] - trace.logits[6, 7]), abs=1e-5)


def test_a_difference_is_the_difference_of_the_shares():
    both = attribute(lab("gpt2"), IDS, 31, against=7)
    one, other = (attribute(lab("gpt2"), IDS, token) for token in (31, 7))
    right = one.parts.share - other.parts.share
    assert both.parts.share.tolist() == pytest.approx(right.tolist(), abs=1e-9)


@pytest.mark.parametrize("name", ["llama", "gpt2"])
def test_our_transformer_has_the_same_shares(name):
    ours, theirs = (attribute(one, IDS).parts for one in (al.rebuild(lab(name)), lab(name)))
    assert ours[["part", "layer", "head"]].equals(theirs[["part", "layer", "head"]])
    assert ours.share.tolist() == pytest.approx(theirs.share.tolist(), abs=1e-4)


def test_heads_that_are_silent_have_no_share():
    edits = [al.ZeroHead(1, head) for head in range(6)]
    found, plain = (attribute(lab("gpt2"), IDS, 31, edits=given) for given in (edits, ()))
    assert found.heads("decoder").loc[1].abs().max() == 0 and abs(found.error) <= 1e-5
    # The layer before adds what it added; what changed is the size that the last norm divides by.
    before, after = (one.heads("decoder").loc[0] / one.scale for one in (plain, found))
    assert before.tolist() == pytest.approx(after.tolist(), abs=1e-6)
    assert found.logit != pytest.approx(plain.logit, abs=1e-2)


def test_an_output_projection_is_the_module_that_it_was_read_from():
    for name, path in (("llama", "model.layers.2.self_attn.o_proj"), ("gpt2", "transformer.h.2")):
        (site,) = (s for s in lab(name).sites if s.layer == 2)
        output, z = output_of(lab(name), site), torch.randn(5, 6, 10)
        module = lab(name).module(site.out_proj)
        with torch.no_grad():
            right = module(z.flatten(1)[None])[0].double()
        made = sum(output.of_head(head, z[:, head]) for head in range(6)) + output.bias
        assert site.out_proj.startswith(path)
        assert torch.allclose(made, right, atol=1e-5)
        each, bias = each_alone(lab(name), site, z[3])
        assert torch.allclose(bias, output.bias)
        for head in range(6):
            assert torch.allclose(each[head], output.of_head(head, z[3, head]), atol=1e-5)


@pytest.mark.parametrize("norm", [torch.nn.LayerNorm(7), torch.nn.RMSNorm(7)])
def test_a_frozen_norm_is_the_norm_where_it_was_frozen_and_linear_elsewhere(norm):
    with torch.no_grad():
        for weight in norm.parameters():
            weight.add_(torch.randn(7))
    x, y = torch.randn(2, 7)
    held = frozen(norm, x)
    assert held.centred == isinstance(norm, torch.nn.LayerNorm)
    assert torch.allclose(held.linear(x.double()) + held.shift, norm(x).double(), atol=1e-5)
    both = held.linear(x.double()) + held.linear(y.double())
    assert torch.allclose(held.linear((x + y).double()), both)
    reader = torch.randn(7).double()
    assert float(held.back(reader) @ y.double()) == pytest.approx(
        float(held.linear(y.double()) @ reader)
    )
    assert frozen(torch.nn.Softmax(-1), x) is None


def test_what_follows_the_last_block_is_found_or_not():
    kept = {"capture": ("resid_post", "final")}
    found = ending_of(lab("llama"), lab("llama").run(IDS, **kept))
    assert found.norm is model("llama").model.norm and not found.bent
    assert ending_of(lab("cohere"), lab("cohere").run(IDS, **kept)).factor != 1
    assert ending_of(lab("gemma2"), lab("gemma2").run(IDS, **kept)).bent
    assert ending_of(lab("bert"), lab("bert").run(IDS, **kept)) is None


def test_what_has_no_shares_says_so():
    with pytest.raises(StageNotAvailable, match="more than a norm and a matrix"):
        attribute(lab("bert"), IDS)
    with pytest.raises(EditRefused, match="no residual stream"):
        attribute(lab("mamba"), IDS)
    with pytest.raises(InputError, match="no language-model head"):
        attribute(al.load(model("llama").model), IDS)
    with pytest.raises(InputError, match="no token 97; the model predicts 0 to 96"):
        attribute(lab("llama"), IDS, 97)
    with pytest.raises(InputError, match="token takes whole numbers, not ' Paris'"):
        attribute(lab("llama"), IDS, " Paris")
    with pytest.raises(InputError, match="no position 11"):
        attribute(lab("llama"), IDS, position=11)


def test_on_the_packaged_decoder_they_add_up(smollm2):
    found = attribute(smollm2, "The capital of France is")
    assert found.token.text.strip() == "Paris" and abs(found.error) < 1e-3
    assert (found.parts.part == "head").sum() == 270
    heads = found.heads("decoder").stack()
    assert heads.idxmax() == (23, 4) and heads.max() == pytest.approx(2.82, abs=0.02)


@pytest.mark.parametrize("name", ["llama", "gemma2"])
def test_in_half_precision_the_sum_is_off_by_rounding(name):
    found = attribute(al.load(build(name).bfloat16()), IDS)
    assert (found.parts.part == "head").sum() == 18
    assert abs(found.error) <= 0.02 * abs(found.raw)
