"""The names that ``import attnlab as al`` offers for building a transformer of one's own."""

import torch

import attnlab as al


def test_a_model_from_public_names():
    sizes = {"vocabulary": 37, "width": 22, "layers": 2, "heads": 6, "hidden": 31, "key_size": 14}
    config = al.Config(**sizes, positions=al.positions.Rope(), mask=al.masks.Window(3))
    ids, cache = torch.tensor([[3, 5, 8]]), al.Cache()
    model = al.Decoder(config)
    whole = model.logits(model(ids))
    model(ids[:, :2], cache=cache)
    assert torch.allclose(model.logits(model(ids[:, 2:], cache=cache)), whole[:, 2:], atol=1e-6)
    assert al.EncoderDecoder(config, config)(ids, ids[:, :2]).shape == (1, 2, 22)
    assert al.Encoder(config)(ids).shape == (1, 3, 22)
    assert al.transformer.Config is al.Config and {"masks", "positions"} <= set(dir(al))


def test_every_public_name_is_there():
    for name in al.__all__:
        assert getattr(al, name) is not None
