"""Pictures as SVG files, made without a browser: numpy and tokens in, the text of a file out.

Each holds its title, the sentences, the model, what ink means, and what was left out. Colours and
sizes are those of the components in ``viz/components``; ``dark`` gives dark paper.
"""

from attnlab.viz.svg.bars import bars, ranks, shifts
from attnlab.viz.svg.every import grid
from attnlab.viz.svg.fonts import drawn
from attnlab.viz.svg.frame import Caption
from attnlab.viz.svg.one import head
from attnlab.viz.svg.sees import sees
from attnlab.viz.svg.several import compare
from attnlab.viz.svg.steps import steps

__all__ = [
    "Caption",
    "bars",
    "compare",
    "drawn",
    "grid",
    "head",
    "ranks",
    "sees",
    "shifts",
    "steps",
]
