"""The words of the field, each explained in a breath; shown where a word is hovered.

All of it is our own text, so Markdown may read it.
"""

from typing import Final

# --- what is on screen, term by term ------------------------------------------------------------

WEIGHT: Final = (
    "A weight says how much of what a word takes comes from there: 0 is nothing, and all weights "
    "of one word add up to 1."
)
DIFFERENCE: Final = (
    "What changes from A to B: orange where B looks more, blue where A does, blank where both look "
    "alike. Words that only one of the texts has are hatched."
)
POOLED: Final = (
    "A long text has more words than a tile has room for, so each square shows the largest weight "
    "of the patch it covers. The opened head is drawn in full."
)
ROLES: Final = (
    "The encoder reads the source: every word sees every word. The decoder writes the target: each "
    "word sees those before it. In cross-attention the target's words look at the source's."
)
FIRST_TOKEN: Final = (
    "A token is a word or a piece of one. Most heads rest on the first token, which would drown "
    "everything else: its column is not drawn, and no other value changes."
)
HEAD: Final = (
    "How much each word on the left, the query, looks at each word on the right, the key: the "
    "figures of one word add up to 1. Layers and heads count from 0."
)
CHOOSE: Final = "Each tile is one head: rows look at columns. **Click a tile to open it.**"

# --- what if it were gone -----------------------------------------------------------------------

ABLATION: Final = (
    "What the head gives to every word is replaced, by zero or by its mean over this text. "
    "The rest of the model stays, and predicts anew."
)
REPLACED: Final = (
    "Every head hands on a few numbers for each word, and the model adds them to that word. Set to "
    "zero, it hands on nothing. Set to its mean, it hands on the same for every word: the mean "
    "of its numbers over the positions of this text."
)
SEVERAL: Final = "Collect heads here to take them away together: click a tile, then add it."
KL: Final = (
    "How far apart the two predictions are: 0 is the same, from about 0.5 on they differ much. "
    "KL is short for Kullback–Leibler divergence; a nat is its unit, 1.44 bits."
)
RANDOM: Final = (
    "Taking any head away moves a prediction a little. It says something about these heads where "
    "they move it more than as many heads drawn at random."
)
COSINE: Final = (
    "How far the vector turns (1 minus the cosine of the angle): 0 not at all, 1 by a right angle, "
    "2 the other way round."
)

FILLS: Final = (
    "A masked model fills gaps: it reads the whole text, before and after the gap, and says which "
    "word it expects there."
)

# --- several heads ------------------------------------------------------------------------------

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

# --- step by step -------------------------------------------------------------------------------

OURS: Final = (
    "The numbers below were computed by our own transformer, written from scratch, with the "
    "weights of this model: only there can q and k be seen before they are turned."
)
OURS_HERE: Final = (
    "These numbers are from our own transformer with the same weights, where every step of a head "
    "can be seen; all other pages read the model itself."
)
RECEIVED: Final = (
    "These are q and k as attention received them: how they were made cannot be shown here."
)
HIDDEN_QUERIES: Final = (
    "This model computes attention in code of its own: its weights can be seen, its q, k and v "
    "cannot."
)

SCALING: Final = (
    "A score adds up d products, so the longer the vectors, the farther scores lie apart: by √d. "
    "Softmax then gives nearly everything to one key, and learning stops: its gradient vanishes."
)
GRADIENT: Final = (
    "Entropy says how evenly a row is shared out: 0 nats is one key alone. The gradient says how "
    "much the weights move when a score does: the Frobenius norm of diag(p) − p pᵀ, the "
    "derivative of softmax. Where it is near 0, nothing can be learned through it."
)

# --- the architecture ---------------------------------------------------------------------------

BLOCK: Final = (
    "A transformer is the same block many times over. Down runs the residual stream: a vector for "
    "each token, which every part reads and adds to. Shapes are those of this text: heads × tokens "
    "× size. Point at a part to learn what it does."
)
PARAMETERS: Final = (
    "Every parameter of the model, counted once and sorted by what it is for. A table that is read "
    "at both ends counts as embeddings."
)
ONE_PASS: Final = (
    "From the text to the scores of the next word: what is computed, one line a step, and the "
    "shape of it. The bracket holds the steps of one block."
)
SHARING: Final = (
    "Every head asks with queries of its own. Keys and values may be shared by several: then fewer "
    "are computed and fewer must be kept. Multi-head: each its own; grouped-query: a few share; "
    "multi-query: all share one."
)
CACHE: Final = (
    "To write the next token a model needs the keys and values of every token before it. It keeps "
    "them, so that it need not compute them again: the key/value cache."
)
WHY: Final = (
    "A recurrent network carries a state from word to word. A window looks at the last few words. "
    "Full attention looks at all of them. Each is a graph of what reads what, and everything here "
    "is counted in it."
)

# --- texts, files, trust ------------------------------------------------------------------------

LONG_TEXT: Final = "Boxes of several lines, for a text to paste."
OFFLINE_PAGE: Final = (
    "One file that any browser opens, without a network: pointing and clicking still work."
)
SAVED_VIEW: Final = (
    "A small file with the texts and everything that is chosen. “From a file” opens it again."
)
TRUST: Final = (
    "Attention is read while the model runs. The check behind this line: a short text run with "
    "and without the reading must give the same output; the largest difference is stated."
)
TRUST_OURS: Final = (
    "The model's own code is not run. The check behind this line: on the same short texts our "
    "transformer must give the model's own output; the largest difference is stated."
)
TRUST_OWN: Final = (
    "It was trained in the transformer that we wrote from scratch, so no other program can run it. "
    "What vouches for that transformer are the pretrained models that come out the same in it."
)
OUR_TRANSFORMER: Final = (
    "The same weights in a transformer that we wrote from scratch, the one that is explained step "
    "by step. Everything here works with it, and must come out the same."
)


def heads(causal: bool) -> str:
    """What a head and a layer are; in a `causal` model no word sees those after it."""
    seen = "itself and the words before it" if causal else "every word"
    return (
        f"Each tile is a head: it lets every word look at {seen}, and take something from there. "
        "The heads of one layer work at once; the next layer builds on what they found."
    )


def grid(difference: bool, pooled: bool) -> str:
    """What is drawn in the tiles: attention or its change, in full or reduced."""
    shown = DIFFERENCE if difference else f"The darker a square, the larger the weight. {WEIGHT}"
    return f"{shown} {POOLED}" if pooled else shown
