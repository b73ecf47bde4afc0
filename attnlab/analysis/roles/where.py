"""Where a head of each role would look in a probe, by the tokens that were fed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from attnlab.analysis.roles.probe import Looks, Probe, looks_at, owners, seen_in
from attnlab.trace.token import Token

Found = dict[str, Looks]
"""Looks by the name of the role."""


def looks_of(probe: Probe, tokens: Sequence[Token], causal: bool) -> Found | None:
    """Every role of the probe's family but "position only", which is no matter of single texts.

    None where the tokens do not spell the probe, so that nothing can be said.
    """
    return _FAMILIES[probe.family](probe, tokens, causal)


def one_look(
    probe: Probe, role: str, tokens: Sequence[Token], causal: bool
) -> tuple[int, int] | None:
    """The last query of a probe that has keys to look at under a role, and the last of them.

    None for "position only", and where the tokens do not spell the probe.
    """
    looks = (looks_of(probe, tokens, causal) or {}).get(role)
    if looks is None or not looks.on.any():
        return None
    query, key = looks.on.nonzero()[-1].tolist()
    return query, key


def _plain(probe: Probe, tokens: Sequence[Token], causal: bool) -> Found:
    """From the third token on: before it, the one before is the first, where heads rest."""
    count, seen, words = len(tokens), seen_in(tokens, causal), probe.words(len(tokens))
    rows = [q for q in words if q >= 2]
    single = {"previous token": -1, "itself": 0} | ({} if causal else {"next token": 1})
    found = {}
    for name, step in single.items():
        on = [(q, [q + step]) for q in rows if q + step in words]
        found[name] = _against_any(count, on, seen)
    return found | {"first token": _against_any(count, [(q, [0]) for q in rows], seen)}


def _repeated(probe: Probe, tokens: Sequence[Token], causal: bool) -> Found:
    """In the second copy: the same token before, and what came after it."""
    count, seen, words = len(tokens), seen_in(tokens, causal), probe.words(len(tokens))
    ids = [token.id for token in tokens]
    earlier = {q: [k for k in words if k < q and ids[k] == ids[q]] for q in words}
    earlier = {q: keys for q, keys in earlier.items() if keys}
    after = [(q, [k + 1 for k in keys if k + 1 < q]) for q, keys in earlier.items()]
    return {
        "duplicate token": _against_any(count, list(earlier.items()), seen),
        "induction": _against_any(count, [(q, keys) for q, keys in after if keys], seen),
    }


def _twofold(probe: Probe, tokens: Sequence[Token], causal: bool) -> Found:
    """In the second half, at the middle of each triple."""
    ids, words = [token.id for token in tokens], probe.words(len(tokens))
    half = len(words) // 2
    first = {(ids[words[i]], ids[words[i + 1]]): words[i + 2] for i in range(0, half, 3)}
    after: dict[int, list[int]] = {}
    for (_, middle), place in first.items():
        after.setdefault(middle, []).append(place)
    on, among = [], []
    for i in range(half, len(words), 3):
        query = words[i + 1]
        target = first[ids[words[i]], ids[query]]
        on.append((query, [target]))
        among.append([place for place in after[ids[query]] if place != target])
    return {"pattern successor": looks_at(len(ids), on, among)}


def _sentences(probe: Probe, tokens: Sequence[Token], causal: bool) -> Found | None:
    """From every word after the first mark, at all marks that it sees but the first token."""
    count, seen = len(tokens), seen_in(tokens, causal)
    marks = [k for k in range(1, count) if is_mark(tokens[k])]
    words = [q for q in range(1, count) if q not in set(marks)]
    on = [(q, [k for k in marks if seen[q, k]]) for q in words]
    on = [(q, keys) for q, keys in on if keys and min(keys) < q]
    rest = seen.clone()
    rest[:, 0] = False
    return {"punctuation": _against_any(count, on, rest)} if on else None


def _marked(role: str) -> Callable[[Probe, Sequence[Token], bool], Found | None]:
    def looks(probe: Probe, tokens: Sequence[Token], causal: bool) -> Found | None:
        if (owner := owners(probe.given, tokens)) is None:
            return None
        on, among = [], []
        for mark in probe.marks:
            query = owner[mark.query]
            keys, others = ({owner[c] for c in chars} for chars in (mark.target, mark.others))
            if query not in keys | others and not keys & others:
                on.append((query, sorted(keys)))
                among.append(sorted(others))
        return {role: looks_at(len(tokens), on, among)} if on else None

    return looks


def _against_any(count: int, on: Sequence[tuple[int, Sequence[int]]], seen: torch.Tensor) -> Looks:
    """Looks whose chance is any other key that the query sees."""
    wanted = looks_at(count, on, [()] * len(on)).on
    return Looks(wanted, seen & wanted.any(-1, keepdim=True) & ~wanted)


def is_mark(token: Token) -> bool:
    """Punctuation, a line end, or a separator such as [SEP]."""
    text = token.text.strip()
    return token.special or (bool(text) and not any(char.isalnum() for char in text))


_FAMILIES: dict[str, Callable[[Probe, Sequence[Token], bool], Found | None]] = {
    "plain": _plain,
    "repeated": _repeated,
    "twofold": _twofold,
    "sentences": _sentences,
    "brackets": _marked("opening bracket"),
    "subject_verb": _marked("subject of verb"),
    "pronoun": _marked("pronoun"),
}
