"""An argument by which a model hands its layers what it knows of positions, changed on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import nn

from attnlab.trace.edits.placed import STAGE
from attnlab.trace.run import Run, current_run
from attnlab.trace.site import Site

Key = int | str
"""Where an argument stands among those of a call: by place or by name."""


@dataclass(frozen=True)
class Route:
    """A module that is handed a turn or a bias, and for which layer of a role."""

    path: str
    argument: Key
    role: str
    layer: int


def argument_of(given: tuple[tuple, Mapping[str, Any]], fits: Callable[[Any], bool]) -> Key | None:
    """Where among a call's arguments the first that fits stands."""
    args, kwargs = given
    return next((key for key, value in (*enumerate(args), *kwargs.items()) if fits(value)), None)


def replaced(args: tuple, kwargs: Mapping, key: Key, value: Any) -> tuple[tuple, dict]:
    """The arguments of a call with one of them replaced."""
    if isinstance(key, str):
        return args, {**kwargs, key: value}
    return (*args[:key], value, *args[key + 1 :]), dict(kwargs)


def install_route(
    module: nn.Module,
    name: str,
    repeats: Sequence[tuple[Route, Site]],
    change: Callable[[Run, Any, Site], Any],
) -> None:
    """Hand a layer what the run wants there.

    Args:
        name: what is handed on, to count a module's calls by, which may run as several layers.
        repeats: where each of these calls is.
        change: what is handed on instead of a value, at a site that some row edits.
    """

    def hook(module: nn.Module, args: tuple, kwargs: dict) -> tuple[tuple, dict] | None:
        run = current_run()
        if run is None or not run.asks(STAGE):
            return None
        count = run.nth_call(f"{name} {repeats[0][0].path}")
        route, site = repeats[count % len(repeats)]
        if not run.edits(STAGE, site):
            return None
        key = route.argument
        value = kwargs[key] if isinstance(key, str) else args[key]
        return replaced(args, kwargs, key, change(run, value, site))

    module.register_forward_pre_hook(hook, with_kwargs=True)
