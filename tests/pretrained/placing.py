"""What the tests of changed positions share: two texts, runs of tiny models, and right answers."""

import torch

import attnlab as al
from tests.families import FAMILIES, lab, text

P = al.Positions
SHORT, LONG = text(9, seed=1), text(13, seed=2)
GOAL = text(7, seed=4)


def seq2seq(name):
    return FAMILIES[name].task == "seq2seq"


def run(name, ids=LONG, *edits, **options):
    goal = {"target": GOAL} if seq2seq(name) else {}
    options = {"capture": ()} | goal | options
    return lab(name).run(ids, edits=edits, **options)


def eager(other, ids=LONG, **inputs):
    given = {"input_ids": torch.tensor([ids]), "attention_mask": torch.ones(1, len(ids)).long()}
    with torch.no_grad():
        return other(**given, **inputs).logits[0]


def off(a, b):
    return float((a - b).abs().max())
