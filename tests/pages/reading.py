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


def sent(app: AppTest) -> list[dict]:
    """The header of everything that was drawn."""
    every = [element.proto.bytes for element in app.get("bidi_component")]
    return [payload.unpack(bytes(one))[0] for one in every if one]


def diagrams(app: AppTest) -> list[dict]:
    """What was sent to each diagram."""
    return [header for header in sent(app) if "shapes" in header]


def clickable(app: AppTest) -> list[dict]:
    """What was sent to the diagrams whose parts can be chosen."""
    return [header for header in sent(app) if header.get("clickable")]


def squares(app: AppTest) -> dict:
    """What the picture of all heads, whose squares can be chosen, was sent last."""
    return clickable(app)[-1]


def written(app: AppTest, at: int | None = None) -> list[str]:
    """Every word of every diagram, or of one."""
    some = diagrams(app) if at is None else [diagrams(app)[at]]
    return [shape[3] for header in some for shape in header["shapes"] if shape[0] == "words"]


def said(app: AppTest, part: str) -> bool:
    """Whether a remark holds these words."""
    return any(part in element.value for element in app.text)
