"""Which scripts and styles make each drawn component: one list for the app, files and notebooks.

The files lie in ``components/`` and are joined in the order given here. A name that one script
declares is a name for all that follow it, so a bundle never holds a file twice.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "components"

SCRIPTS: dict[str, tuple[str, ...]] = {
    "grid": ("common", "cells", "maps", "layout", "legend", "grid"),
    "head": (
        *("common", "cells", "legend", "plane", "places", "words", "matrix"),
        *("longview", "longpaint", "longinput", "longaxes", "longarcs", "long", "head"),
    ),
    "bars": ("common", "bars"),
    "pick": ("common", "pick"),
    "ranks": ("common", "ranks"),
    "compare": ("common", "cells", "legend", "mapplot", "arcplot", "alike", "tile", "compare"),
    "circuits": ("common", "circuits"),
    "shifts": ("common", "shifts"),
    "diagram": ("common", "drawing", "diagram"),
    "film": ("common", "drawing", "film"),
    "sees": ("common", "cells", "places", "matrix", "sees"),
    "steps": ("common", "cells", "numerals", "stepsmatrix", "stepswhy", "steps"),
    "blend": ("common", "numerals", "blend"),
    "rows": ("common", "cells", "rows"),
    "strips": ("common", "strip", "dials", "strips"),
    "paint": ("common", "cells", "painttold", "paintgrid", "paint"),
    "cone": ("common", "cone"),
    "strand": ("common", "strand"),
}
STYLES: dict[str, tuple[str, ...]] = {name: ("common", name) for name in SCRIPTS}
STYLES["film"] = ("common", "diagram", "film")
STYLES["sees"] = ("common", "head", "sees")  # its tables are those of one head
# These hold in the whole page, so they must not hold the names that the other components use.
STYLES["circuits"] = ("circuits",)


def _joined(files: tuple[str, ...], kind: str) -> str:
    return "\n".join((FOLDER / f"{file}.{kind}").read_text(encoding="utf-8") for file in files)


def script(name: str) -> str:
    """The JavaScript module of the component ``name``; its default export mounts it.

    Raises:
        KeyError: no component has this name.
    """
    return _joined(SCRIPTS[name], "js")


def style(name: str) -> str:
    """The style sheet of the component ``name``.

    Raises:
        KeyError: no component has this name.
    """
    return _joined(STYLES[name], "css")
