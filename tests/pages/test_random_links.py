"""Random links: whatever an address says, the page shows something and no traceback."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

from attnlab.ui.link import url_names
from tests.pages.conftest import APP
from tests.pages.test_heads import payloads, words

SHORT = some.text(max_size=12)
HEADS = some.builds("L{}H{}".format, some.integers(0, 31), some.integers(0, 12))
LISTS = some.lists(HEADS, max_size=7).map(".".join)
LIKELY = {
    "model": some.sampled_from(["smollm2-135m", "minilm-l6", "MiniLM", "nobody/nothing"]),
    "device": some.sampled_from(["auto", "tpu"]),
    "dtype": some.just("auto"),
    "a": some.sampled_from(["The cat sat.", "", "  ", "💩", "a\x00b", "<b>x</b> $5 :red[x]"]),
    "b": some.sampled_from(["The dog sat down.", "", "\n", "x" * 4000]),
    "role": some.sampled_from(["", "encoder", "cross", "decoder"]),
    "view": some.sampled_from(["A", "B", "B-A"]),
    "first": some.sampled_from(["hidden", "shown"]),
    "head": HEADS,
    "panel": some.sampled_from(["head", "compare", "find", "circuits"]),
    "mode": some.sampled_from(["words", "matrix", "difference"]),
    "at": some.builds("{}{}".format, some.sampled_from("ABC"), some.integers(0, 40)),
    "key": some.integers(0, 40).map(str),
    "pins": LISTS,
    "drawn": some.sampled_from(["matrices", "arcs"]),
    "gone": LISTS,
    "ablate": some.sampled_from(["zero", "mean"]),
    "try": some.sampled_from(["street", "effect", "no-such", "<i>"]),
}
LINKS = some.fixed_dictionaries(
    {}, optional={name: LIKELY.get(name, SHORT) | SHORT for name in url_names()}
)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(link=LINKS)
def test_any_link_gives_a_page(packaged_models, link: dict[str, str]):
    app = AppTest.from_file(str(APP), default_timeout=120)
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    assert payloads(app) or any(text.endswith(".") for text in words(app))
    app.run()
    assert not app.exception
