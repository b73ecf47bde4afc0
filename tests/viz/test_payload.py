"""What is packed for the browser comes out again, byte for byte."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attnlab.viz.payload import ALIGNMENT, DTYPES, pack, unpack

shapes = hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5)
arrays = st.sampled_from(DTYPES).flatmap(lambda dtype: hnp.arrays(dtype, shapes))
headers = st.dictionaries(st.text(max_size=5).filter(lambda k: k != "arrays"), st.text(max_size=9))


@given(headers, st.dictionaries(st.text(max_size=4), arrays, max_size=3))
def test_round_trip(header, given_arrays):
    found_header, found = unpack(pack(header, given_arrays))
    assert found_header == header
    assert found.keys() == given_arrays.keys()
    for name, array in given_arrays.items():
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes()


def test_the_layout_that_the_browser_reads():
    payload = pack({"word": "é\ud800"}, {"x": np.arange(3, dtype=np.uint8), "y": np.float32([1.5])})
    length = int.from_bytes(payload[:4], "little")
    header = json.loads(payload[4 : 4 + length].decode("ascii"))
    start = -(-(4 + length) // ALIGNMENT) * ALIGNMENT
    assert header["word"] == "é\ud800"  # a lone surrogate does not break the encoding
    assert header["arrays"]["y"] == {"dtype": "float32", "shape": [1], "offset": ALIGNMENT}
    assert payload[start : start + 3] == bytes([0, 1, 2])
    assert len(payload) == start + 2 * ALIGNMENT


def test_big_endian_and_strided_arrays_travel_right():
    array = np.arange(12, dtype=">f4").reshape(3, 4).T
    assert np.array_equal(unpack(pack({}, {"x": array}))[1]["x"], array)


def test_other_dtypes_are_refused_by_name():
    with pytest.raises(ValueError, match="'x' is float64"):
        pack({}, {"x": np.zeros(2)})
