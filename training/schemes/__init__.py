"""Five small decoders that differ in nothing but how they know where a token stands.

    none · sinusoidal · learned · RoPE · ALiBi

Same text, same order of batches, same steps, and the same initial weights wherever two of them have
a weight in common. So what differs afterwards, above all in texts longer than those of training,
comes from the positions. Three seeds each, so that a difference can be told from luck.

    corpus.py    the King James Version, verses to text; two books are held out
    model.py     the tokenizer and the architecture
    train.py     the loop
    measure.py   the loss at every position, out to eight times the training length
    card.py      the model card, with the figures that were measured
    __main__.py  all of it: `python -m training.schemes --download` writes
                 attnlab/pretrained/models/schemes
"""
