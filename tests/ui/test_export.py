"""What the save menus give: pictures that parse, and numbers that equal the arrays."""

import csv
import io
import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from attnlab.analysis.baseline import Baseline
from attnlab.ui import engine, export
from attnlab.ui.export.menu import files
from attnlab.ui.scene import Scene
from attnlab.ui.selection import DEFAULT
from attnlab.viz import png

HOSTILE = "</svg><script>alert(1)</script> ]]>&amp; =1+1 \u202eevil\x00 \ufffe 漢字\ttab\nline"


def scene_of(**changes) -> Scene:
    """The scene of a selection, read by the packaged decoder unless it names another."""
    selection = replace(DEFAULT, **changes)
    reader = engine.reader(selection)
    a = engine.read(reader, engine.Passage(selection.a, selection.target_a), "Sentence A")
    b = None
    if selection.b:
        b = engine.read(reader, engine.Passage(selection.b, selection.target_b), "Sentence B")
    return Scene(reader, selection, a, b)


def head_of(scene: Scene):
    chosen = scene.selection.chosen
    return export.head(scene, scene.weights("A", chosen), scene.weights("B", chosen))


def built(what, kind: str, dark: bool = False) -> bytes:
    return files(what, dark)[kind][0]()


def words_of(svg: bytes) -> list[str]:
    """The text of an SVG, which must parse and hold nothing that runs."""
    root = ElementTree.fromstring(svg)
    kinds = {node.tag.rpartition("}")[2] for node in root.iter()}
    assert not kinds & {"script", "foreignObject", "a", "iframe", "style"}
    for node in root.iter():
        for name, value in node.attrib.items():
            assert not name.lower().startswith("on")
            assert not name.endswith("href") or value.startswith("data:image/png;base64,")
    return [node.text or "" for node in root.iter() if node.tag.endswith("text")]


def table_of(content: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(content), comment="#")


@pytest.fixture(scope="module")
def pair(packaged_models) -> Scene:
    return scene_of()


@pytest.fixture(scope="module")
def hostile(packaged_models) -> Scene:
    return scene_of(a=HOSTILE, b="")


@pytest.mark.parametrize("mode", ["words", "matrix", "difference"])
@pytest.mark.parametrize("dark", [False, True])
def test_a_picture_of_the_head_says_what_it_is(pair, mode, dark):
    scene = replace(pair, selection=replace(pair.selection, mode=mode))
    words = words_of(built(head_of(scene), "svg", dark))
    assert "Layer 4 · Head 2" in words[0]
    assert pair.selection.a in words and pair.selection.b in words
    assert "smollm2-135m" in " ".join(words) and "float32" in " ".join(words)
    assert ("+0.40" if mode == "difference" else "0.46") in words


def test_the_grid_names_what_it_leaves_out(pair):
    words = words_of(built(export.grid(pair), "svg"))
    assert "Every head, B − A" in words
    assert "The 2 of 13 rows that can differ." in words
    assert "The first column, the first token's, is left out." in words
    assert "0.45 more in A" in words and "Framed: layer 4, head 2." in words


def test_the_grid_numbers_the_heads_that_were_found(pair):
    words = words_of(built(export.grid(pair, {(8, 6): 2, (4, 2): 1}), "svg"))
    assert "Numbered: the first heads of a search, L4 H2, L8 H6." in words
    assert {"1", "2"} <= set(words)


def test_a_png_is_twice_the_size_of_its_svg(pair):
    root = ElementTree.fromstring(built(export.grid(pair), "svg"))
    size = png.size(built(export.grid(pair), "png"))
    assert size == (2 * float(root.get("width")), 2 * float(root.get("height")))


def test_the_numbers_of_a_head_are_its_weights(pair):
    saved = json.loads(built(head_of(pair), "json"))
    weights = pair.weights("B", (4, 2))
    assert np.array_equal(np.float32(saved["weights"]["B"][0]), weights)
    wide = saved["texts"][1]
    assert wide["tokens"][6]["text"] == " street" and wide["text"] == pair.selection.b
    assert weights[11, 6] == pytest.approx(0.46, abs=0.005)
    known = saved["provenance"]
    assert (known["model"], known["tier"], known["dtype"]) == (
        "smollm2-135m",
        "dispatch",
        "float32",
    )
    assert set(known["versions"]) == {"attnlab", "torch", "transformers"}
    assert known["edits"] == [] and known["role"] == "decoder"


def test_the_table_of_a_head_is_tidy(pair):
    table = table_of(built(head_of(pair), "csv"))
    assert len(table) == 2 * 13 * 14 // 2  # a causal model's future is left out
    row = table[(table.text == "B") & (table["query"] == 11) & (table.key == 6)].iloc[0]
    assert json.loads(row.key_token) == " street" and json.loads(row.query_token) == " wide"
    assert np.float32(row.weight) == pair.weights("B", (4, 2))[11, 6]
    assert np.float32(row.weight_in_other_text) == pair.weights("A", (4, 2))[11, 6]
    first = next(csv.reader(io.StringIO(built(head_of(pair), "csv").decode())))
    assert first == ["# what", '"Attention weights, of this head."']


def test_the_table_of_the_grid_holds_every_head(pair):
    table = table_of(built(export.grid(pair), "csv"))
    assert len(table) == 2 * 270 * 13 * 14 // 2
    saved = json.loads(built(export.grid(pair), "json"))
    every = np.float32(saved["weights"]["A"]).reshape(pair.a.maps.shape)
    assert np.array_equal(every, pair.a.maps) and saved["heads"][38] == [4, 2]


def test_files_are_the_same_each_time(pair):
    for kind in ("svg", "csv", "json"):
        assert built(export.grid(pair), kind) == built(export.grid(pair), kind)


def test_hostile_text_is_drawn_and_kept_as_it_is(hostile):
    what = export.grid(hostile)
    words = words_of(built(what, "svg"))
    assert any("</svg><script>alert(1)</script>" in word for word in words)
    assert any("⟨U+202E⟩evil␀" in word and "⟨U+FFFE⟩" in word for word in words)
    assert built(what, "png").startswith(b"\x89PNG")
    saved = json.loads(built(head_of(hostile), "json"))
    assert saved["texts"][0]["text"] == HOSTILE


def test_no_cell_of_a_table_starts_a_formula_or_hides_anything(hostile):
    for what in (export.grid(hostile), head_of(hostile)):
        content = built(what, "csv").decode()
        assert "\u202e" not in content and "\x00" not in content and "\ufffe" not in content
        for row in csv.reader(io.StringIO(content)):
            assert not any(cell[:1] in "=+@\t\r" for cell in row if cell)
            assert not any(cell.startswith("-") for cell in row)


def test_saved_tokens_hold_the_text_and_not_the_signs(packaged_models):
    saved = json.loads(built(head_of(scene_of(a="one\ttwo\nthree", b="")), "json"))
    assert "".join(token["text"] for token in saved["texts"][0]["tokens"]) == "one\ttwo\nthree"


def test_an_effect_is_saved_with_its_edit(pair):
    found = engine.effect(pair.reader, pair.passage("B"), "zero", [(4, 2)], 12)
    what = export.effect(
        pair, [(4, 2)], 12, found, Baseline((((0, 1),),) * 3, (0.01, 0.002, 0.003))
    )
    words = " ".join(words_of(built(what, "svg")))
    assert "What if L4 H2 were gone?" in words and "KL divergence 0.0076 nats" in words
    assert "random heads" in words and "without the head" in words
    saved = json.loads(built(what, "json"))
    assert saved["kl_nats"] == pytest.approx(0.0076, abs=5e-5)
    assert saved["provenance"]["edits"][0]["kind"] == "zero_head"
    table = table_of(built(what, "csv"))
    assert list(table.before) == pytest.approx([row[1] for row in found.rows], rel=1e-6)


def test_compared_and_found_heads_are_saved(pair):
    heads = [(16, 0), (13, 8), (4, 2)]
    a, b = (np.stack([pair.weights(side, head) for head in heads]) for side in "AB")
    what = export.compare(pair, heads, a, b, notes=["previous word"])
    for drawn in ("matrices", "arcs"):
        scene = replace(pair, selection=replace(pair.selection, drawn=drawn))
        words = words_of(built(export.compare(scene, heads, a, b, ["previous word"]), "svg"))
        assert {"L16 H0", "L13 H8", "L4 H2", "previous word"} <= set(words)
    saved = json.loads(built(what, "json"))
    assert np.allclose(np.diag(saved["similarity"]["A"]), 1, atol=1e-6)
    assert np.array_equal(np.float32(saved["weights"]["A"]), a)
    columns = [("in B", "b", [(4, 2, 0.4603)]), ("B − A", "d", [(4, 2, 0.4), (8, 6, -0.2)])]
    what = export.find(pair, "B", 11, 6, columns)
    words = words_of(built(what, "svg"))
    assert "Heads by their weight “wide” → “street”" in words and "−0.20" in words
    assert list(table_of(built(what, "csv")).weight) == pytest.approx([0.4603, 0.4, -0.2])


def test_an_encoder_s_shift_is_saved(packaged_models):
    scene = scene_of(model="minilm-l6", layer=3, head=1)
    found = engine.moved(scene.reader, scene.passage("B"), "zero", [(3, 1)])
    others = Baseline((((0, 1),),) * 3, (0.01, 0.002, 0.003))
    what = export.moved(scene, [(3, 1)], found, others)
    words = " ".join(words_of(built(what, "svg", True)))
    assert "Cosine distance" in words and "Of 3 random heads" in words
    assert json.loads(built(what, "json"))["random_heads"] == {
        "mean_distance": [0.01, 0.002, 0.003],
        "median": 0.003,
    }
    table = table_of(built(what, "csv"))
    assert np.array_equal(np.float32(table.distance), found.tokens)


def test_a_long_text_says_what_is_reduced(packaged_models):
    scene = scene_of(a="It was a bright cold day in April. " * 40, b="")
    words = words_of(built(export.grid(scene), "svg"))
    assert any(word.startswith("Long text: a cell shows the strongest of") for word in words)
    assert any(
        "tokens and is drawn as an image" in word for word in words_of(built(head_of(scene), "svg"))
    )
    table = table_of(built(export.grid(scene), "csv"))
    assert {"query_from", "query_to", "key_from", "key_to", "largest_weight"} < set(table)
    saved = json.loads(built(head_of(scene), "json"))
    assert np.array_equal(np.float32(saved["weights"]["A"][0]), scene.weights("A", (4, 2)))


def test_reduced_heads_side_by_side_are_saved(packaged_models):
    scene = scene_of(a="It was a bright cold day in April. " * 20, b="", drawn="arcs")
    heads = [(16, 0), (4, 2)]
    what = export.compare(scene, heads, np.stack([scene.a.maps[head] for head in heads]), None)
    words = words_of(built(what, "svg"))
    assert any(word.startswith("Long text: a cell shows the strongest of") for word in words)
    table = built(what, "csv")
    assert "largest_weight" in table_of(table)
    assert b"Largest attention weights of squares of positions, of these heads." in table
    assert json.loads(built(what, "json"))["similarity"] == {}


def _menu_alone():
    from attnlab.ui.export.menu import Savable, menu
    from attnlab.viz.numbers import Numbers

    numbers = Numbers("Nothing.", {}, [], ("a",), [[1]])
    menu("kept", Savable("name", lambda dark: "dark" if dark else "light", lambda: numbers))


def test_a_menu_makes_its_buttons_when_it_is_opened():
    app = AppTest.from_function(_menu_alone)
    app.run()
    assert not app.exception and not app.get("download_button")
    app.session_state["kept"] = True
    app.run()
    assert [button.proto.label for button in app.get("download_button")] == [
        "PNG", "SVG", "CSV", "JSON",
    ]  # fmt: skip
