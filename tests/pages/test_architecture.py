"""The Architecture page: the block, heads and their cache, why it won; links, presets, files."""

import json
from functools import partial

import pytest

from attnlab.ui.cards.architecture.heads import lengths_of, size
from attnlab.ui.export import architecture as export
from attnlab.ui.export.menu import files
from attnlab.viz.diagram import Diagram
from tests.pages.reading import diagrams, opened, said, written
from tests.widgets import widget

PAGE = "pages/architecture.py"


@pytest.fixture
def architecture(packaged_models):
    """Opens the page with query parameters."""
    return partial(opened, PAGE)


def test_the_block_of_the_loaded_model(architecture):
    """Shapes for the 13 tokens of sentence A, counts of SmolLM2's own parameters."""
    app = architecture()
    words = written(app)
    for expected in (
        "13 tokens",
        "q  9 × 13 × 64",
        "k, v  3 × 13 × 64",
        "weights  9 × 13 × 13",
        "13 × 1,536, with a gate",
        "884,736",
        "2,654,208",
        "134,515,008",
        "13 × 49,152",
        "RMSNorm",
        "× 30",
    ):
        assert expected in words, expected
    assert said(app, "Pre-norm") and said(app, "in sequence")
    assert said(app, "75% of a block is feed-forward, 25% attention.")


def test_every_step_has_its_own_parameters(architecture):
    """Queries, keys, values and W_O; up with the gate, and down: not the whole at the last one."""
    (one_pass,) = [h for h in diagrams(architecture()) if "Heads joined" in str(h["shapes"])]
    words = [shape[3] for shape in one_pass["shapes"] if shape[0] == "words"]
    own = {
        name: words[words.index(name) + 2]
        for name in ("Queries", "Keys", "Values", "Heads joined", "Feed-forward, gated", "and back")
    }
    assert own == {
        **{"Queries": "331,776", "Keys": "110,592", "Values": "110,592"},
        **{"Heads joined": "331,776", "Feed-forward, gated": "1,769,472", "and back": "884,736"},
    }


def test_another_text_has_other_shapes(architecture):
    app = architecture(a="Two words")
    assert "weights  9 × 2 × 2" in written(app)


def test_our_transformer_has_the_same_block(architecture):
    ours, theirs = architecture(ours="1"), architecture()
    assert written(ours) == written(theirs)


def test_an_encoder_is_post_norm_and_has_no_cache(architecture):
    app = architecture(model="minilm-l6")
    words = written(app)
    assert "weights  12 × 16 × 16" in words and "LayerNorm" in words
    assert said(app, "Post-norm")
    assert said(architecture(model="minilm-l6", show="heads"), "keeps no cache")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt2-small", ("2,362,368", "4,722,432", "124,439,808", "q  12 × 13 × 64")),
        ("llama-2-7b", ("67,108,864", "135,266,304", "6,738,415,616", "k, v  32 × 13 × 128")),
        ("original", ("1,048,576", "Cross-attention", "q  8 × 13 × 64", "one of 6 decoder blocks")),
    ],
)
def test_presets_run_no_model(architecture, monkeypatch, name, expected):
    """numbers.md, Sizes, as they are read on the page."""

    def refused(*args, **options):
        raise AssertionError("a preset loads no model")

    monkeypatch.setattr("attnlab.ui.models.open_model", refused)
    app = architecture(of=name)
    assert set(expected) <= set(written(app))
    assert said(app, "no model was run")


def test_a_preset_on_more_tokens(architecture):
    app = architecture(of="llama-2-7b", n="4096")
    assert "weights  32 × 4,096 × 4,096" in written(app)
    widget(app, "own_architecture_tokens").set_value(2).run()
    assert "weights  32 × 2 × 2" in written(app)


def test_a_cache_ends_where_the_model_ends_to_read(architecture):
    """MiniLM reads 512 tokens; the length chosen for another model stays that model's."""
    app = architecture(show="heads", model="minilm-l6", length="1048576")
    assert app.get_by_key("length-of-few").options == ["128 tokens", "256 tokens", "512 tokens"]
    assert said(app, "It reads at most 512 tokens: that never takes as much as its weights.")
    assert not said(app, "4,930")
    app.get_by_key("length-of-few").set_value(128).run()
    assert not app.exception
    assert said(app, " at 128.")
    assert lengths_of(None)[-1] == 1_048_576 and lengths_of(64) == (128,)


def test_the_cache_of_each_way_to_share(architecture):
    words = written(architecture(show="heads"))
    assert words[words.index("multi-head") + 1] == "9 query heads, 9 key/value heads"
    assert "grouped-query · this model" in words
    assert "9 query heads, 1 key/value head" in words
    assert {"540 MiB", "180 MiB", "60 MiB"} <= set(words)


def test_the_cache_of_llama_2_at_its_longest(architecture):
    """numbers.md, Sizes: 64 GiB at 131,072 tokens, 16 GiB with 8 key/value heads."""
    app = architecture(show="heads", of="llama-2-7b", length="131072")
    assert {"64 GiB", "16 GiB", "2 GiB"} <= set(written(app))
    assert said(app, "524,288 bytes a token")
    assert said(app, "From 25,706 tokens on")


def test_steps_and_paths(architecture):
    app = architecture(show="why", window="512")
    labels = [header["label"] for header in diagrams(app)]
    assert len(labels) == 3
    assert "sliding window 257, full attention 1." in labels[1]
    assert "recurrent network 131,072" in labels[0]


def test_experiments_open_and_end(architecture):
    app = architecture()
    next(b for b in app.button if b.label == "Heavier than the model").click().run()
    assert not app.exception
    assert said(app, "take five times as much room")
    assert "64 GiB" in written(app)
    widget(app, "own_architecture_length").set_value(4_096).run()
    assert not said(app, "take five times as much room")
    next(b for b in app.button if b.label == "A third of the cache").click().run()
    assert said(app, "keeps a third") and "180 MiB" in written(app)


@pytest.mark.parametrize(
    "query",
    [
        {"of": "<b>"},
        {"n": "-1", "of": "original"},
        {"length": "5", "show": "heads"},
        {"window": "x", "show": "why"},
        {"lesson": "nothing"},
        {"a": ""},
        {"model": "no-such-model"},
    ],
)
def test_links_that_mean_nothing_give_a_page(architecture, query):
    app = architecture(**query)
    assert app.text or app.markdown


def test_hostile_text_stays_text(architecture):
    app = architecture(a="<img src=x onerror=alert(1)> **bold** $x$")
    bodies = [element.value for element in (*app.markdown, *app.caption)]
    bodies += [element.proto.body for element in app.get("html")]
    assert not any("onerror" in body for body in bodies)


def test_files_say_where_they_are_from(architecture):
    drawn = Diagram(100, 20)
    drawn.words(0, 10, "here")
    what = export.picture(
        "name",
        "Title",
        drawn,
        export.computed("published sizes", "somebody 2017"),
        what="Numbers.",
        columns=("part", "parameters"),
        rows=[["attention", 3]],
        notes=("", "a note"),
    )
    made = {kind: build() for kind, (build, *_) in files(what).items()}
    assert made["png"].startswith(b"\x89PNG")
    assert b"somebody 2017" in made["svg"] and b"a note" in made["svg"]
    document = json.loads(made["json"])
    assert document["rows"] == [{"part": "attention", "parameters": 3}]
    assert document["provenance"]["source"] == "somebody 2017"
    assert made["csv"].decode().splitlines()[-2:] == ["part,parameters", "attention,3"]


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0 bytes"),
        (1023, "1,023 bytes"),
        (2**20, "1 MiB"),
        (180 * 2**20, "180 MiB"),
        (64 * 2**30, "64 GiB"),
        (1.5 * 2**40, "1.5 TiB"),
        (5000 * 2**40, "5,000 TiB"),
    ],
)
def test_bytes_in_words(count, said):
    assert size(count) == said
