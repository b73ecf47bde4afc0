"""An opened head as files: every number of the panel comes back, and hostile words stay words."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from attnlab.ui import engine, export
from attnlab.ui.export.menu import files
from attnlab.ui.scene import Scene
from attnlab.ui.sections import Shown
from attnlab.ui.selection import DEFAULT, Selection
from tests.ui.test_export import HOSTILE


def opened(text: str, query: int, key: int) -> tuple[Scene, engine.Reader, Shown]:
    """Layer 4, head 2 on a text, as the page opens it."""
    selection: Selection = replace(DEFAULT, a=text, b="", side="A")
    reader = engine.reader(selection)
    a = engine.tokens_only(reader, engine.Passage(text), "Sentence A")
    scene = Scene(reader, selection, a, None)
    ours, why = engine.ours(reader, selection)
    assert not why and ours.lab.tier == "ours"
    head = engine.opened(ours, scene.passage("A"), (4, 2), query)
    return scene, ours, Shown(head, key, a.tokens, a.sources)


@pytest.fixture(scope="module")
def built(packaged_models) -> tuple[Shown, dict[str, str]]:
    scene, ours, shown = opened(DEFAULT.b, 11, 6)
    what = export.opened(scene, ours, shown)
    return shown, {kind: build().decode() for kind, (build, *_) in files(what).items()}


def test_the_document_holds_every_vector_and_the_row(built):
    shown, written = built
    body, head = json.loads(written["json"]), shown.head
    assert (body["head"], body["key_value_head"]) == ([4, 2], 0)
    assert (body["query"], body["key"], body["scale"]) == (11, 6, 0.125)
    assert body["provenance"]["tier"] == "ours"
    vectors, right = body["vectors"], {"q": head.q, "z": head.z, "through_w_o": head.added}
    right |= {"k": head.k[6], "v": head.v[6], "q_unrotated": head.q_before}
    right |= {"k_unrotated": head.k_before[6]}
    for stage, values in right.items():
        np.testing.assert_array_equal(np.float32(vectors[stage]), values, stage)
    assert sum(vectors["q_times_k"]) == pytest.approx(float(head.scores[6]), abs=1e-4)
    np.testing.assert_array_equal(np.float32(body["row"]["weights"]), head.weights)
    assert body["row"]["masked"][12] is None
    assert len(body["rotation"]["pairs"]) == 32
    assert np.float32(body["rotation"]["radians_at_query"]) == pytest.approx(head.turns.angles[11])


def test_the_table_has_a_row_for_each_number(built):
    shown, written = built
    lines = [line for line in written["csv"].splitlines() if not line.startswith(("#", '"#'))]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    assert len(rows) == 7 * 64 + 576 + 4 * 13
    weights = [row for row in rows if row["stage"] == "weights"]
    assert json.loads(weights[6]["token"]) == " street"
    assert float(weights[6]["value"]) == pytest.approx(float(shown.head.weights[6]), rel=1e-7)


def test_the_page_is_offline_and_hostile_words_stay_words(built, packaged_models):
    _, written = built
    assert "default-src 'none'" in written["html"] and 'data-kind="strips"' in written["html"]
    scene, ours, shown = opened(HOSTILE, 5, 2)
    made = files(export.opened(scene, ours, shown))
    page = made["html"][0]().decode()
    assert "<script>alert(1)" not in page
    assert json.loads(made["json"][0]().decode())["texts"][0]["text"]


def test_what_is_cached_can_be_measured_and_is_read_once(packaged_models):
    scene, ours, shown = opened(DEFAULT.b, 11, 6)
    again = engine.opened(ours, scene.passage("A"), (4, 2), 11)
    assert again is shown.head
