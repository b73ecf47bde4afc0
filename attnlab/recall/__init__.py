"""Associative recall: what models without n² attention give up, on models that ship with AttnLab.

A model reads k pairs of a key and a value and is then asked for keys; it must have kept every pair
until then, because the questions come last (Arora et al. 2023, "Zoology", section 3: "multi-query
associative recall", where gaps between the questions are filled; here there are none).

    cat 3  dog 17  owl 5   |   dog → 17   owl → 5   cat → 3

    task      the pairs, the questions, and words for them
    model     five models of equal size that differ in their mixers alone, and what each keeps
    shipped   the trained weights, three seeds each, their accuracy, and answers to a typed list

``training/recall`` is how they were trained.
"""

from attnlab.recall.model import MODELS, Recaller, kept
from attnlab.recall.shipped import (
    SEEDS,
    Answer,
    accuracy,
    answers,
    load,
    measured,
)
from attnlab.recall.task import KEYS, LONGEST, VALUES, Batch, draw, pairs_of, random_pairs

__all__ = [
    "KEYS",
    "LONGEST",
    "MODELS",
    "SEEDS",
    "VALUES",
    "Answer",
    "Batch",
    "Recaller",
    "accuracy",
    "answers",
    "draw",
    "kept",
    "load",
    "measured",
    "pairs_of",
    "random_pairs",
]
