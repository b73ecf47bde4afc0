"""Which probes a model is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attnlab.analysis.roles.drawn import Ids, plain, repeated, twofold
from attnlab.analysis.roles.kinds import role_named
from attnlab.analysis.roles.minimal import SETS, pairs
from attnlab.analysis.roles.probe import Probe
from attnlab.analysis.roles.written import brackets, sentences
from attnlab.errors import InputError, TextTooLong
from attnlab.trace.runner import Runner
from attnlab.trace.token import Token

PROBES = 12
"""Texts of each generated family."""
FEWEST_IDS = 24
_LOW, _HIGH = 1000, 40_000
"""The first ids of a vocabulary are letters and marks, the last its rarest words."""


@dataclass(frozen=True)
class Plan:
    """Probes, each with the number of its tokens; ``reasons``: by family, why it has none."""

    sized: tuple[tuple[Probe, int], ...]
    reasons: tuple[tuple[str, str], ...] = ()

    def why_not(self, family: str) -> str:
        return dict(self.reasons).get(family, "its tokenizer does not spell the probes' words")


def plan_for(
    runner: Runner, stack: str, count: int, seed: int, ids: tuple[int, int] | None
) -> Plan:
    """``count`` probes of every family that the model can be given.

    Raises:
        InputError: its texts are too short, or nobody says how many ids there are.
    """
    drawn = ids_of(runner, stack, ids)
    found = [*plain(drawn, count, seed), *repeated(drawn, count, seed)]
    found += twofold(drawn, count, seed)
    sized = [(probe, len(probe.given)) for probe in found]
    if runner.tokenizer is None:
        why = "it has no tokenizer, so it reads no text"
        return Plan(tuple(sized), tuple((f, why) for f in ("sentences", "brackets", *SETS)))
    size = sized[0][1] - len(drawn.before) - len(drawn.after)
    sized += [(probe, len(probe.given)) for probe in _cut(runner, drawn, size, count, seed)]
    written = [*sentences(count, seed), *brackets(count, seed)]
    written += [sentence for name in SETS for pair in pairs(name) for sentence in pair]
    reasons: dict[str, str] = {}
    for probe in written:
        if (tokens := _tokens(runner, probe.given)) is not None:
            sized.append((probe, len(tokens)))
        else:
            reasons[probe.family] = f"it takes at most {runner.longest} tokens"
    return Plan(tuple(sized), tuple(reasons.items()))


def example(
    runner: Runner, role: str, *, stack: str | None = None, seed: int = 0
) -> str | tuple[int, ...]:
    """A text, or the ids of one, on which a head of this role shows what it does: a probe.

    Raises:
        InputError: the model cannot be given one; KeyError: no such role.
    """
    return example_probe(runner, role, stack=stack, seed=seed).given


def example_probe(runner: Runner, role: str, *, stack: str | None = None, seed: int = 0) -> Probe:
    """The same with where its role looks; see ``where.one_look``.

    Raises:
        InputError: the model cannot be given one; KeyError: no such role.
    """
    family = role_named(role).family
    plan = plan_for(runner, stack or runner.main_role, 2, seed, None)
    found = [probe for probe, _ in plan.sized if probe.family == family]
    if not found:
        raise InputError(f"{runner.name} has no probe of “{role}”: {plan.why_not(family)}.")
    # The last plain ones are sentences, the first repeated one has the usual length.
    return found[-1 if family == "plain" else 0]


def ids_of(runner: Runner, stack: str, given: tuple[int, int] | None) -> Ids:
    """The ids that random probes of a model use, framed as its tokenizer frames a text.

    Raises:
        InputError: there is neither a tokenizer nor a head to count the ids, and none were given.
    """
    low, high = given or _range(runner)
    if high - low < FEWEST_IDS:
        raise InputError(
            f"Random probes take {FEWEST_IDS} different ids; there are fewer from {low} to {high}."
        )
    if runner.tokenizer is None:
        return Ids(low, high, longest=runner.longest)
    special = set(runner.tokenizer.all_special_ids)
    before, after = _frame(runner, stack)
    among = frozenset(i for i in special if low <= i < high)
    return Ids(low, high, among, before, after, runner.longest)


def has_encoder(runner: Runner) -> bool:
    """Whether there is one; how it attends may be hidden, what reads it is not."""
    return any(site.role != "decoder" for site in runner.sites)


def _range(runner: Runner) -> tuple[int, int]:
    counts = [] if runner.tokenizer is None else [len(runner.tokenizer)]
    structure = getattr(runner, "structure", None)
    head = None if structure is None else structure()[1]
    if head is not None:
        counts.append(head.weight.shape[0])
    if not counts:
        raise InputError(
            f"{runner.name} has neither a tokenizer nor a head: say ids=(from, up to)."
        )
    return min(_LOW, min(counts) // 10), min(_HIGH, *counts)


def _frame(runner: Runner, stack: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The special tokens before and after a text; a decoder beside an encoder has its own."""
    if stack == "decoder" and has_encoder(runner):
        return (), ()
    tokens = runner.tokens("the")
    before = next((i for i, token in enumerate(tokens) if not token.special), len(tokens))
    after = next((i for i, token in enumerate(tokens[::-1]) if not token.special), 0)
    ids = tuple(token.id for token in tokens)
    return ids[:before], ids[len(ids) - after :]


def _cut(runner: Runner, drawn: Ids, size: int, count: int, seed: int) -> list[Probe]:
    """Sentences cut to the length of the random texts, so that patterns can be laid on another."""
    probes = []
    texts = sentences(2 * count, seed, "plain")
    for number in range(count):
        two = (_tokens(runner, probe.given) for probe in texts[2 * number : 2 * number + 2])
        words = [token.id for tokens in two for token in tokens or () if not token.special]
        if len(words) >= size:
            probes.append(drawn.probe("plain", words[:size], count + number))
    return probes


def _tokens(runner: Runner, text: Any) -> list[Token] | None:
    """None where a text is longer than the model takes, a decoder's start token included."""
    try:
        tokens = runner.tokens(text)
    except TextTooLong:
        return None
    return None if runner.longest is not None and len(tokens) >= runner.longest else tokens
