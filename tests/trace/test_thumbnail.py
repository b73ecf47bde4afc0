"""Maps reduced in flight are the maps reduced afterwards, in whatever tiles they come."""

from __future__ import annotations

import pytest
import torch

from attnlab.trace.thumbnail import Thumbnail


@pytest.mark.parametrize(("queries", "keys"), [(13, 13), (65, 65), (700, 700), (130, 311)])
@pytest.mark.parametrize("tile", [7, 128])
@pytest.mark.parametrize("window", [None, 41])
def test_tiles_give_what_pooling_the_whole_map_gives(queries, keys, tile, window):
    whole = torch.rand(2, 3, queries, keys, generator=torch.Generator().manual_seed(queries))
    late = torch.arange(queries)[:, None] + keys - queries - torch.arange(keys)
    whole[..., (late < 0) | (late >= (window or keys + 1))] = 0
    thumb = Thumbnail(tuple(whole.shape), 64, torch.device("cpu"))
    for start in range(0, queries, tile):
        stop = min(start + tile, queries)
        first = 0 if window is None else max(0, start + keys - queries - window + 1)
        last = stop + keys - queries
        thumb.add(whole[:, :, start:stop, first:last], range(start, stop), range(first, last))
    pooled = torch.nn.functional.max_pool2d(whole, thumb.cell, ceil_mode=True)
    assert max(thumb.map.shape[2:]) <= 64
    assert torch.equal(thumb.map, pooled)
    assert torch.equal(thumb.first, whole[..., 0])
