"""What our transformer is: its shapes, its sizes, and what attention promises."""

from dataclasses import astuple

import pytest
import torch

from attnlab.analysis.sizes import sizes
from attnlab.attention import Cache, MultiHead
from attnlab.attention.masks import Causal
from attnlab.attention.positions import Learned, Rope
from attnlab.transformer import Config, Decoder, Encoder, EncoderDecoder
from tests.transformer import (
    BLOCKS,
    BOTH_WAYS,
    MASKS,
    SCHEMES,
    B,
    D,
    E,
    H,
    K,
    L,
    M,
    N,
    S,
    V,
    both,
    config,
    decoder,
    encoder,
    furthest,
    ids,
    made,
)


def count(module) -> int:
    return sum(weight.numel() for weight in module.parameters())


@pytest.mark.parametrize("block", BLOCKS)
def test_shapes(block):
    for model in (decoder(**BLOCKS[block]), encoder(**BLOCKS[block])):
        hidden = model(ids())
        assert hidden.shape == (B, N, M)
        assert model.logits(hidden).shape == (B, N, V)
    model = both(**BLOCKS[block])
    hidden = model(ids(length=S), ids())
    assert hidden.shape == (B, N, M) and model.logits(hidden).shape == (B, N, V)
    assert model.encoder(ids(length=S)).shape == (B, S, M)


@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6, None])
def test_the_matrices_of_attention(kv_heads):
    layer = MultiHead(M, H, kv_heads, D, E, source_width=19)
    groups = kv_heads or H
    assert layer.w_q.weight.shape == (H * D, M)
    assert layer.w_k.weight.shape == (groups * D, 19)
    assert layer.w_v.weight.shape == (groups * E, 19)
    assert layer.w_o.weight.shape == (M, H * E)
    assert layer(torch.randn(B, N, M), torch.randn(B, S, 19)).shape == (B, N, M)
    assert astuple(config(kv_heads=kv_heads).head_sizes()) == (H, groups, D, E)
    plain = MultiHead(H * D, H)
    assert (plain.key_size, plain.value_size, plain.scale) == (D, D, D**-0.5)


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="6 query heads cannot share 4 key/value heads"):
        MultiHead(24, 6, 4)
    with pytest.raises(ValueError, match="A width of 22 cannot be cut into 6 heads"):
        MultiHead(22, 6)
    with pytest.raises(ValueError, match=r"norm is one of \('layer', 'rms'\), not 'batch'"):
        config(norm="batch")
    with pytest.raises(ValueError, match=r"activation is one of .*, not 'swish'"):
        config(activation="swish")
    with pytest.raises(ValueError, match=r"transform is one of .*, not 'tanh'"):
        config(transform="tanh")
    with pytest.raises(ValueError, match="a parallel block has no place for a norm"):
        config(parallel=True, norm_place="post")
    with pytest.raises(ValueError, match="mask has 2 values for 4 layers"):
        config(mask=(Causal(), Causal()))


@pytest.mark.parametrize("groups", [1, 2, 3])
def test_grouped_queries_equal_repeated_keys_and_values(groups):
    """Multi-query (K = 1) and grouped-query attention, as multi-head attention."""
    few, many = (decoder(kv_heads=k, positions=Rope()) for k in (groups, H))
    weights = few.state_dict()
    for name, weight in weights.items():
        if "w_k" in name or "w_v" in name:
            heads = weight.unflatten(0, (groups, -1))
            weights[name] = heads.repeat_interleave(H // groups, 0).flatten(0, 1)
    many.load_state_dict(weights)
    assert furthest(few(ids()), many(ids())) <= 1e-12
    assert count(many) - count(few) == L * (H - groups) * (D + E) * (M + 1)


@pytest.mark.parametrize("block", BLOCKS)
def test_without_positions_and_mask_order_is_not_seen(block):
    model = encoder(**BLOCKS[block] | {"positions": SCHEMES["none"]})
    order = torch.randperm(N, generator=torch.Generator().manual_seed(3))
    assert furthest(model(ids()[:, order]), model(ids())[:, order]) <= 1e-10


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_mask_or_positions_let_order_be_seen(scheme):
    # Not its mirror image: ALiBi's distances are the same in that.
    order = torch.randperm(N, generator=torch.Generator().manual_seed(3))
    model = decoder(positions=SCHEMES[scheme])
    assert furthest(model(ids()[:, order]), model(ids())[:, order]) > 1e-3
    if scheme != "none":
        model = encoder(positions=SCHEMES[scheme])
        assert furthest(model(ids()[:, order]), model(ids())[:, order]) > 1e-3


def reached(patterns) -> torch.Tensor:
    """Which tokens [N, N] can matter to which, through all layers."""
    q = torch.arange(N)[:, None]
    through = torch.eye(N, dtype=torch.bool)
    for pattern in patterns:
        seen = pattern(q, q.T)
        seen = seen.reshape(-1, N, N)[0] | torch.eye(N, dtype=torch.bool)
        through = (seen.double() @ through.double()) > 0
    return through


@pytest.mark.parametrize("kind", [decoder, encoder])
@pytest.mark.parametrize("mask", [*MASKS, *BOTH_WAYS])
def test_what_a_mask_hides_changes_nothing(mask, kind):
    pattern = (MASKS | BOTH_WAYS)[mask]
    patterns = pattern if isinstance(pattern, tuple) else (pattern,) * 2
    model = kind(mask=pattern, layers=len(patterns), positions=Rope(), kv_heads=K)
    text, matters = ids()[:1].expand(B, -1), reached(patterns)
    before = model(text)[0]
    for j in range(N):
        changed = text.clone()
        changed[:, j] = (changed[:, j] + 1) % V
        after = model(changed)[0]
        assert torch.equal(after[~matters[:, j]], before[~matters[:, j]])
        assert (after != before).any(-1)[matters[:, j]].all()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind", [decoder, encoder])
def test_padding_changes_nothing(kind, scheme):
    model = kind(positions=SCHEMES[scheme])
    text, length = ids(), N - 4
    right = model(text[1:, :length])
    real = torch.arange(N) < torch.tensor([[N], [length]])
    assert furthest(model(text, real=real)[1:, :length], right) <= 1e-12
    assert furthest(model(text, real=real)[:1], model(text[:1])) <= 1e-12
    # On the left, told where the tokens stand.
    text = torch.cat([text[:, length:], text[:, :length]], 1)
    where = (torch.arange(N) - torch.tensor([[0], [4]])).clamp(min=0)
    found = model(text, real=real.flip(1), positions=where)
    assert furthest(found[1:, 4:], right) <= 1e-12


@pytest.mark.parametrize("scheme", SCHEMES)
def test_padding_of_the_source_changes_nothing(scheme):
    model, source, length = both(positions=SCHEMES[scheme]), ids(length=S), S - 5
    real = torch.arange(S) < torch.tensor([[S], [length]])
    found = model(source, ids(), source_real=real)
    assert furthest(found[1:], model(source[1:, :length], ids()[1:])) <= 1e-12


def test_every_mask_and_setting_of_a_layer_is_its_own():
    """Windows in some layers, as in Qwen2; a scale for each, as in GPT-2's inverse of the layer."""
    patterns = MASKS["one a layer"]
    scales = tuple(D**-0.5 / (layer + 1) for layer in range(L))
    model = decoder(mask=patterns, scale=scales)
    assert tuple(block.pattern for block in model.blocks) == patterns
    assert tuple(block.layer.site.scale for block in model.blocks) == scales
    one = decoder(mask=patterns, scale=scales[1])
    assert furthest(model(ids()), one(ids())) > 1e-3


def test_segments_and_tables_of_positions():
    model = encoder(**BLOCKS["BERT"])
    marks = (torch.arange(N) > 4).long().expand(B, -1)
    assert torch.equal(model(ids()), model(ids(), segments=torch.zeros_like(marks)))
    assert furthest(model(ids()), model(ids(), segments=marks)) > 1e-3


def test_tied_weights_are_one():
    model = decoder(tied=True)
    assert model.head.unembed.weight is model.embed.weight
    shared = both(tied=True)
    assert shared.decoder.head.unembed.weight is shared.encoder.embed.weight
    apart = made(lambda *c: EncoderDecoder(*c, shared=False), config(head=False), config())
    assert apart.encoder.embed.weight is not apart.decoder.embed.weight


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("head", [True, False])
def test_parameters_equal_the_closed_form(block, head):
    for groups in (K, None):
        c = config(**BLOCKS[block] | {"kv_heads": groups, "head": head})
        assert count(Decoder(c)) == count(Encoder(c)) == sizes(c).total
        assert count(Decoder(c, 19)) == sizes(c, 19).total


@pytest.mark.parametrize("mask", [*MASKS, *BOTH_WAYS])
def test_a_site_says_whether_its_mask_is_causal(mask):
    pattern = (MASKS | BOTH_WAYS)[mask]
    patterns = pattern if isinstance(pattern, tuple) else (pattern,)
    ahead = mask in ("prefix", "bidirectional", "window both ways")
    for kind in (Decoder, Encoder):
        model = kind(config(mask=pattern, layers=len(patterns)))
        assert all(block.layer.site.causal is not ahead for block in model.blocks)


def test_what_is_missing_is_named():
    with pytest.raises(ValueError, match="this transformer has no head"):
        decoder(head=False).logits(torch.randn(B, N, M, dtype=torch.float64))
    crossed = both().decoder
    with pytest.raises(ValueError, match="a source is read where there is cross-attention"):
        crossed(ids())
    with pytest.raises(ValueError, match="a source is read where there is cross-attention"):
        decoder()(ids(), source=torch.randn(B, S, M, dtype=torch.float64))


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("kind", ["decoder", "encoder", "both"])
def test_gradients_reach_every_weight(block, kind):
    changes = BLOCKS[block]
    model = {"decoder": decoder, "encoder": encoder, "both": both}[kind](**changes)
    model.requires_grad_(True)
    text, marks = ids(), {}
    if changes.get("segments") and kind != "both":
        marks["segments"] = (torch.arange(N) > 4).long().expand(B, -1)
    hidden = model(ids(length=S), text) if kind == "both" else model(text, **marks)
    torch.log_softmax(model.logits(hidden), -1)[:, :, 3].sum().backward()
    for name, weight in model.named_parameters():
        assert weight.grad is not None and weight.grad.isfinite().all(), name
        # The same number added to all keys moves every score of a row alike, unless keys turn.
        if "w_k.bias" not in name or (
            changes.get("positions") == BLOCKS["Pythia"]["positions"] and ".cross." not in name
        ):
            assert weight.grad.any(), name


def test_a_small_decoder_learns_to_copy():
    """Eight letters, a mark, and the same eight letters: found by looking nine tokens back."""
    torch.manual_seed(0)
    letters, length, mark = 16, 8, 16
    small = {"width": 32, "layers": 1, "heads": 2, "hidden": 64}
    model = Decoder(Config(vocabulary=letters + 1, positions=Learned(2 * length), **small))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def texts(batch):
        once = torch.randint(letters, (batch, length))
        return torch.cat([once, torch.full((batch, 1), mark), once], 1)

    for _ in range(150):
        text = texts(32)
        logits = model.logits(model(text[:, :-1]))[:, length:]
        loss = torch.nn.functional.cross_entropy(logits.transpose(1, 2), text[:, length + 1 :])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    # Written token by token, from a cache.
    text, cache = texts(64), Cache()
    with torch.no_grad():
        fed, written = text[:, : length + 1], []
        for _ in range(length):
            written.append(model.logits(model(fed, cache=cache))[:, -1].argmax(-1))
            fed = written[-1][:, None]
    assert (torch.stack(written, 1) == text[:, length + 1 :]).double().mean() >= 0.99
