"""Stand-ins for parts of the page that are still being built; this file goes once they are here."""

from typing import Any

from attnlab.ui import export, mount


def _nothing(*_: Any, **__: Any) -> None:
    return None


for _name in ("shifts", "circuits"):
    if not hasattr(mount, _name):
        setattr(mount, _name, _nothing)
for _name in ():
    if not hasattr(export, _name):
        setattr(export, _name, _nothing)
