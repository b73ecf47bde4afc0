"""What is not understood is refused by name: never run, never run wrong."""

import pytest
import torch

import attnlab as al
from attnlab.errors import AttnLabError, RebuildRefused
from attnlab.pretrained.rebuild.attributes import _HARMLESS, FAMILIES, Attributes
from attnlab.pretrained.rebuild.rebuilt import KNOWN
from tests.families import build, lab, tokenizer
from tests.pretrained.rebuild import VARIANTS

OTHERS = [
    ("llama_dynamic", {}, r"rope_type = 'dynamic'"),
    ("llama", {"hidden_act": "quick_gelu"}, "hidden_act = 'quick_gelu'"),
    ("gpt2", {"add_cross_attention": True}, "add_cross_attention = True"),
    ("gpt2", {"activation_function": "tanh"}, "activation_function = 'tanh'"),
    ("bert_relative", {}, "position_embedding_type = 'relative_key'"),
    ("t5", {"feed_forward_proj": "gated-tanh"}, "dense_act_fn = 'tanh'"),
]


@pytest.mark.parametrize(("family", "changes", "said"), OTHERS)
def test_a_setting_that_we_lack(family, changes, said):
    with pytest.raises(RebuildRefused, match=said) as caught:
        al.rebuild(al.load(build(family, **changes)))
    assert FAMILIES in str(caught.value)


@pytest.mark.parametrize("family", ["gpt2", "gpt_neox", "llama", "qwen2", "bert", "t5"])
def test_an_attribute_that_nobody_knows(family):
    """One that a new version of transformers, or of a model, might bring."""
    loaded = lab(family)
    values = loaded.model.config.to_dict()
    for value in (0.5, "something", [1, 2], False):
        left = Attributes(values | {"residual_multiplier": value}, "This model")
        kind = next(k for k in KNOWN if loaded.model.config.model_type in k.types)
        kind.plan(left, "", True)
        with pytest.raises(RebuildRefused, match="does not know residual_multiplier = "):
            left.finish()
    made = build(family)
    made.config.attention_softcap = 30.0
    with pytest.raises(RebuildRefused, match=r"attention_softcap = 30\.0, which .* sets"):
        al.rebuild(al.load(made))


def test_what_the_variants_switch_is_not_called_harmless():
    """Each switch of a variant changes what is computed, so that none may be overlooked."""
    same = {"reorder_and_upcast_attn"}  # the same sums, in another order
    switched = {name for _, changes in VARIANTS.values() for name in changes}
    assert len(switched) > 15
    assert switched & _HARMLESS == same


@pytest.mark.parametrize("family", ["gpt2", "gpt_neox", "llama", "bert", "t5"])
def test_what_is_called_harmless_changes_nothing(family):
    """Rates of dropout and of initialisation, all changed: the logits are the model's own."""
    values = lab(family).model.config.to_dict()
    rates = {n: 0.3 for n in _HARMLESS & set(values) if isinstance(values[n], float)}
    assert rates
    plain = al.rebuild(lab(family)).transformer.state_dict()
    ours = al.rebuild(al.load(build(family, **rates)))
    assert ours.trust.difference <= 1e-5
    assert ours.transformer.state_dict().keys() == plain.keys()


def test_families_that_we_do_not_take():
    for name in ("bloom", "gemma2", "mixtral", "bart", "distilbert", "qwen3", "opt", "falcon"):
        with pytest.raises(RebuildRefused, match=f"takes models of {FAMILIES}; .* which is none"):
            al.rebuild(lab(name))


def test_a_head_that_we_lack():
    from transformers import AutoModelForSequenceClassification

    made = AutoModelForSequenceClassification.from_config(build("bert").config).eval()
    with pytest.raises(RebuildRefused, match="BertForSequenceClassification, which is none"):
        al.rebuild(al.load(made))


def test_a_weight_that_has_no_place():
    made = build("llama")
    made.model.layers[1].self_attn.register_parameter("extra", torch.nn.Parameter(torch.zeros(3)))
    with pytest.raises(RebuildRefused, match=r"no place for model\.layers\.1\.self_attn\.extra"):
        al.rebuild(al.load(made))


def test_a_weight_that_is_missing_or_of_another_shape():
    made = build("llama")
    made.model.layers[1].mlp.gate_proj = torch.nn.Sequential(made.model.layers[1].mlp.gate_proj)
    with pytest.raises(RebuildRefused, match=r"has no weight model\.layers\.1\.mlp\.gate_proj"):
        al.rebuild(al.load(made))
    made = build("llama")
    made.model.layers[0].mlp.up_proj = torch.nn.Linear(48, 36, bias=False)
    made.model.layers[0].mlp.gate_proj = torch.nn.Linear(48, 36, bias=False)
    made.model.layers[0].mlp.down_proj = torch.nn.Linear(36, 48, bias=False)
    with pytest.raises(RebuildRefused, match="is float32 36 × 48; our transformer needs float32"):
        al.rebuild(al.load(made))


def test_a_model_that_was_changed_is_seen_by_its_logits():
    """A hook of the caller's changes what the model computes, and nothing says so."""
    made = build("gpt2")
    made.transformer.h[1].mlp.register_forward_hook(lambda module, args, output: output * 1.1)
    with pytest.raises(RebuildRefused, match="output differs from that of GPT2LMHeadModel by"):
        al.rebuild(al.load(made))


def test_weights_of_several_types():
    made = build("gpt2")
    loaded = al.load(made)
    made.transformer.ln_f.double()
    with pytest.raises(RebuildRefused, match="several types: float32, float64"):
        al.rebuild(loaded)


def test_the_model_is_left_as_it_was():
    made = build("gpt2")
    made.set_attn_implementation("sdpa")
    hooks = [len(m._forward_pre_hooks) for m in made.modules()]
    al.rebuild(al.load(made, tokenizer=tokenizer()))
    assert made.config._attn_implementation == "sdpa"
    assert hooks == [len(m._forward_pre_hooks) for m in made.modules()]
    assert all(p.requires_grad for p in made.parameters())


def test_a_name_that_fills_a_page_is_cut():
    made = build("gpt2")
    setattr(made.config, "x" * 9000, "y" * 9000)
    with pytest.raises(RebuildRefused) as caught:
        al.rebuild(al.load(made))
    assert len(str(caught.value)) < 400


def test_it_is_one_of_our_errors():
    assert issubclass(RebuildRefused, AttnLabError)
    for word in ("GPT-2", "T5", "Mistral"):
        assert word in FAMILIES


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
@pytest.mark.parametrize("family", ["gpt2", "llama", "bert", "t5"])
def test_other_precisions(family, dtype):
    """In float64 transformers still turns queries and takes lengths in float32; ours does not."""
    made = build(family).to(getattr(torch, dtype))
    ours = al.rebuild(al.load(made))
    assert ours.trust.dtype == dtype
    assert ours.trust.difference <= (1e-5 if dtype == "float64" else 0.03 * ours.trust.largest)
