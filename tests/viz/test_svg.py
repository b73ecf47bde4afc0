"""Pictures as SVG: what they draw equals the arrays, and hostile text is only text."""

import math
import re
import xml.etree.ElementTree as ElementTree
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.viz import bundles, png, svg
from attnlab.viz.difference import LEAST_CHANGE
from attnlab.viz.svg import fonts, ink, layout, matrix, text
from attnlab.viz.svg.sheet import DARK, LIGHT, rgb
from attnlab.viz.svg.words import ARC_LEAST, FAINT_ARC_LEAST, row_height

CAPTION = svg.Caption("A title", [("A", "one two"), ("B", "one three")], "a model", ["a note"])
HOSTILE = ["</text><script>alert(1)</script>", '"><img onerror=x>', "&lt;]]>", "\x00\x1b", "\u202e",
           "\ufffe\uffff", "\ud800", "e\u0301", "漢字", "=1+1"]  # fmt: skip


def tokens(words):
    return [{"id": i, "text": word, "raw": word} for i, word in enumerate(words)]


def causal(*shape, seed=0):
    scores = np.random.default_rng(seed).normal(size=shape).astype(np.float32) * 2
    scores = np.where(np.tri(shape[-1], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float32)


def drawn(picture: str) -> ElementTree.Element:
    root = ElementTree.fromstring(picture)
    assert {node.tag.rpartition("}")[2] for node in root.iter()} <= {
        "svg", "title", "desc", "defs", "pattern", "path", "linearGradient", "stop", "rect", "text",
        "tspan", "polygon",
        "g", "image", "circle",
    }  # fmt: skip
    return root


def words(picture: str) -> list[str]:
    nodes = (node for node in drawn(picture).iter() if node.tag.endswith("}text"))
    return ["".join(node.itertext()) for node in nodes]


def pictures(names, weights):
    """Every picture of these tokens and weights [Q, S]."""
    rows, maps = tokens(names), np.broadcast_to(weights, (3, 4, *weights.shape)).copy()
    both = {"b": weights, "tokens_b": rows[::-1], "caption": CAPTION}
    yield svg.grid(maps, rows, b=maps, tokens_b=rows[::-1], view="B", caption=CAPTION)
    for mode in ("words", "matrix", "difference"):
        yield svg.head(weights, rows, mode=mode, dark=True, **both)
    heads = [(0, 1), (2, 3)]
    for kind in ("matrices", "arcs"):
        yield svg.compare(heads, maps[0, :2], rows, drawn=kind, caption=CAPTION)
    yield svg.bars([(row, 0.5, 0.25) for row in rows], caption=CAPTION)
    yield svg.shifts([(row, 0.5) for row in rows], caption=CAPTION)
    yield svg.ranks([("in A", "a", [(1, 2, 0.5)]), ("B − A", "d", [(1, 2, -0.5)])], caption=CAPTION)


def test_every_picture_says_its_title_sentences_model_and_notes():
    for picture in pictures(["one", "two", "three"], causal(3, 3)):
        said = words(picture)
        assert {"A title", "one two", "one three", "a model", "a note"} <= set(said)
        assert png.of(picture).startswith(b"\x89PNG")


def test_hostile_tokens_are_literal_in_every_picture():
    for picture in pictures(HOSTILE, causal(len(HOSTILE), len(HOSTILE))):
        drawn(picture)
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff\u202e]", picture)
    said = words(svg.head(causal(10, 10), tokens(HOSTILE), caption=CAPTION))
    assert {"␀␛", "⟨U+202E⟩", "=1+1", "漢字"} <= set(said)
    assert any(word.startswith("</text><scr") for word in said)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=6), min_size=1, max_size=4), st.text(), st.text())
def test_any_text_gives_xml(names, sentence, title):
    caption = svg.Caption(title, [("A", sentence)], sentence, [title])
    size = len(names)
    drawn(svg.head(causal(size, size), tokens(names), caption=caption))


def test_figures_are_the_weights():
    weights = causal(4, 4)
    said = words(svg.head(weights, tokens("abcd"), mode="matrix", caption=CAPTION))
    for i in range(4):
        for j in range(i + 1):
            if weights[i, j] >= 0.005:
                assert f"{weights[i, j]:.2f}" in said
    said = words(svg.head(weights, tokens("abcd"), row_a=2, caption=CAPTION))
    assert [w for w in said if w.startswith("0.") or w == "1.00"] == [
        f"{w:.2f}" for w in weights[2, :3] if w >= 0.005
    ]


def test_a_change_without_counterpart_is_hatched_and_named():
    a, b = tokens(["x", "y", "z"]), tokens(["x", "y", "new", "z"])
    for token, number in zip(b, (0, 1, 9, 2), strict=True):
        token["id"] = number
    picture = svg.head(causal(3, 3), a, b=causal(4, 4), tokens_b=b, mode="difference",
                       caption=CAPTION)  # fmt: skip
    assert "Only in B: new." in words(picture) and "no counterpart" in words(picture)
    assert picture.count('fill="url(#hatch)"') == 4 + 1  # its row, its column, the legend


def test_a_row_that_sees_nothing_is_said():
    weights = causal(3, 3)
    weights[1] = 0
    said = words(svg.head(weights, tokens("abc"), row_a=1, caption=CAPTION))
    assert "A: b sees nothing, every word is masked." in said
    for sink, end in ((True, "; the sink takes 0.40."), (False, ".")):
        picture = svg.head(0.6 * causal(3, 3), tokens("abc"), sink=sink, caption=CAPTION)
        assert f"A: the row of c adds up to 0.60{end}" in words(picture)


def test_the_atlas_holds_every_map_in_its_place():
    maps = np.zeros((5, 2, 8, 8), np.float32)
    maps[3, 1, 7, 2] = 0.5
    picture = svg.grid(maps, tokens("abcdefgh"), drop_first=False, caption=CAPTION)
    place = layout.laid_out(5, 2, 1200)
    body = re.search(r'href="data:image/png;base64,([^"]+)"', picture)[1]
    pixels = decoded(body)
    (x, y), side = place.place(3, 1), place.map * 4
    corner = np.array([y + place.inset, x + place.inset]) * 4
    inked = np.argwhere(pixels[..., 3])
    assert (inked.min(0) >= corner + np.array([side * 7 // 8 - 1, side * 2 // 8 - 1])).all()
    assert (inked.max(0) <= corner + np.array([side, side * 3 // 8 + 1])).all()
    assert tuple(pixels[tuple(inked[0])][:3]) == rgb(LIGHT.a)
    assert pixels[tuple(inked[0])][3] == pytest.approx(0.65 * 255, abs=2)


def decoded(body: str) -> np.ndarray:
    """RGBA of a palette PNG, by hand: the encoder must not test itself."""
    import base64
    import struct
    import zlib

    data, at, chunks = base64.b64decode(body), 8, {}
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        chunks[kind] = data[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + chunks[kind]) == struct.unpack(
            ">I", data[at + 8 + length : at + 12 + length]
        )[0]  # fmt: skip
        at += 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not lines[:, 0].any()
    colours = np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)
    alpha = np.frombuffer(chunks[b"tRNS"], np.uint8)[:, None]
    return np.hstack([colours, alpha])[lines[:, 1:]]


def test_a_thin_line_survives_reduction():
    ink_of = np.zeros((2000, 2000), np.float32)
    ink_of[np.arange(2000), np.arange(2000)] = -0.8
    small = ink.strongest(ink_of, 100, 100)
    assert small.shape == (100, 100) and (np.diag(small) == np.float32(-0.8)).all()


@pytest.mark.parametrize(("theme", "dark"), [(LIGHT, False), (DARK, True)])
def test_the_paper_is_light_or_dark(theme, dark):
    picture = svg.bars([("a", 0.5, 0.2)], caption=CAPTION, dark=dark)
    assert f'<rect width="100%" height="100%" fill="{theme.paper}"/>' in picture


def test_a_long_text_is_an_image_with_its_strongest_words():
    weights = causal(300, 300)
    names = [f"w{i}" for i in range(300)]
    picture = svg.head(weights, tokens(names), row_a=200, caption=CAPTION)
    said = words(picture)
    best = int(np.argmax(weights[200]))
    assert f"w{best}" in said and f"{weights[200, best]:.2f}" in said
    assert any("300 tokens and is drawn as an image" in word for word in said)
    assert len(picture) < 400_000


@pytest.mark.parametrize("wrong", [{"mode": "arcs"}, {"mode": "difference"}, {"row_a": 9}])
def test_what_does_not_fit_is_refused(wrong):
    with pytest.raises(ValueError):
        svg.head(causal(3, 3), tokens("abc"), caption=CAPTION, **wrong)
    with pytest.raises(ValueError):
        svg.head(causal(4, 4), tokens("abc"), caption=CAPTION)


def test_text_is_cut_and_broken_to_its_room():
    assert text.cut("abc", 100, 12) == "abc"
    short = text.cut("a long word that does not fit", 60, 12)
    assert short.endswith("…") and text.width(short, 12) <= 60
    lines = text.wrapped("word " * 200, 200, 12, 3)
    assert len(lines) == 3 and lines[-1].endswith("…")
    assert all(text.width(line, 12) <= 200 for line in lines)
    assert text.wrapped("x" * 500, 200, 12, 2)[0].startswith("xxx")


def test_a_png_says_which_characters_it_could_not_draw(monkeypatch):
    monkeypatch.setattr(fonts, "_has_font", lambda char: char not in "漢字")

    def draw(word, *notes):
        return svg.bars([(word, 0.5, 0.2)], caption=CAPTION.noting(*notes), dark=True)

    assert svg.drawn(partial(draw, "a")) == png.of(draw("a"))
    asked = []
    monkeypatch.setattr(fonts.png, "of", lambda picture, scale: asked.append(picture) or b"")
    svg.drawn(partial(draw, "漢字"))
    assert "□□" in words(asked[0]) and "漢" not in asked[0]
    assert "Empty boxes: no font here has U+5B57, U+6F22. The SVG has them." in words(asked[0])


def test_letters_have_a_font_and_what_is_no_character_has_none():
    assert fonts.undrawn("Straße Ελλάδα − → é") == ""
    assert fonts.undrawn("\U0010fffd") == "\U0010fffd"


def component(name: str) -> str:
    return (bundles.FOLDER / name).read_text()


def test_pictures_and_components_share_their_ink_and_layout():
    cells, style = component("cells.js"), component("common.css")
    assert f"weight: {ink.GAIN} " in cells and f"FAINT = {ink.FAINT};" in cells
    places = f"LEFT = {layout.LEFT}, FOOT = {layout.FOOT}, BLOCK_GAP = {layout.BLOCK_GAP};"
    assert places in component("layout.js")
    assert f"const LEAST_CHANGE = {LEAST_CHANGE};" in component("offline.js")
    for theme in (LIGHT, DARK):
        for colour in (theme.a, theme.b, theme.edit):
            assert f"{colour};" in style


def test_words_have_the_measures_of_the_page():
    source = component("words.js")
    assert f"ARC_LEAST = {ARC_LEAST}, FAINT_ARC_LEAST = {FAINT_ARC_LEAST};" in source
    rows = re.search(r"rowHeight = \(count\) => \((.*)\);", source)[1]
    steps = [tuple(map(int, step)) for step in re.findall(r"count <= (\d+) \? (\d+)", rows)]
    rest = int(rows.rpartition(":")[2])
    for count in range(1, 100):
        assert row_height(count) == next((high for most, high in steps if count <= most), rest)


def test_the_matrix_has_the_measures_of_the_page():
    said = re.search(r"const MATRIX = {(.*)};", component("matrix.js"))[1]
    measures = dict(part.strip().split(": ") for part in said.split(","))
    tilt = measures.pop("tilt").removeprefix("Math.PI / ")
    assert math.isclose(matrix.TILT, math.pi / float(tilt))
    names = ("MOST", "FIGURES", "WRITTEN", "LABEL", "GAP", "START")
    assert measures == {name.lower(): str(getattr(matrix, name)) for name in names}
