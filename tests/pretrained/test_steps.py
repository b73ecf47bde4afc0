"""A generation in steps is the generation at once, wherever it has been in between."""

import pytest
import torch

import attnlab as al
from attnlab.errors import Cancelled, InputError, NotCaptured
from attnlab.trace.run import current_run
from tests.families import FAMILIES, lab, text

PROMPT, START, STEPS = text(7, seed=1), text(3, seed=2), 6
NAMES = ["gpt2", "gemma3", "t5", "jamba"]
EDITS = (al.ZeroHead(1, 4), al.Temperature(2.0, layers=0))
WARM = {"temperature": 1.5, "top_k": 31, "top_p": 0.9, "seed": 5}


def fed(name, **options):
    target = {"target": START} if FAMILIES[name].task == "seq2seq" else {}
    keep = [stage for stage in ("weights", "k") if stage in lab(name).stages]
    return {"capture": keep} | target | options


def begin(name, **options):
    return lab(name).steps(PROMPT, max_new_tokens=STEPS, **fed(name, **options))


def at_once(name, count=STEPS, **options):
    return lab(name).generate(PROMPT, max_new_tokens=count, **fed(name, **options))


def same(found, right, atol=0.0):
    assert found.tokens == right.tokens
    assert found.logit_positions == right.logit_positions
    assert torch.allclose(found.logits, right.logits, atol=atol, rtol=atol)
    assert found.values.keys() == right.values.keys()
    for key, layers in right.values.items():
        for layer, kept in layers.items():
            assert torch.allclose(found.values[key][layer].tensor, kept.tensor, atol=atol), key
    assert found.how == right.how


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_at_every_moment_the_trace_is_that_of_the_generation_at_once(name, cached):
    options = WARM | {"use_cache": cached}
    going = begin(name, **options)
    for count in (1, 2):
        going.step()
        going.top(3)
        assert current_run() is None
        same(going.trace(), at_once(name, count, **options))
    list(going.play(2))
    going.held()
    same(going.trace(), at_once(name, 4, **options))


@pytest.mark.parametrize("name", NAMES)
def test_undo_goes_on_as_if_nothing_had_been(name):
    edits = EDITS if name == "gpt2" else ()
    right = at_once(name, 5, edits=edits, **WARM)
    going = begin(name, edits=edits, **WARM)
    list(going.play(4))
    going.look()
    going.undo(2)
    going.step(choose=PROMPT[0])
    going.look()
    going.undo()
    list(going.play(3))
    # Where a cache cannot be cut, what it held is computed again, in the same steps.
    same(going.trace(), right)
    going.undo(5)
    assert [t.id for t in going.tokens] == (PROMPT if going._feeder.goal is None else going.ids)
    list(going.play(5))
    same(going.trace(), right)


def test_the_newest_token_has_a_row_where_it_is_asked_for():
    going = begin("gpt2")
    going.step()
    n = len(PROMPT) + 1
    trace = going.trace(newest=True)
    whole = lab("gpt2").run(going.ids)
    assert torch.allclose(trace.weights[1, 2], whole.weights[1, 2], atol=1e-5)
    assert torch.allclose(trace.logits_at(-1), whole.logits_at(-1), atol=1e-4)
    assert trace.logit_positions == (n - 2, n - 1)
    assert torch.equal(going.weights(1, 2), trace.weights[1, 2])
    assert torch.equal(going.weights(1), trace.weights[1])
    assert going.trace().weights[1, 2].shape == (n - 1, n - 1)
    with pytest.raises(NotCaptured, match="keeps no weights of the decoder, layer 9, head 2"):
        going.weights(9, 2)


def test_cross_attention_grows_a_row_over_the_source():
    going = begin("t5")
    list(going.play(2))
    n = len(START) + 3  # the start token too
    assert going.weights(0, 1, "cross").shape == (n, len(PROMPT))
    assert going.weights(0, 1).shape == (n, n)
    assert going.weights(0, 1, "encoder").shape == (len(PROMPT), len(PROMPT))
    assert [t.id for t in going.source_tokens] == PROMPT
    roles = {one.role: one.positions for one in going.held()}
    assert roles == {"decoder": n, "cross": len(PROMPT)}


@pytest.mark.parametrize("name", ["llama", "t5"])
def test_the_cache_is_counted_as_it_stands(name):
    going = begin(name)
    ours = al.rebuild(lab(name)).steps(PROMPT, max_new_tokens=STEPS, **fed(name))
    for count in range(3):
        held = going.held()
        assert {(h.role, h.layer) for h in held} == {
            (s.role, s.layer) for s in lab(name).sites if s.role != "encoder"
        }
        length = going.prompt + count
        site = lab(name).sites[-1]
        size = 4 * site.kv_heads * site.key_size
        for one in held:
            positions = len(PROMPT) if one.role == "cross" else length
            assert (one.kv_heads, one.positions) == (site.kv_heads, positions)
            assert one.key_bytes == positions * size
        assert sum(h.bytes for h in held) == sum(h.bytes for h in ours.held())
        going.step()
        ours.step()
    assert begin(name, use_cache=False).held() == ()


def test_states_that_a_cache_holds_beside_its_layers_count_and_come_back():
    """MiniMax's: of linear attention, in a list of the cache's own."""
    going = begin("minimax", **WARM)
    list(going.play(3))
    states = [one for one in going.held() if one.other_bytes]
    read = [x for x in going._feeder.cache.linear_cache if len(x)]
    assert sum(one.other_bytes for one in states) == sum(x.nbytes for x in read) > 0
    assert len(states) == len(read)
    going.undo(2)
    list(going.play(2))
    same(going.trace(), at_once("minimax", 3, **WARM))


def test_a_choice_is_followed_and_remembered():
    going = begin("gpt2", **WARM)
    likely = going.top(5)
    assert [c.probability for c in likely] == sorted((c.probability for c in likely), reverse=True)
    step = going.step(choose=likely[3].token.id)
    assert (step.rank, step.chosen, step.probability) == (3, True, likely[3].probability)
    list(going.play(2))
    assert [s.token.id for s in going.steps()] == going.ids[len(PROMPT) :]
    other = begin("gpt2", **WARM)
    assert [s.token for s in other.follow(going.choices)] == [s.token for s in going.steps()]
    assert len(list(other.follow([*going.choices[:2], likely[0].token.id]))) == 1
    assert other.ids[:-1] == going.ids[:-1]


def test_the_luck_of_a_place_is_its_own():
    """Whatever came before, so that two runs from one seed stay comparable."""
    free, bound = begin("gpt2", **WARM), begin("gpt2", **WARM)
    list(free.play(4))
    bound.step(choose=free.ids[len(PROMPT)])
    bound.step(choose=PROMPT[0])
    bound.undo()
    list(bound.play(3))
    assert bound.ids == free.ids


@pytest.mark.parametrize("name", ["gpt2", "gemma3", "jamba"])
def test_a_step_that_was_cancelled_counts_as_not_taken(name):
    going, cancel = begin(name), al.Cancel()
    list(going.play(3))

    def stop(share):
        cancel.set()

    with pytest.raises(Cancelled):
        going.step(progress=stop, cancel=cancel)
    assert len(going) == 3 and current_run() is None
    list(going.play(STEPS))
    same(going.trace(), at_once(name))


def test_a_choice_can_be_cancelled_too():
    """What leads to it must be read first, which takes as long as for a token that is drawn."""
    going, cancel = begin("gpt2"), al.Cancel()
    cancel.set()
    with pytest.raises(Cancelled):
        going.step(choose=PROMPT[0], cancel=cancel)
    with pytest.raises(Cancelled):
        list(going.follow([PROMPT[0]], cancel=cancel))
    assert len(going) == 0


def test_weights_can_be_cancelled_too():
    going, cancel = begin("gpt2"), al.Cancel()
    going.step()
    cancel.set()
    with pytest.raises(Cancelled):
        going.weights(0, cancel=cancel)


def test_progress_of_a_step_is_its_own():
    going = begin("gpt2")
    for _ in range(2):
        seen = []
        going.step(progress=seen.append)
        assert seen == sorted(set(seen)) and seen[-1] == 1.0


def test_what_cannot_be_is_said():
    going = begin("gpt2")
    with pytest.raises(InputError, match="no token id of"):
        going.step(choose=10**6)
    with pytest.raises(InputError, match=r"count takes whole numbers, not 1\.5"):
        list(going.play(1.5))
    with pytest.raises(InputError, match="choose takes whole numbers, not 'x'"):
        list(going.follow("x"))
    with pytest.raises(InputError, match="0 new tokens, so not 1 to take back"):
        going.undo()
    list(going.play(STEPS))
    with pytest.raises(InputError, match="has the 6 new tokens that it may have"):
        going.step()
    full = lab("gpt2").steps(text(60))
    assert full.most == 4
