"""The time of one more token, with a cache and without, of tiny models."""

import pytest
import torch

import attnlab as al
from attnlab.analysis.measured import tokens
from attnlab.errors import Cancelled, InputError
from attnlab.trace import Cancel
from tests import families


@pytest.fixture(scope="module")
def tiny():
    return al.load(families.build("llama"), tokenizer=None)


def test_each_count_is_timed_and_shared(tiny):
    shares, parts = [], []
    ids = [5 + at % 80 for at in range(40)]
    found = tokens.token_times(tiny, ids, (4, 12, 99), progress=shares.append, share=parts.append)
    assert [one.n for one in found] == [4, 12]
    assert all(one.again > 0 and one.cached > 0 for one in found)
    assert shares == [0.25, 1.0] and parts[-1] == found


def test_torch_keeps_to_the_thread_that_is_timed(tiny, monkeypatch):
    threads, seconds = [], tokens._seconds

    def watched(work):
        threads.append(torch.get_num_threads())
        return seconds(work)

    monkeypatch.setattr(tokens, "_seconds", watched)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        tokens.token_times(tiny, list(range(5, 20)), (4,))
        assert set(threads) == {1} and torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_what_cannot_be_timed_is_a_sentence(tiny):
    with pytest.raises(InputError, match="3 tokens are too few"):
        tokens.token_times(tiny, [5, 6, 7], (16,))
    cancel = Cancel()
    cancel.set()
    with pytest.raises(Cancelled):
        tokens.token_times(tiny, list(range(5, 40)), (4,), cancel=cancel)
