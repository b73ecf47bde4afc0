"""The hooks that change positions, put into the clone once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch import nn

from attnlab.pretrained.order.find import Found
from attnlab.pretrained.order.rotary import install_rotary, turn_at
from attnlab.pretrained.order.route import Route, install_route
from attnlab.pretrained.order.slopes import slopes_at
from attnlab.pretrained.order.table import install_table
from attnlab.trace.site import Site


def install(modules: Mapping[str, nn.Module], order: Found, sites: Sequence[Site]) -> None:
    """Put the hooks in. A bias needs none: our attention function is handed it."""
    for rotary in order.rotaries:
        install_rotary(modules[rotary.path], rotary)
    for table in order.tables:
        install_table(modules[table.path], table)
    handed = (("turn", order.routes, turn_at), ("slopes", order.slopes, slopes_at))
    for name, routes, change in handed:
        for path, repeats in _by_path(routes, sites).items():
            install_route(modules[path], name, repeats, change)


def _by_path(routes: Sequence[Route], sites: Sequence[Site]) -> dict[str, list[tuple[Route, Site]]]:
    """The routes of each module, which may run as several layers."""
    places = {(site.role, site.layer): site for site in sites}
    found: dict[str, list[tuple[Route, Site]]] = {}
    for route in routes:
        found.setdefault(route.path, []).append((route, places[route.role, route.layer]))
    return found
