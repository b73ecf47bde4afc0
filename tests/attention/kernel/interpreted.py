"""The Triton kernel against ``attend``, with small tiles, in the interpreter or on a GPU.

Prints JSON: of each case the largest difference in z, and whether log Σ exp agrees.
"""

import json
import sys

import torch

from attnlab.attention import attend
from attnlab.attention.choice import FAR, Band
from attnlab.attention.triton_kernel import forward

B, H, K, D, E = 2, 2, 1, 7, 20
SCALE = 0.3


def bands(queries: int, keys: int) -> dict[str, tuple[Band, torch.Tensor | None]]:
    back = (keys - queries + torch.arange(queries))[:, None] - torch.arange(keys)
    return {
        "full": (Band(), None),
        "causal": (Band(low=0), back >= 0),
        "window": (Band(0, 6), (back >= 0) & (back <= 6)),
        "future": (Band(-FAR, -1), back <= -1),
    }


def tables(queries: int, keys: int) -> dict[str, torch.Tensor]:
    made = {}
    for shape in ((1, 1, queries, keys), (B, 1, 1, keys), (1, H, queries, keys)):
        table = torch.rand(shape) < 0.4
        table[..., 16:32] = False  # a tile that is skipped
        table[..., :16] |= torch.rand(shape[0], shape[1], 1, 1) < 0.5  # one that needs no mask
        made[f"table {list(shape)}"] = table
    return made


def compare(queries: int, keys: int, device: str, dtype: torch.dtype) -> dict[str, list]:
    q, k, v = (
        torch.randn(B, heads, n, size).to(device, dtype)
        for heads, n, size in ((H, queries, D), (K, keys, D), (K, keys, E))
    )
    cases = bands(queries, keys) | {n: (t, t) for n, t in tables(queries, keys).items()}
    found = {}
    for name, (mask, table) in cases.items():
        table = None if table is None else table.to(device)
        mask = mask if isinstance(mask, Band) else table
        z, log_sum = forward(q, k, v, mask, SCALE, keys - queries, (16, 16))
        exact = [x.double() for x in (q, k, v)]
        right = attend(*exact, table, scale=SCALE)
        scores = SCALE * exact[0] @ exact[1].repeat_interleave(H // K, 1).mT
        scores = scores if table is None else scores.masked_fill(~table, -torch.inf)
        sums = torch.logsumexp(scores, -1)
        sums = sums.masked_fill(sums.isneginf(), torch.inf)
        agree = torch.allclose(
            log_sum.double(), sums, atol=0.05 if dtype != torch.float32 else 1e-5
        )
        found[f"{queries} x {keys} {name}"] = [float((z.double() - right).abs().max()), agree]
    return found


def far_apart(device: str, dtype: torch.dtype) -> dict[str, list]:
    """Rows of queries, keys, values and table whose places in memory no 32 bits count."""
    n, stride = 3, 2**30 + 64
    if device != "cpu":  # where memory that nobody touches is taken all the same
        return {}
    row = {"size": (1, 1, n, 16), "stride": (1, 1, stride, 1)}
    q, k, v = (torch.empty(2 * stride + 16, dtype=dtype).as_strided(**row) for _ in range(3))
    table = torch.empty(2 * stride + n, dtype=torch.bool).as_strided((1, 1, n, n), row["stride"])
    for x in (q, k, v):
        x.copy_(torch.randn(x.shape))
    table.copy_(torch.ones(n, n, dtype=torch.bool).tril())
    z, _ = forward(q, k, v, table, SCALE, 0, (16, 16))
    near = [x.contiguous().double() for x in (q, k, v)]
    right = attend(*near, table.contiguous(), scale=SCALE)
    return {"far apart": [float((z.double() - right).abs().max()), True]}


def main() -> None:
    device, dtype = sys.argv[1], getattr(torch, sys.argv[2])
    torch.manual_seed(0)
    found = compare(37, 37, device, dtype) | compare(3, 35, device, dtype)
    print(json.dumps(found | far_apart(device, dtype)))


if __name__ == "__main__":
    main()
