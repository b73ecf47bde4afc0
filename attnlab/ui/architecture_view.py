"""The words and figures of a block, put together for its pictures. Nothing is drawn here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attnlab.analysis.anatomy import Anatomy
from attnlab.analysis.wiring import Shape
from attnlab.viz.blocks import BlockView, Part
from attnlab.viz.passes import Step
from attnlab.viz.shares import Share, percent

NAMES: Final = {
    "embeddings": ("Embeddings", "table"),
    "attention": ("Attention", "attention"),
    "cross": ("Cross-attention", "cross"),
    "feed_forward": ("Feed-forward", "feed"),
    "norms": ("Norms", "norm"),
    "head": ("Output head", "head"),
    "other": ("Other", "line"),
}
_ABOUT: Final = {
    "embeddings": "A table with a row for each token: its row starts the stream.",
    "attention": "Each token takes a blend of what the others offer.",
    "causal": "A token sees itself and those before it.",
    "both": "Every token sees every token.",
    "cross": "Each token takes a blend of what the encoder read.",
    "feed_forward": "Each token by itself: wider, bent, and back.",
    "norms": "Brings each token's vector to one size before it is read.",
    "head": "Scores every token of the vocabulary as the next one.",
}


def spelled(shape: Shape) -> str:
    """ "9 × 13 × 64"."""
    return " × ".join(f"{size:,}" for size in shape)


def block_view(of: Anatomy) -> BlockView:
    """What the diagram of the block shows."""
    stream = "" if of.width is None else spelled((of.tokens, of.width))
    tables = of.counts["embeddings"]
    return BlockView(
        tokens=f"{of.tokens:,} tokens" if of.tokens > 1 else "1 token",
        stream=stream,
        start=Part("Embeddings", "table", f"{tables:,}", about=(_ABOUT["embeddings"],)),
        parts=tuple(_parts(of)),
        end=_end(of),
        norm=Part(of.norm or "norm", "norm", about=(_ABOUT["norms"],)),
        place=of.norm_place,
        parallel=of.parallel,
        repeats=_repeats(of),
        normed_end=of.norm_place in ("before", "inside"),
    )


def _repeats(of: Anatomy) -> str:
    kind = "decoder block" if of.block.get("cross") else "block"
    return f"one of {of.blocks} {kind}s" if of.blocks > 1 else f"one {kind}"


def _parts(of: Anatomy) -> list[Part]:
    parts = []
    for kind, prefix, name in (
        ("attention", "", "Self-attention"),
        ("cross", "cross.", "Cross-attention"),
    ):
        if of.block.get(kind):
            about = [_ABOUT[kind]]
            if kind == "attention" and of.heads is not None:
                about.append(_ABOUT["causal" if of.heads.causal else "both"])
            lines, figure = tuple(_attention_lines(of, prefix)), f"{of.block[kind]:,}"
            parts.append(Part(name, NAMES[kind][1], figure, lines, tuple(about)))
    if of.block.get("feed_forward"):
        figure = f"{of.block['feed_forward']:,}"
        about = (_ABOUT["feed_forward"],)
        parts.append(Part("Feed-forward", "feed", figure, tuple(_feed_lines(of)), about))
    return parts


def _attention_lines(of: Anatomy, prefix: str) -> list[str]:
    shapes = {
        stage: spelled(of.shapes[prefix + stage])
        for stage in ("q", "k", "v", "weights", "z")
        if prefix + stage in of.shapes
    }
    lines = []
    if "q" in shapes:
        lines.append(f"q  {shapes['q']}")
    if "k" in shapes and shapes["k"] == shapes.get("v"):
        lines.append(f"k, v  {shapes['k']}")
    else:
        lines += [f"{stage}  {shapes[stage]}" for stage in ("k", "v") if stage in shapes]
    if "weights" in shapes:
        lines.append(f"weights  {shapes['weights']}")
    if "z" in shapes:
        out = of.shapes.get("cross_out" if prefix else "attn_out")
        lines.append(f"z  {shapes['z']}" + (f"  →  {spelled(out)}" if out else ""))
    return lines


def _feed_lines(of: Anatomy) -> list[str]:
    if of.hidden is None:
        return ["what lies inside cannot be read", "off its matrices"]
    out = of.shapes.get("mlp_out")
    inner = spelled((of.tokens, of.hidden)) + (", with a gate" if of.gated else "")
    return [inner, f"→  {spelled(out)}"] if out else [inner]


def _end(of: Anatomy) -> Part | None:
    logits = of.shapes.get("logits")
    if logits is None:
        return None
    about = (_ABOUT["head"], f"{spelled((of.tokens, logits[-1]))} logits.")
    if of.tied and not of.counts["head"]:
        return Part("Output: the table of tokens again", "head", "0 more", about=about)
    return Part("Output head", "head", f"{of.counts['head']:,}", about=about)


def share_bars(of: Anatomy) -> list[tuple[str, list[Share]]]:
    """Where the parameters are: of the whole model, and of the block."""
    bars = [("The whole model", shares_of(of.counts))]
    if of.block:
        bars.append(("One block", shares_of(of.block)))
    return bars


def shares_of(counts: dict[str, int]) -> list[Share]:
    """The classes that there are, in one order."""
    return [(*NAMES[kind], counts[kind]) for kind in NAMES if counts.get(kind)]


def share_sentence(of: Anatomy) -> str:
    """What the larger share of a block is."""
    whole = sum(of.block.values())
    if not whole or not of.block.get("feed_forward"):
        return ""
    share = percent(of.block["feed_forward"], whole)
    return f"{share} of a block is feed-forward, {percent(_attending(of), whole)} attention."


def _attending(of: Anatomy) -> int:
    return of.block.get("attention", 0) + of.block.get("cross", 0)


def steps_of(of: Anatomy) -> list[Step]:
    """Every step of one pass, with its shape, in the order in which it runs."""
    steps = [Step("Tokens", f"{of.tokens:,}")]
    stream = None if of.width is None else spelled((of.tokens, of.width))
    if stream is None:
        return steps
    tables = f"{of.counts['embeddings']:,}"
    steps.append(Step("Embeddings", stream, tables, "table", (_ABOUT["embeddings"],)))
    steps += _block_steps(of, stream)
    if of.norm_place in ("before", "inside"):
        steps.append(Step(of.norm or "Norm", stream, "", "norm", (_ABOUT["norms"],)))
    logits = of.shapes.get("logits")
    if logits is not None:
        head = f"{of.counts['head']:,}" if of.counts["head"] or not of.tied else "the table again"
        shape = spelled((of.tokens, logits[-1]))
        steps.append(Step("Logits", shape, head, "head", (_ABOUT["head"],)))
    return steps


def _block_steps(of: Anatomy, stream: str) -> list[Step]:
    norm = Step(of.norm or "Norm", stream, "", "norm", (_ABOUT["norms"],), True)
    before = [norm] if of.norm_place == "before" else []
    added = Step("Added to the stream", stream, inner=True)
    after = [added, norm] if of.norm_place == "after" else [added]
    handed_on = [norm] if of.norm_place == "inside" else []
    found: list[Step] = []
    groups = [_attention_steps(of, "attention", ""), _attention_steps(of, "cross", "cross.")]
    groups.append(_feed_steps(of))
    groups = [group for group in groups if group]
    for at, group in enumerate(groups):
        shared = of.parallel and at
        found += [*([] if shared else before), *group, *handed_on]
        if not of.parallel or at == len(groups) - 1:
            found += after
    return found


_STAGES: Final = (
    ("q", "Queries", "What each token looks for, in every head."),
    ("k", "Keys", "What each token offers to be found by."),
    ("v", "Values", "What each token hands on where it is found."),
    ("scores", "Scores", "Every query times every key."),
    ("weights", "Weights", "The scores through a softmax: each row adds up to 1."),
    ("z", "Blends of values", "Per head, the values weighed by the row."),
)


def _attention_steps(of: Anatomy, kind: str, prefix: str) -> list[Step]:
    if not of.block.get(kind):
        return []
    colour, steps = NAMES[kind][1], []
    for stage, name, about in _STAGES:
        shape = of.shapes.get(prefix + stage)
        if shape is not None:
            steps.append(
                Step(name, spelled(shape), _own(of, prefix + stage), colour, (about,), True)
            )
    out = of.shapes.get("cross_out" if prefix else "attn_out")
    if out is not None:
        own, about = _own(of, prefix + "out"), "Heads side by side, through W_O."
        if not own:
            own, about = f"{of.block[kind]:,}", f"{about} {_ALL_FOUR}"
        steps.append(Step("Heads joined", spelled(out), own, colour, (about,), True))
    return steps


_ALL_FOUR: Final = (
    "The parameters are those of the whole attention: which of them make queries, keys and values "
    "could not be told."
)


def _own(of: Anatomy, step: str) -> str:
    """The parameters of one step, "" where it has none or they could not be told."""
    return f"{of.steps[step]:,}" if of.steps.get(step) else ""


def _feed_steps(of: Anatomy) -> list[Step]:
    if not of.block.get("feed_forward"):
        return []
    steps, about = [], (_ABOUT["feed_forward"],)
    if of.hidden is not None:
        name = "Feed-forward, gated" if of.gated else "Feed-forward"
        shape = spelled((of.tokens, of.hidden))
        steps.append(Step(name, shape, _own(of, "wider"), "feed", about, True))
    out = of.shapes.get("mlp_out")
    if out is not None:
        figure = _own(of, "back") or f"{of.block['feed_forward']:,}"
        steps.append(Step("and back", spelled(out), figure, "feed", about, True))
    return steps


def remarks(of: Anatomy, title: str) -> list[str]:
    """How the block is put together, and what of that is not known."""
    said = []
    place = {
        "before": "Pre-norm: each part reads the stream through a norm.",
        "after": "Post-norm: a norm follows each sum.",
        "inside": "What each part hands on goes through a norm before it is added.",
        "": "Where its norms stand could not be told.",
    }
    said.append(place[of.norm_place])
    order = {
        True: "Attention and feed-forward read the same stream, in parallel.",
        False: "Feed-forward reads what attention has added, in sequence.",
        None: "Whether its parts run in sequence or in parallel could not be measured.",
    }
    said.append(order[of.parallel])
    if not of.measured:
        said.append(f"Computed from the published sizes of {title}; no model was run.")
    return said


def other_sentence(other: Sequence[str]) -> str:
    """What is in no other class."""
    if not other:
        return ""
    more = f" and {len(other) - 3} more" if len(other) > 3 else ""
    return f"Other: {', '.join(other[:3])}{more}."
