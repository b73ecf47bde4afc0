"""Direct logit attribution: which part of the model puts how much into one logit.

The stream is a sum of what embeddings, heads and feed-forwards have added, and with the last norm's
size frozen at this text's each logit is linear in it, so every part has its share of the logit and
the shares add up (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits", "The
residual stream as output accumulation"). A share is that of the direct path alone: what a head does
through later layers counts for those.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.analysis.ending import Ending, Frozen, ending_of, frozen, near, tolerance
from attnlab.analysis.lens import stream_of
from attnlab.analysis.outputs import each_alone
from attnlab.analysis.parameters import is_norm
from attnlab.errors import InputError, StageNotAvailable
from attnlab.trace.capture import Capture, whole
from attnlab.trace.edits import Edit
from attnlab.trace.run import Cancel
from attnlab.trace.runner import Runner
from attnlab.trace.site import Block
from attnlab.trace.token import Token
from attnlab.trace.trace import Trace

COLUMNS = ("part", "role", "layer", "head", "share")
Share = tuple[str, str, int | None, int | None, float]

_ADDED = {"attn_out": "attention", "cross_out": "cross", "mlp_out": "feed_forward"}


@dataclass(frozen=True)
class Attribution:
    """The shares of one logit, or of the difference of two, at one position.

    Attributes:
        parts: a row for each part: part, role, layer, head, share (in units of the logit). ``part``
            is "embedding" (positions included), "head", "attention bias" (what the output
            projection adds to no head), "feed_forward"; "attention" or "cross" where heads cannot
            be told apart, "layer" where nothing inside a block can; "norm bias" and "head bias".
        token, against: whose logit, and from which other one the difference is taken, or None.
        position: of the text, from 0.
        logit: the model's own number (or difference).
        raw: the same before a soft cap; ``logit`` where there is none.
        total: the sum of the shares.
        scale: the size at which the last norm was frozen, 1 / √(mean of squares); 1 without a norm.
    """

    parts: pd.DataFrame
    token: Token
    against: Token | None
    position: int
    logit: float
    raw: float
    total: float
    scale: float

    @property
    def error(self) -> float:
        """What the shares miss: total − raw, rounding alone."""
        return self.total - self.raw

    def heads(self, role: str) -> pd.DataFrame:
        """The heads' shares as a grid: rows are layers, columns heads."""
        rows = self.parts[(self.parts.part == "head") & (self.parts.role == role)]
        return rows.pivot(index="layer", columns="head", values="share")


def attribute(
    runner: Runner,
    text: Any,
    token: int | None = None,
    *,
    against: int | None = None,
    position: int = -1,
    edits: Edit | Sequence[Edit] = (),
    target: Any = None,
    cancel: Cancel | None = None,
) -> Attribution:
    """The share of every head and feed-forward in a logit.

    Args:
        token: the id whose logit it is; None: the likeliest at this position.
        against: the id whose logit is taken away, so that what raises all logits alike drops out.
        position: of the text (of the target, in an encoder-decoder); negative from the end.
        edits: what is changed in the run whose logit it is.

    Raises:
        InputError: no language-model head, no such token or position.
        EditRefused: no residual stream was found.
        EditError: an edit does not fit.
        StageNotAvailable: what follows the last block is not a norm and a matrix, so a logit is no
            sum of parts.
    """
    blocks = stream_of(runner)
    wanted = _captures(runner, blocks)
    options: dict[str, Any] = {"capture": wanted, "edits": edits, "cancel": cancel}
    options["logits"] = (position,)
    trace = runner.run(text, **options, **({} if target is None else {"target": target}))
    if trace.logits is None:
        raise InputError(f"{runner.name} has no language-model head, so it predicts no token.")
    ids = _ids(trace, token, against)
    place = trace.logit_positions[0]
    ending, norm = _linear(runner, trace, place)
    weight, added = ending.readers(ids)
    sign = torch.tensor([1.0, -1.0][: len(ids)], dtype=torch.double)
    reader = sign @ weight
    shares = list(_shares(runner, trace, blocks, place, norm.back(reader)))
    shares += [("norm bias", "", None, None, float(norm.shift @ reader))]
    shares += [("head bias", "", None, None, float(sign @ added))]
    parts = pd.DataFrame(shares, columns=list(COLUMNS)).astype({"layer": "Int64", "head": "Int64"})
    last = trace.role(runner.main_role).resid_post[blocks[-1].layer][place]
    named = trace.tokens_of(ids)
    return Attribution(
        parts=parts,
        token=named[0],
        against=named[1] if against is not None else None,
        position=place,
        logit=float(sign @ trace.logits[0, ids].double()),
        raw=float(sign @ ending.numbers(last)[ids].double()),
        total=float(parts.share.sum()),
        scale=norm.scale,
    )


def _captures(runner: Runner, blocks: list[Block]) -> list[Capture]:
    role, last = runner.main_role, blocks[-1].layer
    wanted = [Capture("final"), Capture("resid_pre", layers=blocks[0].layer, roles=role)]
    wanted += [Capture("resid_post", layers=last, roles=role)]
    unknown = [block.layer for block in blocks if not block.additive]
    if unknown:
        wanted += [Capture(s, layers=unknown, roles=role) for s in ("resid_pre", "resid_post")]
    for stage in _ADDED:
        layers = [b.layer for b in blocks if b.additive and getattr(b, stage)]
        if layers and stage in runner.stages:
            wanted.append(Capture(stage, layers=layers, roles=role))
    roles = {site.role for site in runner.sites} & {role, "cross"}
    if "z" in runner.stages and roles:
        wanted.append(Capture("z", roles=sorted(roles)))
    if "resid_post" not in runner.stages:
        raise StageNotAvailable(f"The residual stream of {runner.name} cannot be read.")
    return [capture for capture in wanted if capture.stage in runner.stages]


def _ids(trace: Trace, token: int | None, against: int | None) -> list[int]:
    likeliest = int(trace.logits[0].argmax())
    ids = [likeliest if token is None else token, *([] if against is None else [against])]
    ids = [whole("A token", i, InputError) for i in ids]
    wrong = [i for i in ids if not 0 <= i < trace.logits.shape[-1]]
    if wrong:
        raise InputError(
            f"There is no token {wrong[0]}; the model predicts 0 to {trace.logits.shape[-1] - 1}."
        )
    return ids


def _linear(runner: Runner, trace: Trace, place: int) -> tuple[Ending, Frozen]:
    """What follows the last block, its norm frozen at a position."""
    ending = ending_of(runner, trace)
    last = trace.role(runner.main_role).resid_post
    x = last[max(last.layers)][place]
    norm = None if ending is None else frozen(ending.norm, x, tolerance(ending.head))
    if ending is None or norm is None:
        raise StageNotAvailable(
            f"A logit of {runner.name} is no sum of parts: what follows its last block is more "
            "than a norm and a matrix. Try patching or ablation, which need no sum."
        )
    return ending, norm


def _shares(
    runner: Runner, trace: Trace, blocks: list[Block], place: int, reader: Float[Tensor, " M"]
) -> Iterator[Share]:
    """The share of everything that is added to the stream, in order."""
    view = trace.role(runner.main_role)

    def share(vector: Tensor) -> float:
        return float(vector[place].double() @ reader)

    role = runner.main_role
    yield "embedding", role, None, None, share(view.resid_pre[blocks[0].layer])
    for block in blocks:
        layer = block.layer
        if not block.additive:
            changed = view.resid_post[layer].double() - view.resid_pre[layer].double()
            yield "layer", role, layer, None, share(changed)
            continue
        for stage, part in _ADDED.items():
            if not getattr(block, stage):
                continue
            added = getattr(view, stage)[layer]
            whose = "cross" if part == "cross" else role
            heads = None if part == "feed_forward" else _heads(runner, trace, block, stage, place)
            if heads is None:
                yield part, whose, layer, None, share(added)
                continue
            each, bias = heads
            for head, vector in enumerate(each):
                yield "head", whose, layer, head, float(vector @ reader)
            yield "attention bias", whose, layer, None, float(bias @ reader)


def _heads(
    runner: Runner, trace: Trace, block: Block, stage: str, place: int
) -> tuple[Float[Tensor, "H M"], Float[Tensor, " M"]] | None:
    """What each head of a block adds at a position, and what none of them does; None where their
    sum is not what the block adds, as where something stands between."""
    role = "cross" if stage == "cross_out" else block.role
    site = next((s for s in runner.sites if (s.role, s.layer) == (role, block.layer)), None)
    if site is None or not site.out_proj or (("z", role) not in trace.values):
        return None
    each, bias = each_alone(runner, site, trace.role(role).z[block.layer][:, place])
    path = getattr(block, stage)
    module = runner.module(path)
    if is_norm(module):  # what heads add is normalised before it is added (Gemma 2)
        inner = frozen(module, (each.sum(0) + bias).float(), tolerance(module))
        if inner is None:
            return None
        each, bias = (inner.linear(x) for x in (each, bias))
        bias = bias + inner.shift
    each, bias = each * block.factor(path), bias * block.factor(path)
    seen = getattr(trace.role(block.role), stage)[block.layer][place].double()
    fits = near(each.sum(0) + bias, seen, tolerance(runner.module(site.out_proj)))
    return (each, bias) if fits else None
