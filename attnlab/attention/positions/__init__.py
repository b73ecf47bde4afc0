"""Where order enters: one file a scheme, each a frozen value that builds a ``PositionModule``.

| scheme            | order enters                         | learned | longer texts            |
|-------------------|--------------------------------------|---------|-------------------------|
| NoPositions       | nowhere                              | no      | any                     |
| Sinusoidal        | added to the embeddings              | no      | defined, rarely good    |
| Learned           | added to the embeddings              | yes     | none                    |
| Rope              | queries and keys turn                | no      | with a scaling          |
| Alibi             | a bias on the scores                 | no      | by design               |
| RelativeBuckets   | a bias on the scores                 | yes     | the last bucket's bias  |
"""

from attnlab.attention.positions.alibi import Alibi
from attnlab.attention.positions.learned import Learned
from attnlab.attention.positions.none import NoPositions
from attnlab.attention.positions.relative import RelativeBuckets
from attnlab.attention.positions.rope import Rope
from attnlab.attention.positions.scaling import (
    Llama3,
    NtkAware,
    PositionInterpolation,
    Scaling,
    Yarn,
)
from attnlab.attention.positions.scheme import PositionModule, Scheme
from attnlab.attention.positions.sinusoidal import Sinusoidal

__all__ = [
    "Alibi",
    "Learned",
    "Llama3",
    "NoPositions",
    "NtkAware",
    "PositionInterpolation",
    "PositionModule",
    "RelativeBuckets",
    "Rope",
    "Scaling",
    "Scheme",
    "Sinusoidal",
    "Yarn",
]
