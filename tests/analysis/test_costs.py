"""Closed forms of what attention costs: right values, and what is really done, counted."""

import dataclasses

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attnlab.analysis import costs, sizes
from attnlab.analysis.published import PUBLISHED, typed
from attnlab.attention import Cache
from attnlab.attention.masks import Bidirectional, Causal, Prefix, SinksWindow, Strided, Window
from attnlab.errors import InputError
from attnlab.pretrained.catalogue import CATALOGUE
from attnlab.transformer import Config, Decoder

GIB = 2**30
SMALL = Config(vocabulary=97, width=60, layers=3, heads=6, hidden=37)
CHANGES = [
    {},
    {"kv_heads": 2, "key_size": 7, "value_size": 11},
    {"gated": True, "kv_heads": 1, "tied": True},
    {"mask": Window(3)},
    {"mask": (Window(4), None, SinksWindow(1, 3))},
]

# --- scores --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "small", "large"),
    [
        (lambda w: None, 256, 131_072**2),
        (lambda w: Bidirectional(), 256, 131_072**2),
        (lambda w: Causal(), 136, 8_590_000_128),
        (Window, 58, 528_484_352),
        (lambda w: SinksWindow(1, w), 70, 528_611_328),
    ],
)
def test_scores(pattern, small, large):
    """numbers.md, Scores computed: 16 tokens with w = 4, 131,072 with w = 4,096."""
    assert costs.scores(pattern(4), 16) == small
    assert costs.scores(pattern(4_096), 131_072) == large


def test_scores_of_a_strided_pattern():
    """numbers.md: brute force for small n gives the test."""
    assert costs.scores(Strided(4), 16) == 82
    for n in range(1, 24):
        pairs = [(i, j) for i in range(n) for j in range(i + 1)]
        seen = sum(i - j < 5 or (i - j) % 5 == 0 for i, j in pairs)
        assert costs.scores(Strided(5), n) == seen


@pytest.mark.parametrize("mask", [None, Causal(), Window(4), SinksWindow(2, 3), Strided(3)])
def test_steps_add_up_to_the_whole(mask):
    steps = [costs.scores_of_step(mask, past) for past in range(11)]
    assert sum(steps) == costs.scores(mask or Causal(), 11)
    assert costs.scores_of_step(Window(4_096), 131_071) == 4_096


@pytest.mark.parametrize("mask", [Bidirectional(), Prefix(5), ~Window(3)], ids=str)
def test_a_step_computes_its_own_row_alone(mask):
    """Where earlier tokens would see it too, their rows are done."""
    table = mask.table(range(9), range(9))[0, 0]
    assert [costs.scores_of_step(mask, past) for past in range(9)] == [
        int(table[past, : past + 1].sum()) for past in range(9)
    ]


# --- multiplications -----------------------------------------------------------------------------


def counted(run):
    """Multiplications of matrix products as torch counts them: half of its operations."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        run()
    return counter.get_total_flops() // 2


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_multiplications_are_those_that_our_transformer_does(change):
    """Attention multiplies hidden pairs too, where a text is short: so nothing is hidden here."""
    config = dataclasses.replace(SMALL, **change)
    net = Decoder(dataclasses.replace(config, mask=Bidirectional()))
    ids = torch.randint(97, (1, 13))
    done = counted(lambda: net.logits(net(ids)))
    expected = costs.multiplications(dataclasses.replace(config, mask=Bidirectional()), 13)
    assert sum(expected.values()) == done
    masked = costs.multiplications(config, 13)
    pairs = sum(costs.scores(config.of("mask", layer) or Causal(), 13) for layer in range(3))
    assert masked["scores"] == pairs * config.heads * config.head_sizes().key_size
    assert {k: v for k, v in masked.items() if k not in ("scores", "values")} == {
        k: v for k, v in expected.items() if k not in ("scores", "values")
    }


def test_multiplications_of_a_step_are_those_of_a_cached_token():
    net, cache = Decoder(SMALL), Cache()
    ids = torch.randint(97, (1, 12))
    with torch.no_grad():
        net(ids[:, :11], cache=cache)
    done = counted(lambda: net.logits(net(ids[:, 11:], cache=cache)))
    assert sum(costs.multiplications_of_step(SMALL, 11).values()) == done


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_steps_multiply_as_often_as_the_whole(change):
    config = dataclasses.replace(SMALL, **change)
    steps = [costs.multiplications_of_step(config, past) for past in range(9)]
    whole = costs.multiplications(config, 9)
    assert {part: sum(step[part] for step in steps) for part in whole} == whole
    one = costs.multiplications(config, 9, predicted=1)
    assert one["head"] * 9 == whole["head"]


def test_where_pairs_outweigh_the_matrices():
    llama = PUBLISHED["llama-2-7b"].decoder
    first = costs.attention_outweighs(llama)
    for n, larger in ((first - 1, False), (first, True)):
        of = costs.multiplications(llama, n)
        pairs = of["scores"] + of["values"]
        assert (pairs > of["projections"] + of["feed_forward"]) is larger
    assert first == 49_408


# --- bytes ---------------------------------------------------------------------------------------


def test_bytes_of_llama_2_7b():
    """numbers.md, Sizes."""
    llama = PUBLISHED["llama-2-7b"]
    assert costs.cache_bytes(llama.decoder, 1, 2) == llama.cache == 524_288
    assert costs.cache_bytes(llama.decoder, 4_096, 2) == 2 * GIB
    assert costs.cache_bytes(llama.decoder, 131_072, 2) == 64 * GIB
    assert costs.cache_bytes(llama.decoder, 131_072, 2, held=4_096) == 2 * GIB
    assert costs.weight_bytes(llama.decoder, 2) == 2 * 6_738_415_616


def test_a_grouped_query_cache():
    """numbers.md: 32 layers, 8 key/value heads of 128, 2 bytes a number."""
    for name in ("mistral-7b", "llama-3-8b"):
        assert costs.cache_bytes(PUBLISHED[name].decoder, 131_072, 2) == 16 * GIB
    one = typed(layers=32, heads=32, kv_heads=8, head_size=128)
    assert costs.cache_bytes(one.decoder, 131_072, one.number_bytes) == 16 * GIB


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_the_cache_is_what_a_cache_holds(change):
    config = dataclasses.replace(SMALL, **change)
    net, cache = Decoder(config), Cache()
    with torch.no_grad():
        net(torch.randint(97, (1, 11)), cache=cache)
    assert costs.cache_bytes(config, 11, 4) == 4 * cache.numbers


def test_activations_grow_with_n_squared_or_with_n():
    whole = costs.activations(SMALL, 100)
    assert whole["weights"] == 6 * 100 * 100
    tiled = costs.activations(SMALL, 100, whole=False)
    assert tiled["weights"] == 6 * 100
    assert {k for k in whole if whole[k] != tiled[k]} == {"weights"}
    twice = costs.activations(SMALL, 200, whole=False)
    assert twice == {part: 2 * count for part, count in tiled.items()}


@pytest.mark.parametrize("heads", [1, 4])
def test_states_are_what_the_modules_keep(heads):
    from attnlab.attention import LinearAttention, SelectiveStateSpace

    x = torch.randn(1, 5, 12)
    _, state = LinearAttention(12, heads)(x)
    size = 12 // heads
    assert costs.of_linear_attention(5, heads, size, size)["state"] == state.numbers
    _, state = SelectiveStateSpace(12, 18, 7)(x)
    assert costs.of_state_space(5, 18, 7)["state"] == state.numbers


def test_multiplications_of_linear_attention_step_by_step():
    from attnlab.attention import linear_attention

    q, k, v = (torch.randn(1, 3, 11, size) for size in (5, 5, 7))
    done = counted(lambda: linear_attention(q, k, v, form="recurrent"))
    of = costs.of_linear_attention(11, 3, 5, 7)
    own_pairs = 11 * 3 * (5 + 7)  # a step also meets itself, outside the state
    assert done == of["into"] + of["out"] + own_pairs


# --- published and typed sizes -------------------------------------------------------------------

TOTALS = {
    "mistral-7b": 7_241_732_096,
    "llama-3-8b": 8_030_261_248,
    "starcoder": 15_517_456_384,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_sizes_give_the_published_number_of_parameters(name):
    one = PUBLISHED[name]
    known = TOTALS.get(name) or (CATALOGUE[name].params if name in CATALOGUE else one.total)
    left_out = {"qwen3-0.6b": 28 * 2 * 128}.get(name, 0)  # norms of queries and keys
    assert one.total + left_out == known


def test_every_decoder_of_the_catalogue_that_is_not_ours_is_there():
    wanted = {e.name for e in CATALOGUE.values() if e.kind != "encoder" and e.source != "attnlab"}
    assert wanted <= set(PUBLISHED)


def test_typed_sizes():
    one = typed(layers=32, heads=32, head_size=128, hidden=11_008)
    assert one.total == 6_738_415_616
    assert sizes.outweighs(one.total * 2, one.cache) == 25_706
    gated, plain = (typed(layers=2, heads=4, head_size=96, gated=g) for g in (True, False))
    assert gated.block["feed_forward"] == plain.block["feed_forward"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"layers": 0}, "layers is a whole number from 1 to 1,000,000,000, not 0"),
        ({"heads": 2.5}, "heads is a whole number .* not 2.5"),
        ({"kv_heads": 3}, "4 query heads cannot share 3 key/value heads"),
        ({"vocabulary": 10**12}, "vocabulary is a whole number"),
        ({"width": True}, "width is a whole number"),
    ],
)
def test_typed_nonsense_is_refused_in_a_sentence(change, words):
    with pytest.raises(InputError, match=words):
        typed(**({"layers": 2, "heads": 4, "head_size": 8} | change))


def test_nothing_is_counted_of_no_token():
    for count in (costs.scores, costs.scores_of_step):
        with pytest.raises(InputError):
            count(Causal(), -1)
    with pytest.raises(InputError, match="at least 1 token"):
        costs.multiplications(SMALL, 0)
    with pytest.raises(InputError, match="at least 1 token"):
        costs.cache_bytes(SMALL, 0, 2)
    with pytest.raises(InputError, match="at least 1 token"):
        costs.cache_bytes(SMALL, 5, 2, held=-1)
    for wrong in (2.5, True, "7"):
        for count in (costs.scores, costs.scores_of_step):
            with pytest.raises(InputError, match="takes whole numbers, not"):
                count(Causal(), wrong)
        with pytest.raises(InputError, match="takes whole numbers, not"):
            costs.cache_bytes(SMALL, wrong, 2)
