"""Texts of the kind that a model was made for: the catalogue's, as a selection.

The page opens with a sentence pair that most models read; one that was made for something else is
shown with texts of its own by one click. Nothing here imports Streamlit.
"""

from dataclasses import replace

from attnlab.pretrained import catalogue
from attnlab.pretrained.catalogue import Example
from attnlab.ui.selection import DEFAULT, Selection


def of(model: str) -> Example | None:
    """The texts that this model was made for, where any sentence would not do."""
    entry = catalogue.lookup(model)
    return None if entry is None else entry.example


def wanted(selection: Selection) -> Example | None:
    """The example of the chosen model, while the page still shows a sentence that it opens with."""
    opening = {selection.a, selection.b} & {DEFAULT.a, DEFAULT.b}
    return of(selection.model) if opening else None


def applied(example: Example, selection: Selection) -> Selection:
    """`selection` with the example's texts, and with what is worth looking at in them."""
    shown = replace(
        selection,
        a=example.a,
        b=example.b,
        target_a=example.target_a,
        target_b=example.target_b,
        side="A",
        position=None,
        key=None,
        gone=(),
        experiment="",
    )
    if not example.target_a:
        return shown
    # Of an encoder-decoder that is how its two texts are matched: a map, its first column included.
    shown = replace(shown, role="cross", view="A", panel="head", mode="matrix", drop_first=False)
    if example.head is None:
        return shown
    layer, head = example.head
    return replace(shown, layer=layer, head=head, position=example.position)
