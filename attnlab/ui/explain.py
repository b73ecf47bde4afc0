"""The words of the field, each explained in a breath; shown where a word is hovered."""

from typing import Final

FIRST_TOKEN: Final = (
    "A token is a word or a piece of one. Most heads rest on the first, which would drown "
    "everything else: its column is not drawn, and no other value changes."
)
HEAD: Final = (
    "How much each word on the left looks at each word on the right: the figures of one word add "
    "up to 1. Layers and heads count from 0."
)
ABLATION: Final = (
    "What the head gives to every word is replaced, by zero or by its mean over this sentence. "
    "The rest of the model stays, and predicts anew."
)
CHOOSE: Final = "Each tile is one head: rows look at columns. **Click a tile to open it.**"
REPLACED: Final = (
    "Every head hands on a few numbers for each word, and the model adds them to that word. Set to "
    "zero, it hands on nothing. Set to its mean, it hands on the same for every word: the mean "
    "of its numbers over the positions of this sentence."
)
TRUST: Final = (
    "Attention is read while the model runs. The check behind this line: a short text run with "
    "and without the reading must give the same output; the largest difference is stated."
)
KL: Final = (
    "How far apart the two predictions are: 0 is the same, from about 0.5 on they differ much. "
    "KL is short for Kullback–Leibler divergence; a nat is its unit, 1.44 bits."
)
COSINE: Final = (
    "How far the vector turns (1 minus the cosine of the angle): 0 not at all, 1 by a right angle, "
    "2 the other way round."
)


PINS: Final = "Six heads stand side by side at most; unpin one first."
SIDE_BY_SIDE: Final = (
    "The same text read by several heads, drawn on one scale. Similarity is 1 where two heads look "
    "alike and 0 where they look at nothing in common: 1 minus the mean Jensen–Shannon divergence "
    "of their rows, in bits."
)
KINDS: Final = "One head of each simple kind, found by what they do on this text."
FIND: Final = (
    "The query is the word that looks, the key is the word that is looked at. Every head gives the "
    "pair a weight between 0 and 1; the heads are ranked by it, and by how much it changes."
)
CIRCUITS: Final = (
    "The picture that the library CircuitsVis draws, with every head of one layer: point at a "
    "head, then at a word."
)
LONG_TEXT: Final = "Boxes of several lines, for a text to paste."
SAVED_VIEW: Final = (
    "A small file with the texts and everything that is chosen. “From a file” opens it again."
)


def heads(causal: bool) -> str:
    """What a head and a layer are; in a `causal` model no word sees those after it."""
    seen = "itself and the words before it" if causal else "every word"
    return (
        f"Each tile is a head: it lets every word look at {seen}, and take something from there. "
        "The heads of one layer work at once; the next layer builds on what they found."
    )
