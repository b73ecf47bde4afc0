"""Rows that join the batch at a block, as copies of row 0, equal runs of their own."""

import pytest
import torch

import attnlab as al
from attnlab.errors import EditMissed
from attnlab.pretrained.binding import bind
from attnlab.trace import Capture, Row, Run
from tests.families import FAMILIES, lab, text

SOURCE, TARGET = text(13, seed=2), text(7, seed=4)
NAMES = (
    "gpt2 gpt_neox llama mistral qwen3_moe gemma2 gemma3 gpt_oss olmo2 phi opt deepseek_v3 lfm2 "
    "bert albert distilbert modernbert roberta t5 bart marian t5gemma gpt_neo deberta_v2"
)
"""Not Bloom: it folds its biases into the batch, for as many rows as come in."""


def inputs_of(name):
    goal = None
    if FAMILIES[name].task == "seq2seq":
        start = lab(name).run(SOURCE, capture=(), target=TARGET).tokens[0].id
        goal = [start, *TARGET]
    return lab(name).inputs([SOURCE], [goal])


def heads(name):
    """Two heads of every site of the main role and of cross-attention, in order of layer."""
    sites = [s for s in lab(name).sites if s.role != "encoder" or lab(name).main_role == "encoder"]
    sites.sort(key=lambda site: site.layer)
    return [(site, head) for site in sites for head in (0, site.heads - 1)]


def run(name, rows, captures=()):
    with torch.no_grad():
        state = Run(rows, tuple(captures))
        outputs = lab(name).forward(state, inputs_of(name))
    state.finish()
    return state, outputs.logits


@pytest.mark.parametrize("name", NAMES.split())
def test_every_row_equals_a_run_of_its_own(name):
    rows = [Row()]
    for site, head in heads(name):
        edits = bind(lab(name), [al.ZeroHead(site.layer, head, site.role)], None)
        rows.append(Row(edits, enters=site.layer))
    state, together = run(name, rows)
    assert state.batch == together.shape[0] == len(rows)
    _, plain = run(name, [Row()])
    assert (together[0] - plain[0]).abs().max() <= 1e-5
    for row, logits in zip(rows[1:], together[1:], strict=True):
        _, alone = run(name, [Row(row.edits)])
        assert (logits - alone[0]).abs().max() <= 1e-5
        assert (logits - plain[0]).abs().max() > 1e-4


def test_rows_with_edits_of_their_own_in_one_batch():
    edits = [
        (),
        (al.ZeroHead(0, 1),),
        (al.Temperature(2.0),),
        (al.ZeroHead(0, 1), al.Temperature(2.0)),
    ]
    rows = [Row(bind(lab("llama"), some, None)) for some in edits]
    ids = torch.tensor([SOURCE] * 4)
    state = Run(rows, (Capture("weights"), Capture("z")))
    with torch.no_grad():
        outputs = lab("llama").forward(state, {"input_ids": ids})
    for row, some in enumerate(edits):
        alone = lab("llama").run(SOURCE, edits=some, capture=("weights", "z"))
        assert (outputs.logits[row] - alone.logits).abs().max() <= 1e-5
        for stage in ("weights", "z"):
            for layer in range(3):
                kept = state.store.whole((stage, "decoder", layer))[row]
                assert torch.allclose(kept, getattr(alone, stage)[layer], atol=1e-6)


def test_what_is_kept_of_a_row_starts_where_it_enters():
    zero = bind(lab("gpt2"), [al.ZeroHead(1, 3)], None)
    state, _ = run("gpt2", [Row(), Row(zero, enters=1)], [Capture("z"), Capture("resid_pre")])
    sizes = [state.store.whole(("z", "decoder", layer)).shape[0] for layer in range(3)]
    assert sizes == [1, 2, 2]
    z = state.store.whole(("z", "decoder", 1))
    assert not z[1, 3].any() and z[0, 3].any()
    assert torch.equal(z[0, 2], z[1, 2])
    entering = state.store.whole(("resid_pre", "decoder", 1))
    assert torch.equal(entering[0], entering[1])


def test_a_row_that_joins_after_its_edit_is_an_error_though_another_row_has_that_edit():
    zero = bind(lab("gpt2"), [al.ZeroHead(1, 3)], None)
    with pytest.raises(EditMissed, match=r"ZeroHead\(1, 3\) reached no site in this run"):
        run("gpt2", [Row(), Row(zero, enters=1), Row(zero, enters=2)])
