"""What can be kept of a run: every stage, by layer, head and role, and nothing that was not asked.

Within attention the stages must fit each other and the definition; along the residual stream they
must equal what transformers returns, and add up.
"""

import pytest
import torch

import attnlab as al
from attnlab.errors import CaptureError, NotCaptured, StageNotAvailable
from attnlab.pretrained.inputs import keywords
from attnlab.trace.capture import ATTENTION_STAGES, STAGES, UNROTATED_STAGES
from tests.families import FAMILIES, lab, model, reads_ids, text

SOURCE, TARGET = text(13, seed=2), text(7, seed=4)
TEXTS = [name for name in FAMILIES if reads_ids(name) and name != "nystromformer"]
SOFTCAPS = {"gemma2": 3.0, "t5gemma": 5.0}


def run(name, **options):
    target = {"target": TARGET} if FAMILIES[name].task == "seq2seq" else {}
    return lab(name).run(SOURCE, **target, **options)


def everything(name):
    return run(name, capture=sorted(lab(name).stages))


@pytest.mark.parametrize("name", TEXTS)
def test_the_stages_of_attention_fit_each_other(name):
    trace = everything(name)
    for site in lab(name).sites:
        kept = {
            stage: getattr(trace.role(site.role), stage)[site.layer]
            for stage in ATTENTION_STAGES
            if stage in lab(name).stages
        }
        weights, masked = kept["weights"], kept["masked"]
        queries = len(trace.source_tokens if site.role == "encoder" else trace.tokens)
        keys = len(trace.tokens if site.role == "decoder" else trace.source_tokens)
        assert weights.shape == masked.shape == (site.heads, queries, keys)
        if site.causal:
            assert not weights.triu(1).any()
        if name != "gpt_oss":  # sinks take their share
            assert torch.allclose(weights, masked.softmax(-1), atol=1e-6)
        if lab(name).tier == "dispatch":
            _check_dispatched(site, kept, SOFTCAPS.get(name))


def _check_dispatched(site, kept, cap):
    assert kept["q"].shape == (site.heads, kept["weights"].shape[1], site.key_size)
    assert kept["k"].shape == (site.kv_heads, kept["weights"].shape[2], site.key_size)
    assert kept["v"].shape == (site.kv_heads, kept["weights"].shape[2], site.value_size)
    k, v = (kept[s].repeat_interleave(site.heads // site.kv_heads, 0) for s in ("k", "v"))
    assert torch.allclose(kept["scores"], kept["q"] @ k.mT, atol=1e-4, rtol=1e-4)
    scaled = kept["scores"] * site.scale
    if cap is not None:
        assert scaled.abs().max() > cap / 4  # else the cap would not show
        scaled = cap * torch.tanh(scaled / cap)
    assert torch.allclose(kept["scaled"], scaled, atol=1e-6, rtol=1e-5)
    assert torch.allclose(kept["z"], kept["weights"] @ v, atol=1e-5, rtol=1e-4)


def stream(name):
    """The hidden states that transformers returns, by role."""
    ids = torch.tensor([SOURCE])
    inputs = {"input_ids": ids}
    if FAMILIES[name].task == "seq2seq":
        start = run(name, capture=()).tokens[0].id
        inputs["decoder_input_ids"] = torch.tensor([[start, *TARGET]])
    switch = {"use_cache": False} if "use_cache" in keywords(model(name)) else {}
    with torch.no_grad():
        outputs = model(name)(**inputs, **switch, output_hidden_states=True)
    roles = {block.role for block in lab(name).blocks}
    return {
        role: getattr(outputs, f"{role}_hidden_states", None) or outputs.hidden_states
        for role in roles
    }


STREAMED = [n for n in TEXTS if n not in ("xlnet", "squeezebert")]
"""XLNet and SqueezeBERT put the axes of their stream in another order: it is not shown."""


@pytest.mark.parametrize("name", STREAMED)
def test_the_residual_stream_equals_transformers_hidden_states(name):
    trace = everything(name)
    for role, states in stream(name).items():
        blocks = [block for block in lab(name).blocks if block.role == role]
        assert [block.layer for block in blocks] == list(range(len(blocks)))
        for block, state in zip(blocks, states, strict=False):
            kept = trace.role(role).resid_pre[block.layer]
            assert (kept - state[0]).abs().max() <= 1e-5


@pytest.mark.parametrize("name", STREAMED)
def test_contributions_add_up_where_a_block_says_so(name):
    trace = everything(name)
    for block in lab(name).blocks:
        here = trace.role(block.role)
        before, after = here.resid_pre[block.layer], here.resid_post[block.layer]
        parts = [s for s in ("attn_out", "cross_out", "mlp_out") if getattr(block, s)]
        total = before + sum(getattr(here, stage)[block.layer] for stage in parts)
        if block.additive:
            assert (total - after).abs().max() <= 1e-4


def test_which_blocks_add_up():
    """Those whose norms come before, experts and parallel feed-forwards included."""
    before = "gpt2 gptj gpt_neox gpt_neox_sequential llama gemma2 granite mixtral phi opt t5 mbart"
    for name in (*before.split(), "modernbert", "gpt_neo", "bloom"):
        assert all(block.additive for block in lab(name).blocks), name
    for name in ("bert", "bart", "openai_gpt", "distilbert"):  # norms come after the sum
        assert not any(block.additive for block in lab(name).blocks), name
    factors = dict(lab("granite").blocks[1].factors)
    assert set(factors.values()) == {0.3}
    assert {"model.layers.1.self_attn.o_proj", "model.layers.1.mlp.down_proj"} == set(factors)


# --- only what was asked --------------------------------------------------------------------------


def test_values_are_float32_on_the_cpu_and_belong_to_the_trace():
    trace = run("t5", capture=sorted(lab("t5").stages))
    for layers in trace.values.values():
        for kept in layers.values():
            assert kept.tensor.dtype == torch.float32
            assert kept.tensor.device.type == "cpu"
            assert not kept.tensor.requires_grad
    again = run("t5", capture=sorted(lab("t5").stages))
    assert torch.equal(trace.weights[1, 2], again.weights[1, 2])


def test_layers_heads_and_roles_narrow_what_is_kept():
    trace = run(
        "t5",
        capture=[
            al.Capture("weights", layers=1, heads=(4, 2), roles="cross"),
            al.Capture("weights", layers=(0, 2), roles="decoder"),
            al.Capture("z", heads=5, roles="encoder"),
            "mlp_out",
        ],
    )
    whole = run("t5", capture=["weights", "z", "mlp_out"])
    cross, right = trace.role("cross").weights, whole.role("cross").weights
    assert torch.equal(cross[1, 2], right[1, 2])
    assert torch.equal(cross[1], right[1][[2, 4]])
    assert torch.equal(trace.weights[2], whole.weights[2])
    assert torch.equal(trace.role("encoder").z[0, 5], whole.role("encoder").z[0, 5])
    assert torch.equal(trace.role("encoder").mlp_out[1], whole.role("encoder").mlp_out[1])
    for read, named in [
        (lambda: cross[1, 3], "weights of cross layer 1 head 3 .* captured heads: 2, 4"),
        (lambda: cross[0, 2], "weights of cross layer 0 .* captured layers: 1"),
        (lambda: trace.weights[1], "weights of decoder layer 1 .* captured layers: 0, 2"),
        (lambda: trace.z[0], "z of the role 'decoder' .* captured: .*z \\(encoder\\)"),
        (lambda: trace.resid_pre[0], "resid_pre of the role 'decoder' was not captured"),
        (lambda: trace.mlp_out[0, 1], "mlp_out has no heads"),
        (lambda: trace.weights.thumbnails, "No thumbnails of weights"),
        (lambda: trace.final, "final of the role"),
    ]:
        with pytest.raises(NotCaptured, match=named):
            read()


def test_heads_of_keys_and_values_are_key_value_heads():
    trace = lab("llama").run(SOURCE, capture=al.Capture("k", layers=0, heads=1))
    whole = lab("llama").run(SOURCE, capture="k")
    assert torch.equal(trace.k[0, 1], whole.k[0][1])
    assert whole.k.stack().shape == (3, 2, 13, 10)
    with pytest.raises(CaptureError, match="has 2 heads of k, 0 to 1; there is no head 4"):
        lab("llama").run(SOURCE, capture=al.Capture("k", heads=4))


def test_a_run_that_asks_for_nothing_keeps_nothing():
    trace = run("gpt2", capture=())
    assert not trace.values
    with pytest.raises(NotCaptured, match="captured: nothing"):
        trace.weights  # noqa: B018
    with pytest.raises(AttributeError):
        trace.attention  # noqa: B018


def test_what_does_not_exist_is_refused_before_the_run():
    for capture, named in [
        ("attention", "There is no stage 'attention'; the stages are q_unrotated, k_unrotated, q"),
        (("weights", "wieghts"), "There is no stage 'wieghts'"),
    ]:
        with pytest.raises(CaptureError, match=named):
            run("gpt2", capture=capture)
    for capture, named in [
        (al.Capture("weights", layers=3), "has no weights in layer 3; its layers are 0 to 2"),
        (al.Capture("weights", heads=6), "has 6 heads of weights, 0 to 5; there is no head 6"),
        (al.Capture("weights", roles="cross"), "has no weights in the role 'cross'"),
    ]:
        with pytest.raises(CaptureError, match=named):
            run("gpt2", capture=capture)
    with pytest.raises(CaptureError, match="no weights in layer 2; its layers are 0 to 1"):
        run("t5", capture=al.Capture("weights", layers=2, roles="encoder"))
    with pytest.raises(CaptureError, match="no weights in layer 0; its layers are 1, 3"):
        run("jamba", capture=al.Capture("weights", layers=0))
    with pytest.raises(CaptureError, match="Only the stage 'weights' can be reduced"):
        al.Capture("z", thumbnails=8)
    with pytest.raises(StageNotAvailable, match=r"\(tier tap\) does not expose 'q'; it has"):
        run("bloom", capture="q")
    with pytest.raises(CaptureError, match="No attention to show"):
        run("mamba")
    assert run("mamba", capture="final").final.shape == (13, 60)


def test_every_stage_of_the_design_is_there():
    assert set(STAGES) == {
        *("q_unrotated", "k_unrotated", "q", "k", "v"),
        *("scores", "scaled", "masked", "weights", "z"),
        *("resid_pre", "attn_out", "cross_out", "mlp_out", "resid_post", "final"),
    }
    shown = set(STAGES) - set(UNROTATED_STAGES)  # those are of our own transformer
    assert lab("t5").stages == shown
    trace = run("t5", capture=sorted(shown))
    assert trace.role("encoder").final.shape == (13, 48)
    assert trace.final.shape == (8, 48)
    assert trace.cross_out[2].shape == (8, 48)
    assert trace.scores[0].triu(1).any()  # the future's scores exist, its weights do not
