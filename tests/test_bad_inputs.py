"""Inputs that broke other tools, one test a row of the list, named by its number.

A row is tested where it broke: here in the core (1 to 3, 8 to 19, 21 to 23), in
pages/test_bad_inputs_page.py where the page was it (1 to 7, 10, 17, 18, 20 to 24), and in a real
browser where only that can tell: in the app, browser/test_hostile.py (4 to 6) and test_long.py (7);
in a drawn component, test_components.py (5, 10, 17) and test_words_and_lists.py (24).
"""

import re
import time
from pathlib import Path

import pytest
import torch

import attnlab as al
from attnlab.analysis.lens import logit_lens
from attnlab.analysis.maps import row_sums
from attnlab.errors import EditMissed, EmptyText, InputError, ModelNotReachable, TextTooLong
from attnlab.pretrained.tokens import joined
from attnlab.trace.edits import Bound
from tests.families import build, lab, model, text, tokenizer
from tests.pretrained import by_hand

SENTENCE = "The animal didn't cross the street because it was too wide."
IDS = text(12, seed=1)
IN_THE_PAGE = {1, 2, 3, 4, 5, 6, 7, 10, 17, 18, 20, 21, 22, 23, 24}
IN_THE_BROWSER = {4, 5, 6, 7, 10, 17, 24}


def rows_tested(folder: Path) -> set[int]:
    """The rows that tests below `folder`, or their parameters, are named by."""
    sources = [path.read_text(encoding="utf-8") for path in folder.rglob("test_*.py")]
    return {int(row) for row in re.findall(r"row_(\d+)_", "\n".join(sources))}


def test_every_row_has_a_test_where_it_broke():
    tests = Path(__file__).parent
    assert rows_tested(tests) == set(range(1, 25))
    assert rows_tested(tests / "pages") == IN_THE_PAGE
    assert rows_tested(tests / "browser") == IN_THE_BROWSER


def test_row_1_accents_and_greek_are_readable_with_raw_and_id_beside(smollm2):
    tokens = smollm2.run("Seán Γεια σου", capture=()).tokens
    assert joined(tokens) == "Seán Γεια σου"
    assert [token.id for token in tokens] == smollm2.tokenizer("Seán Γεια σου")["input_ids"]
    assert any("Ã" in token.raw for token in tokens)


def test_row_2_a_character_over_several_tokens_is_grouped(smollm2):
    tokens = smollm2.run("I 💩 日本", capture=()).tokens
    assert [token.piece for token in tokens if "💩" in token.text] == [(1, 3), (2, 3), (3, 3)]
    assert not any("�" in token.text for token in tokens)


def test_row_3_no_markers_of_the_tokenizer_are_shown(smollm2, minilm):
    assert [t.text for t in smollm2.tokens("a\n street")] == ["a", "↵", " street"]
    assert [t.text for t in minilm.tokens("tokenization")][1:-1] == [" token", "ization"]


def test_row_8_attention_is_captured_whatever_the_models_implementation():
    made = build("llama")
    made.set_attn_implementation("sdpa")
    weights = al.load(made).run(IDS).weights.stack()
    with torch.no_grad():
        right = model("llama")(torch.tensor([IDS]), output_attentions=True).attentions
    assert torch.allclose(weights, torch.stack(right)[:, 0], atol=1e-6)


@pytest.mark.parametrize("name", ["llama", "gpt2", "opt", "bloom", "falcon_alibi", "gemma3"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_row_9_padding_on_the_left_gives_the_logits_of_the_text_alone(name, dtype):
    ours = lab(name) if dtype == torch.float32 else al.load(build(name).to(dtype))
    short = IDS[:5]
    mask = torch.tensor([[1] * 12, [0] * 7 + [1] * 5])
    fed = {"input_ids": torch.tensor([IDS, [0] * 7 + short]), "attention_mask": mask}
    if name == "gpt2":  # its own code counts positions from the left end, padding or not
        fed["position_ids"] = (mask.cumsum(-1) - 1).clamp(min=0)
    stages = sorted(ours.stages)
    for trace, ids in zip(ours.run_many(fed, capture=stages), (IDS, short), strict=True):
        assert torch.isfinite(trace.logits).all()
        kept = [kept.tensor for layers in trace.values.values() for kept in layers.values()]
        assert not any(tensor.isnan().any() for tensor in kept)
        alone = ours.run(ids, capture=()).logits
        allowed = 2e-5 if dtype == torch.float32 else 0.02 * float(alone.abs().max())
        assert (trace.logits[-len(ids) :] - alone).abs().max() <= allowed


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("name", ["llama", "gpt_neo", "bloom", "falcon_alibi", "mpt", "openai_gpt"])
def test_row_10_a_row_with_every_key_masked_is_empty(name, half):
    """The first three are padding; some of these models hide the future by −10,000 or −65,504."""
    ours = al.load(build(name).half()) if half else lab(name)
    mask = torch.tensor([[0, 0, 0] + [1] * 9])
    fed = {"input_ids": torch.tensor([IDS]), "attention_mask": mask}
    for edits in ((), al.Temperature(7.0)):
        weights = ours.run(fed, edits=edits).weights.stack()
        assert not weights[:, :, :3].any()
        assert not weights[..., :3].any()
        sums = weights[:, :, 3:].sum(-1)
        assert torch.allclose(sums, torch.ones_like(sums), atol=2e-3 if half else 1e-6)


def test_row_11_eight_query_heads_share_two_key_value_heads_in_order():
    made = build("llama", num_attention_heads=8, num_key_value_heads=2)
    trace = al.load(made).run(IDS, capture=("v", "weights", "z"))
    for head in range(8):
        z = trace.weights[1, head] @ trace.v[1, head // 4]
        assert torch.allclose(trace.z[1, head], z, atol=1e-6)
    with torch.no_grad():
        assert torch.allclose(trace.logits, made(torch.tensor([IDS])).logits[0], atol=1e-5)


def test_row_12_a_head_is_taken_out_before_the_output_projection():
    """The projection's bias stays: zeroing after it would remove more than the head."""
    projection = "transformer.h.1.attn.c_proj"
    with by_hand.on_head(model("gpt2"), projection, 2, 6, by_hand.zero):
        right = by_hand.outputs(model("gpt2"), {"input_ids": torch.tensor([IDS])})
    found = lab("gpt2").run(IDS, edits=[al.ZeroHead(1, 2)], capture=("z", "attn_out"))
    assert (found.logits - right).abs().max() <= 1e-6
    reads = found.z[1].transpose(0, 1).flatten(1)
    with torch.no_grad():
        others = model("gpt2").get_submodule(projection)(reads)
    assert torch.allclose(found.attn_out[1], others, atol=1e-5)
    assert not found.z[1, 2].any()


class Nowhere(al.Edit):
    """An edit that no site of a run comes by."""

    def sites(self, runner):
        return list(runner.sites)

    def bind(self, runner, donor):
        return Bound(self, frozenset({"z"}), lambda place: False, lambda stage, z, where: z)


def test_row_13_an_edit_that_the_model_would_ignore_is_an_error():
    bert = lab("bert")
    with pytest.raises(al.errors.EditRefused, match="names layer 5"):
        bert.run(IDS, edits=[al.ZeroHead(5, 0)])
    plain = bert.run(IDS).logits
    for edit in (al.ZeroHead(1, 2), al.MeanHead(1, 2), al.Temperature(2.0)):
        assert (bert.run(IDS, edits=[edit]).logits - plain).abs().max() > 1e-4
    with pytest.raises(EditMissed, match="reached no site in this run"):
        bert.run(IDS, edits=[Nowhere()])


def test_row_14_after_an_error_in_an_edited_run_the_next_is_as_before():
    before = lab("gpt2").run(IDS)

    def fail(done):
        if done > 0.5:
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        lab("gpt2").run(IDS, edits=[al.ZeroHead(0, 1), al.Temperature(3.0)], progress=fail)
    after = lab("gpt2").run(IDS)
    assert torch.equal(before.logits, after.logits)
    assert torch.equal(before.weights.stack(), after.weights.stack())


@pytest.mark.parametrize("name", ["gpt_neox", "gpt_neox_sequential"])
def test_row_15_parallel_and_sequential_blocks_both_add_up(name):
    trace = lab(name).run(IDS, capture=("resid_pre", "attn_out", "mlp_out", "resid_post"))
    layers = model(name).gpt_neox.layers
    for layer, block in enumerate(layers):
        before, attn, mlp = (getattr(trace, s)[layer] for s in ("resid_pre", "attn_out", "mlp_out"))
        assert torch.allclose(before + attn + mlp, trace.resid_post[layer], atol=1e-5)
        read = before if name == "gpt_neox" else before + attn
        with torch.no_grad():
            right = block.mlp(block.post_attention_layernorm(read))
        assert torch.allclose(mlp, right, atol=1e-5)


def test_row_16_sliding_windows_and_soft_caps():
    trace = lab("gemma2").run(IDS, capture=("weights", "scores", "scaled"))
    with torch.no_grad():
        right = model("gemma2")(torch.tensor([IDS])).logits[0]
    assert (trace.logits - right).abs().max() <= 1e-5
    past = torch.ones(12, 12, dtype=torch.bool).tril()
    for layer, seen in enumerate((past.triu(-3), past, past.triu(-3))):
        assert torch.equal(trace.weights[layer] > 0, seen.expand(6, -1, -1))
        scaled = trace.scores[layer] * 7**-0.5
        assert torch.allclose(trace.scaled[layer], 3 * torch.tanh(scaled / 3), atol=1e-5)
        assert scaled.abs().max() > 3 > trace.scaled[layer].abs().max()


def test_row_17_learned_sinks_take_an_explicit_share():
    trace = lab("gpt_oss").run(IDS, capture=("weights", "masked"))
    sinks = model("gpt_oss").model.layers[1].self_attn.sinks.detach()
    for head in range(6):
        logits = torch.cat([trace.masked[1, head], sinks[head].expand(12, 1)], -1)
        share = logits.softmax(-1)[:, -1]
        assert torch.allclose(1 - row_sums(trace.weights[1, head]).float(), share, atol=1e-6)
        assert share.max() > 0.05


def test_row_18_the_tokens_shown_are_the_ids_fed(smollm2, minilm):
    for ours, special in ((smollm2, 0), (minilm, 2)):
        shown = ours.tokens("hello world!")
        assert [t.id for t in shown] == ours.tokenizer("hello world!")["input_ids"]
        assert tuple(shown) == ours.run("hello world!", capture=()).tokens
        assert sum(t.special for t in shown) == special


def test_row_19_the_logit_lens_after_the_last_layer_is_the_models_own_prediction(smollm2):
    found = logit_lens(smollm2, SENTENCE, (5, 12))
    right = smollm2.run(SENTENCE, capture=()).logits[[5, 12]]
    assert (found[-1] - right).abs().max() <= 1e-4
    assert found[-1].argmax(-1).tolist() == right.argmax(-1).tolist()
    assert (found[10] - right).abs().max() > 1


def test_row_21_without_a_network_the_rest_is_one_sentence_and_quick(smollm2):
    assert smollm2.run(SENTENCE, logits="last").logits is not None
    for source in ("gpt2", "t5-small", "somebody/some-model"):
        start = time.perf_counter()
        with pytest.raises(ModelNotReachable) as caught:
            al.load(source)
        assert time.perf_counter() - start < 10
        assert str(caught.value).count(".") == 1 and "\n" not in str(caught.value)


def test_row_22_a_local_folder_with_a_fine_tuned_model_loads(tmp_path):
    made = build("gpt2")
    with torch.no_grad():
        made.transformer.h[0].mlp.c_fc.weight.mul_(1.5)  # fine-tuned
    made.save_pretrained(tmp_path)
    tokenizer().save_pretrained(tmp_path)
    ours = al.load(tmp_path)
    trace = ours.run("w7 w11 w96 w5")
    assert [token.id for token in trace.tokens] == [7, 11, 96, 5]
    right = by_hand.outputs(made, {"input_ids": torch.tensor([[7, 11, 96, 5]])})
    assert (trace.logits - right).abs().max() <= 1e-6


@pytest.mark.parametrize(
    "given, error, sentence",
    [
        ("", EmptyText, "There is no text; type at least one word."),
        ("word " * 20_000, TextTooLong, r"This is .*,\d{3} tokens; .* takes at most [\d,]+\."),
        ([], EmptyText, "There are no token ids; pass at least one."),
        ([-1], InputError, "-1 is no token id of"),
        ([1.5], InputError, "A list of token ids takes whole numbers, not 1.5."),
        (None, InputError, "A text is a string or a list of token ids."),
        (7, InputError, "A text is a string or a list of token ids."),
    ],
)
def test_row_23_texts_that_cannot_run_are_answered_by_a_sentence(
    smollm2, minilm, given, error, sentence
):
    for ours in (smollm2, minilm):
        start = time.perf_counter()
        with pytest.raises(error, match=sentence):
            ours.run(given)
        assert time.perf_counter() - start < 5


@pytest.mark.parametrize("given", ["a", "💩", "\0", "\x07\x1b", "   ", "\n\t", "a\0b", "\u202e"])
def test_row_23_odd_texts_run_or_are_answered_by_a_sentence(smollm2, minilm, given):
    for ours in (smollm2, minilm):
        try:
            trace = ours.run(given)
        except EmptyText as error:
            assert str(error) == f"{ours.name} makes no token of this text; type at least one word."
        else:
            n = len(trace.tokens)
            assert trace.weights.stack().shape[-2:] == (n, n)
            assert torch.isfinite(trace.weights.stack()).all()
