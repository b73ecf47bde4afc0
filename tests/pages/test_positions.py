"""The Positions page: schemes, words in another order, distance, the loaded model; links, files."""

import json
from functools import partial

import pytest

from attnlab.analysis import passage
from attnlab.ui.cards.positions import parts
from attnlab.ui.export.architecture import computed
from attnlab.ui.export.menu import files
from attnlab.ui.positions_selection import EDITS, PANELS, SCHEMES
from tests.pages.reading import diagrams, opened, said, written
from tests.widgets import widget

PAGE = "pages/positions.py"


@pytest.fixture
def positions(packaged_models):
    """Opens the page with query parameters."""
    return partial(opened, PAGE)


def test_waves_and_clocks(positions):
    app = positions(m="32", p="3", k="4")
    assert {"p", "p + k", "PE(3)", "PE(7)"} <= set(written(app))
    assert "16 clocks" in diagrams(app)[1]["label"]
    assert said(app, "R(4) takes every PE(p) to PE(p + 4)")
    assert said(app, "e−14 in double") or said(app, "e−13 in double")
    widget(app, "own_positions_by").set_value(0).run()
    assert said(app, "the largest difference is 0 in double precision, 0 in single")


def test_a_rotary_score_is_the_same_wherever_the_pair_stands(positions):
    app = positions(scheme="rope", query="20", at_key="25")
    assert said(app, "Only 20 − 25 = −5 counts")
    assert {"key at 25", "query at 20", "fastest, pair 0", "slowest, pair 7"} <= set(written(app))


def test_slopes_and_how_far_heads_look(positions):
    app = positions(scheme="alibi", slopes="4")
    assert said(app, "Slopes of the 4 heads: 0.25, 0.0625, 0.0156, 0.00391.")
    assert "head 3 · 0.00391" in written(app)


def test_buckets_and_the_bias_of_a_model_that_has_one(positions):
    app = positions(scheme="buckets", model="dates")
    assert said(app, "buckets hold a single distance")
    assert not said(app, "stands in")
    assert {"head 0", "head 3"} <= set(written(app))
    # 16 of them for single distances each way, 16 shared up to 32: there is room.
    app = positions(scheme="buckets", model="dates", buckets="64", farthest="32")
    assert said(app, "of 64 buckets hold a single distance")


def test_the_learned_table_of_the_loaded_model_or_of_another(positions):
    app = positions(scheme="learned", model="minilm-l6")
    assert said(app, "A table of 512 positions, 384 numbers each")
    assert said(app, "After position 511 there is no vector")
    assert not said(app, "stands in")
    assert said(positions(scheme="learned"), "SmolLM2 135M has none, so MiniLM L6 stands in.")


def test_words_in_another_order(positions):
    app = positions(show="order", model="minilm-l6")
    assert said(app, "it reads a bag of words") and said(app, "from the mask alone")
    assert said(app, "no causal mask of its own")
    bare, mask, scheme = (header["label"] for header in diagrams(app)[:3])
    assert "No positions, no mask: the largest change is" in bare and "e−7" in bare
    assert "%" in mask and "%" in scheme
    assert "e−" in diagrams(app)[3]["label"]  # MiniLM without positions
    assert said(positions(show="order", words="dog"), "Type two words or more")


def test_distance_and_what_scaling_leaves_unseen(positions):
    app = positions(show="distance")
    assert said(app, "Three curves, one on the other")
    assert said(app, "21 pairs of 32 reach angles never trained on.")
    app = positions(show="distance", scaling="yarn")
    assert said(app, "0 pairs of 32 reach angles never trained on; without the scaling 21.")
    assert "YaRN" in written(app)


def test_the_loaded_model_with_other_positions(positions):
    app = positions(show="model")
    assert said(app, "queries and keys turn, base 100,000")
    assert said(app, "It cannot take Sinusoidal: no table")
    assert said(app, "Mean 4.06 →") and said(app, "Darkest:")
    # Told that all stands 100 further on, only distances count.
    app = positions(show="model", edit="shifted", offset="100")
    assert said(app, "Mean 4.06 → 4.06 nats")


def test_an_encoder_has_vectors_that_turn_instead_of_losses(positions):
    app = positions(show="model", model="minilm-l6", edit="yarn")
    assert said(app, "It cannot take YaRN: no queries and keys were seen to turn.")
    assert said(app, "The mean vector of the text turned by")


def test_five_schemes_beyond_their_training(positions):
    text = passage.passage("ruth")[:1_200]
    app = positions(show="family", far="2", seen="L9H9", text="own", pasted=text)
    assert said(app, "Within 64 tokens") and said(app, "At the end of 128 tokens:")
    assert said(app, "The learned table stops at 64 tokens")
    assert said(app, "3 seeds; bands from the best to the worst.")
    assert said(app, "is best.") and said(app, "The price within the first 64:")
    words = set(written(app))
    assert {"none", "sinusoidal", "learned", "RoPE", "ALiBi", "trained"} <= words
    assert {"as trained", "interpolation", "NTK-aware", "YaRN"} <= words
    labels = [header["label"] for header in diagrams(app)]
    assert sum("Attention of L0 H0" in label for label in labels) == 5
    assert said(positions(show="family", text="own"), "Your text is empty")


def test_experiments_open_and_end(positions):
    app = positions()
    next(b for b in app.button if b.label == "Four times as far").click().run()
    assert not app.exception
    assert said(app, "Interpolation stretches the curve")
    widget(app, "own_positions_factor").set_value(2).run()
    assert not said(app, "Interpolation stretches the curve")
    assert said(positions(lesson="going-on"), "Move p")


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ({"scheme": "<b>"}, "The link's “scheme” is none of"),
        ({"p": "-1"}, "The link's “p” is not a whole number"),
        ({"base": "7", "scheme": "rope"}, "The link's “base” is none of"),
        ({"words": "<img src=x onerror=alert(1)> **bold** $x$", "show": "order"}, "Largest"),
        ({"lesson": "nothing"}, "There is no experiment “nothing”"),
        ({"a": "", "show": "model"}, "Sentence A is empty"),
        ({"model": "no-such-model", "show": "order"}, "no-such-model"),
    ],
)
def test_links_that_mean_nothing_are_answered_with_a_sentence(positions, query, part):
    app = positions(**query)
    assert said(app, part), [element.value for element in app.text]
    bodies = [element.value for element in (*app.markdown, *app.caption)]
    bodies += [element.proto.body for element in app.get("html")]
    assert not any("onerror" in body for body in bodies)


def test_pictures_are_saved_with_their_numbers(positions, monkeypatch):
    kept = []
    monkeypatch.setattr(parts.export, "menu", lambda key, what: kept.append(what))
    positions(scheme="alibi")
    assert {what.name for what in kept} == {"attnlab-alibi", "attnlab-alibi-even"}
    made = {kind: build() for kind, (build, *_) in files(kept[0]).items()}
    assert made["png"].startswith(b"\x89PNG") and b"ALiBi" in made["svg"]
    rows = json.loads(made["json"])["rows"]
    assert {"head": 0, "slope": 0.5, "distance": 64, "bias": -32.0} in rows
    assert "head,slope,distance,bias" in made["csv"].decode()


def test_what_can_be_asked_for_is_what_there_is():
    from attnlab.trace.positioning import SCHEMES as KNOWN

    assert set(EDITS) == set(KNOWN)
    assert len(PANELS) == 5 and len(SCHEMES) == 5
    assert computed("x").provenance["computed_from"] == "x"
