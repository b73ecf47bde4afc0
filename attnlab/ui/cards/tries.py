"""The experiments: one click sets everything up, one sentence says what to look for."""

from dataclasses import replace
from functools import partial

from attnlab.ui import experiments, state
from attnlab.ui.cards import tryrow
from attnlab.ui.cards.tryrow import Button
from attnlab.ui.selection import Selection


def draw(selection: Selection) -> None:
    """The row of experiments, and the sentence of the one that is open."""
    open_now = experiments.active(selection.experiment)
    experiment, stage = (None, None) if open_now is None else open_now
    buttons = [
        Button(one.name, one.title, one == experiment, partial(_open, one.selection))
        for one in experiments.EXPERIMENTS
    ]
    stages = [
        Button(one.name, one.title, one == stage, partial(_open, one.selection))
        for one in (() if experiment is None else experiment.steps)
    ]
    tryrow.draw(buttons, experiments.look_for(selection.experiment), stages)


def _open(selection: Selection) -> None:
    """Opens an experiment in the numbers and on the device of this session; pins stay."""
    now = state.chosen_now()
    state.open_whole(replace(selection, device=now.device, dtype=now.dtype, pins=now.pins))
