"""The numbers of what is on screen, as JSON: tokens stay the literal text that they are."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from attnlab.analysis.effects import Effect
from attnlab.ui.engine import literal
from attnlab.ui.scene import Scene


def button(what: str, build: Callable[[], dict[str, Any]]) -> None:
    """A button that saves numbers; they are put together only when it is pressed."""
    st.download_button(
        "Save JSON",
        data=lambda: json.dumps(build(), ensure_ascii=False, indent=1).encode(),
        file_name=f"attnlab-{what}.json",
        mime="application/json",
        key=f"save-{what.split('-')[0]}",
        on_click="ignore",
        type="tertiary",
    )


def head_numbers(scene: Scene, a: np.ndarray, b: np.ndarray | None) -> dict[str, Any]:
    """The [Q, S] weights of the chosen head on each sentence."""
    sentences = [_sentence(scene, scene.selection.a, scene.a.tokens, a)]
    if b is not None and scene.b is not None:
        sentences.append(_sentence(scene, scene.selection.b, scene.b.tokens, b))
    return {**_chosen(scene), "sentences": sentences}


def effect_numbers(scene: Scene, found: Effect) -> dict[str, Any]:
    """What the ablation changes: KL divergence in nats, probabilities before and after."""
    rows = [
        {**_token(scene, token), "before": before, "after": after}
        for token, before, after in found.rows
    ]
    return {
        **_chosen(scene),
        "ablation": scene.selection.ablation,
        "text": scene.text(scene.side),
        "position": found.position,
        "kl_nats": found.kl,
        "predictions": rows,
    }


def _chosen(scene: Scene) -> dict[str, Any]:
    chosen, trust = scene.selection, scene.reader.lab.trust
    model = {"model": scene.reader.lab.name, "dtype": trust.dtype, "read": trust.sentence}
    return {**model, "role": scene.reader.role, "layer": chosen.layer, "head": chosen.head}


def _token(scene: Scene, token: Any) -> dict[str, Any]:
    return {"text": literal(scene.reader, token), "raw": token.raw, "id": token.id}


def _sentence(
    scene: Scene, text: str, tokens: Sequence[Any], weights: np.ndarray
) -> dict[str, Any]:
    spelled = [_token(scene, token) for token in tokens]
    return {"text": text, "tokens": spelled, "weights": weights.astype(float).round(6).tolist()}
