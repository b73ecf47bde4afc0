"""What a key/value cache keeps: the last tokens, and perhaps the first.

    KeepLast(5)             · · · · ■ ■ ■ ■ ■        a sliding window
    KeepLast(5, sinks=2)    ■ ■ · · ■ ■ ■ ■ ■        StreamingLLM (Xiao et al. 2023, section 3.2)

Memory then stops growing. A softmax must put its weight somewhere, and models rest it on the first
tokens; drop those and the weights of all others change, keep them and they do not (section 3.1).

With sinks the tokens are numbered anew inside the cache, 0 … sinks + window − 1, as if nothing had
been dropped: keys are kept before they turn, and turn where they now stand. So no distance is
longer than the cache, however long the text. Between two of the last tokens renumbering changes no
distance; what it changes is how far away the first ones seem.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from attnlab.attention.checks import require_whole
from attnlab.attention.masks import Predicate, SinksWindow, Window


@dataclass(frozen=True)
class KeepLast:
    """The last ``window`` tokens, the newest among them, and the first ``sinks`` of the text.

    Raises ValueError for a window below 1, or fewer sinks than none.
    """

    window: int
    sinks: int = 0

    def __post_init__(self) -> None:
        require_whole(window=self.window)
        require_whole(0, sinks=self.sinks)

    @property
    def capacity(self) -> int:
        """Tokens held at most; as many are read exactly at once."""
        return self.sinks + self.window

    @property
    def renumbers(self) -> bool:
        """Whether tokens are numbered by their place in the cache."""
        return self.sinks > 0

    @property
    def pattern(self) -> Predicate:
        """Who sees whom by it, by positions in the text."""
        return SinksWindow(self.sinks, self.window) if self.sinks else Window(self.window)

    def held(self, read: int, more: int = 0) -> tuple[range, range]:
        """The first and the last positions held after ``read`` tokens and while ``more`` new ones
        look at them: of those before, each new token sees at most window − 1.

        >>> KeepLast(3, sinks=1).held(9), KeepLast(3, sinks=1).held(9, 2)
        ((range(0, 1), range(6, 9)), (range(0, 1), range(7, 11)))
        """
        total = read + more
        first = range(min(self.sinks, total))
        oldest = read - self.window + 1 if more else read - self.window
        return first, range(max(first.stop, oldest), total)

    def positions(self, read: int, more: int) -> Int[Tensor, " S"]:
        """Where the keys stand in the text that ``more`` new tokens are handed, theirs last."""
        return torch.tensor([place for part in self.held(read, more) for place in part])

    def cut(self, tensor: Tensor, read: int, more: int) -> Tensor:
        """Of keys or values [B, K, S, D] held after ``read`` tokens and ``more`` new ones after
        them, those that the new ones are handed; with ``more`` 0, those that are held on."""
        first, last = self.held(read, more)
        if len(first) + len(last) == tensor.shape[2]:
            return tensor
        kept = tensor[:, :, tensor.shape[2] - len(last) :]
        return torch.cat([tensor[:, :, : len(first)], kept], 2) if first else kept
