"""Cases of tiled attention: any small shape, any mask, any tile."""

import torch
from hypothesis import strategies as st

from attnlab.attention import masks

F64 = torch.float64


def normal(*shape, seed=0, dtype=F64, size=1.0):
    random = torch.Generator().manual_seed(seed)
    return (torch.randn(shape, generator=random, dtype=F64) * size).to(dtype)


LONGEST = 18
# Made here: what checks the types in tests draws at random, which no strategy may do.
_DOCUMENTS = masks.Document(tuple(i // 6 for i in range(LONGEST)))
_GLOBAL = [masks.GlobalWindow((1, 9), w) for w in (1, 2, 3)]
_PADDING = {batch: masks.Padding(tuple(range(1, batch + 1))) for batch in (1, 2, 3)}


@st.composite
def predicates(draw):
    """A question about positions below ``LONGEST``, alone or joined with another."""
    size = st.integers(1, 12)
    one = draw(
        st.one_of(
            st.sampled_from([masks.Causal(), masks.Bidirectional(), _DOCUMENTS, *_GLOBAL]),
            st.builds(masks.Window, size),
            st.builds(masks.SinksWindow, st.integers(0, 3), size),
            st.builds(masks.Prefix, size),
            st.builds(masks.Strided, st.integers(1, 4)),
        )
    )
    join = draw(st.sampled_from(["", "", "and", "or", "not"]))
    if join == "not":
        return ~one
    if not join:
        return one
    other = draw(predicates())
    return one & other if join == "and" else one | other


@st.composite
def cases(draw, dtype=F64):
    """q, k, v, a mask in any form, options, and a tile."""
    small = st.integers(1, 3)
    batch, kv, group = draw(small), draw(small), draw(small)
    queries, d, e = (draw(st.integers(1, size)) for size in (11, 5, 5))
    keys, heads = queries + draw(st.integers(0, 7)), kv * group
    seed = draw(st.integers(0, 10**6))
    # In float32 two ways of adding up large scores differ by more than 1e-6 of their exponentials.
    size = draw(st.sampled_from([0.1, 1.0, 30.0] if dtype == F64 else [0.1, 0.5]))
    q = normal(batch, heads, queries, d, seed=seed, dtype=dtype, size=size)
    own = draw(st.sampled_from([1, batch]))
    k = normal(own, kv, keys, d, seed=seed + 1, dtype=dtype)
    v = normal(own, kv, keys, e, seed=seed + 2, dtype=dtype)
    options = {
        "scale": draw(st.sampled_from([None, 1.0, -0.31])),
        "softcap": draw(st.sampled_from([None, None, 2.5])),
        "sinks": draw(st.sampled_from([None, None, normal(heads, seed=seed + 4, dtype=dtype)])),
        "bias": draw(_biases((batch, heads, queries, keys), seed + 5, dtype)),
    }
    mask = draw(_masks((batch, heads, queries, keys), seed + 3, dtype))
    return q, k, v, mask, options, (draw(st.integers(1, 5)), draw(st.integers(1, 6)))


@st.composite
def _biases(draw, shape, seed, dtype):
    if draw(st.booleans()):
        return None
    return normal(*(draw(st.sampled_from([1, n])) for n in shape), seed=seed, dtype=dtype)


@st.composite
def _masks(draw, shape, seed, dtype):
    batch, _, _, keys = shape
    kinds = ["none", "predicate", "predicate", "table", "additive", "padding"]
    kind = draw(st.sampled_from(kinds))
    axes = [draw(st.sampled_from([1, n])) for n in shape[:3]]
    random = torch.Generator().manual_seed(seed)
    if kind == "none":
        return None
    if kind == "additive":
        added = normal(*axes, keys, seed=seed, dtype=dtype)
        added[torch.rand(added.shape, generator=random) < 0.4] = torch.finfo(dtype).min
        return added
    if kind == "table":
        table = torch.rand((*axes, keys), generator=random) < draw(st.sampled_from([0.1, 0.8]))
        return table
    if kind == "padding":
        return _PADDING[batch] & masks.Causal() if kind == "padding" else draw(predicates())
