"""What attention costs, in closed form: scores, multiplications, and bytes of all that is held.

    scores            pairs of a query and a key that are looked at: ``Predicate.count``
    multiplications   of every matrix and of every pair, by part of the model
    cache, weights    bytes; and the length at which the cache is the larger (``sizes.outweighs``)
    activations       numbers that one layer has in memory, with the n² weights and without

Only multiplications are counted, each with its addition: softmax, norms and activations grow as the
values that they are taken of do, and are few beside them. Letters as in ``attnlab.transformer``.
"""

from __future__ import annotations

from collections.abc import Mapping

from attnlab.analysis.sizes import cache_numbers, sizes
from attnlab.attention.masks import Causal, Predicate
from attnlab.errors import InputError
from attnlab.trace.given import whole
from attnlab.transformer import Config


def scores(mask: Predicate | None, n: int) -> int:
    """Scores of one head over ``n`` tokens: n² where nothing is hidden.

    Raises:
        InputError: there is no token.
    """
    return _tokens(n) ** 2 if mask is None else mask.count(_tokens(n))


def scores_of_step(mask: Predicate | None, past: int) -> int:
    """Scores of one head for one new token after ``past`` others, which a cache holds: those of
    its own row, whatever earlier tokens may see ahead of them.

    Raises:
        InputError: ``past`` is negative.
    """
    past = whole("past", past, InputError)
    if past < 0:
        raise InputError(f"{past} tokens cannot lie in the past.")
    if mask is None:
        return past + 1
    return int(mask.table(range(past, past + 1), range(past + 1)).sum())


def multiplications(config: Config, n: int, predicted: int | None = None) -> dict[str, int]:
    """Multiplications of a decoder that reads ``n`` tokens at once, by part.

    Scores that a mask hides are not counted: naive attention computes them all the same, tiled
    attention need not.

    Args:
        predicted: tokens whose next one is predicted; all where None.

    Returns:
        "projections" (W_Q, W_K, W_V, W_O), "scores" (q·k), "values" (weights · v), "feed_forward"
        and "head", of all layers.

    Raises:
        InputError: there is no token.
    """
    pairs = {mask: scores(mask, n) for mask in set(_masks(config))}
    seen = sum(pairs[mask] for mask in _masks(config))
    return _products(config, n, seen, n if predicted is None else predicted)


def multiplications_of_step(config: Config, past: int) -> dict[str, int]:
    """The same of one new token after ``past`` others, whose keys and values a cache holds.

    Raises:
        InputError: ``past`` is negative.
    """
    seen = {mask: scores_of_step(mask, past) for mask in set(_masks(config))}
    return _products(config, 1, sum(seen[mask] for mask in _masks(config)), 1)


def _products(config: Config, tokens: int, seen: int, predicted: int) -> dict[str, int]:
    """``seen``: pairs of one head, over all layers."""
    M, F, L = config.width, config.hidden, config.layers
    of = config.head_sizes()
    queries, gathered = of.heads * of.key_size, of.heads * of.value_size
    keys_values = of.kv_heads * (of.key_size + of.value_size)
    return {
        "projections": L * tokens * M * (queries + keys_values + gathered),
        "scores": seen * queries,
        "values": seen * gathered,
        "feed_forward": L * tokens * M * F * (2 + config.gated),
        "head": predicted * M * config.vocabulary * config.head,
    }


def attention_outweighs(config: Config) -> int:
    """The first length at which q·k and weights · v take more multiplications than all matrices of
    the layers, under the causal mask: n (n + 1) / 2 pairs against n tokens."""
    each = _products(config, 1, config.layers, 0)
    pair, token = each["scores"] + each["values"], each["projections"] + each["feed_forward"]
    return max(2 * token // pair, 1)


def weight_bytes(config: Config, number_bytes: int) -> int:
    """Of all parameters."""
    return number_bytes * sizes(config).total


def cache_bytes(config: Config, n: int, number_bytes: int, held: int | None = None) -> int:
    """Keys and values of ``n`` tokens in every layer.

    Args:
        held: tokens that a sliding or rolling cache keeps at most.

    Raises:
        InputError: there is no token, or none is held.
    """
    of = config.head_sizes()
    each = cache_numbers(config.layers, of.kv_heads, of.key_size, of.value_size)
    return number_bytes * each * min(_tokens(n), _tokens(n if held is None else held))


def activations(config: Config, n: int, *, whole: bool = True) -> dict[str, int]:
    """Numbers that one layer makes of ``n`` tokens, by part.

    Reading a text, a layer's are gone when the next has run; training keeps those of all L layers.

    Args:
        whole: whether attention holds all H · n² weights at once; tiled attention holds none, but
            H · n sums, one a row.

    Returns:
        "stream", "queries_keys_values", "weights", "gathered" and "feed_forward".

    Raises:
        InputError: there is no token.
    """
    n = _tokens(n)
    of = config.head_sizes()
    keys_values = of.kv_heads * (of.key_size + of.value_size)
    return {
        "stream": n * config.width,
        "queries_keys_values": n * (of.heads * of.key_size + keys_values),
        "weights": of.heads * n * (n if whole else 1),
        "gathered": n * of.heads * of.value_size,
        "feed_forward": n * config.hidden * (1 + config.gated),
    }


def of_linear_attention(n: int, heads: int, key_size: int, value_size: int) -> Mapping[str, int]:
    """Multiplications of linear attention over ``n`` tokens, step by step, and its state.

    Returns:
        "into" the state (φ(k) vᵀ), "out" of it (φ(q) S and φ(q)·n), and "state": numbers kept.
    """
    state = heads * key_size * value_size
    sums = heads * key_size
    return {"into": _tokens(n) * state, "out": n * (state + sums), "state": state + sums}


def of_state_space(n: int, inner: int, state_size: int, convolution: int = 4) -> Mapping[str, int]:
    """Multiplications of the selective scan over ``n`` tokens, step by step, and its state.

    Returns:
        "into" the state (ΔA, its exponential times h, Δx, Δx B), "out" of it (h C), and "state":
        numbers kept, the last inputs of the convolution among them.
    """
    state = inner * state_size
    return {
        "into": _tokens(n) * (3 * state + inner),
        "out": n * state,
        "state": state + (convolution - 1) * inner,
    }


def _masks(config: Config) -> tuple[Predicate, ...]:
    """What each layer of a decoder sees."""
    return tuple(config.of("mask", layer) or Causal() for layer in range(config.layers))


def _tokens(n: int) -> int:
    n = whole("A number of tokens", n, InputError)
    if n < 1:
        raise InputError(f"A text has at least 1 token, not {n}.")
    return n
