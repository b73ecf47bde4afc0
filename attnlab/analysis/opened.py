"""One head opened at one query: every number between its query and what it hands on.

    z_i = Σ_j weights_ij · v_j
    weights_i = softmax(scale · q_i · k_j + bias_ij) over the keys j that the mask leaves

and attention adds W_O z_i to the word's vector (Vaswani et al. 2017, section 3.2). With fewer
key/value heads than query heads, several heads read one (Ainslie et al. 2023). With rotary
positions q and k are turned first, two dimensions at a time (Su et al. 2021, section 3.2).

Every stage is the Trace's own; only products, parts and sums are computed here, in float64.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from attnlab.errors import CaptureError
from attnlab.trace import Capture, Site, Trace
from attnlab.trace.capture import KEY_VALUE_STAGES as _KEYS

_ROWS = ("scores", "scaled", "masked", "weights")  # of these the query's own row is kept
BEFORE = ("q_unrotated", "k_unrotated")
STAGES = (*BEFORE, "q", "k", "v", *_ROWS, "z")
_ROUNDING = 2**-7  # bfloat16's steps; a scaled score is rounded to half of one


@dataclass(frozen=True)
class Turns:
    """How rotary positions turn q and k: dimensions ``pairs[p]`` by ``angles[position, p]``.

    ``angles`` [n, P] are in radians. ``factor`` multiplies the lengths of both (YaRN); 1 elsewhere.
    """

    pairs: tuple[tuple[int, int], ...]
    angles: np.ndarray
    factor: float = 1.0

    def step(self) -> np.ndarray:
        """[P] how far each pair turns from one position to the next."""
        angles = self.angles.astype(np.float64)
        return angles[1] - angles[0] if len(angles) > 1 else np.zeros(len(self.pairs))


@dataclass(frozen=True)
class Opened:
    """One head at one query, float32 on the CPU; None is what this model does not show.

    Attributes:
        site: where the head is; ``head`` is its number there.
        query: the position that looks.
        q: [D], k: [S, D], v: [S, E] as attention received them: after the rotation.
        q_before: [D], k_before: [S, D] before the rotation; None where nothing rotates.
        turns: the rotation between the two.
        scores, scaled, masked, weights: [S], the query's row; ``masked`` is −∞ where it is hidden.
        z: [E], what the head hands on.
        added: [M], z through the head's part of W_O.
    """

    site: Site
    head: int
    query: int
    weights: np.ndarray
    masked: np.ndarray | None = None
    scaled: np.ndarray | None = None
    scores: np.ndarray | None = None
    q: np.ndarray | None = None
    k: np.ndarray | None = None
    v: np.ndarray | None = None
    z: np.ndarray | None = None
    q_before: np.ndarray | None = None
    k_before: np.ndarray | None = None
    turns: Turns | None = None
    added: np.ndarray | None = None

    @property
    def kv_head(self) -> int:
        """The key/value head that this head reads."""
        return kv_head(self.site, self.head)

    @property
    def sharing(self) -> tuple[int, ...]:
        """The query heads that read it, this one among them."""
        group = self.site.heads // self.site.kv_heads
        return tuple(range(self.kv_head * group, (self.kv_head + 1) * group))

    @property
    def hidden(self) -> np.ndarray:
        """[S] whether the mask hides a key from the query."""
        if self.masked is None:
            return np.zeros(len(self.weights), bool)
        return np.isneginf(self.masked)

    @property
    def bias(self) -> np.ndarray | None:
        """[S] what was added to the scaled scores; NaN at hidden keys, None where nothing was."""
        if self.masked is None or self.scaled is None:
            return None
        added = np.where(self.hidden, np.nan, self.masked - self.scaled)
        return added if np.any(np.nan_to_num(added)) else None

    @property
    def capped(self) -> bool:
        """Whether scores are bent by a soft cap, so that scaled is not scale · score: by more than
        rounding to half precision explains."""
        if self.scores is None or self.scaled is None or self.site.scale is None:
            return False
        plain = self.site.scale * self.scores.astype(np.float64)
        return not np.allclose(self.scaled, plain, rtol=_ROUNDING, atol=1e-3)

    @property
    def left(self) -> float:
        """The share of the row that no key gets: a learned sink's, else 0 but for rounding."""
        return 1.0 - float(self.weights.sum(dtype=np.float64))

    def products(self, key: int) -> np.ndarray:
        """[D] the products whose sum is the score of a key."""
        return self.q.astype(np.float64) * self.k[key]

    def named(self, key: int, count: int) -> tuple[list[tuple[int, float, float, float]], float]:
        """The largest terms of a key's score, (dimension, of q, of k, product), and all others'
        sum."""
        products = self.products(key)
        places = largest(products, count)
        terms = [(i, float(self.q[i]), float(self.k[key, i]), float(products[i])) for i in places]
        return terms, float(np.delete(products, places).sum())

    def parts(self, keys: Sequence[int]) -> np.ndarray:
        """[n, E] what z takes from some keys: weight times value."""
        keys = list(keys)
        return self.weights[keys, None].astype(np.float64) * self.v[keys]

    def blended(self, keys: Sequence[int]) -> tuple[np.ndarray, np.ndarray, int]:
        """The parts of some keys [n, E], the sum [E] of all others', and how many of these the
        query sees."""
        others = np.setdiff1d(np.arange(len(self.weights)), keys)
        seen = int((~self.hidden[others]).sum())
        return self.parts(keys), self.parts(others).sum(0), seen

    def share_of_others(self, keys: Sequence[int]) -> float:
        """What all keys but these weigh together."""
        return float(np.delete(self.weights, list(keys)).sum(dtype=np.float64))

    @property
    def length(self) -> float:
        """The Euclidean length of what W_O makes of z."""
        return float(np.linalg.norm(self.added.astype(np.float64)))


def kv_head(site: Site, head: int) -> int:
    """The key/value head that a query head reads."""
    return head * site.kv_heads // site.heads


def captures(site: Site, head: int, query: int, stages: Container[str]) -> tuple[Capture, ...]:
    """What a run must keep to open one head at one query; ``stages`` are those the model shows.

    Nothing of other heads is kept, and of matrices one row.

    Raises:
        CaptureError: the model shows no weights, or the head is not there.
    """
    if not 0 <= head < site.heads:
        raise CaptureError(f"{site.name} has heads 0 to {site.heads - 1}, so there is no {head}.")
    if "weights" not in stages:
        raise CaptureError(f"The attention weights of {site.name} cannot be seen in this model.")
    return tuple(
        Capture(
            stage,
            layers=site.layer,
            heads=kv_head(site, head) if stage in _KEYS else head,
            roles=site.role,
            queries=(query,) if stage in _ROWS else None,
        )
        for stage in STAGES
        if stage in stages
    )


def opened(trace: Trace, site: Site, head: int, query: int) -> Opened:
    """The head as a run that kept :func:`captures` left it; W_O and angles are added elsewhere.

    Raises:
        NotCaptured: the weights were not kept.
    """
    values: dict[str, np.ndarray | None] = {}
    for stage in STAGES:
        if (stage, site.role) not in trace.values and stage != "weights":
            values[stage] = None
            continue
        number = kv_head(site, head) if stage in _KEYS else head
        whole = getattr(trace.role(site.role), stage)[site.layer, number]
        row = whole[0] if stage in _ROWS else whole if stage in _KEYS else whole[query]
        values[stage] = array(row)
    before = {f"{name[0]}_before": values.pop(name) for name in BEFORE}
    return Opened(site, head, query, **values, **before)


def array(tensor: Tensor) -> np.ndarray:
    """A float32 copy on the CPU that nobody can change."""
    copied = np.array(tensor.detach().float().cpu().numpy())
    copied.setflags(write=False)
    return copied


def with_output(head: Opened, output: nn.Module | None) -> Opened:
    """The same with what W_O makes of z alone: output(z in the head's place) − output(0).

    Args:
        output: the output projection, which reads [1, 1, H · E]; None: not known.
    """
    if output is None or head.z is None:
        return head
    like, size = next(output.parameters()), len(head.z)
    heads = torch.zeros(2, 1, head.site.heads * size, dtype=like.dtype, device=like.device)
    heads[0, 0, head.head * size : (head.head + 1) * size] = torch.tensor(head.z).to(heads)
    with torch.no_grad():
        alone, nothing = output(heads).double()
    return replace(head, added=array((alone - nothing)[0]))


def largest(values: np.ndarray, count: int) -> list[int]:
    """Where the values farthest from 0 lie, the farthest first; equal ones in order."""
    return np.argsort(-np.abs(values), kind="stable")[:count].tolist()


def strongest(head: Opened, count: int, always: Sequence[int] = ()) -> list[int]:
    """At most ``count`` keys in order of position: ``always``, then those of largest weight."""
    found = dict.fromkeys([*always, *largest(head.weights, len(head.weights))])
    seen = [key for key in found if key in always or not head.hidden[key]]
    return sorted(seen[:count])


def unasked_key(head: Opened) -> int:
    """The key that the query looks at hardest, past the first word and itself where it can."""
    row = np.array(head.weights)
    others = row.copy()
    others[0] = -1
    if head.site.role != "cross" and head.query < len(row):
        others[head.query] = -1
    best = int(np.argmax(others))
    return best if others[best] > 0 else int(np.argmax(row))
