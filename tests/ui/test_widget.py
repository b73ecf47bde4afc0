"""A widget whose value the page changes, too."""

import pytest

from attnlab.ui import widget


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict:
    """What a session holds."""
    held: dict = {}
    monkeypatch.setattr(widget.st, "session_state", held)
    return held


def test_a_value_that_the_page_changes_gets_a_widget_of_another_key(state: dict):
    first = widget.mirrored("heads", ())
    assert widget.mirrored("heads", ()) == first
    then = widget.mirrored("heads", ((4, 2),))
    assert then != first and state[then] == ((4, 2),)
    assert widget.held("heads") == ((4, 2),)


def test_the_callback_of_an_event_under_way_still_finds_what_its_widget_held(state: dict):
    first = widget.mirrored("heads", ())
    widget.mirrored("heads", ((4, 2),))
    assert state[first] == ()


def test_a_widget_that_was_never_drawn_is_not_forgotten(state: dict):
    widget.forget("heads")
    assert widget.key_of("heads") == "heads" and not state
