"""The colours of diagrams are the same in the browser and in files."""

import re
from importlib.resources import files

from attnlab.viz.diagram import KINDS


def test_the_style_sheet_names_the_colours_that_files_have():
    sheet = files("attnlab.viz").joinpath("components/diagram.css").read_text(encoding="utf-8")
    light, dark = (
        dict(re.findall(r"--al-(\w+): (#[0-9a-f]{6})", block))
        for block in re.findall(r"^\.al-root[^{]*\{([^}]*)\}", sheet, re.MULTILINE)
    )
    assert light.keys() == dark.keys() and len(light) >= 6
    assert {name: (light[name], dark[name]) for name in light} == {n: KINDS[n] for n in light}
