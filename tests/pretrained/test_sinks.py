"""A learned sink is told by what rows leave over, never by a model's name."""

import pytest

from tests.families import lab, names

# The one family that cannot be run on a short text is refused at load, see test_families.py.
LOADED = [name for name in names("causal", "masked", "seq2seq") if name != "nystromformer"]


@pytest.mark.parametrize("name", LOADED)
def test_only_models_with_learned_sinks_have_them(name):
    found = lab(name).sinks
    learned = any("sink" in path for path, _ in lab(name).model.named_parameters())
    assert found == (frozenset({"decoder"}) if learned else frozenset()), name
