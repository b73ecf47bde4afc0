"""The page Cost, what the cheap ones give up: five small models asked for a list."""

from functools import partial

import pytest

from attnlab.ui.export.menu import files
from tests.pages.reading import diagrams, opened, said, written
from tests.pages.test_heads import address
from tests.widgets import widget


@pytest.fixture
def cost(packaged_models):
    """Opens the page with query parameters."""
    return partial(opened, "pages/cost.py")


def test_five_models_are_asked_for_a_typed_list(cost):
    app = cost(show="recall", list="cat 3, dog 17, owl 5")
    table = next(one for one in diagrams(app) if one["label"].startswith("Right answers: softmax"))
    words = {shape[3] for shape in table["shapes"] if shape[0] == "words"}
    assert {"cat → 3", "dog → 17", "owl → 5", "softmax", "hybrid", "state space"} <= words
    assert said(app, "Of 32 pairs come back: softmax") and "trained up to here" in written(app)
    widget(app, "another").click().run()
    assert not app.exception and address(app) == {"show": "recall", "nth-list": "1"}
    assert "cat → 3" not in written(app)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("cat", "is no pair"),
        ("cat 3, cat 4", "cat"),
        (", ".join(f"w{at} {at}" for at in range(70)), "70"),
    ],
)
def test_a_list_that_is_none_is_a_sentence(cost, typed, sentence):
    app = cost(show="recall", list=typed)
    assert any(sentence in element.value for element in app.text)
    assert "trained up to here" in written(app), "the curves stay"


def test_a_hostile_list_is_words(cost):
    app = cost(show="recall", list="<script>x</script> $5$, **b** [x](y)")
    assert not any("script" in element.value for element in (*app.markdown, *app.caption))


def test_both_pictures_are_kept(cost, monkeypatch):
    from attnlab.ui import export

    kept = []
    monkeypatch.setattr(export, "menu", lambda key, savable, *more: kept.append(savable))
    cost(show="recall")
    assert len(kept) == 2
    for one in kept:
        for kind, (make, *_) in files(one).items():
            assert make(), kind
