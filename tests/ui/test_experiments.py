"""The experiments as data: names, links and sentences; the claims are in tests/pages."""

import re

from attnlab.ui import experiments, gallery, link
from attnlab.ui.experiments import EXPERIMENTS

STEPS = [step for experiment in EXPERIMENTS for step in experiment.steps]


def test_there_are_four_and_no_name_means_two_things():
    assert len(EXPERIMENTS) == 4
    names = [step.name for step in STEPS] + [pair.name for pair in gallery.pairs()]
    assert len(set(names)) == len(names)


def test_every_step_opens_from_its_link():
    for step in STEPS:
        assert step.selection.experiment == step.name
        assert link.parse(link.format_url(step.selection)) == (step.selection, ())


def test_a_step_is_found_by_its_name():
    for experiment in EXPERIMENTS:
        assert experiments.active(experiment.name) == (experiment, experiment.steps[0])
        assert experiment.selection == experiment.steps[0].selection
        for step in experiment.steps:
            assert experiments.active(step.name) == (experiment, step)
            assert experiments.look_for(step.name) == step.look_for
    assert experiments.active("") is None and experiments.active("capital") is None


def test_a_pair_of_the_gallery_says_what_to_look_for():
    assert experiments.look_for("capital") == gallery.named("capital").look_for
    assert experiments.look_for("nothing") is None


def test_no_sentence_holds_a_figure():
    said = [step.look_for for step in STEPS] + [pair.look_for for pair in gallery.pairs()]
    assert [sentence for sentence in said if re.search(r"[0-9]", sentence)] == []
