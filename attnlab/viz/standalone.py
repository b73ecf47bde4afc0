"""A view as one HTML file: the app's own components with their payloads inside.

It works from a disk, without a network. Its policy forbids every request, and every script and
style but those of this file, by their hashes. Token text lies in the payloads, which are base64,
and in escaped text.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from attnlab.viz import bundles
from attnlab.viz.svg.text import literal

_EXPORT: Final = re.compile(r"^export default function \(component\)", re.MULTILINE)


@dataclass(frozen=True)
class Part:
    """One component of the page: its name in `bundles`, its payload, and a title."""

    kind: str
    payload: bytes
    title: str = ""


def html(
    parts: Sequence[Part],
    title: str,
    sentences: Sequence[tuple[str, str]] = (),
    facts: Sequence[str] = (),
) -> str:
    """The file.

    Args:
        parts: drawn below each other. A head that follows a grid shows the head that is clicked.
        title: of the page.
        sentences: (name, text) of each.
        facts: the model, what was left out; a line each.

    Raises:
        KeyError: no component has the name of a part.
    """
    kinds = list(dict.fromkeys(part.kind for part in parts))
    script, style = _script(kinds), _style(kinds)
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    said = "".join(_sentence(*sentence) for sentence in sentences)
    below = "".join(f'<p class="facts">{_text(fact)}</p>' for fact in facts)
    body = "".join(map(_section, parts))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{_text(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"<h1>{_text(title)}</h1>\n{said}\n{body}\n{below}\n"
        f'<script type="module">{script}</script>\n</body>\n</html>\n'
    )


def _text(text: str) -> str:
    """Text as HTML, with everything invisible drawn."""
    return escape(literal(text), quote=True)


def _sentence(name: str, text: str) -> str:
    side = name if name in ("A", "B") else ""
    return (
        f'<p class="sentence" data-side="{side}"><b>{_text(name)}</b>'
        f'<span dir="auto">{_text(text)}</span></p>'
    )


def _section(part: Part) -> str:
    heading = f"<h2>{_text(part.title)}</h2>" if part.title else ""
    payload = base64.b64encode(part.payload).decode("ascii")
    return (
        f'<section data-kind="{escape(part.kind)}">{heading}<div class="al-root"></div>'
        f'<script type="text/plain">{payload}</script></section>\n'
    )


def _script(kinds: Sequence[str]) -> str:
    """Every component as a function of its own, since they share names; then what mounts them."""
    functions = []
    for kind in kinds:
        module, found = _EXPORT.subn("return function (component)", bundles.script(kind))
        if found != 1:
            raise ValueError(f"the script of {kind!r} does not end in one default function")
        functions.append(f'"{kind}": (() => {{\n{module}\n}})()')
    offline = (bundles.FOLDER / "offline.js").read_text(encoding="utf-8")
    script = f"const mounts = {{\n{','.join(functions)}\n}};\n{offline}"
    if "</script" in script.lower() or "<!--" in script:
        raise ValueError("a script of the components cannot stand in a page")
    return script


def _style(kinds: Sequence[str]) -> str:
    """Every style sheet once."""
    names = dict.fromkeys(name for kind in kinds for name in bundles.STYLES[kind])
    texts = [(bundles.FOLDER / f"{name}.css").read_text(encoding="utf-8") for name in names]
    return "\n".join([*texts, (bundles.FOLDER / "offline.css").read_text(encoding="utf-8")])


def _digest(text: str) -> str:
    """The hash by which a policy allows an inline script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
