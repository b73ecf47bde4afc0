"""A loaded model as a page sees it: which attention of it is shown, and where its numbers are
from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from attnlab.pretrained.catalogue import lookup
from attnlab.trace.site import ROLES
from attnlab.ui import work
from attnlab.ui.engine.keys import LabKey
from attnlab.ui.selection import Selection

_HUB_ID_AND_REVISION: Final = re.compile(r"(\w[\w.-]*/[\w.-]+)@(\S+)")


@dataclass(frozen=True)
class Reader:
    """A loaded model together with the key that it was loaded by.

    `role` says whose attention the page shows: "encoder", "decoder" or "cross".
    """

    lab: Any
    key: LabKey
    role: str

    @property
    def title(self) -> str:
        """How a page writes its name: that of the catalogue, if it has one."""
        entry = lookup(self.key.model)
        return self.lab.name if entry is None else entry.title

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that have attention to show."""
        found = {site.role for site in self.lab.sites}
        return tuple(role for role in ROLES if role in found)

    @property
    def writes(self) -> bool:
        """Whether it is an encoder-decoder: what it writes is a text of its own."""
        return self.lab.head_kind == "seq2seq" or self.lab.is_encoder_decoder

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers that have attention, in order; hybrids have others between them."""
        return tuple(self.lab.layers(self.role))

    @property
    def heads(self) -> int:
        """Heads a layer; the most, where layers differ."""
        return max((site.heads for site in self._sites), default=0)

    def heads_in(self, layer: int) -> int:
        """Heads of one layer; 0 where it has no attention."""
        return next((site.heads for site in self._sites if site.layer == layer), 0)

    @property
    def causal(self) -> bool:
        """Whether no word sees the words after it."""
        return self.role != "cross" and all(site.causal for site in self._sites)

    @property
    def sink(self) -> bool:
        """Whether a learned sink takes a share of what a word looks at."""
        return self.role in self.lab.sinks

    @property
    def _sites(self) -> list[Any]:
        return [site for site in self.lab.sites if site.role == self.role]


def named(model: str) -> tuple[str, str | None]:
    """The name and the revision in what was typed: "owner/name@revision", or a name alone."""
    match = _HUB_ID_AND_REVISION.fullmatch(model.strip())
    return (match[1], match[2]) if match else (model.strip(), None)


def reader(selection: Selection) -> Reader:
    """The model of `selection`, loaded once for all sessions, in the role that it names.

    A role that the model does not have gives its default: of an encoder-decoder the encoder,
    which reads what was typed. With `selection.ours` our transformer runs, with its weights.

    Raises:
        AttnLabError: it cannot be loaded; the message says why.
        RebuildRefused: our transformer cannot take its weights.
    """
    key = LabKey(*named(selection.model), selection.device, selection.dtype)

    def open_lab(job: Any) -> Any:
        # Here and not above: transformers takes seconds to import, and the page is on screen now.
        from attnlab.pretrained.load import load

        return load(
            key.model,
            revision=key.revision,
            device=key.device,
            dtype=key.dtype,
            progress=job.progress,
        )

    labs = work.stores().labs
    lab = work.perform(key, "Loading the model", open_lab, labs, stoppable=False)
    if selection.ours:
        plain, key = lab, replace(key, ours=True)
        words = "Putting its weights into our transformer"
        lab = work.perform(key, words, lambda job: _rebuilt(plain), labs, stoppable=False)
    usual = "encoder" if lab.is_encoder_decoder else lab.main_role
    found = Reader(lab, key, usual)
    return replace(found, role=selection.role) if selection.role in found.roles else found


def _rebuilt(lab: Any) -> Any:
    from attnlab.pretrained.rebuild import rebuild

    return rebuild(lab)


def with_role(reader: Reader, role: str) -> Reader:
    """The same model, another role's attention."""
    return replace(reader, role=role)


def predicting(reader: Reader) -> Reader:
    """In the role whose tokens are followed by a prediction."""
    return with_role(reader, "decoder") if reader.writes else reader


def literal(reader: Reader, token: Any) -> str:
    """The text of a token, with line ends and the like instead of the signs drawn for them."""
    if token.piece is not None or token.special or not any(map(_is_sign, token.text)):
        return token.text
    return reader.lab.tokenizer.decode([token.id], clean_up_tokenization_spaces=False)


def _is_sign(char: str) -> bool:
    """Whether `char` may stand for an invisible one."""
    return char in "↵⇥␡⟨" or "\u2400" <= char <= "\u2421"


def provenance(reader: Reader, edits: Sequence[Any] = ()) -> dict[str, Any]:
    """Where numbers are from, ready for JSON: model, revision, tier, dtype, edits, versions."""
    from attnlab.pretrained.result import how

    return {**how(reader.lab, edits), "role": reader.role}


def mask_position(reader: Reader, tokens: Sequence[Any]) -> int | None:
    """The first of a masked model's tokens that is its mask; None where there is none."""
    if reader.lab.head_kind != "masked" or reader.lab.tokenizer is None:
        return None
    wanted = reader.lab.tokenizer.mask_token_id
    return next((i for i, token in enumerate(tokens) if token.id == wanted), None)
