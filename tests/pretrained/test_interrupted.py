"""After an error or a cancel inside a run, the next plain run is what it was, to the bit."""

import threading
from dataclasses import dataclass, field

import pytest
import torch

import attnlab as al
from attnlab.errors import Cancelled, EditError, EditMissed, EditRefused
from attnlab.trace import current_run
from attnlab.trace.edits import Bound
from tests.families import FAMILIES, lab, text

IDS = text(11, seed=3)
NAMES = ["llama", "gpt2", "bert", "t5", "bart", "bloom", "falcon", "llama_dynamic"]


@dataclass(frozen=True)
class Broken(al.Edit):
    """An edit that fails in the middle of a run."""

    stage: str = "z"
    layer: int = 1
    kind: str = field(default="broken", init=False)

    @property
    def stages(self):
        return frozenset({self.stage})

    def sites(self, runner):
        return list(runner.sites)

    def bind(self, runner, donor):
        def change(stage, tensor, where):
            tensor.mul_(7)  # what it was lent is spoilt, too
            raise ZeroDivisionError("broken on purpose")

        return Bound(self, self.stages, lambda place: place.layer == self.layer, change)


@dataclass(frozen=True)
class Nowhere(Broken):
    """An edit that reaches nothing."""

    kind: str = field(default="nowhere", init=False)

    def bind(self, runner, donor):
        return Bound(self, self.stages, lambda place: False, lambda stage, tensor, where: tensor)


def run(name, **options):
    target = {"target": text(5, seed=4)} if FAMILIES[name].task == "seq2seq" else {}
    return lab(name).run(IDS, **target, **{"capture": ("weights", "z")} | options)


def same(a, b):
    assert torch.equal(a.logits, b.logits)
    assert a.values.keys() == b.values.keys()
    for key, layers in a.values.items():
        for layer, kept in layers.items():
            assert torch.equal(kept.tensor, b.values[key][layer].tensor)


@pytest.mark.parametrize("stage", ["z", "masked", "weights", "resid_pre", "mlp_out"])
@pytest.mark.parametrize("name", NAMES)
def test_an_edit_that_fails_leaves_nothing_behind(name, stage):
    before = run(name)
    with pytest.raises(ZeroDivisionError, match="broken on purpose"):
        run(name, edits=[al.ZeroHead(0, 1, "cross" if "t5" in name else None), Broken(stage)])
    assert current_run() is None
    same(run(name), before)


@pytest.mark.parametrize("share", [0.0, 0.4, 0.9])
@pytest.mark.parametrize("name", NAMES)
def test_a_cancelled_run_stops_and_leaves_nothing_behind(name, share):
    before = run(name)
    cancel, seen = al.Cancel(), []

    def progress(done):
        seen.append(done)
        if done >= share:
            cancel.set()

    if share == 0.0:
        cancel.set()
    with pytest.raises(Cancelled, match="Cancelled; the model is as it was"):
        run(name, progress=progress, cancel=cancel, edits=[al.Temperature(2.0)])
    assert not seen or seen[-1] < 1 or share == 0.9
    assert current_run() is None
    same(run(name), before)


def test_a_cancel_from_another_thread_stops_a_generation():
    cancel, seen = al.Cancel(), []

    def progress(done):
        seen.append(done)
        if len(seen) == 4:
            thread = threading.Thread(target=cancel.set)
            thread.start()
            thread.join()

    before = lab("gpt2").generate(IDS, max_new_tokens=9, capture=())
    with pytest.raises(Cancelled):
        lab("gpt2").generate(IDS, max_new_tokens=9, capture=(), progress=progress, cancel=cancel)
    assert seen[-1] < 0.5
    same(lab("gpt2").generate(IDS, max_new_tokens=9, capture=()), before)


def test_a_progress_that_fails_leaves_nothing_behind():
    before = run("llama")

    def progress(done):
        raise KeyError(done)

    with pytest.raises(KeyError):
        run("llama", progress=progress)
    same(run("llama"), before)


@pytest.mark.parametrize("name", [*NAMES, "squeezebert", "albert", "jamba", "mamba"])
def test_progress_rises_and_ends_at_one(name):
    seen = []
    run(name, capture=(), progress=seen.append)
    assert seen == sorted(set(seen))
    assert 0 < seen[0] <= seen[-1] == 1.0
    if lab(name).blocks:
        assert len(seen) == sum(b.role == lab(name).main_role for b in lab(name).blocks)


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("name", ["gpt2", "t5"])
def test_progress_of_a_generation(name, cached):
    seen = []
    lab(name).generate(IDS, max_new_tokens=4, capture=(), progress=seen.append, use_cache=cached)
    assert seen == sorted(set(seen)) and seen[-1] == 1.0
    assert {0.25, 0.5, 0.75} <= set(seen)


def test_an_edit_that_reaches_no_site_is_an_error():
    before = run("llama")
    with pytest.raises(EditMissed, match="reached no site in this run, so nothing was changed"):
        run("llama", edits=[Nowhere()])
    with pytest.raises(EditMissed, match="nowhere"):
        lab("llama").generate(IDS, max_new_tokens=2, edits=[Nowhere()])
    same(run("llama"), before)


@pytest.mark.parametrize(
    "name, edit, named",
    [
        ("llama", al.ZeroHead(3, 0), r"ZeroHead\(3, 0\) names layer 3, but .* has layers 0 to 2"),
        ("llama", al.ZeroHead(-1, 0), "names layer -1"),
        ("llama", al.MeanHead(1, 6), r"names head 6, but layer 1 of .* has heads 0 to 5"),
        ("llama", al.ZeroHead(0, -1), "names head -1"),
        ("llama", al.ZeroHead(0, 0, "cross"), "names the role 'cross', but .* has: decoder"),
        ("t5", al.ZeroHead(2, 0, "encoder"), "names layer 2, but .* has layers 0 to 1"),
        ("jamba", al.ZeroHead(0, 0), "names layer 0, but .* has layers 1, 3"),
        ("llama", al.Temperature(2.0, layers=7), "names layer 7"),
        ("llama", al.Temperature(2.0, heads=(0, 9)), "names head 9"),
        ("llama", al.Temperature(2.0, role="encoder"), "has: decoder|reaches no attention"),
        ("llama", "zero", "'zero' is no edit; try al.ZeroHead"),
        ("llama", al.ZeroHead, "is no edit"),
        (
            "xlnet",
            al.ZeroHead(0, 0),
            r"changes z, which cannot be changed in .* \(tier tap\); what",
        ),
        ("mamba", al.Temperature(2.0), "reaches no attention"),
        ("mamba", al.ZeroHead(0, 0), "names the role 'decoder', but .* has: none"),
    ],
)
def test_a_wrong_edit_is_refused_by_name_before_the_run(name, edit, named):
    with pytest.raises(EditRefused, match=named):
        lab(name).run(IDS, capture=(), edits=[edit], progress=lambda done: pytest.fail("it ran"))


@pytest.mark.parametrize("value", [0, -1, float("inf"), float("nan"), "2"])
def test_a_temperature_is_positive_and_finite(value):
    with pytest.raises(EditError, match="to 1,000"):
        al.Temperature(value)


def test_a_single_edit_needs_no_list():
    one = run("gpt2", edits=al.ZeroHead(1, 2))
    same(one, run("gpt2", edits=[al.ZeroHead(1, 2)]))
    assert one.how["edits"] == [al.ZeroHead(1, 2).to_json()]
