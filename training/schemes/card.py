"""The model card that ships beside the weights."""

from dataclasses import dataclass
from statistics import mean

from training.schemes import measure, model
from training.schemes.measure import RANGES, Curve

_CARD = """\
---
license: apache-2.0
language: en
---

# Five schemes (ours)

Five small decoders, trained by AttnLab, that differ in nothing but how they know where a token
stands: not at all, sinusoidal, learned, RoPE, ALiBi. Three seeds each. They are teaching models:
they know the English of the King James Version, and little of it.

| | |
|---|---|
| architecture | `attnlab.transformer.Decoder`: {layers} layers, {heads} heads, width {width} |
| parameters | {parameters:,}; learned: {learned:,} |
| tokens | byte-level BPE, {vocabulary:,}; a text begins with <s> |
| licence | Apache-2.0 (the text read is in the public domain) |
| made with | `python -m training.schemes --download` |
| trained on | {steps:,} batches of {batch} stretches of {length} tokens, of {read:,} tokens |
| took | {minutes} |
| stored in | float16, which changes a mean loss by {rounding:.1g} nats at most |

## Data

The King James Version (1611) as Debian's bible-kjv-text has it, in the public domain (in the United
Kingdom the right to print it is the Crown's). Two books were kept out of training, Ruth and Esther:
no other book tells these two stories again. Stretches begin anywhere in the text, the same ones in
the same order for all five; the initial weights are the same wherever two have a weight in common.

## Measured

The mean loss in nats, on Ruth and Esther, in {count} windows of {longest} tokens, by position. The
training length is {length}: what is to the right of it no model has seen. ± is half the distance
between the lowest and the highest of the three seeds.

| positions | {ranges} |
|---|{rules}|
{table}

The learned table ends at {length}: there is no position for a longer text.

RoPE stretched to {longest} tokens without any further training (factor {factor}):

| positions | {ranges} |
|---|{rules}|
{stretched}
"""


@dataclass(frozen=True)
class Measured:
    """What goes into the card: the recipe's figures and the measured ones.

    `curves`: by scheme ("rope yarn" for one that is stretched) and seed.
    """

    steps: int
    batch: int
    read: int
    minutes: float
    rounding: float
    curves: dict[tuple[str, int], Curve]


def card(of: Measured) -> str:
    """The card as Markdown."""
    config = model.build("none", 0).config
    names = list(dict.fromkeys(name for name, _ in of.curves))
    stretched = [name for name in names if name not in model.SCHEMES]
    values = {
        **vars(of),
        **{name: getattr(config, name) for name in ("layers", "heads", "width", "vocabulary")},
        "minutes": f"{of.minutes:.0f} minutes of one processor core for all fifteen",
        "parameters": _parameters("none"),
        "learned": _parameters("learned"),
        "length": model.LENGTH,
        "longest": measure.LONGEST,
        "factor": measure.LONGEST // model.LENGTH,
        "count": next(iter(of.curves.values())).count,
        "ranges": " | ".join(f"{start}–{stop - 1}" for start, stop in RANGES),
        "rules": "|".join("---" for _ in RANGES),
        "table": "\n".join(_row(of, name) for name in names if name in model.SCHEMES),
        "stretched": "\n".join(_row(of, name) for name in ["rope", *stretched]),
    }
    return _CARD.format(**values)


def _row(of: Measured, name: str) -> str:
    """One scheme: the mean over seeds, and how far they are apart."""
    curves = [curve for (known, _), curve in of.curves.items() if known == name]
    cells = []
    for start, stop in RANGES:
        found = [curve.over(start, stop) for curve in curves]
        if None in found:
            cells.append("")
            continue
        cells.append(f"{mean(found):.3f} ± {(max(found) - min(found)) / 2:.3f}")
    return f"| {name} | " + " | ".join(cells) + " |"


def _parameters(scheme: str) -> int:
    return sum(weight.numel() for weight in model.build(scheme, 0).parameters())
