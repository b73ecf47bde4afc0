"""Positions in pretrained models: what was found of every family, and what cannot be taken."""

import copy

import pytest
import torch

import attnlab as al
from attnlab.errors import EditRefused
from attnlab.pretrained.binding import bind
from attnlab.trace import Row, Run
from tests.families import lab, model, names
from tests.pretrained.placing import GOAL, LONG, SHORT, P, off, run, seq2seq

ORDER_LEFT = {
    "a recurrence": "qwen3_next qwen3_5 falcon_h1 minimax bamba",
    "a convolution": "lfm2 mobilebert",
}
NOT_TAKEN = {
    "nothing was seen": "ctrl nemotron_h jamba zamba2 xlnet ibert prophetnet falcon_alibi",
    "not seen tells it": "deberta deberta_v2 mpnet convbert",
    "names the role": "longt5 pegasus_x led mamba rwkv fnet longformer",
}
HIDING_ONLY = "openai_gpt xglm gpt_neo bloom mpt falcon"
"""Decoders read at their softmax, where nothing can be shown that the model hides."""


READ = [name for name in names("causal", "masked", "seq2seq") if name != "nystromformer"]
"""All that can be run on a short text."""


def listed(table):
    return {name: why for why, names in table.items() for name in names.split()}


@pytest.mark.parametrize("name", READ)
def test_without_positions_and_mask_the_outputs_permute(name):
    """Every family: what tells order was found, or a sentence says that it was not."""
    role = "encoder" if seq2seq(name) else None
    edits = [P("none", role=role), al.Mask("bidirectional", role=role, native=False)]
    edits = edits[:1] if name in HIDING_ONLY.split() else edits
    why = listed(NOT_TAKEN).get(name)
    if why is not None:
        with pytest.raises(EditRefused, match=why):
            run(name, LONG, *edits)
        return
    order = torch.randperm(len(LONG), generator=torch.Generator().manual_seed(2))
    outputs = []
    for ids in (LONG, [LONG[i] for i in order]):
        trace = run(name, ids, *edits, capture="final", logits=None)
        outputs.append(trace.role("encoder").final if seq2seq(name) else trace.final)
    error = off(outputs[0][order], outputs[1]) / float(outputs[0].abs().max())
    told = name in listed(ORDER_LEFT) or name in HIDING_ONLY.split()
    assert error > 1e-2 if told else error <= 2.2e-5


FOUND = {
    "llama": ("decoder", ("rotary",), (10000.0,), 1.0, None),
    "phi": ("decoder", ("rotary",), (10000.0,), 0.4, None),
    "gptj": ("decoder", ("rotary",), (), 0.6, None),
    "deepseek_v3": ("decoder", ("rotary",), (10000.0,), 0.4, None),
    "gemma3": ("decoder", ("rotary",), (10000.0, 1000000.0), 1.0, None),
    "modernbert": ("encoder", ("rotary",), (10000.0, 160000.0), 1.0, None),
    "gpt2": ("decoder", ("table",), (), None, 64),
    "roberta": ("encoder", ("table",), (), None, 63),
    "bart": ("encoder", ("table",), (), None, 64),
    "t5": ("encoder", ("bias",), (), None, None),
    "bloom": ("decoder", ("bias",), (), None, None),
    "mamba": (None,),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_the_probe_finds(name):
    role, *facts = FOUND[name]
    found = lab(name).positions
    if role is None:
        assert not found
        return
    one = found[role]
    assert [one.kinds, one.bases, one.fraction, one.longest] == facts
    assert one.layered == (one.kinds != ("table",))
    assert one.learned == (True if one.kinds == ("table",) else None)
    assert one.sentence in lab(name).trust.positions


def test_a_table_of_sinusoids_and_a_stretched_rotation_are_told_apart():
    assert lab("xglm").positions["decoder"].learned is False
    assert lab("apertus").positions["decoder"].stretch == "llama3"


def test_identity_settings_change_nothing_and_no_run_leaves_a_trace():
    for name, edits in {
        "llama": (
            P("shifted", offset=0),
            P("base", base=10000.0),
            P("interpolated", factor=1),
            P("ntk", factor=1),
            P("yarn", factor=1),
        ),
        "gpt2": (P("shifted", offset=0),),
    }.items():
        plain = run(name).logits
        before = copy.deepcopy(model(name).config.to_dict())
        for edit in edits:
            assert torch.equal(run(name, LONG, edit).logits, plain), edit
        for edit in (P("none"), P("reversed"), P("shifted", offset=5)):
            assert not torch.equal(run(name, LONG, edit).logits, plain)
        assert torch.equal(run(name).logits, plain)
        assert model(name).config.to_dict() == before


@pytest.mark.parametrize("name", ["llama", "gpt2", "t5", "gemma3", "roberta_decoder", "bloom"])
def test_a_cache_changes_nothing(name):
    edits = [P("none"), P("shifted", offset=5), P("alibi"), P("shuffled"), P("reversed")]
    if name in ("llama", "gemma3"):
        edits += [P("base", base=100.0), P("ntk", factor=3), P("yarn", factor=2, original=8)]
        edits += [P("interpolated", factor=2), P("none", layers=1)]
    takes = lab(name).positions["decoder"].takes
    for edit in (e for e in edits if e.scheme in takes):
        options = {"max_new_tokens": 5, "capture": (), "edits": [edit]}
        options |= {"target": GOAL} if seq2seq(name) else {}
        cached, whole = (
            lab(name).generate(LONG, use_cache=cache, **options) for cache in (True, False)
        )
        assert cached.tokens == whole.tokens
        assert off(cached.logits, whole.logits) <= 2.2e-5, edit


@pytest.mark.parametrize("name", ["llama", "gpt2", "roberta", "t5", "gemma3", "opt", "xglm"])
def test_texts_of_one_batch_have_edits_of_their_own(name):
    """Each as if alone: its length decides how it is shuffled, and padding has no part in it."""
    texts = [LONG, SHORT, SHORT]
    each = [[P("shuffled", seed=3)], [P("reversed"), P("alibi")], []]
    goals = {"targets": [GOAL] * 3} if seq2seq(name) else {}
    role = {"role": "encoder"} if seq2seq(name) else {}
    each = [[al.Positions(e.scheme, seed=e.seed, **role) for e in edits] for edits in each]
    traces = lab(name).run_many(texts, each=each, capture=(), **goals)
    for ids, edits, trace in zip(texts, each, traces, strict=True):
        assert off(trace.logits, run(name, ids, *edits).logits) <= 1e-5
    goals = {"targets": [GOAL] * 2} if seq2seq(name) else {}
    same = lab(name).run_many(texts[:2], edits=each[0], capture=(), **goals)
    for ids, trace in zip(texts, same, strict=False):
        assert off(trace.logits, run(name, ids, *each[0]).logits) <= 1e-5


@pytest.mark.parametrize("make", [lab, lambda name: al.rebuild(lab(name))])
def test_rows_that_join_at_a_block_have_positions_of_their_own(make):
    """Where a rotation or bias reaches each layer; a table has been read by then."""
    one = make("llama")
    late = bind(one, [P("none", layers=(1, 2))], None)
    states = []
    for rows in ([Row(), Row(late, enters=1)], [Row(late)]):
        state = Run(rows)
        with torch.no_grad():
            states.append(one.forward(state, one.inputs([LONG], [None])).logits)
        state.finish()
    together, alone = states
    assert off(together[0], run("llama").logits) <= 1e-5
    assert off(together[1], alone[0]) <= 1e-5


@pytest.mark.parametrize(
    ("name", "edit", "said"),
    [
        ("gpt2", P("base", base=500), "no queries and keys were seen to turn"),
        ("gpt2", P("none", layers=0), "before the first layer"),
        ("gpt2", P("shifted", offset=60), "needs position 72; the table .* holds 0 to 63"),
        ("gpt2", P("shifted", offset=-1), "needs position -1"),
        ("llama", P("sinusoidal"), "no table of positions"),
        ("llama", P("none", heads=0), "heads= narrows 'alibi' only"),
        ("llama", P("none", layers=9), "layers 0 to 2"),
        ("llama", P("alibi", heads=6), "heads 0 to 5"),
        ("llama", P("none", role="encoder"), "names the role 'encoder'"),
        ("gptj", P("base", base=500), "could not be built anew"),
        ("gpt_neox", P("ntk", factor=2), "a single pair"),
        ("bart", P("alibi", role="cross"), "names the role 'cross'"),
        ("mamba", P("none"), "has positions in: none"),
    ],
)
def test_what_a_model_cannot_take_is_refused_before_the_run(name, edit, said):
    with pytest.raises(EditRefused, match=said):
        run(name, LONG, edit)


def test_a_generation_that_would_leave_the_table_is_refused_before_it_starts():
    with pytest.raises(EditRefused, match="needs position 64"):
        lab("gpt2").generate(LONG, max_new_tokens=5, edits=[P("shifted", offset=48)], capture=())


def test_smollm2_without_positions_and_mask_reads_a_bag_of_words(smollm2):
    ids = [t.id for t in smollm2.tokens("The dog bites the man because he is afraid of it.")]
    order = torch.randperm(len(ids), generator=torch.Generator().manual_seed(0))
    permuted = [ids[i] for i in order]
    free = (P("none"), al.Mask("bidirectional"))
    for edits, kept_order in ((free, False), ((P("none"),), True)):
        one, two = (smollm2.run(t, capture=(), edits=edits).logits for t in (ids, permuted))
        error = off(one[order], two)
        assert error > 1 if kept_order else error <= 1e-3
    plain = smollm2.run(ids, capture=()).logits
    shifted = smollm2.run(ids, capture=(), edits=[P("shifted", offset=100)]).logits
    assert off(shifted, plain) <= 1e-3
    found = smollm2.positions["decoder"]
    assert (found.base, found.fraction, found.original) == (100000.0, 1.0, 8192)
