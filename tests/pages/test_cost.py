"""The page Cost under AppTest: every panel, models of every kind, links, refusals, files."""

import json
from functools import partial

import pytest
import torch
from streamlit.testing.v1 import AppTest

import attnlab as al
from attnlab.analysis import resting, streaming
from attnlab.analysis.measured import apart
from attnlab.analysis.measured.apart import Measurement
from attnlab.ui import export
from attnlab.ui.cards.cost import tiles
from attnlab.ui.engine import owntext
from attnlab.ui.export.menu import files
from attnlab.viz import payload
from tests.pages.reading import diagrams, opened, said, written
from tests.pages.test_heads import address
from tests.widgets import widget

TINY = "w5 w6 w7 w8 w9 w10 w11"
GROWS = {"naive": 2, "tiled": 2, "layer": 2}


@pytest.fixture
def cost(packaged_models):
    """Opens the page with query parameters."""
    return partial(opened, "pages/cost.py")


@pytest.fixture
def quick(monkeypatch, fresh_caches):
    """Measurements made up, so that no process is started: naive grows too big at 2,048."""

    def measure(jobs, *, share=None, **options):
        found = []
        for way, n in jobs:
            power = GROWS.get(way, 1)
            big = way == "naive" and n >= 2_048 and len(jobs) > 2
            figures = (
                {"why": "memory"} if big else {"seconds": 1e-8 * n**power, "bytes": 64 * n**power}
            )
            found.append(Measurement(way, n, **figures))
        if share is not None:
            share(tuple(found))
        return tuple(found)

    monkeypatch.setattr(apart, "measure", measure)


def films(app: AppTest) -> list[dict]:
    """What was sent to each film."""
    sent = [element.proto.bytes for element in app.get("bidi_component")]
    headers = [payload.unpack(bytes(one))[0] for one in sent if one]
    return [header for header in headers if "frames" in header]


def test_multiplications_are_there_before_anything_is_measured(cost, monkeypatch):
    monkeypatch.setattr(apart, "measure", None)
    app = cost()
    assert {"Multiplications", "naive n²·⁰", "linear n¹·⁰"} <= set(written(app))
    assert said(app, "About 20 seconds") and said(app, "× 4.0")
    assert not any(word == "Time" for word in written(app))


def test_what_is_measured_is_drawn_with_its_slopes_and_what_was_too_big_is_said(cost, quick):
    app = cost()
    widget(app, "measure-measured").click().run()
    assert not app.exception
    assert {"Time", "Peak memory", "tiled n²·⁰", "window n¹·⁰"} <= set(written(app))
    assert said(app, "naive takes too much memory from 2,048 tokens on")
    assert address(app)["measure"] == "yes"
    beyond = [line for one in diagrams(app) for spot in one["spots"] for line in spot[5]]
    assert any("not measured" in line for line in beyond)
    assert said(app, "naive") and said(app, "× 4.0")


def test_a_link_measures_and_measuring_again_is_offered(cost, quick):
    app = cost(measure="yes", up_to="1024")
    assert not said(app, "Not run")
    widget(app, "again-growth").click().run()
    assert not app.exception and "Peak memory" in written(app)


def test_a_head_is_shown_in_tiles_of_the_typed_text(cost, tiny_gemma):
    app = cost(show="tiles", model=tiny_gemma, a=TINY, tile="3")
    (film,) = films(app)
    assert len(film["frames"]) == 9 and film["frames"][0]["name"] == "tile 1 of 9"
    assert said(app, "Never more than 9 of 49 scores in memory")
    assert said(app, "rounding, nothing else")
    app = cost(show="tiles", model=tiny_gemma, a=TINY, tile="2", nth="9999")
    assert films(app)[0]["frame"] == 15


def test_a_long_text_is_cut_and_that_is_said(cost, tiny_gemma):
    app = cost(show="tiles", model=tiny_gemma, a="w5 " * 40, tile="8")
    assert said(app, f"The first {tiles.MOST} tokens are shown")
    assert len(films(app)[0]["frames"]) == 9


def test_memory_of_both_is_compared(cost, quick, tiny_gemma):
    app = cost(show="tiles", model=tiny_gemma, a=TINY, compare="yes", many="1024")
    assert said(app, "In tiles it takes 1/1 of the memory")
    assert "in tiles" in written(app)


@pytest.mark.parametrize("role", ["encoder", "decoder", "cross"])
def test_every_attention_of_an_encoder_decoder_has_tiles(cost, tiny_t5, role):
    app = cost(show="tiles", model=tiny_t5, a=TINY, ta="w20 w21 w22", role=role)
    assert said(app, "rounding, nothing else")


def test_an_encoder_skips_no_tile_and_ours_has_tiles_too(cost, tiny_bert):
    app = cost(show="tiles", model=tiny_bert, a=TINY)
    assert not any("skipped" in str(frame["shapes"]) for frame in films(app)[0]["frames"])
    assert films(cost(show="tiles", ours="1", a="The capital of France is"))


def test_a_model_that_hides_its_queries_says_so(cost, tiny_bloom):
    app = cost(show="tiles", model=tiny_bloom, a=TINY)
    assert said(app, "nothing to cut into tiles") and not films(app)


def test_the_cache_of_every_kind_of_model(cost, tiny_gemma, tiny_bert, tiny_t5):
    app = cost(show="cache", model=tiny_gemma)
    assert {"Bytes of cache", "Llama 2 7B", "as heavy as the model"} <= set(written(app))
    assert said(app, "heavier than the model")
    app = cost(show="cache", model=tiny_bert)
    assert said(app, "keeps no cache") and said(app, "does not write a text on")
    app = cost(show="cache", model=tiny_t5)
    assert said(app, "bytes a token") and said(app, "reads one text and writes another")


def test_sizes_of_ones_own_make_a_model_or_a_sentence(cost, tiny_gemma):
    sizes = {"of": "typed", "layers": "32", "of_heads": "32", "size": "128"}
    app = cost(show="cache", model=tiny_gemma, **sizes, kv_heads="8", length="131072")
    assert said(app, "131,072 bytes a token") and said(app, "16 GiB at 131,072")
    app = cost(show="cache", model=tiny_gemma, **sizes, kv_heads="5")
    assert said(app, "5")
    one = dict.fromkeys(("layers", "of_heads", "kv_heads", "size", "bytes"), "1")
    app = cost(show="cache", model=tiny_gemma, of="typed", **one)
    assert said(app, "2 bytes a token (1 layer × 1 key/value head × 2 numbers × 1 byte)")


def test_the_time_of_a_token_is_measured_with_a_cache_and_without(cost, tiny_gemma):
    app = cost(show="cache", model=tiny_gemma, time="yes")
    assert said(app, "times faster")
    assert any(word.startswith("without a cache n") for word in written(app))


def test_a_text_is_read_beside_three_caches(cost, monkeypatch, fresh_caches):
    kept = []

    def read(runner, ids, *, cache, partly, **options):
        kept.append(cache)
        losses = torch.linspace(4, 5 if cache and not cache.sinks else 3, len(ids) - 1)
        partly(losses[:100])
        return losses

    monkeypatch.setattr(streaming, "read", read)
    monkeypatch.setattr(resting, "on_first", lambda *args: 0.42)
    app = cost(show="cache", forget="yes", read="256", kept_first="1")
    assert kept == [None, al.KeepLast(128), al.KeepLast(127, 1)]
    assert said(app, "Second half: all kept 3.25 nats (11.2 MiB); the last 128 4.75 nats")
    assert said(app, "the first token gets 42% of all attention")
    assert said(app, "Read by our transformer")
    assert {"all kept", "the last 128", "1 sink + the last 127"} <= set(written(app))


def test_a_text_of_the_models_own_is_written_once_and_read_beside_three_caches(
    cost, monkeypatch, fresh_caches
):
    read = []

    def losses(runner, ids, *, partly, **options):
        read.append(tuple(ids))
        return torch.linspace(4, 3, len(ids) - 1)

    monkeypatch.setattr(streaming, "read", losses)
    monkeypatch.setattr(resting, "on_first", lambda *args: 0.42)
    kept = []
    monkeypatch.setattr(export, "menu", lambda key, savable, *more: kept.append(savable))
    own = {"passage": "own", "write": "128", "heat": "0.7", "seed": "3"}
    app = cost(show="cache", wide="64", **own)
    assert not read and not said(app, "Once upon a time")
    widget(app, "measure-forgetting").click().run()
    assert len(read) == 3 and len(set(read)) == 1 and len(read[0]) == 128
    assert said(app, "itself after “Once upon a time”, temperature 0.7, seed 3.")
    assert said(app, "Once upon a time") and said(app, "Second half: all kept 3.2")
    saved = {kind: make() for kind, (make, *_) in files(kept[-1]).items()}
    assert json.loads(saved["json"])["text"]["tokens"] == list(read[0])
    assert "temperature 0.7, seed 3" in saved["svg"].decode()
    monkeypatch.setattr(owntext, "ids_of", lambda *args: read[0])
    widget(app, "own_cost_luck").set_value(4).run()
    assert not app.exception and address(app)["seed"] == "4"


@pytest.mark.parametrize("text", ["ruth", "own"])
def test_a_model_that_cannot_forget_says_why(cost, tiny_gemma, text):
    app = cost(show="cache", model=tiny_gemma, forget="yes", passage=text)
    assert not said(app, "Second half") and any("cache" in word.value for word in app.text)


def test_why_it_won(cost, quick):
    app = cost(show="why")
    assert "Steps that must wait for one another" in written(app)
    app = cost(show="why", loop="yes")
    assert said(app, "At 4,096 tokens the loop takes") and said(app, "wait for one another")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"a": "", "show": "tiles"}, "Sentence A"),
        ({"show": "soul"}, "The link's “show”"),
        ({"lesson": "none"}, "There is no experiment"),
        ({"lesson": "outgrows", "length": "128", "show": "cache"}, "sets up something else"),
        ({"head": "L99H99", "show": "tiles"}, "has no head"),
    ],
)
def test_what_does_not_fit_is_a_sentence(cost, tiny_gemma, query, sentence):
    app = cost(**{"model": tiny_gemma, "a": TINY, **query})
    assert said(app, sentence), [element.value for element in app.text]


def test_hostile_words_are_words(cost, tiny_gemma):
    hostile = "<img src=x onerror=alert(1)> **w5** $w6$ [x](y)"
    app = cost(show="tiles", model=tiny_gemma, a=f"{hostile} w7")
    bodies = [element.value for element in (*app.markdown, *app.caption)]
    assert not any("onerror" in body for body in bodies)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"measure": "yes"}, 3),
        ({"show": "tiles", "compare": "yes"}, 2),
        ({"show": "cache", "time": "yes"}, 3),
        ({"show": "why", "loop": "yes"}, 3),
    ],
)
def test_every_picture_is_kept(cost, quick, tiny_gemma, monkeypatch, query, count):
    kept = []
    monkeypatch.setattr(export, "menu", lambda key, savable, *more: kept.append(savable))
    cost(model=tiny_gemma, a=TINY, **query)
    assert len(kept) >= count
    for one in kept:
        for kind, (make, *_) in files(one).items():
            assert make(), kind
