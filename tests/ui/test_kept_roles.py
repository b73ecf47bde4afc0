"""Head roles on disk: kept for the same weights, read again, never trusted where they differ."""

import pytest
import torch

from attnlab.analysis import roles
from attnlab.ui.engine import kept
from attnlab.ui.engine.keys import LabKey
from tests.families import worded


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNLAB_CACHE", str(tmp_path / "cache"))
    return worded.lab_of(worded.random(0), tmp_path)


KEY = LabKey("folder", None, "auto", "auto")


@pytest.fixture(scope="module")
def found():
    row = roles.HeadRole(0, 1, "induction", 0.9, 0.1, 0.3, None)
    return roles.HeadRoles("tiny", "decoder", 0, (row,), (("induction", 12),))


def test_what_is_kept_comes_back_for_the_same_weights_only(lab, found):
    assert kept.read(KEY, "decoder", lab) is None
    kept.write(KEY, "decoder", lab, found)
    assert kept.read(KEY, "decoder", lab) == found
    assert kept.read(KEY, "encoder", lab) is None
    assert kept.read(LabKey("folder", None, "auto", "auto", ours=True), "decoder", lab) is None
    with torch.no_grad():
        next(lab.model.parameters()).flatten()[0] += 1
    assert kept.read(KEY, "decoder", lab) is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"weights": 1}', '{"weights": "X", "roles": "{}"}']
)
def test_a_file_that_says_nothing_is_passed_over(lab, found, text):
    kept.write(KEY, "decoder", lab, found)
    kept.place(KEY, "decoder").write_text(text.replace("X", kept.fingerprint(lab)))
    assert kept.read(KEY, "decoder", lab) is None


def test_a_cache_that_cannot_be_written_is_gone_without(lab, found, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ATTNLAB_CACHE", str(tmp_path / "file"))
    kept.write(KEY, "decoder", lab, found)
    assert kept.read(KEY, "decoder", lab) is None


def test_only_the_newest_files_stay(lab, found, monkeypatch):
    monkeypatch.setattr(kept, "_MOST_FILES", 2)
    for name in "abc":
        kept.write(LabKey(name, None, "auto", "auto"), "decoder", lab, found)
    folder = kept.place(KEY, "decoder").parent
    assert len(list(folder.iterdir())) == 2
    assert kept.read(LabKey("c", None, "auto", "auto"), "decoder", lab) == found
