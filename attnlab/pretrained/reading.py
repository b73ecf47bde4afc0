"""Reading a long text beside a key/value cache, piece by piece, for the loss of each token."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.keep import KeepLast
from attnlab.errors import InputError
from attnlab.pretrained import texts
from attnlab.pretrained.binding import as_edits
from attnlab.pretrained.caches import held as holds
from attnlab.pretrained.keeping import endless, kept_cache, require_edits
from attnlab.pretrained.result import Asked
from attnlab.trace.given import whole
from attnlab.trace.run import Cancel, Row

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab


def read(
    lab: Lab,
    text: Any,
    *,
    cache: KeepLast | None = None,
    chunk: int = 1,
    edits: Any = (),
    cancel: Cancel | None = None,
) -> Iterator[Float[Tensor, " c"]]:
    """−log p of each token but the first, in nats, given those before it that the cache holds;
    pieces of up to ``chunk`` as they are read. Nothing is read before the first is asked for.

    Tokens that are read together see what each would see alone, a chunk only costs less. One thing
    differs in our transformer: with sinks, those of a chunk see them up to a chunk farther away.
    In a pretrained model a cache that is full takes one token at a time, and so does a recurrent
    state once there is one: transformers begins it anew for several. One that turns its tokens by
    the length of the text ("dynamic" and "longrope" scaling) turns earlier keys as the text was
    then, so losses beyond the original length are not those of one run of the whole.

    Raises:
        InputError: the model predicts no next token, cannot keep the last tokens only, or cannot
            be read like this; TextTooLong where numbers of positions run out.
        Cancelled: ``cancel`` was set.
    """
    if lab.head_kind != "causal":
        raise InputError(f"{lab.name} does not write from left to right, so no text is read so.")
    if whole("chunk", chunk, InputError) < 1:
        raise InputError(f"chunk is at least 1, not {chunk}.")
    ids = texts.ids_of(lab, text, endless(lab, cache))
    given = as_edits(edits)
    held = None
    if cache is not None:
        held = kept_cache(lab, cache)
        require_edits(lab, given)
    told = {"more": 0, "cached": True, "cancel": cancel}
    (bounds,) = lab.bind_all([given], [ids], [None], **told)
    return _pieces(lab, ids, Row(bounds), held, _Chunks(chunk, lab, cache), cancel)


class _Chunks:
    """How many tokens are read at a time."""

    def __init__(self, chunk: int, lab: Lab, keep: KeepLast | None) -> None:
        alone = keep is not None and lab.tier != "ours"
        self.chunk, self.room = chunk, keep.capacity if keep is not None and alone else None

    def after(self, read: int) -> int:
        return self.chunk if self.room is None else max(1, min(self.chunk, self.room - read))


def _pieces(
    lab: Lab, ids: list[int], row: Row, held: Any, chunks: _Chunks, cancel: Cancel | None
) -> Iterator[Tensor]:
    run, start = Asked((), "all", cancel=cancel).run([row]), 0
    while start < len(ids) - 1:
        stop = min(start + chunks.after(start), len(ids) - 1)
        fed: dict[str, Any] = {"input_ids": torch.tensor([ids[start:stop]], device=lab.device)}
        if held is not None:
            fed["cache"] = held
        if lab.counts_from_zero:
            fed["position_ids"] = torch.arange(start, stop, device=lab.device)[None]
        with lab.serial:
            outputs = lab.forward(run, fed, use_cache=True)
        run.require_reached()
        held = getattr(outputs, "cache", None)
        if held is None:
            raise InputError(f"{lab.name} keeps no key/value cache, so no text is read in pieces.")
        known = holds(lab, held)
        # A layer that holds no keys and values, or more than those, has a state.
        if any(one.other_bytes for one in known) or len(known) < len(getattr(held, "layers", ())):
            chunks.chunk = 1
        wanted = torch.tensor(ids[start + 1 : stop + 1], device=lab.device)
        logits = outputs.logits[0].float()
        yield torch.nn.functional.cross_entropy(logits, wanted, reduction="none").cpu()
        start = stop
