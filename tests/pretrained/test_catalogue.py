"""The menu of models: consistent, searchable, and free of heavy imports."""

import re

import pytest

from attnlab.errors import ModelNotFound
from attnlab.pretrained import catalogue


def test_every_entry_is_complete_and_sits_under_its_own_name():
    for name, item in catalogue.CATALOGUE.items():
        assert name == item.name == name.lower()
        assert item.kind in ("decoder", "encoder", "encoder-decoder")
        assert item.embedded == (item.source != "hub")
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", item.hub_id) or item.source == "attnlab"
        assert item.licence and item.note.endswith(".") and item.params > 100_000


def test_the_embedded_models_come_first():
    embedded = [item.embedded for item in catalogue.CATALOGUE.values()]
    assert embedded == sorted(embedded, reverse=True)
    assert embedded.count(True) == 8
    assert catalogue.embedded_names().startswith("smollm2-135m, minilm-l6, dates, schemes/none")


@pytest.mark.parametrize("name", ["gpt2", " GPT2 ", "openai-community/gpt2"])
def test_a_name_or_a_hub_id_in_any_case_finds_the_entry(name):
    assert catalogue.lookup(name) is catalogue.CATALOGUE["gpt2"]


def test_an_unknown_name_is_none_or_an_error_that_names_the_nearest():
    assert catalogue.lookup("gtp2") is catalogue.lookup(" ") is None
    with pytest.raises(ModelNotFound, match=r"“gtp2”.*try gpt2"):
        catalogue.entry("gtp2")
    with pytest.raises(ModelNotFound, match=r"try smollm2-135m, minilm"):
        catalogue.entry("?")


def test_sizes_read_as_people_say_them():
    sizes = {name: item.size for name, item in catalogue.CATALOGUE.items()}
    assert sizes["smollm2-135m"] == "135M"
    assert re.fullmatch(r"\d+K", sizes["dates"])
    assert sizes["llama-3.2-1b"] == "1.2B"


def test_an_encoder_decoder_s_example_has_what_it_writes_and_no_other_s_has():
    for item in catalogue.CATALOGUE.values():
        if item.example is not None:
            shown = item.example
            assert shown.a and shown.b and shown.a != shown.b
            writes = item.kind == "encoder-decoder"
            assert bool(shown.target_a) is bool(shown.target_b) is writes
            assert shown.head is None or writes
