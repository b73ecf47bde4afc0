"""Stand-ins for parts of the page that are still being built; this file goes once they are here."""

import inspect
import sys
import types
from typing import Any

from attnlab.ui import export, mount


def _nothing(*_: Any, **__: Any) -> None:
    return None


for _name in ("compare", "compare_value", "pick", "pick_value", "ranks", "ranks_value", "shifts"):
    if not hasattr(mount, _name):
        setattr(mount, _name, _nothing)
for _name in ("menu", "grid", "head", "compare", "find", "effect", "moved", "view"):
    if not hasattr(export, _name):
        setattr(export, _name, _nothing)
if not hasattr(mount, "circuits"):
    mount.circuits = _nothing


def _without(command: Any, *names: str) -> Any:
    def mounted(*given: Any, **options: Any) -> Any:
        if options.get("mode") == "difference":
            options["mode"] = "matrix"
        return command(*given, **{k: v for k, v in options.items() if k not in names})

    return mounted


def _module(name: str, **held: Any) -> None:
    try:
        __import__(f"attnlab.ui.{name}")
    except ImportError:
        module = types.ModuleType(f"attnlab.ui.{name}")
        module.__dict__.update(held)
        sys.modules[f"attnlab.ui.{name}"] = module
        setattr(sys.modules["attnlab.ui"], name, module)


from attnlab.viz import grid as _grid  # noqa: E402
from attnlab.viz import head as _head  # noqa: E402

if "ranks" not in inspect.signature(_grid.grid_payload).parameters:
    mount.grid = _without(mount.grid, "ranks")
if "key_position" not in inspect.signature(_head.head_payload).parameters:
    mount.head = _without(mount.head, "key_position", "side")
_module("experiments", EXPERIMENTS=(), active=_nothing, look_for=_nothing)
_module("gallery", groups=lambda: (("agreement", ()),), named=_nothing)
_module("viewfile", dump=lambda selection: b"", load=_nothing, is_view=lambda content: False)
