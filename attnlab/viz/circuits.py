"""The payload of CircuitsVis' picture of a layer, and the library that draws it.

The library is the one file that the package ``circuitsvis`` ships for browsers. It is loaded as a
script and given its tokens as data. Its own way of making HTML is not used: that writes the tokens
into a script, where a token can end the script and start another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from attnlab.viz.payload import pack
from attnlab.viz.tokens import rows

MOST_TOKENS = 64  # its drawing takes seconds at 64 tokens and most of a minute at 256
_MAP = "//# sourceMappingURL="


@lru_cache(maxsize=1)
def library() -> str:
    """A JavaScript module with CircuitsVis, whose default export hands it to the page's scripts.

    Raises:
        ModuleNotFoundError: circuitsvis is not installed.
    """
    spec = find_spec("circuitsvis")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("circuitsvis is not installed", name="circuitsvis")
    built = Path(spec.origin).parent / "dist" / "cdn" / "iife.js"
    # The map of its sources is for its authors, and a browser would ask for it.
    script = built.read_text(encoding="utf-8").partition(_MAP)[0]
    return (
        f"{script}\n"
        "export default function () {\n"
        "  globalThis.attnlabCircuitsVis ??= CircuitsVis;\n"
        '  dispatchEvent(new Event("attnlab-circuitsvis"));\n'
        "}\n"
    )


def circuits_payload(
    weights: np.ndarray,
    tokens: Sequence[Any],
    *,
    names: Sequence[str] | None = None,
    side: str = "A",
    causal: bool = True,
    selected: int | None = None,
    label: str = "",
) -> bytes:
    """Pack the ``weights`` [H, Q, S] of a layer's heads on one text that looks at itself.

    ``names`` are those of the heads, by default H0, H1, ...; ``side`` gives the colour;
    ``selected`` is the head to enlarge at first.

    Raises:
        ValueError: more than :data:`MOST_TOKENS` tokens, or something does not fit.
    """
    count = len(tokens)
    if count > MOST_TOKENS:
        raise ValueError(f"CircuitsVis takes {MOST_TOKENS} tokens at most, not {count}")
    if weights.ndim != 3 or weights.shape[1:] != (count, count) or not weights.shape[0]:
        raise ValueError(
            f"weights are {weights.shape}; {count} tokens need [heads, {count}, {count}]"
        )
    if not np.isfinite(weights).all():
        raise ValueError("weights hold values that are not finite")
    if side not in ("A", "B"):
        raise ValueError(f"side {side!r} is not 'A' or 'B'")
    names = [f"H{head}" for head in range(weights.shape[0])] if names is None else list(names)
    if len(names) != weights.shape[0]:
        raise ValueError(f"{len(names)} names for {weights.shape[0]} heads")
    if selected is not None and not 0 <= selected < weights.shape[0]:
        raise ValueError(f"head {selected} is outside {weights.shape[0]} heads")
    header = {
        "tokens": rows(tokens),
        "names": names,
        "selected": selected,
        "side": side,
        "causal": causal,
        "label": label,
    }
    return pack(header, {"weights": weights.astype(np.float32)})
