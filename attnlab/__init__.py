"""AttnLab: what attention does, in a formula, in our own transformer, in any pretrained model.

    import attnlab as al

    lab = al.load("smollm2-135m")
    trace = lab.run("The animal didn't cross the street because it was too wide.")
    trace.weights[4, 2]          # [Q, S]: what layer 4, head 2 looks at

    ours = al.rebuild(lab)       # the same weights in our own transformer
    al.Decoder(al.Config(vocabulary=97, width=64, layers=2, heads=4, hidden=256,
                         positions=al.positions.Rope(), mask=al.masks.Window(16)))

Names are imported when first used: importing ``attnlab`` loads neither transformers nor torch.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from attnlab.version import VERSION

_PUBLIC = {
    "attnlab.analysis.attribution": ("attribute",),
    "attnlab.analysis.circuits": ("output_value", "query_key"),
    "attnlab.analysis.estimate": ("estimate",),
    "attnlab.analysis.lens": ("lens", "logit_lens"),
    "attnlab.analysis.meaning": ("meaning",),
    "attnlab.analysis.metrics": (
        "KL",
        "CosineDistance",
        "LogProbability",
        "LogitDifference",
        "Loss",
    ),
    "attnlab.analysis.normweighted": ("norm_weighted",),
    "attnlab.analysis.patching": ("activation_patching", "where_facts_sit"),
    "attnlab.analysis.roles": ("head_roles",),
    "attnlab.analysis.rollout": ("roll_out",),
    "attnlab.analysis.sweep": ("sweep",),
    "attnlab.attention": (
        "Cache",
        "KeepLast",
        "LinearAttention",
        "MultiHead",
        "SelectiveStateSpace",
        "Where",
        "attend",
        "explain",
        "linear_attention",
        "selective_scan",
        "tiled",
        "tiles",
    ),
    "attnlab.pretrained.catalogue": ("CATALOGUE",),
    "attnlab.pretrained.load": ("load",),
    "attnlab.pretrained.rebuild": ("rebuild",),
    "attnlab.pretrained.lab": ("Lab",),
    "attnlab.trace": (
        "Block",
        "Cancel",
        "Capture",
        "Edit",
        "Mask",
        "MeanFeedForward",
        "MeanHead",
        "Patch",
        "Pattern",
        "Positions",
        "ResampleHead",
        "Runner",
        "Site",
        "Temperature",
        "Token",
        "Trace",
        "ZeroFeedForward",
        "ZeroHead",
        "edit_from_json",
    ),
    "attnlab.transformer": ("Config", "Decoder", "Encoder", "EncoderDecoder"),
}
_HOME = {name: module for module, names in _PUBLIC.items() for name in names}
_PARTS = (
    "analysis",
    "attention",
    "errors",
    "pretrained",
    "recall",
    "trace",
    "transformer",
    "viz",
)
_MODULES = {name: f"attnlab.{name}" for name in _PARTS} | {
    "masks": "attnlab.attention.masks",
    "positions": "attnlab.attention.positions",
}

__all__ = [*_HOME, "errors"]
__version__ = VERSION


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
        _show_traces()
        return value
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    raise AttributeError(f"module 'attnlab' has no attribute {name!r}")


def _show_traces() -> None:
    """Tell traces, once their module is here, how a notebook draws them."""
    show = sys.modules.get("attnlab.trace.show")
    if show is not None:
        show.register(_drawn)


def _drawn(trace: Any) -> str:
    from attnlab.viz.notebook import html

    return html(trace)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME, *_MODULES])
