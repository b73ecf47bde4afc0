"""What the page Generate shows under AppTest: its texts, its matrices, its buttons."""

from streamlit.testing.v1 import AppTest

from attnlab.viz import payload


def press(app: AppTest, key: str) -> AppTest:
    """Clicks a button."""
    next(button for button in app.button if button.key == key).click()
    app.run()
    assert not app.exception
    return app


def sent(app: AppTest) -> list[tuple[dict, dict]]:
    """What was sent to each picture: header and arrays."""
    bodies = [element.proto.bytes for element in app.get("bidi_component")]
    return [payload.unpack(bytes(body)) for body in bodies if body]


def texts(app: AppTest) -> list[str]:
    """The words of each text that is written."""
    strands = [header for header, _ in sent(app) if "given" in header]
    return [" ".join(token[0] for token in header["tokens"]) for header in strands]


def matrices(app: AppTest) -> dict:
    """The weights of the head, by side."""
    return next(arrays for header, arrays in sent(app) if "mode" in header and arrays)
