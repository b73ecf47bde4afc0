"""Step by step: self-attention one step at a time, by hand and in a real head."""

from pathlib import Path

from attnlab.ui import frame, state

frame.ensure(Path(__file__).parents[1] / "app.py")
chosen = state.current()
state.publish(chosen)
frame.title("Step by step", "Attention one step at a time, every number computed from the last.")
frame.troubles()
