"""The explanations are short, and no two say the same."""

import pytest

from attnlab.ui import explain

TOLD = {
    **{name: text for name, text in vars(explain).items() if name.isupper()},
    "heads, causal": explain.heads(True),
    "heads": explain.heads(False),
}


@pytest.mark.parametrize("name", TOLD)
def test_an_explanation_is_one_breath(name: str):
    assert 4 <= len(TOLD[name].split()) <= 50
    assert TOLD[name].rstrip("*").endswith(".")


def test_every_term_has_one():
    assert len(set(TOLD.values())) == len(TOLD)
    told = " ".join(TOLD.values()).lower()
    for term in [
        *("token", "query", "key", "weight", "head", "layer", "first token", "encoder", "decoder"),
        *("cross-attention", "kl", "nat", "jensen–shannon", "zero", "mean", "random", "cosine"),
    ]:
        assert term in told, term


def test_the_tiles_are_explained_as_they_are_drawn():
    assert "from A to B" in explain.grid(difference=True, pooled=False)
    assert "darker" in explain.grid(difference=False, pooled=False)
    for difference in (True, False):
        assert explain.grid(difference, pooled=True).endswith(explain.POOLED)
