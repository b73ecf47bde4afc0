"""The hooks that change positions, put into the clone once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch import nn

from attnlab.pretrained.order.find import Found
from attnlab.pretrained.order.rotary import Route, install_rotary, install_route
from attnlab.pretrained.order.table import install_table
from attnlab.trace.site import Site


def install(modules: Mapping[str, nn.Module], order: Found, sites: Sequence[Site]) -> None:
    """Put the hooks in. A bias needs none: our attention function is handed it."""
    for rotary in order.rotaries:
        install_rotary(modules[rotary.path], rotary)
    for table in order.tables:
        install_table(modules[table.path], table)
    places = {(site.role, site.layer): site for site in sites}
    by_path: dict[str, list[tuple[Route, Site]]] = {}
    for route in order.routes:
        pair = (route, places[route.role, route.layer])
        by_path.setdefault(route.path, []).append(pair)
    for path, repeats in by_path.items():
        install_route(modules[path], repeats)
