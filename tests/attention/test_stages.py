"""What can be seen and changed inside attention, in one tile and in many."""

import pytest
import torch

from attnlab.attention import Mask, Where, attend, causal_mask
from attnlab.attention.stages import STAGES, UNROTATED_STAGES
from tests.attention import reference
from tests.attention.test_attend import normal

H, K, N, D, E = 6, 2, 11, 4, 3
FILL = {"masked": float("-inf")}
SHOWN = set(STAGES) - set(UNROTATED_STAGES)  # what attend itself shows


def qkv(grad=False):
    shapes = ((2, H, N, D), (2, K, N, D), (2, K, N, E))
    made = [normal(*shape, seed=seed) for seed, shape in enumerate(shapes)]
    return [x.requires_grad_() for x in made] if grad else made


def window(width):
    return torch.ones(N, N, dtype=torch.bool).tril().triu(1 - width)


MASKS = {
    "none": None,
    "causal": causal_mask(N, N),
    "window": window(3),
    "padding": (torch.arange(N) < torch.tensor([[N], [6]]))[:, None, None],
    "empty rows": window(3) & (torch.arange(N) % 4 > 0)[:, None],
}


class Keeper:
    """Puts the tiles of every stage together, as a plain ``at`` sees them."""

    def __init__(self, whole_rows=False, stages=STAGES):
        self.whole_rows, self.stages, self.kept, self.order = whole_rows, stages, {}, []

    def __call__(self, stage, tensor, where):
        self.order.append(stage)
        if stage not in ("scores", "scaled", "masked", "weights"):
            self.kept[stage] = tensor.clone()
            return tensor
        rows, keys = where.query_index, where.key_index
        blank = torch.full((*tensor.shape[:2], N, N), FILL.get(stage, 0.0), dtype=tensor.dtype)
        whole = self.kept.setdefault(stage, blank)
        whole[:, :, rows.start : rows.stop, keys.start : keys.stop] = tensor.detach()
        return tensor


@pytest.mark.parametrize("options", [{}, {"softcap": 2.0}, {"sinks": normal(H)}, "bias"])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("tile", [1, 3, 4])
def test_every_stage_is_the_same_in_many_tiles(tile, mask, options):
    options = {"bias": normal(1, H, N, N, seed=6)} if options == "bias" else options
    for whole_rows in (False, True):
        one, many = Keeper(whole_rows), Keeper(whole_rows)
        right = attend(*qkv(), MASKS[mask], at=one, **options)
        found = attend(*qkv(), MASKS[mask], at=many, tile=tile, **options)
        assert torch.allclose(found, right, atol=1e-12)
        assert set(one.kept) == set(many.kept) == SHOWN - ({"sinks"} - set(options))
        for stage in one.kept:
            a, b = one.kept[stage], many.kept[stage]
            if stage in ("scores", "scaled") and not whole_rows:
                # What no query of a tile can see is not computed there.
                seen = torch.isfinite(one.kept["masked"])
                a, b = a[seen], b[seen]
            assert torch.allclose(a, b, atol=1e-12), stage


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("tile", [1, 4])
def test_gradients_are_the_same_in_many_tiles(tile, mask):
    one, many = qkv(grad=True), qkv(grad=True)
    upstream = normal(2, H, N, E, seed=9)
    right = torch.autograd.grad(attend(*one, MASKS[mask]), one, upstream)
    found = torch.autograd.grad(attend(*many, MASKS[mask], tile=tile), many, upstream)
    for a, b in zip(right, found, strict=True):
        assert torch.allclose(a, b, atol=1e-12)


def test_stages_come_in_order_and_a_plain_function_sees_them_all():
    keeper = Keeper()
    attend(*qkv(), MASKS["causal"], at=keeper, sinks=normal(H))
    assert keeper.order == [
        "q", "k", "v", "mask", "scores", "scaled", "sinks", "masked", "weights", "z",
    ]  # fmt: skip


def test_only_the_stages_that_are_wanted_are_shown():
    keeper = Keeper(stages=("weights",))
    attend(*qkv(), MASKS["causal"], at=keeper, tile=4)
    assert keeper.order == ["weights"] * 3


def test_a_tile_skips_the_masked_future():
    widths = []

    def look(stage, tensor, where):
        if stage == "weights":
            widths.append((where.query_index, where.key_index, tensor.shape[2:]))
        return tensor

    attend(*qkv(), MASKS["causal"], at=look, tile=4)
    assert widths == [
        (range(0, 4), range(0, 4), (4, 4)),
        (range(4, 8), range(0, 8), (4, 8)),
        (range(8, 11), range(0, 11), (3, 11)),
    ]
    widths.clear()
    attend(*qkv(), MASKS["window"], at=look, tile=4)
    assert [keys for _, keys, _ in widths] == [range(0, 4), range(2, 8), range(6, 11)]


@pytest.mark.parametrize("stage", ["q", "k", "v", "scores", "scaled", "masked", "weights", "z"])
@pytest.mark.parametrize("tile", [3, 256])
def test_every_stage_can_be_changed(stage, tile):
    q, k, v = qkv()
    changed = []

    def halve(name, tensor, where):
        if name != stage:
            return tensor
        changed.append(name)
        return tensor / 2

    z = attend(q, k, v, MASKS["causal"], at=halve, tile=tile)
    assert changed
    seen = MASKS["causal"].visible
    scale = D**-0.5 / (2 if stage in ("q", "k", "scores", "scaled", "masked") else 1)
    _, right = reference.attention(q, k, v, seen, scale=scale)
    right = right / (2 if stage in ("v", "weights", "z") else 1)
    assert torch.allclose(z, torch.tensor(right), atol=1e-12)


def test_the_mask_and_the_sinks_can_be_changed():
    def change(name, tensor, where):
        if name == "mask":
            assert tensor.dtype == torch.bool
            return tensor & torch.ones(N, N, dtype=torch.bool).triu(-1)
        return tensor + 1 if name == "sinks" else tensor

    q, k, v = qkv()
    sinks = normal(H, seed=5)
    z = attend(q, k, v, MASKS["causal"], sinks=sinks, at=change, tile=4)
    _, right = reference.attention(q, k, v, window(2), sinks=sinks + 1)
    assert torch.allclose(z, torch.tensor(right), atol=1e-12)


def test_what_a_caller_does_to_its_inputs_and_to_what_it_was_shown_changes_nothing():
    q, k, v = qkv()
    before = [x.clone() for x in (q, k, v)]
    attend(q, k, v, MASKS["causal"], tile=3)
    assert all(torch.equal(a, b) for a, b in zip(before, (q, k, v), strict=True))
    kept = {}

    def store(name, tensor, where):  # keeps the very tensors that it hands back
        kept[name] = (tensor, tensor.clone())
        return tensor

    attend(q, k, v, MASKS["causal"], at=store)
    for name in ("scores", "scaled", "masked"):
        assert torch.equal(*kept[name]), name


def test_a_workspace_may_be_reused_by_calls_of_other_shapes():
    workspace = {}
    for heads, length in ((6, 11), (2, 17), (6, 5), (6, 17)):
        q = normal(1, heads, length, D)
        mask = causal_mask(length, length)
        found = attend(q, q, q, mask, tile=4, workspace=workspace)
        assert torch.allclose(found, attend(q, q, q, mask), atol=1e-12)


def test_where_holds_absolute_positions_rows_and_the_group():
    seen = []

    def look(stage, tensor, where):
        seen.append((stage, where))
        return tensor

    q, (_, k, v) = normal(2, H, 3, D), qkv()
    attend(q, k, v, at=look, tile=2)
    first, last = (where for stage, where in seen if stage == "weights")
    assert (first.queries, last.queries) == (range(8, 10), range(10, 11))
    assert (first.query_index, last.query_index) == (range(0, 2), range(2, 3))
    assert first.keys == first.key_index == range(N)
    assert (first.group, first.rows, first.site) == (3, range(2), None)
    seen.clear()
    place = Where(site="here", queries=range(20, 23), keys=range(12, 23))
    attend(q, k, v, at=look, where=place)
    assert all(where.site == "here" and where.queries == range(20, 23) for _, where in seen)
    assert all(where.keys == range(12, 23) for _, where in seen)


@pytest.mark.parametrize("tile", [4, 128])
@pytest.mark.parametrize("stage", ["k_heads", "v_heads"])
def test_each_query_head_can_have_keys_and_values_of_its_own(stage, tile):
    """One of a group is changed, its mates are not; who does not ask by name sees no copies."""
    q, k, v = qkv()
    seen = []

    def at(name, tensor, where):
        seen.append((name, tuple(tensor.shape), where.group))
        tensor = tensor.clone()
        tensor[:, 4] = 0.5
        return tensor

    at.stages = {stage}
    found = attend(q, k, v, MASKS["window"], at=at, tile=tile)
    assert seen == [(stage, (2, H, N, D if stage == "k_heads" else E), 1)]
    apart = {"k_heads": k.repeat_interleave(3, 1), "v_heads": v.repeat_interleave(3, 1)}
    apart[stage][:, 4] = 0.5
    right = attend(q, apart["k_heads"], apart["v_heads"], MASKS["window"])
    torch.testing.assert_close(found, right)
    others = [0, 1, 2, 3, 5]
    torch.testing.assert_close(found[:, others], attend(q, k, v, MASKS["window"])[:, others])


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("tile", [4, 128])
def test_at_the_weights_it_is_known_who_may_be_seen(mask, tile):
    """An edit of the mask counts; a weight that rounds to zero is no hidden key."""
    wanted = torch.zeros(2, 1, N, N, dtype=torch.bool)

    def at(name, tensor, where):
        if name == "mask":
            return tensor & (torch.arange(N) != 1)
        seen = torch.ones(()).bool() if where.visible is None else where.visible
        rows, keys = where.query_index, where.key_index
        wanted[:, :, rows.start : rows.stop, keys.start : keys.stop] = seen
        return tensor

    at.stages = {"mask", "weights"}
    q, k, v = qkv()
    attend(q * 1e4, k, v, MASKS[mask], at=at, tile=tile)
    table = Mask.of(MASKS[mask]).table(N, N, q.device) & (torch.arange(N) != 1)
    assert torch.equal(wanted, table.expand(2, 1, N, N))
