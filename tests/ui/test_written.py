"""What an encoder-decoder writes and where it looks, and its tables and maps as files."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from attnlab.errors import EmptyText
from attnlab.ui import engine, export
from attnlab.ui.cards.architecture import cross, sees
from attnlab.ui.engine import sight, written
from attnlab.ui.export.menu import files
from attnlab.ui.selection import DEFAULT
from attnlab.viz.sees import Sight

TEXT = "July 20, 1969"


@pytest.fixture(scope="module")
def reader() -> engine.Reader:
    return engine.with_role(engine.reader(replace(DEFAULT, model="dates")), "cross")


@pytest.fixture(scope="module")
def told(reader) -> written.Written:
    return written.written(reader, TEXT, "The date", 16)


def test_each_row_is_the_character_that_it_writes(reader, told):
    assert "".join(token.text for token in told.reading.tokens if not token.special) == told.text
    again = engine.read(reader, engine.Passage(TEXT, told.text), "The date")
    fed = again.maps.shape[2]
    assert again.tokens[0].text == "<s>"
    assert np.allclose(
        told.reading.maps[:, :, :fed], again.maps[:, :, : len(told.reading.tokens)], atol=1e-5
    )


def test_every_head_has_its_words_and_their_weights(reader, told):
    assert set(told.looks) == {(0, head) for head in range(4)}
    assert told.best in told.looks
    for head, looks in told.looks.items():
        weights = written.head_weights(told, reader, head)
        for look in looks:
            rows = weights[list(look.part.places)][:, list(look.span.places)]
            assert look.weight == pytest.approx(rows.sum(-1).mean(), abs=1e-5)


def test_an_empty_text_is_refused(reader):
    with pytest.raises(EmptyText, match="The date"):
        written.written(reader, " ", "The date", 16)


def test_the_cross_attention_as_files(reader, told):
    of = cross._scene(reader, DEFAULT, TEXT, told, (0, 1))
    weights = written.head_weights(told, reader, (0, 1))
    built = {kind: build() for kind, (build, _, _) in files(export.head(of, weights, None)).items()}
    picture = built["svg"].decode()
    assert TEXT in picture and told.text in picture and "Dates" not in picture.split("</title>")[0]
    document = json.loads(built["json"])
    assert np.allclose(document["weights"]["A"], weights[None], atol=1e-6)
    lines = [line for line in built["csv"].decode().splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    assert len(rows) == weights.size


def test_who_sees_what_as_files(reader):
    read, answer = sight.words_of(reader, TEXT, "1969")
    both = Sight("Both", "All.", sight.kind("encoder-decoder", len(read), len(answer)))
    what = sees._savable(reader, replace(DEFAULT, a=TEXT), [both], read, answer, 0)
    built = {kind: build() for kind, (build, _, _) in files(what).items()}
    assert "Who may look at whom" in built["svg"].decode()
    count = len(read) + len(answer)
    assert np.array(json.loads(built["json"])["Both"]).shape == (count, count)
    assert built["png"].startswith(b"\x89PNG")
