"""Settings and inputs that make no sense are refused in one sentence that names them."""

import json
import math
import subprocess
import sys

import pytest

from attnlab.attention import Cache, MultiHead
from attnlab.attention.masks import Causal
from attnlab.attention.positions import (
    Learned,
    Llama3,
    PositionInterpolation,
    RelativeBuckets,
    Rope,
    Sinusoidal,
    Yarn,
)
from tests.transformer import SCHEMES, config, decoder, ids

NAN, INF = math.nan, math.inf

CONFIGS = {
    "heads is at least 1, not 0": {"heads": 0},
    "heads is at least 1, not -2": {"heads": -2},
    "heads is a whole number, not True": {"heads": True},
    "kv_heads is at least 1, not 0": {"kv_heads": 0},
    "key_size is at least 1, not 0": {"key_size": 0},
    "value_size is at least 1, not -1": {"value_size": -1},
    "width is at least 1, not 0": {"width": 0},
    "layers is at least 1, not 0": {"layers": 0},
    "hidden is at least 1, not 0": {"hidden": 0},
    "vocabulary is at least 1, not 0": {"vocabulary": 0},
    "vocabulary is a whole number, not None": {"vocabulary": None},
    "segments is at least 0, not -1": {"segments": -1},
    "scale is a finite number, not nan": {"scale": NAN},
    "scale is a finite number, not inf": {"scale": (1.0, INF, 1.0, 1.0)},
    "scale has 1 values for 4 layers": {"scale": (1.0,)},
    "eps is at least 0, not -1": {"eps": -1},
    "eps is a finite number, not nan": {"eps": NAN},
    "logits_scale is a finite number, not nan": {"logits_scale": NAN},
    "mask is one of attnlab.attention.masks, or one a layer, not 5": {"mask": 5},
    "or one a layer, not [Causal()]": {"mask": [Causal()]},
    "or one a layer, not 7": {"mask": (Causal(), 7, Causal(), Causal())},
    "positions is one of attnlab.attention.positions, not 'rope'": {"positions": "rope"},
    "activation is one of ('gelu', 'gelu_tanh', 'relu', 'silu'), not ['gelu']": {
        "activation": ["gelu"]
    },
    "A width of 22 cannot be cut into 6 heads": {"key_size": None},
    "6 query heads cannot share 4 key/value heads": {"kv_heads": 4},
}


def refused(make, said):
    with pytest.raises(ValueError) as caught:
        make()
    assert type(caught.value) is ValueError and said in str(caught.value)


@pytest.mark.parametrize("said", CONFIGS)
def test_a_configuration_that_makes_no_sense(said):
    refused(lambda: config(**CONFIGS[said]), said)


SETTINGS = [
    (lambda: Rope(base=0), "base is a number above 0, not 0"),
    (lambda: Rope(base=-2), "base is a number above 0, not -2"),
    (lambda: Rope(base=NAN), "base is a number above 0, not nan"),
    (lambda: Rope(fraction=2.0), "fraction is at most 1, the whole of each head, not 2.0"),
    (lambda: Rope(fraction=-1), "fraction is at least 0, not -1"),
    (lambda: Rope(fraction=NAN), "fraction is a finite number, not nan"),
    (lambda: PositionInterpolation(0), "factor is a number above 0, not 0"),
    (lambda: PositionInterpolation(NAN), "factor is a number above 0, not nan"),
    (lambda: Yarn(0, 16), "factor is a number above 0, not 0"),
    (lambda: Yarn(4, 0), "original is a number above 0, not 0"),
    (lambda: Yarn(4, 16, beta_fast=0), "beta_fast is a number above 0, not 0"),
    (lambda: Yarn(4, 16, attention_factor=INF), "attention_factor is a number above 0, not inf"),
    (lambda: Llama3(0, 0, 1, 4), "factor is a number above 0, not 0"),
    (lambda: Llama3(8, 64, 4, 4), "high is above low, 4; it cannot be 4"),
    (lambda: Sinusoidal(0), "base is a number above 0, not 0"),
    (lambda: Sinusoidal(-1), "base is a number above 0, not -1"),
    (lambda: Learned(0), "longest is at least 1, not 0"),
    (lambda: Learned(4, -1), "offset is at least 0, not -1"),
    (lambda: RelativeBuckets(0), "buckets is at least 1, not 0"),
    (lambda: RelativeBuckets(8, 0), "farthest is at least 1, not 0"),
    (lambda: MultiHead(8, 2, scale=NAN), "scale is a finite number, not nan"),
    (lambda: MultiHead(8, 2, source_width=0), "source_width is at least 1, not 0"),
]


@pytest.mark.parametrize("make, said", SETTINGS, ids=[said for _, said in SETTINGS])
def test_a_setting_that_makes_no_sense(make, said):
    refused(make, said)


def test_what_a_scaling_cannot_stretch_is_refused_when_the_model_is_built():
    with pytest.raises(ValueError, match="at base 1 all are alike"):
        decoder(positions=Rope(base=1, scaling=Yarn(4, 16)))
    with pytest.raises(ValueError, match="two pairs of coordinates or more"):
        decoder(positions=SCHEMES["rope, NTK"], key_size=2)


def test_a_cache_of_another_model_is_refused():
    cache, other = Cache(), decoder(layers=2)
    decoder()(ids(), cache=cache)
    with pytest.raises(ValueError, match="this cache was filled by another model"):
        other(ids(), cache=cache)
    other(ids(), cache=Cache())


# What is of a wrong type or shape, away from here, where annotations would be checked first.
SCRIPT = """
import json, math, sys
import torch
import attnlab as al
from attnlab.attention import Mask

model = al.Decoder(al.Config(vocabulary=9, width=8, layers=1, heads=2, hidden=8, segments=2))
crossed = al.EncoderDecoder(model.config, model.config)
layer = al.MultiHead(8, 2)
ids, x = torch.tensor([[1, 2, 3, 4]]), torch.zeros(1, 4, 8)
said = {}
for line in json.loads(sys.argv[1]):
    try:
        eval(line)
        said[line] = "accepted"
    except Exception as error:
        said[line] = f"{type(error).__name__}: {error}"
print(json.dumps(said))
"""
CALLS = {
    "model(ids, real=torch.ones(1, 3, dtype=torch.bool))": "real has the shape [1, 3], not [1, 4]",
    "model(ids, real=torch.ones(3, 4, dtype=torch.bool))": "real has the shape [3, 4], not [1, 4]",
    "model(ids, positions=torch.tensor([[0]]))": "positions has the shape [1, 1], not [1, 4]",
    "model(ids, segments=torch.tensor([[0]]))": "segments has the shape [1, 1], not [1, 4]",
    "crossed(ids, ids[:, :2], source_real=torch.ones(1, 2, dtype=torch.bool))": (
        "real has the shape [1, 2], not [1, 4]"
    ),
    "model(ids[:, :0])": "ids have the shape [1, 0]; they are [B, n], at least [1, 1]",
    "model(ids[0])": "ids have the shape [4]; they are [B, n], at least [1, 1]",
    "layer(x[:, :0])": "x has the shape [1, 0, 8]; it is [B, n, 8], with at least one text",
    "layer(x[0])": "x has the shape [4, 8]; it is [B, n, 8]",
    "layer(x[..., :7])": "x has the shape [1, 4, 7]; it is [B, n, 8]",
    "layer(x, x[:, :0])": "source has the shape [1, 0, 8]; it is [B, n, 8]",
    "layer(x, mask=torch.ones(4, 4, dtype=torch.long))": (
        "a mask is boolean (True: may attend) or additive, not int64"
    ),
    "layer(x, mask=torch.full((4, 4), math.inf))": "an additive mask of +∞ leaves no weights",
    "Mask(torch.ones(1, 1, 4, 4).bool()).without(torch.ones(1, 3).bool())": (
        "real tells of 3 keys; 4 are here"
    ),
    "al.masks.Window(1.5)": "1.5 is no whole number of tokens",
    "al.masks.Window(math.nan)": "nan is no whole number of tokens",
    "al.positions.Rope(scaling='yarn')": (
        "scaling is one of attnlab.attention.positions, not 'yarn'"
    ),
    "al.positions.Sinusoidal('1')": "base is a number above 0, not '1'",
    "al.Config(9, 8, 1, 2.0, 8)": "heads is a whole number, not 2.0",
    "al.MultiHead(8.0, 2)": "width is a whole number, not 8.0",
}


@pytest.fixture(scope="module")
def said():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(list(CALLS))],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_makes_no_sense(said, call):
    assert said[call].startswith(f"ValueError: {CALLS[call]}")
