"""What a person may rely on: how a model is read, and how far from eager that is."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from attnlab.pretrained.install import output_head
from attnlab.pretrained.probe import Probed


@dataclass(frozen=True)
class Trust:
    """The verdict of the probe, for the trust line.

    ``difference`` is the largest difference of an output from transformers' eager attention, in
    the output's own units, at unpadded positions; ``largest`` is the largest output.
    ``positions`` says of each role how it knows the order of its tokens.
    """

    tier: str
    difference: float | None
    largest: float
    dtype: str
    sentence: str
    notes: tuple[str, ...] = ()
    positions: tuple[str, ...] = ()


def trust_of(found: Probed) -> Trust:
    dtype = str(found.dtype).removeprefix("torch.")
    return Trust(
        tier=found.tier,
        difference=found.difference,
        largest=found.largest,
        dtype=dtype,
        sentence=_sentence(found, dtype),
        notes=found.notes + _missing(found),
        positions=tuple(role.sentence for role in found.layout.order.roles.values()),
    )


def _sentence(found: Probed, dtype: str) -> str:
    if found.difference is None and found.tier == "ours":
        return f"Our own transformer, and trained in it: nothing to compare it with ({dtype})."
    if found.difference is None:
        return f"No attention to show: {found.notes[0]}."
    off = f"{found.difference:.1g}" if found.difference else "0.0"
    exact = found.dtype in (torch.float32, torch.float64)
    scale = "" if exact else f" of {found.largest:.2g}"
    if found.tier == "ours":
        what = "logit" if output_head(found.clone) is not None else "output"
        return (
            f"Our transformer. Largest {what} difference from transformers: {off}{scale} ({dtype})."
        )
    how = {
        "dispatch": "Our attention runs inside this model",
        "tap": "Its own attention, read at its softmax",
    }[found.tier]
    return f"{how}. Largest difference from transformers' output: {off}{scale} ({dtype})."


def _missing(found: Probed) -> tuple[str, ...]:
    """What of this model stays out of sight."""
    if found.difference is None:
        return ()
    notes = []
    layers = {(s.role, s.layer) for s in found.layout.sites if s.role != "cross"}
    bare = [b for b in found.layout.blocks if (b.role, b.layer) not in layers]
    if bare:
        listed = ", ".join(f"{b.role} {b.layer}" for b in bare[:6]) + (" …" if bare[6:] else "")
        notes.append(f"Layers without attention that can be shown: {listed}.")
    if getattr(found.clone.config, "is_encoder_decoder", False):
        roles = {s.role for s in found.layout.sites}
        notes += [
            f"Its {r} attention cannot be shown."
            for r in ("encoder", "decoder", "cross")
            if r not in roles
        ]
    return tuple(notes)
