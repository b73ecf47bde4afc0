"""The app under AppTest: the real models, no browser."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

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
