"""Who changed the address: a browser that lags behind, or a reader."""

from attnlab.ui.address import Known


def test_a_browser_that_lags_behind_moved_widgets_asks_for_nothing():
    """Held keys move a slider faster than the browser hears of the published addresses."""
    known = Known(seen={})
    for d in ("96", "128", "192"):
        known = known.wrote({"d": d})
    for heard in ({}, {"d": "96"}, {"d": "128"}, {"d": "192"}):
        assert not known.changed_outside(heard, moved=True)


def test_going_back_without_moving_anything_is_a_wish():
    known = Known().wrote({"d": "96"}).wrote({"d": "128"})
    assert known.changed_outside({"d": "96"}, moved=False)
    assert not known.changed_outside({"d": "128"}, moved=False)


def test_another_address_is_a_wish_and_only_the_last_ones_are_remembered():
    known = Known()
    for d in range(40):
        known = known.wrote({"d": str(d)})
    assert known.changed_outside({"d": "77"}, moved=True)
    assert known.changed_outside({"d": "3"}, moved=True)
    assert len(known.earlier) == 8
    assert known.wrote({"d": "39"}) == known
