"""Masks in batches of texts: padding stays hidden, and each text has a mask of its own."""

import pytest
import torch

import attnlab as al
from tests.families import FAMILIES, lab, names, text
from tests.pretrained.masking import IDS, SHORT, WINDOW, N, off, target
from tests.pretrained.test_families import OTHERWISE

READS_NEIGHBOURS = "mobilebert"
"""It reads the embeddings of each token's neighbours too, padding among them, with no attention."""
TEXTS = [
    n for n in names("causal", "masked", "seq2seq") if n not in OTHERWISE and n != READS_NEIGHBOURS
]


@pytest.mark.parametrize("name", TEXTS)
def test_padding_stays_hidden_in_every_family(name):
    """A text and a shorter one, padded to its length, beside batches in which nothing is padded."""
    writes = FAMILIES[name].task == "seq2seq"
    sizes, goals = (N, len(SHORT)), [text(3), text(5)]
    if writes:
        sizes = (4, 6)
    role = lab(name).main_role
    masks = [
        (al.Mask("bidirectional", native=False), WINDOW, al.Mask.painted(_table(n))) for n in sizes
    ]

    def run(rows):
        given = {"targets": [goals[row] for row, _ in rows]} if writes else {}
        texts = [(IDS, SHORT)[row] for row, _ in rows]
        each = [(masks[row][which],) for row, which in rows]
        return lab(name).run_many(texts, each=each, capture="weights", **given)

    alike = [[(row, which) for which in range(3)] for row in range(2)]
    padded = run(alike[0] + alike[1])
    for found, right in zip(padded, run(alike[0]) + run(alike[1]), strict=True):
        assert off(found.logits, right.logits) <= 2e-5 * max(1, right.logits.abs().max())
        weights = (trace.role(role).weights.stack() for trace in (found, right))
        assert off(*weights) <= 1e-5


def _table(n):
    """Some of the past, and a little of the future."""
    return torch.ones(n, n).tril().triu(-2) + torch.eye(n).roll(2, 1)


def test_each_text_of_a_batch_has_a_mask_of_its_own():
    masks = [(), (WINDOW,), (al.Mask("bidirectional", heads=3),), (al.Mask("prefix", prefix=5),)]
    found = lab("llama").run_many([IDS] * 4, each=masks)
    for trace, edits in zip(found, masks, strict=True):
        assert off(trace.logits, lab("llama").run(IDS, edits=edits).logits) <= 1e-5


@pytest.mark.parametrize("name", ["llama", "bert", "t5"])
def test_a_mask_of_some_heads_beside_one_that_is_the_same_for_all(name):
    """Whichever comes first: the table of a batch has heads of its own, or has none yet."""
    some, alone = al.Mask("causal", heads=0), al.Mask("window", window=2, native=False)
    for each in ([[some], [alone]], [[alone], [some]], [[], [some]], [[alone], []]):
        goals = {"targets": [SHORT, SHORT]} if name == "t5" else {}
        found = lab(name).run_many([SHORT, IDS], each=each, **goals)
        for trace, ids, edits in zip(found, (SHORT, IDS), each, strict=True):
            right = lab(name).run(ids, edits=edits, **target(name)).logits
            assert off(trace.logits, right) <= 1e-5


@pytest.mark.parametrize("left", [False, True], ids=["right", "left"])
def test_padding_of_ones_own_is_found(left):
    pad = [0] * (N - len(SHORT))
    rows = torch.tensor([IDS, pad + SHORT if left else SHORT + pad])
    real = torch.ones_like(rows)
    real[1, slice(0, len(pad)) if left else slice(len(SHORT), None)] = 0
    inputs = {"input_ids": rows, "attention_mask": real}
    for native in (True, False):
        mask = al.Mask("bidirectional", native=native)
        weights = lab("llama").run_many(inputs, edits=[mask])[1].weights[1]
        assert not weights[:, :, real[1] == 0].any()
        assert bool((weights[:, real[1] == 1][:, :, real[1] == 1] > 0).all())


@pytest.mark.parametrize("left", [False, True], ids=["right", "left"])
@pytest.mark.parametrize("name", ["llama", "bert"])
def test_positions_count_from_the_first_real_token(name, left):
    n, pad = len(SHORT), [0] * 3
    ids = torch.tensor([pad + SHORT if left else SHORT + pad])
    own = slice(3, None) if left else slice(0, n)
    real = torch.zeros_like(ids)
    real[0, own] = 1
    options = {"position_ids": (real.cumsum(1) - 1).clamp(min=0)} if name == "bert" else {}
    inputs = {"input_ids": ids, "attention_mask": real} | options
    for mask in (
        al.Mask("window", window=2, sinks=1),
        al.Mask("prefix", prefix=3),
        al.Mask("document", documents=[0, 0, 1, 1, 1, 2]),
        al.Mask.painted(_table(n)),
        al.Mask("global", window=1, globals=(2,), native=False),
        al.Mask("causal", hidden=((4, 1),)),
    ):
        padded = lab(name).run_many(inputs, edits=[mask])[0].weights.stack()[:, :, own, own]
        assert off(padded, lab(name).run(SHORT, edits=[mask]).weights.stack()) <= 1e-5, mask


@pytest.mark.parametrize("name", ["llama", "bert"])
def test_what_an_earlier_mask_hides_is_no_padding(name):
    """Of one's own inputs padding is told by the model's own mask, not by an edit's."""
    table = torch.ones(N, N).bool()
    table[:, 0] = False
    inputs = {"input_ids": torch.tensor([IDS]), "attention_mask": torch.ones(1, N).long()}
    for later in (al.Mask("document", documents=[0] * 3 + [1] * (N - 3)), WINDOW):
        edits = (al.Mask.painted(table), later)
        found = lab(name).run(inputs, edits=edits).weights.stack()
        assert off(found, lab(name).run(IDS, edits=edits).weights.stack()) <= 1e-6
