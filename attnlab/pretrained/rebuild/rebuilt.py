"""From a Lab to our transformer, which is checked against the model before it is used."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from attnlab.errors import InputError, RebuildRefused
from attnlab.pretrained.clone import structural_clone
from attnlab.pretrained.hooks import install_head
from attnlab.pretrained.inputs import probe_inputs, real_rows
from attnlab.pretrained.lab import Lab
from attnlab.pretrained.probe import Probed, difference
from attnlab.pretrained.rebuild.adapter import Adapter, OneStack, TwoStacks
from attnlab.pretrained.rebuild.attributes import FAMILIES, Attributes
from attnlab.pretrained.rebuild.bert import BERT, ROBERTA
from attnlab.pretrained.rebuild.family import Family, Plan, prefix_of
from attnlab.pretrained.rebuild.gpt2 import GPT2
from attnlab.pretrained.rebuild.gpt_neox import GPT_NEOX
from attnlab.pretrained.rebuild.llama import LLAMA, MISTRAL, QWEN2
from attnlab.pretrained.rebuild.ours import Ours, layout_of, stages_of
from attnlab.pretrained.rebuild.t5 import T5
from attnlab.pretrained.rebuild.weights import assign
from attnlab.transformer import Decoder, Encoder, EncoderDecoder

KNOWN = (GPT2, GPT_NEOX, LLAMA, MISTRAL, QWEN2, BERT, ROBERTA, T5)

_TOLERANCE = 1e-5
"""Of the largest logit, in float32: 5e-4 of 50. sdpa, the same sums in another order, is 7e-5 from
eager on SmolLM2. In float64 too, where transformers rounds norms and rotations to float32."""
_HALF_TOLERANCE = 0.03
"""In half precision, of the largest logit."""


class Rebuilt(Ours):
    """Our transformer in place of the model whose weights it has.

    ``model`` is the pretrained model, which is not run.
    """

    def __init__(self, lab: Lab, adapter: Adapter, found: Probed) -> None:
        super().__init__(
            lab.model,
            adapter.transformer,
            lab.tokenizer,
            name=lab.name,
            head_kind=lab.head_kind,
            notes=lab.trust.notes,
            found=found,
        )
        self.revision = lab.revision


def rebuild(lab: Lab) -> Ours:
    """Our transformer with a Lab's weights, a Runner like any other; one that is ours comes back.

    The weights are shared with the model. At the end both run on the same short texts; ``trust``
    says how far apart they are.

    Raises:
        InputError: not a Lab.
        RebuildRefused: another family, an attribute or a weight that has no meaning in ours,
            sizes that do not fit, or logits that differ. The sentence names it.
    """
    if not isinstance(lab, Lab):
        given = repr(lab)[:60] if isinstance(lab, str | None) else f"a {type(lab).__name__}"
        raise InputError(f"rebuild takes a Lab, which al.load gives, not {given}.")
    if isinstance(lab, Ours):
        return lab
    _require_ordinary(lab)
    family = _family_of(lab)
    attributes = Attributes(lab.model.config.to_dict(), type(lab.model).__name__)
    head = type(lab.model).__name__ in family.heads
    try:
        plan = family.plan(attributes, prefix_of(lab.model), head)
        attributes.finish()
        adapter = _built(lab, plan)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # A configuration that transformers runs, with sizes that our modules refuse.
        raise RebuildRefused(f"{lab.name} does not fit our transformer: {error}.") from error
    return Rebuilt(lab, adapter, _checked(lab, adapter))


def _require_ordinary(lab: Lab) -> None:
    """Raises RebuildRefused for weights that are elsewhere, or in several types."""
    tensors = list(lab.model.parameters())
    if any(tensor.is_meta for tensor in tensors):
        raise RebuildRefused(f"The weights of {lab.name} are offloaded, so they cannot be shared.")
    kinds = sorted({str(tensor.dtype).removeprefix("torch.") for tensor in tensors})
    if len(kinds) > 1:
        raise RebuildRefused(f"The weights of {lab.name} are of several types: {', '.join(kinds)}.")


def _family_of(lab: Lab) -> Family:
    name, kind = type(lab.model).__name__, lab.model.config.model_type
    for family in KNOWN:
        if kind in family.types and name in family.bodies + family.heads:
            return family
    raise RebuildRefused(
        f"Our transformer takes models of {FAMILIES}; {lab.name} is a {name}, which is none."
    )


def _built(lab: Lab, plan: Plan) -> Adapter:
    """Our modules on the meta device, where they cost nothing, then given the model's weights."""
    with torch.device("meta"):
        if plan.decoder is not None:
            ours = EncoderDecoder(plan.config, plan.decoder)
        else:
            ours = Decoder(plan.config) if plan.causal else Encoder(plan.config)
    assign(ours, lab.model, plan.sources, plan.unneeded)
    kind = OneStack if plan.decoder is None else TwoStacks
    adapter = kind(ours.eval(), lab.model.config, plan.pad)
    if adapter.main.head is not None:
        install_head(adapter.main.head)
    return adapter


def _checked(lab: Lab, adapter: Adapter) -> Probed:
    """Both on the same texts, unpadded positions compared.

    They have 11 tokens, so a window that is wider, and how rotations are stretched far out, are
    not seen here: those rest on the tests of each family.

    Raises:
        RebuildRefused: they differ by more than rounding explains.
    """
    inputs = probe_inputs(lab.model)
    right, ours = _theirs(lab.model, inputs), _run(adapter, inputs)
    off, largest = difference(ours, right), float(right.abs().max())
    half = torch.finfo(right.dtype).bits < 32
    allowed = _HALF_TOLERANCE * largest if half else _TOLERANCE * max(1.0, largest)
    if not off <= allowed:
        raise RebuildRefused(
            f"Our transformer's output differs from that of {lab.name} by {off:.2g} "
            f"(the largest is {largest:.2g}), so it was not used."
        )
    layout = layout_of(adapter)
    stages = stages_of(adapter, layout)
    editable = stages | {"mask"}
    return Probed(adapter, "ours", layout, stages, editable, off, largest, right.dtype)


def _theirs(model: Any, inputs: dict[str, Tensor]) -> Tensor:
    """What transformers' own eager attention gives; the caller's model stays as it is."""
    clone = structural_clone(model)
    clone.set_attn_implementation("eager")
    return _run(clone, inputs)


def _run(model: Any, inputs: dict[str, Tensor]) -> Tensor:
    with torch.no_grad():
        return real_rows(model(**inputs), inputs)
