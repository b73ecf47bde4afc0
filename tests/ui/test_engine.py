"""What is typed as a model, and the keys that results are kept under."""

from types import SimpleNamespace

import pytest

from attnlab.ui.engine import EffectKey, LabKey, Passage, Reader, named


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("smollm2-135m", ("smollm2-135m", None)),
        (" gpt2 ", ("gpt2", None)),
        ("owner/name", ("owner/name", None)),
        ("owner/name@v1.0", ("owner/name", "v1.0")),
        ("./models@home/mine", ("./models@home/mine", None)),
        ("/models/a@b", ("/models/a@b", None)),
        ("~/a@b", ("~/a@b", None)),
    ],
)
def test_a_hub_id_may_name_a_revision(typed: str, expected: tuple[str, str | None]):
    assert named(typed) == expected


@pytest.mark.parametrize(
    ("model", "title"), [("minilm-l6", "MiniLM L6"), ("owner/name", "owner/name")]
)
def test_sentences_call_a_model_as_the_catalogue_does(model: str, title: str):
    key = LabKey(model, None, "cpu", "float32")
    assert Reader(SimpleNamespace(name=model), key, "encoder").title == title


def test_every_argument_makes_another_key():
    lab = ("owner/name", None, "cpu", "float32")
    keys = {LabKey(*lab)}
    for place, other in enumerate(("other", "v1", "cuda", "bfloat16")):
        keys.add(LabKey(*lab[:place], other, *lab[place + 1 :]))
    assert len(keys) == 5
    zero, mean = '[{"kind": "zero_head"}]', '[{"kind": "mean_head"}]'
    effects = {EffectKey(LabKey(*lab), Passage("text"), edits, 3) for edits in (zero, mean)}
    assert len(effects) == 2
