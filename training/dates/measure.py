"""What the trained model can do: exact answers, and where its cross-attention looks."""

import random
from collections.abc import Sequence

import torch
from transformers import PreTrainedTokenizerFast, T5ForConditionalGeneration

from training.dates import ways
from training.dates.ways import PARTS, Written

ISO_PLACES = {"year": (0, 1, 2, 3), "month": (5, 6), "day": (8, 9)}
"""Where in YYYY-MM-DD each part is written. The row of attention that writes place i is row i: it
belongs to the token before it (the start token for i = 0)."""


def held_out(count: int, seed: int) -> list[Written]:
    """Dates that were never trained on, in any way of writing."""
    pick = random.Random(seed)
    return [ways.draw(pick, held_out=True) for _ in range(count)]


@torch.no_grad()
def answers(
    net: T5ForConditionalGeneration,
    tokens: PreTrainedTokenizerFast,
    texts: Sequence[str],
    batch: int = 500,
) -> list[str]:
    """What the model writes for each text, always taking the likeliest character."""
    written = []
    for start in range(0, len(texts), batch):
        fed = tokens(
            list(texts[start : start + batch]),
            padding=True,
            return_tensors="pt",
            return_token_type_ids=False,
        )
        ids = net.generate(**fed, max_new_tokens=12, do_sample=False)
        written += tokens.batch_decode(ids, skip_special_tokens=True)
    return written


def exact(
    net: T5ForConditionalGeneration, tokens: PreTrainedTokenizerFast, dates: Sequence[Written]
) -> float:
    """The share of dates written without any mistake."""
    said = answers(net, tokens, [date.text for date in dates])
    return sum(a == date.iso for a, date in zip(said, dates, strict=True)) / len(dates)


@torch.no_grad()
def alignment(
    net: T5ForConditionalGeneration, tokens: PreTrainedTokenizerFast, dates: Sequence[Written]
) -> dict[tuple[int, int, str], float]:
    """How often each cross-attention head looks hardest at the part that is being written.

    Returns:
        (layer, head, part) → the share, over the dates and the digits of the part, of rows whose
        largest weight lies on a character that says this part.
    """
    hits = {}
    net.set_attn_implementation("eager")  # the only one of transformers' that returns weights
    for date in dates:
        fed = tokens(date.text, return_tensors="pt", return_token_type_ids=False)
        labels = tokens(date.iso, return_tensors="pt")["input_ids"]
        maps = net(**fed, labels=labels, output_attentions=True).cross_attentions
        for layer, weights in enumerate(maps):  # [1, H, Q, S]
            for head, rows in enumerate(weights[0].argmax(-1).tolist()):
                for part in PARTS:
                    hits.setdefault((layer, head, part), []).extend(
                        date.says[rows[i]] == part if rows[i] < len(date.says) else False
                        for i in ISO_PLACES[part]
                    )
    return {place: sum(found) / len(found) for place, found in hits.items()}
