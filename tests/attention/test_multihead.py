"""What is seen of queries and keys before they turn; sizes and sums are in tests/transformer."""

import pytest
import torch

from attnlab.attention import Cache, MultiHead, Where
from attnlab.attention.positions import RelativeBuckets, Rope

M, H, K, D, N, B = 12, 6, 2, 4, 5, 3


def test_before_they_turn_the_new_keys_stand_where_the_queries_do():
    """Also over a cache, whose keys have turned already: ``where`` says of what is shown."""
    layer, turn = MultiHead(M, H, K, D), Rope()
    module = turn.build(width=M, heads=H, key_size=D, bidirectional=False)
    x, cache, seen = torch.randn(B, N, M), Cache(), {}

    def keep(stage, tensor, where):
        seen.setdefault(stage, []).append((tuple(tensor.shape), where))
        return tensor

    for past, stop in ((0, N - 1), (N - 1, N)):
        positions = torch.arange(past, stop)[None]
        place = Where(queries=range(past, stop), keys=range(stop))
        layer(
            x[:, past:stop],
            rotate=lambda t, positions=positions: module.rotate(t, positions),
            cache=cache,
            at=keep,
            where=place,
        )
        for stage, heads in (("q_unrotated", H), ("k_unrotated", K)):
            shape, where = seen[stage][-1]
            assert shape == (B, heads, stop - past, D)
            assert where.queries == where.keys == range(past, stop)
            assert where.query_index == where.key_index == range(stop - past)
            assert (where.rows, where.group) == (range(B), H // K)
        shape, where = seen["k"][-1]
        assert shape == (B, K, stop, D) and where.keys == range(stop)


def test_positions_count_from_0_where_nobody_says_otherwise():
    layer, places = MultiHead(M, H, K, D), []

    def keep(stage, tensor, where):
        places.append(where.queries)
        return tensor

    layer(torch.randn(1, N, M), rotate=lambda x: x, at=keep)
    assert set(places) == {range(N)}


@pytest.mark.parametrize("name", ["heads", "kv_heads", "key_size", "value_size"])
def test_a_size_below_one_is_named(name):
    with pytest.raises(ValueError, match=f"{name} is at least 1, not 0"):
        MultiHead(**({"width": M, "heads": H} | {name: 0}))


@pytest.mark.parametrize(("buckets", "farthest"), [(1, 128), (3, 8), (8, 2)])
def test_buckets_that_leave_no_room_are_refused(buckets, farthest):
    sizes = {"width": M, "heads": H, "key_size": D}
    with pytest.raises(ValueError, match="leave no room"):
        RelativeBuckets(buckets, farthest).build(**sizes, bidirectional=True)
