"""A tiny encoder-decoder that reads a date written in one of many ways and writes it as ISO.

    "Friday, the 3rd of July 2026"  →  "2026-07-03"

Sequence to sequence in small, and the reason for cross-attention in plain sight: whoever writes
the month has to look at the month, wherever it stands.

    ways.py      the ways of writing a date, and which letters say day, month and year
    model.py     the tokenizer and the architecture
    train.py     the loop
    guide.py     its last steps: one head is taught to look at what it writes
    measure.py   exact answers on held-out dates, and where each cross-attention head looks
    card.py      the model card, with the figures that were measured
    __main__.py  all of it: `python -m training.dates` writes attnlab/pretrained/models/dates
"""
