"""Every family: the same output as transformers' eager attention, with every stage captured.

The table below says which families are read at their softmax or not at all, and why; every other
family runs our attention. A family that comes to be read better makes its line fail.
"""

import pytest
import torch

from attnlab.errors import UnsupportedModel
from attnlab.pretrained.inputs import keywords
from attnlab.trace import Capture, Row, Run
from tests.families import FAMILIES, lab, model, raw_inputs, reads_ids, text

OWN_CODE = "computes attention in code of its own"
OTHERWISE = {
    "openai_gpt": ("tap", OWN_CODE),
    "xglm": ("tap", OWN_CODE),
    "gpt_neo": ("tap", OWN_CODE),
    "bloom": ("tap", OWN_CODE),
    "mpt": ("tap", OWN_CODE),
    "falcon": ("tap", OWN_CODE),
    "falcon_alibi": ("tap", OWN_CODE),
    "xlnet": ("tap", OWN_CODE),
    "megatron_bert": ("tap", OWN_CODE),
    "big_bird": ("tap", OWN_CODE),
    "mvp": ("tap", OWN_CODE),
    "deberta": ("tap", OWN_CODE),
    "deberta_v2": ("tap", OWN_CODE),
    "mpnet": ("tap", OWN_CODE),
    "rembert": ("tap", OWN_CODE),
    "roformer": ("tap", OWN_CODE),
    "xlm": ("tap", OWN_CODE),
    "flaubert": ("tap", OWN_CODE),
    "convbert": ("tap", OWN_CODE),
    "squeezebert": ("tap", OWN_CODE),
    "ibert": ("tap", OWN_CODE),
    "prophetnet": ("tap", OWN_CODE),
    "mamba": ("none", "no softmax was seen"),
    "rwkv": ("none", "no softmax was seen"),
    "fnet": ("none", "no softmax was seen"),
    "longformer": ("none", "no softmax over whole rows of keys"),
    "led": ("tap", "Its encoder attention cannot be shown"),
    "nystromformer": ("refused", "cannot be run on a short text"),
}
RETURNED_OTHERWISE = {
    "minimax": "returns something for its layers of linear attention too",
    "diffllama": "returns one map a layer for two attentions, one subtracted from the other",
    "prophetnet": "returns scores, not weights",
    "squeezebert": "returns scores, not weights",
    "swin": "returns a map for each window",
    "clip": "returns them one level down, for each tower",
    "siglip": "returns them one level down, for each tower",
}
READ = [name for name in FAMILIES if OTHERWISE.get(name, ("dispatch",))[0] in ("dispatch", "tap")]
SHORT, LONG = text(9, seed=1), text(13, seed=2)
GOALS = {"seq2seq": [text(7, seed=4), text(5, seed=6)]}


def eager(name, inputs, **options):
    """What the untouched model gives; without a cache, which ProphetNet's own code trips over."""
    switch = {"use_cache": False} if "use_cache" in keywords(model(name)) else {}
    with torch.no_grad():
        return model(name)(**inputs, **switch, **options)


def output(outputs):
    return next(
        getattr(outputs, field)
        for field in ("logits", "logits_per_text", "last_hidden_state")
        if getattr(outputs, field, None) is not None
    )


def batch(name, pad_left=False):
    """The two texts as a padded batch in the form that transformers takes."""
    rows = [LONG, [0] * (len(LONG) - len(SHORT)) + SHORT if pad_left else SHORT + [0] * 4]
    ids = torch.tensor(rows)
    mask = torch.ones_like(ids)
    mask[1, slice(0, 4) if pad_left else slice(9, None)] = 0
    inputs = {"input_ids": ids, "attention_mask": mask}
    if FAMILIES[name].task == "seq2seq":
        start = lab(name).run(SHORT, capture=()).tokens[0].id
        long, short = GOALS["seq2seq"]
        inputs["decoder_input_ids"] = torch.tensor([[start, *long], [start, *short, 0, 0]])
    return inputs


@pytest.mark.parametrize("name", FAMILIES)
def test_how_a_family_is_read(name):
    tier, reason = OTHERWISE.get(name, ("dispatch", ""))
    if tier == "refused":
        with pytest.raises(UnsupportedModel, match=reason):
            lab(name)
        return
    assert lab(name).tier == lab(name).trust.tier == tier
    assert reason in " ".join((lab(name).trust.sentence, *lab(name).trust.notes))
    assert (tier == "dispatch") == (reason == "")


def test_most_families_are_read():
    assert len(READ) >= 65
    assert set(OTHERWISE) <= set(FAMILIES)
    assert len(FAMILIES) >= 89


@pytest.mark.parametrize("captured", [False, True], ids=["plain", "every stage"])
@pytest.mark.parametrize("name", [name for name in READ if reads_ids(name)])
def test_output_equals_eager_with_padding_on_the_right(name, captured):
    reference = output(eager(name, batch(name)))
    s2s = FAMILIES[name].task == "seq2seq"
    traces = lab(name).run_many(
        [LONG, SHORT],
        targets=GOALS["seq2seq"] if s2s else None,
        capture=sorted(lab(name).stages) if captured else (),
    )
    for row, trace in enumerate(traces):
        assert trace.logits.shape[0] == len(trace.tokens)
        off = (trace.logits - reference[row, : len(trace.tokens)]).abs().max()
        assert off <= 1e-5


@pytest.mark.parametrize("name", [name for name in READ if FAMILIES[name].task == "causal"])
def test_output_equals_eager_with_padding_on_the_left(name):
    inputs = batch(name, pad_left=True)
    reference = output(eager(name, inputs))
    traces = lab(name).run_many(inputs, capture=sorted(lab(name).stages))
    for row, trace in enumerate(traces):
        real = inputs["attention_mask"][row].bool()
        assert (trace.logits - reference[row])[real].abs().max() <= 1e-5


@pytest.mark.parametrize("name", [name for name in READ if not reads_ids(name)])
def test_output_equals_eager_on_pictures_and_sound(name):
    reference = output(eager(name, raw_inputs(name)))
    run = Run([Row()] * 2, tuple(map(Capture, sorted(lab(name).stages))))
    found = output(lab(name).forward(run, raw_inputs(name)))
    assert (found - reference).abs().max() <= 1e-5


def returned(outputs, role):
    """The weights of a role's layers that eager attention hands out."""
    found = getattr(outputs, f"{role}_attentions", None)
    found = outputs.attentions if found is None else found
    return [weights for weights in found if weights is not None]


@pytest.mark.parametrize("name", [name for name in READ if name not in RETURNED_OTHERWISE])
def test_captured_weights_equal_those_that_eager_returns(name):
    fed = batch(name) if reads_ids(name) else raw_inputs(name)
    outputs = eager(name, fed, output_attentions=True)
    if reads_ids(name):
        goals = GOALS["seq2seq"] if FAMILIES[name].task == "seq2seq" else None
        traces = lab(name).run_many([LONG, SHORT], targets=goals)
    else:
        traces = lab(name).run_many(fed)
    for role in {site.role for site in lab(name).sites}:
        sites = [site for site in lab(name).sites if site.role == role]
        for site, right in zip(sites, returned(outputs, role), strict=True):
            for row, trace in enumerate(traces):
                weights = trace.role(role).weights[site.layer]
                queries, keys = weights.shape[1:]
                assert weights.shape[0] == site.heads
                assert (weights - right[row, :, :queries, :keys]).abs().max() <= 1e-6
