"""The row of experiments: on every page under its title, above what it sets up, and drawn alike."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import APP


@pytest.mark.parametrize(
    "page", ["step-by-step", "architecture?show=why&lesson=one-step", "masks", "positions"]
)
def test_try_stands_above_the_panels(packaged_models, page):
    path, _, query = page.partition("?")
    app = AppTest.from_file(str(APP), default_timeout=120)
    app.switch_page(f"pages/{path}.py")
    for pair in filter(None, query.split("&")):
        name, value = pair.split("=")
        app.query_params[name] = value
    app.run()
    assert not app.exception
    keys = [element.key or "" for element in app.main]
    tries = [at for at, key in enumerate(keys) if key.startswith("try-") and "date" not in key]
    assert tries and max(tries) < next(at for at, key in enumerate(keys) if "_panel" in key)
    if query:
        assert "try-on-one-step" in keys
