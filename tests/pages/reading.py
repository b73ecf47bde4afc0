"""A page opened at an address, and what it says and draws."""

from streamlit.testing.v1 import AppTest

from attnlab.viz import payload
from tests.pages.conftest import APP


def opened(page: str, **query: str) -> AppTest:
    """A page with query parameters, "_" for "-" in their names."""
    app = AppTest.from_file(str(APP), default_timeout=240)
    app.switch_page(page)
    for name, value in query.items():
        app.query_params[name.replace("_", "-")] = value
    app.run()
    assert not app.exception
    return app


def diagrams(app: AppTest) -> list[dict]:
    """What was sent to each diagram."""
    sent = [element.proto.bytes for element in app.get("bidi_component")]
    headers = [payload.unpack(bytes(one))[0] for one in sent if one]
    return [header for header in headers if "shapes" in header]


def written(app: AppTest) -> list[str]:
    """Every word of every diagram."""
    return [s[3] for header in diagrams(app) for s in header["shapes"] if s[0] == "words"]


def said(app: AppTest, part: str) -> bool:
    """Whether a remark holds these words."""
    return any(part in element.value for element in app.text)
