"""What the tests of masks share: two texts, a mask, and how far two runs are apart."""

import attnlab as al
from tests.families import FAMILIES, text

IDS, SHORT = text(9, seed=2), text(6, seed=5)
N = len(IDS)
WINDOW = al.Mask("window", window=3, sinks=1)


def off(a, b):
    return float((a - b).abs().max())


def target(name, ids=SHORT):
    return {"target": ids} if FAMILIES[name].task == "seq2seq" else {}
