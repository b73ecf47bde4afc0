"""Query heads over key/value heads, and the cache that each way of sharing would need."""

import streamlit as st

from attnlab.analysis import sizes
from attnlab.analysis.anatomy import Anatomy, Heads
from attnlab.ui import explain, own, say
from attnlab.ui.architecture_selection import ARCHITECTURE, LENGTHS
from attnlab.ui.cards.architecture.keep import keep
from attnlab.ui.cards.architecture.subject import Subject, which_block
from attnlab.ui.mount_diagram import diagram
from attnlab.viz import curves, sharing
from attnlab.viz.curves import Curve
from attnlab.viz.sharing import Way

_FEW = "length-of-few"  # the slider of a model that reads only so many tokens


def draw(of: Subject, length: int) -> None:
    """The heads of the block, and what is kept of ``length`` tokens."""
    heads = of.anatomy.heads
    if heads is None:
        say.remark("This layer has no attention; choose another.", "no-heads")
        return
    most = None if heads.causal or of.reader is None else of.reader.lab.longest
    length = min(length, lengths_of(most)[-1])
    ways = _ways(heads, length)
    with st.container(key="cards"):
        left, right = st.columns(2, gap="small")
    with left:
        _sharing(of, ways)
    with right, st.container(border=True, key="card-cache"):
        st.markdown("**What is kept of every token**", help=explain.CACHE)
        if not heads.causal:
            say.remark(
                "An encoder reads its text once and writes nothing, so it keeps no cache. This is "
                "what keys and values would take.",
                "no-cache",
            )
        _cache(of, heads, ways, most, length)


def _ways(heads: Heads, length: int) -> list[Way]:
    """Multi-head, grouped-query and multi-query with as many query heads."""
    shared = {heads.heads: "multi-head"}
    grouped = (
        heads.kv_heads if 1 < heads.kv_heads < heads.heads else sizes.grouped_kv_heads(heads.heads)
    )
    if grouped is not None:
        shared[grouped] = "grouped-query"
    shared[1] = "multi-query" if heads.heads > 1 else "one head"
    return [
        Way(name, heads.heads, count, count == heads.kv_heads, size(kept), kept)
        for count, name in shared.items()
        for kept in [heads.cache(count) * length]
    ]


def size(count: float) -> str:
    """A number of bytes in words, in powers of 1,024."""
    power = 0
    while count >= 1024 and power < 4:
        count, power = count / 1024, power + 1
    written = f"{count:,.0f}" if not power or count >= 100 else f"{count:,.3g}"
    return f"{written} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB')[power]}"


def _sharing(of: Subject, ways: list[Way]) -> None:
    with st.container(border=True, key="card-sharing"):
        with st.container(horizontal=True, vertical_alignment="center", key="title-sharing"):
            st.markdown("**Who shares keys and values**", width="content", help=explain.SHARING)
            with st.container(width="stretch"):
                say.pill(of.title, "sharing")
            which_block(of)
        said = "; ".join(f"{way.name}: {way.kv_heads} key/value heads" for way in ways)
        drawn = sharing.sharing(ways, f"{ways[0].heads} query heads. {said}.")
        diagram("sharing", drawn)
        rows = [[way.name, way.heads, way.kv_heads, int(way.here)] for way in ways]
        title = f"Query heads over key/value heads, {of.title}"
        keep(
            *("sharing", "heads-shared", title, drawn, of.source),
            what="Query heads and key/value heads of a layer for each way of sharing.",
            columns=("way", "query_heads", "key_value_heads", "this_model"),
            rows=rows,
        )


def lengths_of(most: int | None) -> tuple[int, ...]:
    """The lengths at which keys and values are looked at, up to the most tokens that are read."""
    return tuple(n for n in LENGTHS if most is None or n <= most) or LENGTHS[:1]


def _choose_length(lengths: tuple[int, ...], length: int) -> None:
    options = {"format_func": "{:,} tokens".format, "label_visibility": "collapsed"}
    if lengths == LENGTHS:
        st.select_slider("Tokens", lengths, key=own.seeded(ARCHITECTURE, "length"), **options)
    elif len(lengths) > 1:  # what was chosen for a model that reads more stays its own
        st.session_state[_FEW] = length
        st.select_slider("Tokens", lengths, key=_FEW, on_change=_length_chosen, **options)


def _length_chosen() -> None:
    own.choose(ARCHITECTURE, length=st.session_state[_FEW])


def _cache(of: Subject, heads: Heads, ways: list[Way], most: int | None, length: int) -> None:
    lengths = lengths_of(most)
    _choose_length(lengths, length)
    weights = of.anatomy.bytes
    said = _sentences(of.anatomy, heads, ways, length, most)
    diagram("cache", sharing.bars(ways, (size(weights), weights), " ".join(said)))
    lines = [
        Curve(way.name, [heads.cache(way.kv_heads) * n for n in lengths], *_style(way))
        for way in ways
    ]
    lines.append(Curve("weights", [weights] * len(lengths), "table", True))
    chart = curves.curves(
        "Cache against length",
        lengths,
        lines,
        x_name="tokens",
        write=size,
        ticks=curves.binary,
        at=length,
        high=230,
    )
    diagram("cache-curves", chart)
    for at, sentence in enumerate(said):
        say.remark(sentence, f"cache-{at}")
    rows = [
        [way.name, way.kv_heads, n, heads.cache(way.kv_heads) * n] for way in ways for n in lengths
    ]
    keep(
        *("cache", "cache", f"Keys and values that {of.title} keeps", chart, of.source),
        what="Bytes of keys and values that are kept of a text, for each way of sharing.",
        columns=("way", "key_value_heads", "tokens", "bytes"),
        rows=rows,
        notes=said,
        body={"weights_bytes": of.anatomy.bytes, "bytes_a_number": heads.number_bytes},
    )


def _style(way: Way) -> tuple[str, bool]:
    return ("attention", False) if way.here else ("feed", way.kv_heads == 1)


def _sentences(
    of: Anatomy, heads: Heads, ways: list[Way], length: int, reads: int | None
) -> list[str]:
    """What this model keeps, how it compares, and from where on that outweighs the model."""
    here = next(way for way in ways if way.here)
    most = next(way for way in ways if way.kv_heads == heads.heads)
    each = heads.cache()
    share = "" if here is most else f", 1/{most.kv_heads // here.kv_heads} of multi-head's"
    layers = "1 layer" if heads.layers == 1 else f"{heads.layers} layers"
    kept = (
        f"This model: {each:,} bytes a token ({layers} × {heads.kv_heads} key/value heads × "
        f"{heads.key_size + heads.value_size} numbers × {heads.number_bytes} bytes), "
        f"{here.figure} at {length:,}{share}."
    )
    first = sizes.outweighs(of.bytes, each)
    said = [kept, f"From {first:,} tokens on that is more than the model's weights."]
    if reads is not None and first > reads:
        said[-1] = f"It reads at most {reads:,} tokens: that never takes as much as its weights."
    if of.block.get("cross"):
        said.append("Cross-attention keeps keys and values of the source too, once.")
    return said
