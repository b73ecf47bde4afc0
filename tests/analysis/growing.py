"""What the tests of a growing batch share: texts, variants, and runs one at a time."""

import torch

import attnlab as al
from attnlab.analysis.metrics import joined
from tests.families import FAMILIES, lab, text

IDS, OTHER, GOAL = text(9, seed=3), text(9, seed=8), text(5, seed=9)


def target_of(name):
    return {"target": GOAL} if FAMILIES[name].task == "seq2seq" else {}


def heads(name):
    """Two heads of every site, taken away, with a second edit in some."""
    sites = lab(name).sites
    return [(al.ZeroHead(s.layer, h, s.role),) for s in sites for h in (0, s.heads - 1)]


def alone(name, variants, metrics, edits=()):
    """One at a time: by metric, [N] or [N, Q]."""
    options = target_of(name) | joined(metrics)
    plain = lab(name).run(IDS, edits=edits, **options)
    runs = [lab(name).run(IDS, edits=(*edits, *own), **options) for own in variants]
    return [torch.stack([metric.of(plain, run) for run in runs]) for metric in metrics]


def same(found, right):
    for a, b in zip(found, right, strict=True):
        assert a.shape == b.shape and torch.allclose(a, b, rtol=1e-4, atol=1e-5)
        assert b.abs().max() > 1e-6
