"""The loss at each position: of one text, and the mean over windows of it."""

import pytest
import torch

import attnlab as al
from attnlab.analysis.by_position import (
    average_by_position,
    loss_by_position,
    smoothed,
    windows_of,
)
from attnlab.analysis.passage import PASSAGES, passage
from attnlab.errors import Cancelled, InputError
from tests.families import lab, text

IDS = text(40, seed=5)


def by_definition(runner, ids, **options):
    logits = runner.run(ids, capture=(), **options).logits.double()
    return -logits.log_softmax(-1)[:-1].gather(1, torch.tensor(ids[1:])[:, None])[:, 0]


def test_losses_are_minus_log_p_of_the_next_token():
    shares = []
    edit = al.ZeroHead(0, 1)
    found = loss_by_position(lab("llama"), IDS, edits=edit, progress=shares.append)
    torch.testing.assert_close(
        found.values.double(), by_definition(lab("llama"), IDS, edits=edit), atol=1e-5, rtol=0
    )
    assert [token.id for token in found.tokens] == IDS
    assert shares[-1] == 1
    assert found.mean(3, 7) == pytest.approx(float(found.values[3:7].mean()), rel=1e-6)
    with pytest.raises(InputError, match="no loss at positions 39"):
        found.mean(39)


def test_the_average_is_that_of_every_window_alone(monkeypatch):
    monkeypatch.setattr("attnlab.analysis.by_position.BATCH_TOKENS", 30)
    shares = []
    found = average_by_position(lab("llama"), IDS, 12, step=7, progress=shares.append)
    windows = [IDS[i : i + 12] for i in range(0, 29, 7)]
    alone = torch.stack([by_definition(lab("llama"), window) for window in windows])
    torch.testing.assert_close(found.mean, alone.mean(0), atol=1e-5, rtol=0)
    torch.testing.assert_close(found.error, alone.std(0) / 5**0.5, atol=1e-5, rtol=0)
    assert (found.count, found.stopped) == (5, None)
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1)


def test_a_text_shorter_than_a_window_is_named():
    with pytest.raises(InputError, match="40 tokens, which is not one window of 41"):
        average_by_position(lab("llama"), IDS, 41)


def test_a_cancelled_average_stops():
    cancel = al.Cancel()
    cancel.set()
    with pytest.raises(Cancelled):
        average_by_position(lab("llama"), IDS, 12, cancel=cancel)


def test_smoothing_takes_what_neighbours_there_are():
    values = torch.tensor([1.0, 2.0, 6.0, 3.0, 0.0])
    expected = torch.tensor([1.5, 3.0, 11 / 3, 3.0, 1.5], dtype=torch.float64)
    torch.testing.assert_close(smoothed(values, 3), expected)
    torch.testing.assert_close(smoothed(values, 1), values.double())
    torch.testing.assert_close(smoothed(values, 99), torch.full((5,), 2.4, dtype=torch.float64))
    with pytest.raises(InputError, match="take 5"):
        smoothed(values, 4)


@pytest.mark.parametrize("name", PASSAGES)
def test_a_passage_is_long_and_plain(smollm2, name):
    words = passage(name)
    assert len(smollm2.tokens(words)) >= 2_048
    assert words.isascii() and "  " not in words and not any(char.isdigit() for char in words)


def test_windows_begin_as_a_text_does(minilm):
    """Also where the tokenizer puts something first: [CLS]."""
    words = "In the beginning God created the heaven and the earth."
    first, windows = windows_of(minilm, words, 8, 3)
    ids = [token.id for token in minilm.tokens(words)]
    assert first == ids[:1]
    assert windows == [ids[i : i + 7] for i in range(1, len(ids) - 6, 3)]
    with pytest.raises(InputError, match="There is no passage 'rut'; there are ruth, esther"):
        passage("rut")


@pytest.mark.parametrize("length", [None, "3", float("nan"), 2.5, 0])
def test_windows_of_what_is_no_length_are_refused(length):
    with pytest.raises(InputError, match="length"):
        average_by_position(lab("llama"), IDS, length)
    with pytest.raises(InputError, match="length"):
        windows_of(lab("llama"), IDS, length, 1)
    with pytest.raises(InputError, match="step"):
        windows_of(lab("llama"), IDS, 12, length)


@pytest.mark.parametrize("given", [5, None, [1.5] * 40, b"abc", {1, 2}])
def test_windows_of_what_is_no_text_are_refused(given):
    with pytest.raises(InputError):
        average_by_position(lab("llama"), given, 12)


def test_the_mean_over_places_that_are_none():
    found = loss_by_position(lab("llama"), IDS)
    for places in ((2.5,), (0, "3"), (None,)):
        with pytest.raises(InputError):
            found.mean(*places)
