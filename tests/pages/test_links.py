"""Random links: whatever an address says, the page shows a picture or a sentence, no traceback."""

from urllib.parse import quote

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

from attnlab.ui.link import LINK_CHARACTERS, parse, url_names
from tests.pages.conftest import APP
from tests.pages.test_heads import address, interpreted, payloads, words

Link = dict[str, str]

# What nobody would type, and somebody will send; "pwned" tells where it shows.
HOSTILE = [
    '<img src=x onerror="pwned()">',
    "</script><script>pwned()</script>",
    ":red[pwned] $pwned$ **pwned** [pwned](javascript:pwned)",
    "../../pwned",
    "pwned\x00\x07\x1b[31m",
    "\u202epwned\u2066",
    "pwned" * LINK_CHARACTERS,
    "pwned💩" * 3,
]
ODD = [
    *HOSTILE,
    *("", " ", "\x00", "null", "None", "NaN", "[]", "{}", "%00", "L", "L1H", "H1", "A-1", "٤"),
    *("-1", "1e9", "9" * 400, "0x10", "L٤H٢", "L-1H0", "L99999H99999", "L4H2." * 900, "B" * 400),
    *("B999999", "A" + "9" * 40, "\ufffd", "e\u0301" * 30, "\U0010ffff", "\ud7ff", "a\u2028b"),
]
numbers = some.integers(0, 40) | some.sampled_from([999_999, 10**6, 10**30, -1])
heads = some.builds("L{}H{}".format, some.integers(0, 31), some.integers(0, 12))
lists = some.lists(heads, max_size=7).map(".".join)
sentences = ["The cat sat.", "The dog sat down.", "", "  ", "\n", "💩", "a\x00b", *HOSTILE[:6]]
LIKELY = {
    "model": some.sampled_from(["smollm2-135m", "minilm-l6", "MiniLM", "nobody/nothing"]),
    "device": some.sampled_from(["auto", "tpu"]),
    "dtype": some.sampled_from(["auto", "float128"]),
    "ours": some.sampled_from(["", "1", "0"]),
    "a": some.sampled_from(sentences),
    "b": some.sampled_from([*sentences, "x" * 4000]),
    "role": some.sampled_from(["", "encoder", "cross", "decoder"]),
    "view": some.sampled_from(["A", "B", "B-A"]),
    "first": some.sampled_from(["hidden", "shown"]),
    "head": heads,
    "panel": some.sampled_from(["head", "compare", "find", "circuits"]),
    "mode": some.sampled_from(["words", "matrix", "difference"]),
    "at": some.builds("{}{}".format, some.sampled_from("AB"), numbers) | some.just("A"),
    "key": numbers.map(str),
    "pins": lists,
    "drawn": some.sampled_from(["matrices", "arcs"]),
    "gone": lists,
    "ablate": some.sampled_from(["zero", "mean"]),
    "try": some.sampled_from(["street", "effect", "no-such"]),
    "long": some.sampled_from(["a", "a.b", "a.a.tb", "<i>"]),
}
odd = some.sampled_from(ODD) | some.text(max_size=12)
links = some.fixed_dictionaries(
    {}, optional={name: LIKELY.get(name, odd) | odd for name in url_names()}
)


def follow(app: AppTest, link: Link) -> None:
    """Opens a link in a session that may have shown another one."""
    for name in url_names():
        if name in link:
            app.query_params[name] = link[name]
        elif name in app.query_params:
            del app.query_params[name]
    app.run()


def check(app: AppTest) -> None:
    """A page that shows something, says what it left out, and interprets nothing of the link."""
    assert not app.exception
    assert payloads(app) or any(text.endswith(".") for text in words(app))
    assert "pwned" not in interpreted(app)
    _, problems = parse(address(app))
    # What the page published is a link that it understands itself.
    assert all("was too long for this link" in problem for problem in problems)


@settings(
    max_examples=20,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(first=links, second=links)
@example(first=dict.fromkeys(url_names(), HOSTILE[0]), second={})
@example(first=dict.fromkeys(url_names(), "9" * 400), second=dict.fromkeys(url_names(), ""))
@example(first={"a": HOSTILE[1], "b": HOSTILE[2]}, second={"a": quote(HOSTILE[3]), "b": "\x00"})
def test_any_link_gives_a_page(packaged_models, first: Link, second: Link):
    app = AppTest.from_file(str(APP), default_timeout=120)
    follow(app, first)
    check(app)
    shown = address(app)
    app.run()
    check(app)
    assert address(app) == shown  # it has come to rest
    follow(app, second)
    check(app)
