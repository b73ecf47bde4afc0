"""Every claim of the four experiments, from the real models and from the page they open.

Figures to two places are those of the list of right values; TOLERANCE is half of the last place
and a little for another CPU's rounding.
"""

import re

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

import attnlab as al
from attnlab.analysis import effects, maps
from attnlab.ui import experiments, link
from attnlab.ui.experiments import EXPERIMENTS
from attnlab.ui.selection import SENTENCE_A, SENTENCE_B
from attnlab.viz.payload import unpack
from attnlab.viz.tokens import label
from tests.pages.test_heads import payloads

TOLERANCE = 0.0075
STREET, IT, LAST = 6, 8, 11  # in both sentences, as SmolLM2 cuts them


def step(name: str) -> experiments.Step:
    return experiments.active(name)[1]


def weights_of(lab, text: str) -> np.ndarray:
    """[L, H, Q, S] of one text."""
    return lab.run(text, logits=None).weights.stack().numpy()


def about(figure: float, tolerance: float = TOLERANCE):
    return pytest.approx(figure, abs=tolerance)


# --- the claims, from the models ----------------------------------------------------------------


@pytest.fixture(scope="module")
def tired(smollm2) -> np.ndarray:
    return weights_of(smollm2, SENTENCE_A)


@pytest.fixture(scope="module")
def wide(smollm2) -> np.ndarray:
    return weights_of(smollm2, SENTENCE_B)


def test_the_street_finder_turns_to_street_for_wide_alone(smollm2, tired, wide):
    words = [label(token) for token in smollm2.tokens(SENTENCE_B)]
    assert (words[STREET], words[IT], words[LAST]) == ("street", "it", "wide")
    head = step("street").selection.chosen
    assert tired[head][LAST, STREET] == about(0.06)
    assert wide[head][LAST, STREET] == about(0.46)


def test_no_row_before_the_last_word_can_know(tired, wide):
    assert np.abs(wide[:, :, :LAST] - tired[:, :, :LAST]).max() < 1e-6
    assert np.abs(wide[:, :, LAST:] - tired[:, :, LAST:]).max() > 0.3


def test_in_minilm_it_knows(minilm):
    shown = step("future-minilm").selection
    words = [label(token) for token in minilm.tokens(SENTENCE_B)]
    assert (words[2], words[shown.position]) == ("animal", "it")
    rows = [weights_of(minilm, text)[shown.chosen][shown.position] for text in (shown.a, shown.b)]
    assert [row[2] for row in rows] == [about(0.68), about(0.28)]


def test_a_head_rests_and_so_do_most(tired):
    head = tired[step("resting").selection.chosen]
    assert head[1:, 0].min() > 0.9
    resting = tired[:, :, 1:, 0].mean(-1)
    assert resting.mean() == about(0.648, 0.002)
    assert (resting > 0.5).mean() == about(0.74)


def test_the_resting_head_wakes_up_at_a_repetition(smollm2):
    shown = step("resting-woken").selection
    words = [label(token) for token in smollm2.tokens(shown.a)]
    head = weights_of(smollm2, shown.a)[shown.chosen]
    assert words[3] == "tul" and words[-3:] == ["The", "password", "is"]
    assert head[1:-2, 0].min() > 0.9  # asleep up to the second “The”
    assert head[-1, 3] == about(0.85)


def test_looking_is_not_mattering(smollm2):
    shown = step("effect").selection
    found = effects.compare(smollm2, shown.b, (al.ZeroHead(*shown.chosen),))
    assert found.kl == about(0.0076, 0.0001)


@pytest.mark.parametrize(
    ("name", "word", "before", "after", "kl", "looks_at"),
    [
        ("effect-paris", " Paris", 0.773, 0.141, 1.201, "France"),
        ("effect-key", " red", 0.835, 0.463, 0.335, "blue"),
    ],
)
def test_one_head_carries_much_of_a_prediction(
    smollm2, name: str, word: str, before: float, after: float, kl: float, looks_at: str
):
    shown = step(name).selection
    found = effects.compare(smollm2, shown.a, (al.ZeroHead(*shown.chosen),))
    rows = {token.text: (p, q) for token, p, q in found.rows}
    assert rows[word] == about((before, after), 0.001)
    assert found.kl == about(kl, 0.001)
    if name == "effect-key":
        assert rows[" blue"][1] > 2 * rows[" blue"][0]
    last = weights_of(smollm2, shown.a)[shown.chosen][-1]
    assert label(smollm2.tokens(shown.a)[int(last.argmax())]) == looks_at


# --- the page each of them opens ----------------------------------------------------------------


def opened(app: AppTest, name: str) -> AppTest:
    """The page as the link of a step opens it."""
    for parameter, value in link.format_url(step(name).selection).items():
        app.query_params[parameter] = value
    app.run()
    assert not app.exception
    assert step(name).look_for in [element.value for element in app.text]
    return app


def drawn(app: AppTest) -> list[tuple[dict, dict[str, np.ndarray]]]:
    """Header and arrays of the grid, the head and the bars, wherever they stand on the page."""
    parts = [unpack(payload) for payload in payloads(app)]
    # An encoder has shifts in place of bars.
    found = [[part for part in parts if name in part[0]] for name in ("view", "mode", "names")]
    return [part for kind in found for part in kind[:1]]


def kl_of(app: AppTest) -> float:
    said = "\n".join(element.value for element in app.markdown)
    return float(re.search(r"\*\*KL ([0-9.]+)\*\*", said)[1])


def shares(app: AppTest) -> dict[str, tuple[float, float]]:
    """Each word's share with and without the head, as sent to the bars."""
    return {name[0]: (before, after) for name, before, after in drawn(app)[2][0]["rows"]}


def test_every_step_opens_its_head_and_says_what_to_look_for(app: AppTest):
    for name in (step.name for experiment in EXPERIMENTS for step in experiment.steps):
        app.query_params.clear()
        opened(app, name)
        layer, head = step(name).selection.chosen
        titles = "\n".join(element.value for element in app.markdown)
        assert f"Layer {layer} · Head {head}" in titles


def test_the_page_shows_the_street_finder(app: AppTest):
    header, arrays = drawn(opened(app, "street"))[1]
    assert (header["rows"]["a"], header["rows"]["b"]) == (LAST, LAST)
    assert (arrays["a"][LAST, STREET], arrays["b"][LAST, STREET]) == (about(0.06), about(0.46))


@pytest.mark.parametrize(
    ("name", "animal", "figures"),
    [("future", 1, (0.75, 0.75)), ("future-minilm", 2, (0.68, 0.28))],
)
def test_the_page_looks_from_it(app: AppTest, name: str, animal: int, figures: tuple):
    header, arrays = drawn(opened(app, name))[1]
    row = step(name).selection.position
    assert (header["rows"]["a"], header["rows"]["b"]) == (row, row)
    assert [header["tokens"][side][row][0] for side in "ab"] == ["it", "it"]
    assert (arrays["a"][row, animal], arrays["b"][row, animal]) == about(figures)


def test_the_page_says_how_much_rests_on_the_first_token(app: AppTest, tired):
    opened(app, "resting")
    share = float(maps.first_token_share(torch.tensor(tired)))
    said = [element.value for element in app.text]
    assert any(f"{share:.0%} of all attention" in line for line in said), said
    arrays = drawn(app)[1][1]
    assert arrays["a"][1:, 0].min() > 0.9


@pytest.mark.parametrize(
    ("name", "kl", "word", "figures"),
    [
        ("effect", 0.0076, None, None),
        ("effect-paris", 1.201, "Paris", (0.773, 0.141)),
        ("effect-key", 0.335, "red", (0.835, 0.463)),
    ],
)
def test_the_page_shows_the_effect(app: AppTest, name: str, kl: float, word, figures):
    opened(app, name)
    assert kl_of(app) == about(kl, 0.001 if kl > 0.1 else 0.0001)
    if word is not None:
        assert shares(app)[word] == about(figures, 0.001)
