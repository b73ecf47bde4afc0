"""Attention by its definition: one query at a time, in float64, in plain Python and numpy."""

import numpy as np


def attention(q, k, v, visible=None, bias=None, scale=None, softcap=None, sinks=None):
    """Weights [B, H, Q, S] and z [B, H, Q, E], from arrays or tensors.

    ``visible`` and ``bias`` broadcast to [B, H, Q, S].
    """
    q, k, v = (np.asarray(x, dtype=np.float64) for x in (q, k, v))
    batch, heads, queries, size = q.shape
    group, keys = heads // k.shape[1], k.shape[2]
    shape = (batch, heads, queries, keys)
    visible = np.broadcast_to(True if visible is None else np.asarray(visible), shape)
    bias = np.broadcast_to(0.0 if bias is None else np.asarray(bias, np.float64), shape)
    k, v = (np.broadcast_to(x, (batch, *x.shape[1:])) for x in (k, v))
    weights = np.zeros(shape)
    z = np.zeros((batch, heads, queries, v.shape[-1]))
    for b, h, i in np.ndindex(batch, heads, queries):
        seen = [j for j in range(keys) if visible[b, h, i, j]]
        logits = [
            _score(q[b, h, i], k[b, h // group, j], scale or size**-0.5, softcap) + bias[b, h, i, j]
            for j in seen
        ]
        if not seen:
            continue
        rivals = logits if sinks is None else [*logits, float(sinks[h])]
        top = max(rivals)
        total = sum(np.exp(x - top) for x in rivals)
        for j, x in zip(seen, logits, strict=True):
            weights[b, h, i, j] = np.exp(x - top) / total
            z[b, h, i] += weights[b, h, i, j] * v[b, h // group, j]
    return weights, z


def _score(query, key, scale, softcap):
    score = scale * sum(x * y for x, y in zip(query, key, strict=True))
    return score if softcap is None else softcap * np.tanh(score / softcap)
