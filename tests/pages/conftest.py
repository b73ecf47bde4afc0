"""The app under AppTest: the real models, and tiny random ones in a folder; no browser."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests import families

APP = Path(__file__).parents[2] / "app.py"


@pytest.fixture
def app(packaged_models) -> AppTest:
    """The app as a new session opens it; models stay loaded from test to test."""
    return AppTest.from_file(str(APP), default_timeout=120)


@pytest.fixture
def fresh_caches():
    """No cached result, before and after."""
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


def _folder(name: str, factory: pytest.TempPathFactory, **special: str) -> str:
    """A family's tiny model with a tokenizer of the words w5 to w96, as a local folder."""
    folder = factory.mktemp(name)
    families.build(name).save_pretrained(folder)
    tokenizer = families.tokenizer()
    tokenizer.add_special_tokens(special)
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="session")
def tiny_t5(tmp_path_factory) -> str:
    """An encoder-decoder: 2 and 3 layers, random weights."""
    return _folder("t5", tmp_path_factory)


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory) -> str:
    """A masked model; its mask is the word <mask>."""
    return _folder("bert", tmp_path_factory, mask_token="<mask>")


@pytest.fixture(scope="session")
def tiny_bloom(tmp_path_factory) -> str:
    """A model that computes attention in code of its own: only its softmax is seen."""
    return _folder("bloom", tmp_path_factory)


@pytest.fixture(scope="session")
def tiny_gemma(tmp_path_factory) -> str:
    """A decoder with soft caps, which our transformer cannot be given."""
    return _folder("gemma2", tmp_path_factory)


@pytest.fixture(scope="session")
def tiny_llama(tmp_path_factory) -> str:
    """A decoder with rotary positions, whose cache may keep the last tokens only."""
    return _folder("llama", tmp_path_factory)
