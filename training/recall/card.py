"""The model card that ships beside the weights."""

from collections.abc import Mapping
from typing import Any

from attnlab.recall import KEYS, LONGEST, MODELS, VALUES, kept
from attnlab.recall.model import WIDTH
from training.recall.train import LENGTHS, TOKENS

_CARD = """\
---
license: apache-2.0
---

# Associative recall (ours)

Five small models of equal size, trained by AttnLab, that differ in nothing but how tokens reach
each other, three seeds each. They are teaching models: they read a list of pairs and are asked for
the values of its keys, and can do nothing else.

| | |
|---|---|
| architecture | `attnlab.recall.Recaller`: four layers, width {width}, no feed-forward |
| parameters | {parameters} |
| task | k pairs of a key and a value, then every key again in any order: say its value |
| ids | {keys} keys, {values} values; no key twice in a list; chance is {chance:.3f} |
| licence | Apache-2.0; the lists are drawn at random, no text was read |
| made with | `python -m training.recall` |
| trained on | batches of {tokens:,} tokens, in lists of {lengths} pairs |
| batches | {steps} |
| took | {minutes} minutes of one processor core for all fifteen |
| stored in | float16, which changes no share at {longest} pairs by more than {rounding:.4f} |

The task is the multi-query associative recall of Arora et al. 2023 ("Zoology", section 3) without
the gaps between its questions. Every mixer begins with a causal convolution over four tokens, which
Mamba has anyway, so no model lacks the means to join a key to its value. The state space learns to
look a key up later than the others, so it is trained longer; it begins with larger steps and a
slower fading than Mamba's own beginnings for long text, from which it learns far less.

## Measured

The share of right answers by number of pairs, in float16, on lists drawn from another seed than
those of training, at least {questions:,} questions each. Lists in training had at most {longest}
pairs. ± is half the distance between the best and the worst of the three seeds.

| pairs | {pairs} |
|---|{rules}|
{table}

What a model keeps of the list, numbers in all four layers, when the questions begin:

| pairs | {pairs} |
|---|{rules}|
{memory}
"""


def card(about: Mapping[str, Any]) -> str:
    """The card as Markdown, of what ``__main__`` measured."""
    from training.recall.measure import QUESTIONS

    counts = (f"{name} {about['parameters'][name]:,}" for name in MODELS)
    steps = (f"{name} {about['steps'][name]:,}" for name in MODELS)
    return _CARD.format(
        **{name: about[name] for name in ("minutes", "rounding")},
        steps=" · ".join(steps),
        width=WIDTH,
        parameters=" · ".join(counts),
        keys=KEYS,
        values=VALUES,
        chance=1 / VALUES,
        tokens=TOKENS,
        lengths=f"{', '.join(map(str, LENGTHS[:-1]))} or {LONGEST}",
        longest=LONGEST,
        questions=QUESTIONS,
        pairs=" | ".join(map(str, about["pairs"])),
        rules="|".join("---" for _ in about["pairs"]),
        table="\n".join(_row(name, about["accuracy"][name]) for name in MODELS),
        memory="\n".join(_kept(name, about["pairs"]) for name in MODELS),
    )


def _row(name: str, rows: list[list[float]]) -> str:
    """One model: the mean over seeds, and how far they are apart."""
    cells = (
        f"{sum(column) / len(column):.3f} ± {(max(column) - min(column)) / 2:.3f}"
        for column in zip(*rows, strict=True)
    )
    return f"| {name} | " + " | ".join(cells) + " |"


def _kept(name: str, pairs: list[int]) -> str:
    return f"| {name} | " + " | ".join(f"{kept(name, 2 * k):,}" for k in pairs) + " |"
