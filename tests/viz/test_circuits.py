"""What CircuitsVis is given, and what it is."""

import numpy as np
import pytest

from attnlab.viz.circuits import circuits_payload, library
from attnlab.viz.payload import unpack

WORDS = [{"text": f" {i}", "raw": f" {i}", "id": i} for i in range(65)]


def weights(count, heads=2):
    return np.full((heads, count, count), 1 / count)


def test_the_weights_travel_with_the_words():
    header, arrays = unpack(circuits_payload(weights(3), WORDS[:3], side="B", label="Layer 4"))
    assert header["names"] == ["H0", "H1"]
    assert (header["side"], header["causal"], header["label"]) == ("B", True, "Layer 4")
    assert arrays["weights"].shape == (2, 3, 3)
    assert [token[0] for token in header["tokens"]] == ["0", "1", "2"]


def test_sixty_four_tokens_and_no_more():
    circuits_payload(weights(64), WORDS[:64])
    with pytest.raises(ValueError, match="64 tokens at most, not 65"):
        circuits_payload(weights(65), WORDS)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"weights": weights(2)}, r"3 tokens need \[heads, 3, 3\]"),
        ({"weights": weights(3)[0]}, "3 tokens need"),
        ({"weights": weights(3, heads=0)}, "3 tokens need"),
        ({"weights": weights(3) * np.inf}, "not finite"),
        ({"side": "C"}, "side 'C'"),
        ({"names": ["one"]}, "1 names for 2 heads"),
        ({"selected": 2}, "head 2 is outside 2 heads"),
    ],
)
def test_what_does_not_fit_is_refused(options, reason):
    with pytest.raises(ValueError, match=reason):
        circuits_payload(**{"weights": weights(3), "tokens": WORDS[:3], **options})


def test_the_library_is_the_packages_own_and_asks_for_no_map():
    script = library()
    assert "var CircuitsVis=" in script[:100]
    assert "sourceMappingURL" not in script
    assert script.count("export default") == 1
