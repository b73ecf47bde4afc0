"""Where the parameters of a model are: each counted once, whatever the family."""

import pytest

from attnlab.analysis.parameters import CLASSES, feed_forward_form, parameters
from attnlab.pretrained.install import output_head
from tests import families


def counted(lab):
    return parameters(lab.model, lab.sites, lab.blocks, output_head(lab.model))


READ = [n for n in families.names("causal", "masked", "seq2seq") if n != "nystromformer"]


@pytest.mark.parametrize("name", READ)
def test_every_parameter_is_in_one_class(name):
    lab = families.lab(name)
    found = counted(lab)
    assert found.total == sum(weight.numel() for weight in lab.model.parameters())
    assert found.total == lab.model.num_parameters()
    assert tuple(found.counts) == CLASSES
    assert min(found.counts.values()) >= 0


# Worked out by hand from the sizes in tests/families/sizes.py: width 60 (48 where the head size is
# free), 6 heads of 10, 2 key/value heads, hidden 37, 3 layers, 97 words, 64 positions.
@pytest.mark.parametrize(
    ("name", "attention", "cross", "feed_forward", "embeddings", "head", "tied"),
    [
        ("gpt2", 3 * 61 * 240, 0, 3 * (60 * 240 + 240 + 240 * 60 + 60), 161 * 60, 0, True),
        ("llama", 3 * 48 * (60 + 20 + 20 + 60), 0, 3 * 3 * 48 * 37, 97 * 48, 97 * 48, False),
        ("gpt_neox", 3 * 61 * 240, 0, 3 * (60 * 37 + 37 + 37 * 60 + 60), 97 * 60, 97 * 60, False),
        ("bert", 3 * 61 * 240, 0, 3 * (60 * 37 + 37 + 37 * 60 + 60), 163 * 60, 61 * 60 + 97, True),
        # T5 has 2 and 3 layers, no biases, and two tables of 8 buckets for 6 heads.
        ("t5", 4 * 60 * 48 * 5, 4 * 60 * 48 * 3, 2 * 48 * 37 * 5, 97 * 48 + 96, 0, True),
    ],
)
def test_the_classes_of_known_families(
    name, attention, cross, feed_forward, embeddings, head, tied
):
    found = counted(families.lab(name))
    names = ("attention", "cross", "feed_forward", "embeddings", "head")
    assert [found.counts[one] for one in names] == [
        attention,
        cross,
        feed_forward,
        embeddings,
        head,
    ]
    assert found.tied == tied
    assert found.counts["other"] == 0


def test_what_no_site_explains_is_said_to_be_other():
    """A hybrid's layers without attention, and blocks whose parts the probe could not tell."""
    for name in ("mamba", "qwen3_5", "falcon_h1"):
        found = counted(families.lab(name))
        assert found.counts["other"] > 0
        assert found.other
    assert counted(families.lab("mamba")).counts["attention"] == 0


def test_a_module_that_runs_as_several_layers_counts_once():
    found = counted(families.lab("albert"))
    assert [layer.shared for layer in found.layers] == [False, True, True]
    assert found.counts["attention"] == found.layers[0].counts["attention"]


def test_the_packaged_models(smollm2, minilm):
    """SmolLM2: 576 wide, 9 and 3 heads of 64, hidden 1,536, 49,152 tokens, 30 layers, all tied."""
    small = counted(smollm2)
    block = small.of("decoder", 4).counts
    assert block == {
        "attention": 576 * (576 + 192 + 192 + 576),
        "feed_forward": 3 * 576 * 1_536,
        "norms": 2 * 576,
    }
    assert small.total == 134_515_008 == smollm2.model.num_parameters()
    assert small.counts["embeddings"] == 49_152 * 576
    assert small.tied
    assert counted(minilm).total == minilm.model.num_parameters()


@pytest.mark.parametrize(
    ("matrices", "form"),
    [
        (((240, 60), (60, 240)), (240, False)),
        (((60, 240), (240, 60)), (240, False)),
        (((37, 60), (37, 60), (60, 37)), (37, True)),
        (((74, 60), (60, 37)), (37, True)),
        (((4, 37, 60), (4, 60, 37)), None),
        (((37, 60), (37, 60), (60, 37), (4, 60)), None),
        (((37, 61), (61, 37)), None),
        ((), None),
    ],
)
def test_a_feed_forward_is_read_off_its_matrices(matrices, form):
    assert feed_forward_form(matrices, 60) == form
