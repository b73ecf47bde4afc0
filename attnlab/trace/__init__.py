"""What a run is made of: tokens, sites, edits, captures, the live run, and the trace it gives."""

from attnlab.trace.capture import Capture
from attnlab.trace.edits import (
    Edit,
    Mask,
    MeanFeedForward,
    MeanHead,
    Patch,
    Pattern,
    Positions,
    ResampleHead,
    Temperature,
    ZeroFeedForward,
    ZeroHead,
    edit_from_json,
)
from attnlab.trace.positioning import Positioning
from attnlab.trace.run import Cancel, Row, Run, current_run
from attnlab.trace.runner import Runner
from attnlab.trace.site import Block, Site
from attnlab.trace.token import Token
from attnlab.trace.trace import Trace

__all__ = [
    "Block",
    "Cancel",
    "Capture",
    "Edit",
    "Mask",
    "MeanFeedForward",
    "MeanHead",
    "Patch",
    "Pattern",
    "Positioning",
    "Positions",
    "ResampleHead",
    "Row",
    "Run",
    "Runner",
    "Site",
    "Temperature",
    "Token",
    "Trace",
    "ZeroFeedForward",
    "ZeroHead",
    "current_run",
    "edit_from_json",
]
