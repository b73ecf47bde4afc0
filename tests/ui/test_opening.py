"""The switch of each page offers what an address can ask for there, in that order."""

import ast
from pathlib import Path

import pytest

from attnlab.ui import (
    architecture_selection,
    cost_selection,
    generate_selection,
    masks_selection,
    positions_selection,
    trace_selection,
)

PAGES = Path(__file__).parents[2] / "pages"
OPTIONS = {
    "architecture": architecture_selection.PANELS,
    "cost": cost_selection.PANELS,
    "generate": generate_selection.RUNS,
    "masks": masks_selection.PANELS,
    "positions": positions_selection.PANELS,
    "trace": trace_selection.VIEWS,
}


@pytest.mark.parametrize("page", OPTIONS)
def test_a_switch_offers_every_panel(page):
    source = ast.parse((PAGES / f"{page}.py").read_text("utf-8"))
    (titles,) = (
        ast.literal_eval(node.value)
        for node in source.body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "_TITLES"
    )
    assert tuple(titles) == OPTIONS[page]


def test_every_page_with_a_switch_is_checked():
    switched = {file.stem for file in PAGES.glob("*.py") if "Switch(" in file.read_text("utf-8")}
    assert switched == {*OPTIONS, "step-by-step"}  # whose titles stand with its panels
