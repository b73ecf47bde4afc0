"""One head in tiles: the sums of the last tile are those of all at once, whatever is masked."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnlab.analysis import in_tiles
from attnlab.attention import explain
from attnlab.errors import CaptureError
from attnlab.trace import Site


def drawn(n, s, seed, causal=True, bias=False):
    torch.manual_seed(seed)
    q, k, v = torch.randn(n, 5), torch.randn(s, 5), torch.randn(s, 3)
    visible = torch.ones(n, s).tril(s - n).bool() if causal else torch.ones(n, s).bool()
    return q, k, v, visible, torch.randn(n, s) if bias else None, 0.7


@given(st.integers(1, 13), st.integers(0, 5), st.integers(1, 6), st.booleans(), st.booleans())
def test_the_last_tile_of_each_query_has_the_sum_of_the_whole_row(n, more, tile, causal, bias):
    given_ = drawn(n, n + more, n, causal, bias)
    q, k, _, visible, added, scale = given_
    found = in_tiles.computed(*given_, tile)
    assert found.difference < 1e-5 and found.exact < 1e-12
    scores = scale * q @ k.mT + (0 if added is None else added)
    scores = scores.masked_fill(~visible, -torch.inf)
    ends = [step for step in found.steps if step.keys[1] == n + more]
    highest = np.concatenate([step.highest for step in ends])
    total = np.concatenate([step.total for step in ends])
    np.testing.assert_allclose(highest, scores.amax(-1), rtol=1e-5, atol=1e-6)
    rows = torch.exp(scores - scores.amax(-1, keepdim=True)).sum(-1)
    np.testing.assert_allclose(total, rows, rtol=1e-5)
    assert found.most <= tile**2 and found.computed <= n * (n + more)


def test_a_causal_mask_skips_tiles_and_a_higher_score_shrinks_what_was_summed():
    found = in_tiles.computed(*drawn(12, 12, 1), 3)
    assert sum(step.skipped for step in found.steps) == 6
    assert found.computed == 10 * 9 and found.most == 9
    assert found.corrected > 0
    late = torch.linspace(-3, 3, 12)[:, None].expand(12, 5)  # scores rise: every tile corrects
    q = torch.ones(12, 5)
    rising = in_tiles.computed(q, late, late, torch.ones(12, 12).bool(), None, 1.0, 4)
    assert rising.corrected == 12 * 2


def test_a_head_of_a_model_is_cut_as_it_was_computed(smollm2):
    site = smollm2.sites[4]
    trace = smollm2.run(
        "The animal didn't cross the street because it was too wide.",
        capture=in_tiles.captures(site, 2, smollm2.stages),
    )
    found = in_tiles.in_tiles(trace, site, 2, 4, 24)
    assert (found.queries, found.keys) == (13, 13)
    assert found.difference < 1e-5 and found.exact < 1e-12
    role = trace.role("decoder")
    kept = explain(
        role.q[4, 2][None, None], role.k[4, 0][None, None], role.v[4, 0][None, None], causal=True
    )
    last = found.steps[-1]
    np.testing.assert_allclose(last.highest, kept.masked[0, 0, 12:].amax(-1), rtol=1e-4)


def test_a_model_that_hides_its_queries_is_refused_in_a_sentence():
    site = Site(
        path="x",
        role="decoder",
        layer=0,
        heads=2,
        kv_heads=2,
        key_size=4,
        value_size=4,
        scale=None,
        causal=True,
    )
    with pytest.raises(CaptureError, match="nothing to cut into tiles"):
        in_tiles.captures(site, 0, {"weights"})
