"""What an edit does to a text: the loss of each token, the next word, and every head.

Used by the pages that change a loaded model: the edits are theirs, the pictures are one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import streamlit as st

from attnlab.ui import engine, explain, export, mount, mount_diagram, say
from attnlab.ui.cards import moved
from attnlab.ui.engine import edited as engine_edited
from attnlab.ui.engine.edited import Changed
from attnlab.ui.engine.keys import Passage
from attnlab.ui.export import architecture as files
from attnlab.ui.phrases import title
from attnlab.ui.selection import Head
from attnlab.viz import dumbbells, lines
from attnlab.viz.diagram import Diagram
from attnlab.viz.figures import LEAST, plain, tiny
from attnlab.viz.svg.text import spoken

NAMES: Final = ("as trained", "changed")
_FEW: Final = 24  # tokens that have a row each; of more, as many that suffer most
_LISTED: Final = 8  # heads
_RISES: Final = 0.005  # nats, what can be read in two digits
_BITS: Final = (
    "How far a head's rows have moved: the mean Jensen–Shannon divergence between what it looked "
    "at as trained and what it looks at now, 0 for the same and 1 bit for nothing in common."
)
_LOSS: Final = (
    "The loss of a token is −log of the probability that the model gave it, in nats: 0 is certain, "
    "0.7 is one in two, 4.6 is one in a hundred."
)


@dataclass(frozen=True)
class Shown:
    """What is drawn.

    Attributes:
        key: the start of every Streamlit key.
        what: the edits in a few words, for titles and files.
        position: whose prediction is shown, -1 for the last token.
        look: the head that is drawn twice, if it is among those that change most; else the first.
        on_look: keeps a head that was clicked.
        prediction_left: whether the next word stands below the losses, not above the heads.
    """

    key: str
    reader: engine.Reader
    passage: Passage
    edits: tuple[Any, ...]
    what: str
    name: str = "Sentence A"
    position: int = -1
    look: Head | None = None
    on_look: Callable[[Head], None] | None = None
    prediction_left: bool = False


def draw(of: Shown, places: Sequence[Any] = ()) -> Changed:
    """The cards, side by side.

    Args:
        places: two columns that the page has begun already, where it has.

    Raises:
        AttnLabError: the text or an edit does not fit, or the work was stopped.
    """
    found = engine_edited.changed(of.reader, of.passage, of.edits, of.name)
    if not places:
        with st.container(key="cards"):
            places = st.columns(2, gap="small")
    left, right = places
    with left:
        if found.before is None:
            _moved(of, found)
        else:
            _losses(of, found)
    predicts = of.reader.lab.head_kind == "causal"
    with left if of.prediction_left else right:
        if predicts:
            _prediction(of, found)
    with right:
        _heads(of, found)
    return found


def _source(of: Shown) -> files.Source:
    return files.of_model(of.reader, of.passage, of.edits)


def _losses(of: Shown, found: Changed) -> None:
    with st.container(border=True, key=f"card-{of.key}-losses"):
        st.markdown("**Loss of each token**", help=_LOSS)
        if not len(found.before):
            say.remark("One token alone is followed by nothing.", f"{of.key}-loss")
            return
        said = (
            f"Mean {found.before.mean():.2f} → {found.after.mean():.2f} nats a token. "
            f"{_worst(found)}"
        )
        drawn = _loss_picture(found)
        mount_diagram.diagram(f"{of.key}-losses", drawn)
        say.remark(said, f"{of.key}-loss")
        rows = [
            [at + 1, spoken(found.tokens[at + 1]), float(a), float(b)]
            for at, (a, b) in enumerate(zip(found.before, found.after, strict=True))
        ]
        kept = files.picture(
            f"attnlab-{of.key}-losses",
            f"Loss of each token, {of.what}",
            drawn,
            _source(of),
            what="−log of the probability of each token after those before it, in nats.",
            columns=("position", "token", "as_trained", "changed"),
            rows=rows,
            notes=(said,),
        )
        with st.container(horizontal=True, key=f"actions-{of.key}-losses"):
            export.menu(f"save-{of.key}-losses", kept)


def _worst(found: Changed) -> str:
    if found.hardest is None:
        return "No token of the text is harder to predict."
    at, rise = found.hardest
    return f"Hardest hit: “{spoken(found.tokens[at]).strip()}”, +{rise:.2f}."


def _loss_picture(found: Changed) -> Diagram:
    """A row a token; of a long text a curve, and rows for those that suffer most."""
    count = len(found.before)
    rise = found.after - found.before
    few = count <= _FEW
    chosen = range(count) if few else _suffering(rise)
    rows = [
        (
            spoken(found.tokens[at + 1]) + ("" if few else f" · {at + 1:,}"),
            float(found.before[at]),
            float(found.after[at]),
        )
        for at in chosen
    ]
    title_ = "" if few else f"Whose loss rises most, by position: {len(rows)} of {count:,}"
    drawn = dumbbells.dumbbells(title_, rows, names=NAMES, unit="nats")
    if few:
        return drawn
    positions, losses = list(range(1, count + 1)), (found.before.tolist(), found.after.tolist())
    both = zip(NAMES, losses, ("ink", "edit"), strict=True)
    curves = [lines.Line(*one, thick=1.6) for one in both]
    chart = lines.lines("Along the text", positions, curves, x_name="position", high=200)
    sheet = Diagram(drawn.width, chart.height + 18 + drawn.height, drawn.label)
    sheet.place(0, 0, chart)
    sheet.place(0, chart.height + 18, drawn)
    return sheet


def _suffering(rise: np.ndarray) -> list[int]:
    """Where the loss rises most, in the order of the text: one place at least."""
    most = np.argsort(-rise, kind="stable")[:_FEW]
    return sorted([at for at in most.tolist() if rise[at] >= _RISES] or most.tolist()[:1])


def _moved(of: Shown, found: Changed) -> None:
    """What is read by a model that predicts no next token: how far its vectors turned."""
    with st.container(border=True, key=f"card-{of.key}-moved"):
        st.markdown("**How far each token’s vector turned**", help=explain.COSINE)
        rows = list(zip(found.tokens, map(float, found.shift), strict=True))
        most = sorted(rows, key=lambda row: -row[1])[:_FEW]
        kept_rows = rows if len(rows) <= _FEW else [row for row in rows if row in most]
        mount.shifts(f"{of.key}-moved", rows=kept_rows, label="Cosine distance of each token")
        said = f"The mean vector of the text turned by {found.turned:.3f}."
        if len(rows) > _FEW:
            said += f" Listed: the {_FEW} that turned most."
        say.remark(said, f"{of.key}-moved")


def _prediction(of: Shown, found: Changed) -> None:
    effect = engine_edited.predicted(of.reader, of.passage, of.edits, of.position)
    after = "the text" if of.position in (-1, len(found.tokens) - 1) else "this token"
    with st.container(border=True, key=f"card-{of.key}-next"):
        st.markdown(f"**What comes after {after}**", help=explain.KL)
        mount.bars(
            f"{of.key}-next",
            rows=effect.rows,
            names=NAMES,
            label=f"The likeliest next tokens, {NAMES[0]} and {NAMES[1]}",
        )
        nats = plain(effect.kl) if effect.kl >= LEAST else tiny(effect.kl)
        say.remark(f"KL {nats} nats.", f"{of.key}-kl")


def _heads(of: Shown, found: Changed) -> None:
    with st.container(border=True, key=f"card-{of.key}-heads"):
        st.markdown("**The heads that change most**", help=_BITS)
        if not found.layers:
            most, count = engine_edited.MOST_TOKENS, len(found.tokens)
            said = f"This text has {count:,} tokens; every head is compared up to {most}."
            say.remark(said, f"{of.key}-long")
            return
        if found.order[0][2] <= 1e-6:
            which = " of the decoder’s self-attention" if of.reader.role == "decoder" else ""
            say.remark(f"No head{which} looks anywhere else.", f"{of.key}-same")
            return
        drawn = moved.grid(found)
        mount_diagram.diagram(f"{of.key}-heads", drawn)
        say.remark(moved.layers_said(found), f"{of.key}-layers")
        _most(of, found)
        kept = files.picture(
            f"attnlab-{of.key}-heads",
            f"How far every head’s attention moved, {of.what}",
            drawn,
            _source(of),
            what="Mean Jensen–Shannon divergence of each head's rows, in bits.",
            columns=("layer", "head", "bits"),
            rows=[list(one) for one in found.order],
        )
        with st.container(horizontal=True, key=f"actions-{of.key}-heads"):
            export.menu(f"save-{of.key}-heads", kept)


def _most(of: Shown, found: Changed) -> None:
    """The heads that change most, and one of them as trained and changed."""
    listed = list(found.order[:_LISTED])
    head = of.look if of.look in {one[:2] for one in listed} else listed[0][:2]
    mount.ranks(
        f"{of.key}-ranks",
        columns=[("bits", "edit", listed)],
        selected=head,
        label="The heads that change most",
        on_change=lambda: _clicked(of),
    )
    both = engine_edited.head_of(of.reader, of.passage, of.edits, head)
    twice = moved.pair_of(both, NAMES, title(head), found.tokens)
    mount_diagram.diagram(f"{of.key}-twice", twice)


def _clicked(of: Shown) -> None:
    chosen = mount.ranks_value(f"{of.key}-ranks")
    if chosen is not None and of.on_look is not None:
        of.on_look((chosen["layer"], chosen["head"]))
