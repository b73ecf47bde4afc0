"""How far apart two positions are, and how many steps must wait for one another.

A layer of a sequence model is a **structure**: which values the value at one position reads.
Everything here follows from that, by search on the graph of values (layer, position), in which
layer 0 holds the inputs.

    recurrent network   (l, t) reads (l − 1, t) and (l, t − 1)
    window of w         (l, t) reads (l − 1, s) for t − w < s ≤ t; w counts the position itself
    full attention      (l, t) reads (l − 1, s) for s ≤ t

Compared, as in Vaswani et al. 2017, "Attention Is All You Need", section 4 and table 1: the steps
of one layer that must wait for one another, the path from the first position to the last, and what
a layer costs. Each has a closed form for large n, which tests compare with the search.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from attnlab.errors import InputError

Node = tuple[int, int]
"""(layer, position), both counted from 0."""


class Structure(Protocol):
    """What the value at one position reads, with the closed forms that follow from it."""

    name: str

    def reads(self, layer: int, position: int) -> Iterable[Node]:
        """The values that (layer, position) is computed from; layers from 1 on."""

    def steps(self, n: int) -> int:
        """Steps of one layer over ``n`` positions, each of which waits for the one before."""

    def path(self, n: int) -> int:
        """Steps from the first input to a value at the last of ``n`` positions."""

    def work(self, n: int) -> int:
        """Values that one layer reads over ``n`` positions: what it costs."""


@dataclass(frozen=True)
class Recurrent:
    """A state is carried from position to position."""

    name: ClassVar[str] = "recurrent network"

    def reads(self, layer: int, position: int) -> Iterable[Node]:
        yield layer - 1, position
        if position:
            yield layer, position - 1

    def steps(self, n: int) -> int:
        return at_least_one(n)

    def path(self, n: int) -> int:
        return at_least_one(n)

    def work(self, n: int) -> int:
        return 2 * at_least_one(n) - 1


@dataclass(frozen=True)
class Window:
    """Attention to the last ``size`` positions, the own one included.

    Raises:
        InputError: a window of less than 2 positions leads nowhere.
    """

    size: int
    name: ClassVar[str] = "sliding window"

    def __post_init__(self) -> None:
        if self.size < 2:
            raise InputError(f"A window holds at least 2 positions, not {self.size}.")

    def reads(self, layer: int, position: int) -> Iterable[Node]:
        for source in range(max(0, position - self.size + 1), position + 1):
            yield layer - 1, source

    def steps(self, n: int) -> int:
        at_least_one(n)
        return 1

    def path(self, n: int) -> int:
        return max(1, -(-(at_least_one(n) - 1) // (self.size - 1)))

    def work(self, n: int) -> int:
        seen = min(self.size, at_least_one(n))
        return seen * (seen + 1) // 2 + (n - seen) * seen


@dataclass(frozen=True)
class Full:
    """Attention to every position up to the own one."""

    name: ClassVar[str] = "full attention"

    def reads(self, layer: int, position: int) -> Iterable[Node]:
        for source in range(position + 1):
            yield layer - 1, source

    def steps(self, n: int) -> int:
        at_least_one(n)
        return 1

    def path(self, n: int) -> int:
        at_least_one(n)
        return 1

    def work(self, n: int) -> int:
        return at_least_one(n) * (n + 1) // 2


def shortest_path(structure: Structure, n: int) -> int:
    """The fewest steps from the first input to any value at position n − 1, by search.

    Raises:
        InputError: ``n`` is less than 1, or nothing leads there.
    """
    best: int | None = None
    for top in range(1, at_least_one(n) + 1):
        if best is not None and top > best:
            break  # a path through more layers takes at least as many steps
        found = _distance(structure, (top, n - 1), (0, 0))
        if found is not None:
            best = found if best is None else min(best, found)
    if best is None:
        raise InputError(f"In a {structure.name} nothing leads from position 0 to {n - 1}.")
    return best


def _distance(structure: Structure, start: Node, goal: Node) -> int | None:
    """Steps back along what is read, breadth first; None where nothing leads there."""
    seen, waiting = {start}, deque([(start, 0)])
    while waiting:
        node, steps = waiting.popleft()
        if node == goal:
            return steps
        # An input reads nothing.
        for read in structure.reads(*node) if node[0] else ():
            if read not in seen:
                seen.add(read)
                waiting.append((read, steps + 1))
    return None


def sequential_steps(structure: Structure, n: int) -> int:
    """The longest chain of values of one layer, each computed from the one before, by search.

    So many steps take place one after the other even where all that can run at once does.

    Raises:
        InputError: ``n`` is less than 1.
    """
    waited: dict[Node, int] = {(0, at): 0 for at in range(at_least_one(n))}
    for at in range(n):
        waited[1, at] = 1 + max(waited[read] for read in structure.reads(1, at))
    return max(waited.values())


def counted_work(structure: Structure, n: int) -> int:
    """The reads of one layer, counted one by one.

    Raises:
        InputError: ``n`` is less than 1.
    """
    return sum(1 for at in range(at_least_one(n)) for _ in structure.reads(1, at))


def at_least_one(n: int) -> int:
    """A number of positions.

    Raises:
        InputError: it is less than 1.
    """
    if n < 1:
        raise InputError(f"A sequence has at least 1 position, not {n}.")
    return n
