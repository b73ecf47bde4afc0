"""Five models of equal size that differ in nothing but how tokens reach each other.

    ids → embed → (x ← x + mixer(norm(x))) × 4 → norm → head

    softmax       keys and values of every token                     grows with every token
    window        those of the last ``WINDOW`` tokens
    linear        a matrix of each head, see ``attnlab.attention.linear``
    state-space   N numbers of each channel, see ``attnlab.attention.state_space``
    hybrid        state space in three layers of four, softmax in the other (Lieber et al. 2024,
                  "Jamba", has one in eight)

There is no feed-forward, so that nothing but the mixers does the work, and no positions: every
mixer begins with the same short convolution, which tells neighbours from others (Mamba has one
anyway). Sizes are chosen so that the last four keep about as many numbers a layer: ``kept``.
"""

from __future__ import annotations

from typing import Final

from jaxtyping import Float, Int
from torch import Tensor, nn

from attnlab.attention import LinearAttention, MultiHead, SelectiveStateSpace, ShortConvolution
from attnlab.attention.checks import require_ids
from attnlab.attention.masks import Causal, Predicate, Window
from attnlab.attention.rms import RMSNorm
from attnlab.recall.task import KEYS, VALUES

WIDTH: Final = 32
HEADS: Final = 2
"""Of softmax and window."""
LINEAR_HEADS: Final = 4
WINDOW: Final = 4
STATE: Final = 8
"""N: numbers of a channel; there are as many channels as the width."""
CONVOLUTION: Final = 4
STEPS: Final = (0.2, 1.0)
FADE: Final = 0.003
"""Where Δ and A of the state space begin: it takes in what it reads, and forgets next to nothing
within a list. From Mamba's own beginnings, made for long text, these small ones learn far less."""

_LAYERS: Final = 4
MODELS: Final[dict[str, tuple[str, ...]]] = {
    **{name: (name,) * _LAYERS for name in ("softmax", "window", "linear", "state-space")},
    "hybrid": ("state-space", "state-space", "softmax", "state-space"),
}
"""The mixers of each model, layer by layer."""


class Attention(nn.Module):
    """A short convolution, then softmax attention to the past or to a window of it."""

    def __init__(self, mask: Predicate) -> None:
        super().__init__()
        self.mask = mask
        self.convolution = ShortConvolution(WIDTH, CONVOLUTION)
        self.attention = MultiHead(WIDTH, HEADS, qkv_bias=False, out_bias=False)

    def forward(self, x: Float[Tensor, "B n M"]) -> Float[Tensor, "B n M"]:
        x, _ = self.convolution(x)
        places = range(x.shape[1])
        return self.attention(x, mask=self.mask.mask(places, places, x.device))


class Linear(nn.Module):
    """A short convolution, then linear attention."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = ShortConvolution(WIDTH, CONVOLUTION)
        self.attention = LinearAttention(WIDTH, LINEAR_HEADS, bias=False)

    def forward(self, x: Float[Tensor, "B n M"]) -> Float[Tensor, "B n M"]:
        x, _ = self.convolution(x)
        z, _ = self.attention(x)
        return z


class StateSpace(nn.Module):
    """Mamba's mixer, which has its convolution inside."""

    def __init__(self) -> None:
        super().__init__()
        sizes = {"inner": WIDTH, "state_size": STATE, "convolution": CONVOLUTION}
        self.mixer = SelectiveStateSpace(WIDTH, **sizes, steps=STEPS, fade=FADE)

    def forward(self, x: Float[Tensor, "B n M"]) -> Float[Tensor, "B n M"]:
        # Step by step, what a step needs fits the processor's cache: faster where lists are short.
        y, _ = self.mixer(x, form="sequential")
        return y


def _mixer(name: str) -> nn.Module:
    if name == "state-space":
        return StateSpace()
    if name == "linear":
        return Linear()
    return Attention(Window(WINDOW) if name == "window" else Causal())


class Recaller(nn.Module):
    """One of the five, with fresh weights.

    Raises:
        KeyError: there is no such model.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        mixers = MODELS[name]
        self.name = name
        self.embed = nn.Embedding(KEYS + VALUES, WIDTH)  # [V, M]
        nn.init.normal_(self.embed.weight, std=0.5)
        self.norms = nn.ModuleList(RMSNorm(WIDTH) for _ in mixers)
        self.mixers = nn.ModuleList(map(_mixer, mixers))
        self.norm = RMSNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VALUES, bias=False)

    def forward(self, ids: Int[Tensor, "B n"], asked: int) -> Float[Tensor, "B asked values"]:
        """Logits of every value at the last ``asked`` tokens.

        Raises:
            ValueError: there is no token.
        """
        require_ids(ids)
        x = self.embed(ids)
        for norm, mixer in zip(self.norms, self.mixers, strict=True):
            x = x + mixer(norm(x))
        return self.head(self.norm(x[:, x.shape[1] - asked :]))


def kept(name: str, tokens: int) -> int:
    """Numbers that a model keeps of ``tokens`` tokens, in all layers: its whole memory of them.

    Raises:
        KeyError: there is no such model.
    """
    return sum(_kept(mixer, tokens) for mixer in MODELS[name])


def _kept(mixer: str, tokens: int) -> int:
    """Of one layer, the last inputs of the convolution among them."""
    size = WIDTH // LINEAR_HEADS
    memory = {
        "softmax": 2 * WIDTH * tokens,
        "window": 2 * WIDTH * min(tokens, WINDOW),
        "linear": LINEAR_HEADS * size * (size + 1),
        "state-space": WIDTH * STATE,
    }[mixer]
    return memory + (CONVOLUTION - 1) * WIDTH
