"""Who may see whom: the tables of the three kinds, and that real models have them."""

import pytest
import torch

import attnlab as al
from attnlab.analysis.sight import KINDS, kind_of, measured, table
from tests import families

IDS = [5, 6, 7, 8, 9]


def drawn(seen: torch.Tensor) -> list[str]:
    return ["".join("x" if cell else "." for cell in row) for row in seen.tolist()]


def test_the_three_kinds():
    assert drawn(table("encoder", 3)) == ["xxx", "xxx", "xxx"]
    assert drawn(table("decoder", 3)) == ["x..", "xx.", "xxx"]
    assert drawn(table("encoder-decoder", 2, 2)) == ["xx..", "xx..", "xxx.", "xxxx"]
    with pytest.raises(KeyError):
        table("recurrent", 3)


@pytest.mark.parametrize(
    ("family", "kind"), [("llama", "decoder"), ("gpt2", "decoder"), ("bert", "encoder")]
)
def test_a_real_model_has_the_mask_of_its_kind_in_every_layer(family: str, kind: str):
    lab = al.load(families.build(family), tokenizer=None)
    seen = measured(lab, IDS)
    assert set(seen) == set(lab.layers())
    assert {kind_of(one, len(IDS)) for one in seen.values()} == {kind}


def test_an_encoder_decoder_has_all_three_in_one():
    lab = al.load(families.build("t5"), tokenizer=None)
    seen = measured(lab, IDS, target=[5, 6])
    assert seen
    for one in seen.values():
        assert one.shape == (8, 8)  # what is written starts with the start token
        assert kind_of(one, len(IDS)) == "encoder-decoder"


def test_a_window_is_none_of_the_kinds():
    lab = al.load(families.build("mistral"), tokenizer=None)
    window = lab.model.config.sliding_window
    seen = measured(lab, list(range(5, 5 + window + 3)))
    for one in seen.values():
        assert kind_of(one, window + 3) == ""
        assert one.sum(-1).max() == window


def test_a_kind_fits_itself_alone():
    for kind in KINDS:
        written = 3 if kind == "encoder-decoder" else 0
        assert kind_of(table(kind, 4, written), 4) == kind


def test_one_token_cannot_tell():
    assert kind_of(table("decoder", 1), 1) == ""
