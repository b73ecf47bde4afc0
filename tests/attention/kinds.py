"""Every positional scheme and every mask, by name: one list for the tests of attention and of our
transformer. Heads have D coordinates, texts N tokens."""

from attnlab.attention.masks import (
    Bidirectional,
    Causal,
    Document,
    GlobalWindow,
    Padding,
    Prefix,
    SinksWindow,
    Strided,
    Window,
)
from attnlab.attention.positions import (
    Alibi,
    Learned,
    Llama3,
    NoPositions,
    NtkAware,
    PositionInterpolation,
    RelativeBuckets,
    Rope,
    Sinusoidal,
    Yarn,
)

N, D = 13, 14
FED = 5
"""Tokens read at first: no query after them waits for a later key."""

EMBEDDING = {
    "sinusoidal": Sinusoidal(),
    "learned": Learned(longest=64),
    "learned, offset": Learned(longest=64, offset=2),
}
TURNING = {
    "rope": Rope(),
    "rope, interleaved": Rope(base=500, fraction=5 / 7, interleaved=True),
    "rope, partial": Rope(fraction=3 / 7),
    "rope, interpolated": Rope(scaling=PositionInterpolation(4)),
    "rope, NTK": Rope(scaling=NtkAware(4)),
    "rope, YaRN": Rope(scaling=Yarn(4, original=8)),
    "rope, Llama 3": Rope(scaling=Llama3(8, original=8)),
}
BIASING = {"ALiBi": Alibi(), "relative": RelativeBuckets(buckets=8, farthest=11)}
SCHEMES = {"none": NoPositions()} | EMBEDDING | TURNING | BIASING

MASKS = {
    "causal": Causal(),
    "prefix": Prefix(FED),
    "window": Window(3),
    "sinks and window": SinksWindow(1, 3),
    "strided": Strided(4),
    "global and window": GlobalWindow((0, 2), 3) & Causal(),
    "documents": Causal() & Document((0,) * 4 + (1,) * (N - 4)),
    "padding": Causal() & Padding((N, N - 4)),
    "nothing at first": Window(3) & ~Window(2),
}
"""Those of a decoder."""
BOTH_WAYS = {"bidirectional": Bidirectional(), "window both ways": GlobalWindow((), 3)}
