"""What a trace shows of itself in a notebook, and what it says of what it does not hold."""

import base64
import html as markup
import re
from dataclasses import replace

import numpy as np
import pytest
import torch

import attnlab as al
from attnlab.trace import show
from attnlab.trace.trace import Kept
from attnlab.viz import notebook
from attnlab.viz.payload import unpack
from tests.families import lab, text

TEXT = "The animal was too wide."


def page_of(content: str) -> str:
    """The page inside the frame."""
    return markup.unescape(re.search(r'srcdoc="([^"]*)"', content)[1])


def parts(content: str) -> list[tuple[str, str, dict, dict]]:
    """(kind, title, header, arrays) of every component of the page."""
    found = re.findall(
        r'<section data-kind="(\w+)">(?:<h2>(.*?)</h2>)?.*?<script type="text/plain">(.*?)</scr',
        page_of(content),
        re.DOTALL,
    )
    return [(kind, title, *unpack(base64.b64decode(body))) for kind, title, body in found]


def notes(content: str) -> list[str]:
    return re.findall(r'<p class="facts">(.*?)</p>', page_of(content))


def test_a_whole_trace_shows_every_head_and_one(smollm2):
    trace = smollm2.run(TEXT, capture="weights", logits=None)
    grid, head = parts(trace._repr_html_())
    assert grid[:2] == ("grid", "Every head") and head[0] == "head"
    maps = trace.weights.stack().numpy()
    assert np.allclose(grid[3]["a"] / 65535, maps, atol=1e-5)
    layer, number = (int(n) for n in head[1].split() if n.isdigit())
    assert np.array_equal(head[3]["a"], maps[layer, number])
    assert head[2]["causal"] and grid[2]["selected"] == [layer, number]


def test_an_encoder_is_not_taken_for_causal(minilm):
    grid, head = parts(minilm.run(TEXT, capture="weights", logits=None)._repr_html_())
    assert not grid[2]["causal"] and not head[2]["causal"]


def test_a_single_head_stands_alone(smollm2):
    capture = al.Capture("weights", layers=4, heads=2)
    (head,) = parts(smollm2.run(TEXT, capture=capture, logits=None)._repr_html_())
    assert head[:2] == ("head", "Layer 4 · Head 2")


def test_heads_that_were_not_captured_are_blank_and_said(smollm2):
    capture = (al.Capture("weights", layers=4, heads=(2, 5)), al.Capture("weights", layers=9))
    content = smollm2.run(TEXT, capture=capture, logits=None)._repr_html_()
    grid = parts(content)[0]
    assert grid[2]["layers"] == [4, 9] and grid[3]["a"].shape[:2] == (2, 9)
    filled = grid[3]["a"][0].any(axis=(1, 2))
    assert np.flatnonzero(filled).tolist() == [2, 5]
    assert "A blank tile is a head that was not captured." in notes(content)


def test_thumbnails_alone_show_no_head_and_say_so(smollm2):
    capture = al.Capture("weights", thumbnails=16)
    content = smollm2.run(TEXT * 8, capture=capture, logits=None)._repr_html_()
    (grid,) = parts(content)
    assert grid[0] == "grid" and max(grid[3]["a"].shape[2:]) <= 16
    assert "Only thumbnails were captured, so no single head is shown." in notes(content)


def test_thumbnails_with_one_head_show_both(smollm2):
    capture = (al.Capture("weights", thumbnails=16), al.Capture("weights", layers=4, heads=2))
    grid, head = parts(smollm2.run(TEXT * 8, capture=capture, logits=None)._repr_html_())
    assert head[1] == "Layer 4 · Head 2" and grid[2]["selected"] == [4, 2]


def test_a_trace_without_weights_says_so(smollm2):
    content = smollm2.run("<b>bold</b>", capture="resid_post", logits=None)._repr_html_()
    assert "No attention weights were captured" in content and "<iframe" not in content
    assert "resid_post" in content and "<b>" not in content


def test_a_head_too_long_for_a_notebook_is_said(smollm2):
    capture = al.Capture("weights", layers=4, heads=2)
    trace = smollm2.run(TEXT, capture=capture, logits=None)
    kept = trace.values[("weights", "decoder")][4]
    size = notebook._MOST_HEAD + 1
    long = replace(
        trace,
        tokens=trace.tokens[:1] * size,
        values={("weights", "decoder"): {4: Kept(torch.eye(size)[None], kept.heads)}},
    )
    assert "too large for a notebook" in notebook.html(long)


@pytest.mark.parametrize("length", [3, 9])
def test_an_encoder_decoder_shows_every_role(length):
    trace = lab("t5").run(text(7), target=text(length, seed=4), capture="weights", logits=None)
    content = trace._repr_html_()
    shown = parts(content)
    assert [part[1].partition(":")[0] for part in shown[::2]] == [
        "Decoder", "Encoder", "Cross-attention",
    ]  # fmt: skip
    cross = shown[4]
    assert cross[3]["a"].shape[2:] == (length, 7) or cross[3]["a"].shape[2:] == (length + 1, 7)
    assert len(cross[2]["sources"]["a"]) == 7 and not cross[2]["causal"]
    weights = trace.role("cross").weights.stack().numpy()
    assert np.allclose(cross[3]["a"] / 65535, weights, atol=1e-5)


def test_hostile_tokens_leave_no_mark(smollm2):
    trace = smollm2.run('</iframe><script>alert(1)</script>" onload="x', capture="weights")
    content = trace._repr_html_()
    assert content.count("<iframe") == 1 and "<script" not in content
    assert content.count('"') == 2 * len(re.findall(r'\w+="', content))
    page = page_of(content)
    assert "<script>alert" not in page and "default-src 'none'" in page


def test_what_is_no_finite_number_is_said(smollm2):
    trace = smollm2.run(TEXT, capture=al.Capture("weights", layers=4), logits=None)
    broken = {4: Kept(torch.full_like(trace.weights[4], torch.nan))}
    content = notebook.html(replace(trace, values={("weights", "decoder"): broken}))
    assert "Some weights are no finite numbers and are drawn as 0." in notes(content)


def test_what_is_no_text_has_positions_for_words(smollm2):
    trace = smollm2.run(TEXT, capture=al.Capture("weights", layers=4), logits=None)
    content = notebook.html(replace(trace, tokens=()))
    assert parts(content)[0][2]["tokens"]["a"][2][0] == "2"
    assert "These inputs have no words; positions are numbered from 0." in notes(content)


def test_without_a_drawer_a_notebook_shows_the_repr(smollm2, monkeypatch):
    trace = smollm2.run(TEXT, logits=None)
    monkeypatch.setattr(show, "_registered", {})
    assert trace._repr_html_() is None
