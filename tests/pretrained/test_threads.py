"""Many threads on one shared model: each gets, to the bit, what it gets alone."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pytest
import torch

import attnlab as al
from tests.families import FAMILIES, build, lab, text

THREADS = 8
SHARED = ["llama", "gpt2", "gpt_oss", "bert", "t5", "bart", "bloom", "falcon"]
CHANGING = ["llama_dynamic", "phi3_longrope"]


def jobs(name):
    """Texts of different lengths under different edits, or none."""
    role = "cross" if FAMILIES[name].task == "seq2seq" else None
    edits = [
        (),
        (al.ZeroHead(0, 0, role),),
        (al.ZeroHead(2, 5, role), al.Temperature(0.5)),
        (al.MeanHead(1, 3, role),),
        (al.Temperature(4.0),),
    ]
    return [(text(5 + 7 * (i % 4), seed=i), edits[i % 5]) for i in range(2 * THREADS)]


def run(ours, name, job):
    ids, edits = job
    target = {"target": text(6, seed=99)} if FAMILIES[name].task == "seq2seq" else {}
    trace = ours.run(ids, **target, edits=edits, capture=("weights", "z"))
    return trace.logits, *(kept.tensor for by in trace.values.values() for kept in by.values())


def same(a, b):
    return len(a) == len(b) and all(map(torch.equal, a, b))


def in_threads(function, items):
    """All at once: no thread starts before the last is there."""
    barrier = threading.Barrier(THREADS)

    def start(item):
        return function(item)

    with ThreadPoolExecutor(THREADS, initializer=barrier.wait) as pool:
        return list(pool.map(start, items))


@pytest.mark.parametrize("name", SHARED)
def test_threads_with_different_edits_equal_runs_one_after_another(name):
    right = [run(lab(name), name, job) for job in jobs(name)]
    found = in_threads(lambda job: run(lab(name), name, job), jobs(name))
    assert all(map(same, found, right))
    assert not same(right[0], right[1])
    assert isinstance(lab(name).serial, nullcontext)


@pytest.mark.parametrize("name", CHANGING)
def test_models_that_change_themselves_run_one_at_a_time(name):
    """Their frequencies follow the length of the text: below 16 tokens, above, and back."""
    ours = lab(name)
    assert not isinstance(ours.serial, nullcontext)
    right = [run(al.load(build(name)), name, job) for job in jobs(name)[:THREADS]]
    found = in_threads(lambda job: run(ours, name, job), jobs(name)[:THREADS])
    assert all(map(same, found, right))


@pytest.mark.parametrize("name", CHANGING)
def test_no_run_depends_on_the_one_before(name):
    ours = al.load(build(name))
    short, middle, long = text(9, seed=1), text(20, seed=2), text(40, seed=3)
    fresh = {
        length: al.load(build(name)).run(ids, capture=()).logits
        for length, ids in ((9, short), (20, middle), (40, long))
    }
    for ids in (short, long, middle, short, long, short, middle):
        assert torch.equal(ours.run(ids, capture=()).logits, fresh[len(ids)])
    with torch.no_grad():
        own = build(name)(torch.tensor([long])).logits[0]
    assert torch.allclose(fresh[40], own, atol=1e-5)


def test_generation_and_runs_share_a_model():
    def work(seed):
        ids = text(6, seed=seed)
        if seed % 2:
            return lab("gemma3").generate(ids, max_new_tokens=4, capture=()).logits
        return lab("gemma3").run(ids, edits=[al.ZeroHead(1, seed % 6)], capture=()).logits

    right = [work(seed) for seed in range(THREADS * 2)]
    assert all(map(torch.equal, in_threads(work, range(THREADS * 2)), right))


def test_two_labs_of_one_changing_model_do_not_disturb_each_other():
    """Each has a lock of its own, so what they share must not change."""
    made = build("phi3_longrope")
    labs = [al.load(made), al.load(made)]
    texts = {9: text(9, seed=1), 40: text(40, seed=2)}
    right = {n: labs[0].run(ids, capture=()).logits for n, ids in texts.items()}

    def work(i):
        length = (9, 40)[i % 2]
        return torch.equal(labs[i % 2].run(texts[length], capture=()).logits, right[length])

    assert all(in_threads(work, range(THREADS * 6)))
