"""What pages ask of a model, as cached arrays and numbers; no mathematics of its own.

Every key is a frozen dataclass that names every argument of the result.
"""

from attnlab.ui.engine.ablation import Moved, baseline, edits_of, effect, moved
from attnlab.ui.engine.anatomy import anatomy, blocks
from attnlab.ui.engine.heads import alike, kinds, ranked
from attnlab.ui.engine.keys import EffectKey, HeadKey, LabKey, Passage, TextKey
from attnlab.ui.engine.model import (
    Reader,
    literal,
    mask_position,
    named,
    predicting,
    provenance,
    reader,
    with_role,
)
from attnlab.ui.engine.opening import Scaling, opened, ours, scores, tokens_only
from attnlab.ui.engine.reading import (
    WHOLE_TOKENS,
    Reading,
    aligned,
    head_weights,
    layer_weights,
    pair,
    read,
    tokens_of,
)

__all__ = [
    "WHOLE_TOKENS",
    "EffectKey",
    "HeadKey",
    "LabKey",
    "Moved",
    "Passage",
    "Reader",
    "Reading",
    "Scaling",
    "TextKey",
    "aligned",
    "alike",
    "anatomy",
    "baseline",
    "blocks",
    "edits_of",
    "effect",
    "head_weights",
    "kinds",
    "layer_weights",
    "literal",
    "mask_position",
    "moved",
    "named",
    "opened",
    "ours",
    "pair",
    "predicting",
    "provenance",
    "ranked",
    "read",
    "reader",
    "scores",
    "tokens_of",
    "tokens_only",
    "with_role",
]
