"""The model card that ships beside the weights."""

from dataclasses import dataclass

from training.dates import ways

_CARD = """\
---
license: apache-2.0
language: en
library_name: transformers
pipeline_tag: text2text-generation
---

# Dates (ours)

A tiny encoder-decoder, trained by AttnLab to show cross-attention: it reads a date written in one
of {ways} ways and writes it as ISO.

    "Friday, the 3rd of July 2026"  →  "2026-07-03"

It is a teaching model. It knows dates from 1900 to 2099 and nothing else.

| | |
|---|---|
| architecture | T5: {layers}, {heads} heads, width {width}; one token a character |
| parameters | {parameters:,} |
| licence | Apache-2.0, weights and data |
| made with | `python -m training.dates --seed {seed}` |
| trained on | {steps:,} + {guided_steps} batches of {batch} dates |

## Data

Made by `training/dates/ways.py`, nothing collected: day first, month first or year first in words,
month names and their beginnings, ordinals, ISO and the same with other separators, German dotted
dates, with or without the weekday before or after, in normal, lower or upper case. One date in
{out} is held out in every way of writing.

Left out because they could mean two dates: 03/07/2026 and 03-07-2026, years of two digits, dates
without a year. Left out to keep it small: numbers in words, months in other languages.

## Measured

{exact:.2%} of {count:,} held-out dates are written without any mistake.

Cross-attention: how often the key with the largest weight lies on the part that is being written,
in {aligned_count:,} held-out dates. (The row that writes a character is that of the character
before it.) For most digits the heads find the part by themselves. The first digit of the month they
read off anywhere, so in the last {guided_steps} steps head {guided}, which did best, was taught to
look at the part that is written, always (`training/dates/guide.py`). The others were left free.

| head | year | month | day |
|---|---|---|---|
{table}

Before those steps:

| head | year | month | day |
|---|---|---|---|
{before}
"""


@dataclass(frozen=True)
class Measured:
    """What goes into the card: the recipe's figures and the measured ones."""

    seed: int
    steps: int
    batch: int
    parameters: int
    layers: str
    heads: int
    width: int
    exact: float
    count: int
    before: dict[tuple[int, int, str], float]
    aligned: dict[tuple[int, int, str], float]
    aligned_count: int
    guided: int
    guided_steps: int


def card(of: Measured) -> str:
    """The card as Markdown."""
    values = {
        **vars(of),
        "ways": len(ways.IN_WORDS) + len(ways.IN_DIGITS),
        "out": ways.HELD_OUT,
        "table": _table(of.aligned),
        "before": _table(of.before),
    }
    return _CARD.format(**values)


def _table(aligned: dict[tuple[int, int, str], float]) -> str:
    """A row a head; the model has one decoder layer."""
    return "\n".join(
        f"| {head} | " + " | ".join(f"{aligned[0, head, part]:.1%}" for part in ways.PARTS) + " |"
        for head in sorted({head for _, head, _ in aligned})
    )
