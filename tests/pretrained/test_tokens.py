"""Tokens are readable in every script, and their pieces join back to what the tokenizer saw."""

import re

import pytest
import tokenizers as hf
from hypothesis import example, given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from attnlab.pretrained import embedded
from attnlab.pretrained.tokens import joined, readable, visible

PAIR = "The animal didn't cross the street because it was too {}."
CORPUS = ["the animal didn't cross the street", "Seán Γεια σου", "I 💩 日本", "cost $5 and $6"] * 4
TEXTS = st.text(max_size=40) | st.text(st.sampled_from("a é💩日 \n\t\0\u200d\u202e#▁Ġ<>"))
ANY_TEXT = settings(max_examples=300, deadline=None)


@pytest.fixture(scope="module")
def byte_level(packaged_models):
    """SmolLM2's own: byte-level BPE, adds nothing."""
    return AutoTokenizer.from_pretrained(embedded.ensure("smollm2-135m"))


@pytest.fixture(scope="module")
def word_piece(packaged_models):
    """MiniLM's own: BERT's WordPiece, lower-cases, adds [CLS] and [SEP]."""
    return AutoTokenizer.from_pretrained(embedded.ensure("minilm-l6"))


def _wrap(core, **kwargs):
    return PreTrainedTokenizerFast(tokenizer_object=core, **kwargs)


@pytest.fixture(scope="module")
def unigram():
    """As T5's: Unigram, words marked by ▁, and </s> at the end."""
    core = hf.Tokenizer(hf.models.Unigram())
    core.pre_tokenizer = hf.pre_tokenizers.Metaspace()
    core.decoder = hf.decoders.Metaspace()
    trainer = hf.trainers.UnigramTrainer(
        vocab_size=90, special_tokens=["<unk>", "</s>"], unk_token="<unk>", show_progress=False
    )
    core.train_from_iterator(CORPUS, trainer)
    core.post_processor = hf.processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    return _wrap(core, unk_token="<unk>", eos_token="</s>")


@pytest.fixture(scope="module")
def byte_fallback():
    """As Llama 2's: BPE over ▁-marked text, unknown characters as <0xNN>, and <s> before."""
    vocab = {"<unk>": 0, "<s>": 1} | {f"<0x{byte:02X}>": byte + 2 for byte in range(256)}
    for piece in ["▁", *"abcdefghijklmnopqrstuvwxyz.", "th", "the", "▁the", "an"]:
        vocab.setdefault(piece, len(vocab))
    merges = [("t", "h"), ("th", "e"), ("▁", "the"), ("a", "n")]
    core = hf.Tokenizer(hf.models.BPE(vocab, merges, unk_token="<unk>", byte_fallback=True))
    core.normalizer = hf.normalizers.Sequence(
        [hf.normalizers.Prepend("▁"), hf.normalizers.Replace(" ", "▁")]
    )
    core.decoder = hf.decoders.Sequence(
        [
            hf.decoders.Replace("▁", " "),
            hf.decoders.ByteFallback(),
            hf.decoders.Fuse(),
            hf.decoders.Strip(" ", 1, 0),
        ]
    )
    core.add_special_tokens(["<unk>", "<s>"])
    core.post_processor = hf.processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    return _wrap(core, unk_token="<unk>", bos_token="<s>")


@pytest.fixture(scope="module")
def word_end():
    """As CLIP's and the first GPT's: BPE in which the end of a word is marked by </w>."""
    core = hf.Tokenizer(hf.models.BPE(end_of_word_suffix="</w>"))
    core.pre_tokenizer = hf.pre_tokenizers.WhitespaceSplit()
    core.decoder = hf.decoders.BPEDecoder("</w>")
    trainer = hf.trainers.BpeTrainer(vocab_size=120, end_of_word_suffix="</w>", show_progress=False)
    core.train_from_iterator(CORPUS, trainer)
    return _wrap(core)


def _read(tokenizer, text):
    return readable(tokenizer, tokenizer(text)["input_ids"])


def _texts(tokens):
    return [token.text for token in tokens]


def _level(text):
    """With joiners and variation selectors as they are drawn where they stand alone."""
    return re.sub("[\u200c\u200d\ufe00-\ufe0f]", "□", text)


# --- any text ------------------------------------------------------------------------------------


@ANY_TEXT
@given(text=TEXTS)
@example(text="I 💩 日本")
@example(text="👩‍👩‍👧 <|im_start|>\r\n\0")
def test_byte_level_pieces_join_back_to_the_text(byte_level, text):
    tokens = _read(byte_level, text)
    ids = byte_level(text)["input_ids"]
    assert [token.id for token in tokens] == ids
    seen = byte_level.decode(ids, clean_up_tokenization_spaces=False)
    # SmolLM2 has no token for 21 of the 256 bytes (control characters, mostly) and drops them.
    lost = {0x04, 0x06, 0x13, 0x14, 0x16, 0x1D, 0xF1, 0xF2} & set(text.encode())
    assert lost or seen == text
    assert _level(joined(tokens)) == _level(visible(seen))
    _check_pieces(tokens)


@ANY_TEXT
@given(ids=st.lists(st.integers(0, 49151), max_size=12))
def test_byte_level_ids_in_any_order_join_to_what_the_decoder_gives(byte_level, ids):
    tokens = readable(byte_level, ids)
    whole = byte_level.decode(ids, clean_up_tokenization_spaces=False)
    if not any(token.special for token in tokens):
        assert _level(joined(tokens)) == _level(visible(whole))
    _check_pieces(tokens)


@ANY_TEXT
@given(text=TEXTS)
@example(text="unbelievable, isn't it?")
def test_word_pieces_join_back_to_the_normalised_text(word_piece, text):
    tokens = _read(word_piece, text)
    inner = tokens[1:-1]
    decoded = word_piece.convert_tokens_to_string([token.raw for token in inner])
    decoded = decoded.replace(" [UNK]", "[UNK]")  # a special token is shown without a space
    assert _level(joined(inner).lstrip(" ")) == _level(visible(decoded).lstrip(" "))
    if not any(token.special for token in inner):
        normal = word_piece.backend_tokenizer.normalizer.normalize_str(text)
        assert _squeezed(joined(inner)) == _squeezed(visible(normal))
    _check_pieces(tokens)


def _squeezed(text):
    """Without spaces: BERT throws them away, and its words say where they were."""
    return _level(re.sub(r"[\s↵⇥␣]", "", text))


@ANY_TEXT
@given(text=TEXTS)
def test_sentence_pieces_join_back_to_the_marked_text(unigram, text):
    tokens = _read(unigram, text)
    assert tokens[-1].text == "</s>" and tokens[-1].special
    if not any(token.raw == "<unk>" for token in tokens):
        marked = "" if not text else text.replace("▁", " ")
        expected = marked if marked.startswith(" ") or not marked else " " + marked
        assert _level(joined(tokens[:-1])) == _level(visible(expected))


@ANY_TEXT
@given(text=TEXTS)
@example(text="the 日本 an")
def test_byte_fallback_pieces_join_back_to_the_marked_text(byte_fallback, text):
    tokens = _read(byte_fallback, text.replace("<", ""))
    assert tokens[0].raw == "<s>" and tokens[0].special
    expected = text.replace("<", "").replace("▁", " ")
    assert _level(joined(tokens[1:])) == _level(visible(" " + expected if expected else ""))
    _check_pieces(tokens)


def _check_pieces(tokens):
    """Pieces count 1..k without a gap, and neighbours share the character between them."""
    left = 0
    for before, token in zip([None, *tokens], tokens, strict=False):
        i, k = token.piece or (1, 1)
        assert (i == 1) == (left == 0)
        if i > 1:
            assert before.piece == (i - 1, k)
            assert _level(before.text[-1:]) == _level(token.text[:1])
        left = k - i
    assert left == 0


# --- rows of bad_inputs.md -----------------------------------------------------------------------


def test_row_1_accents_and_greek_are_readable_and_raw_is_kept(byte_level):
    tokens = _read(byte_level, "Seán Γεια σου")
    assert joined(tokens) == "Seán Γεια σου"
    assert any("Ã" in token.raw for token in tokens)
    assert not any("Ã" in token.text or "Ġ" in token.text for token in tokens)


def test_row_2_the_pieces_of_one_character_are_marked(byte_level):
    tokens = _read(byte_level, "I 💩 日本")
    assert _texts(tokens)[:4] == ["I", " 💩", "💩", "💩"]
    assert [token.piece for token in tokens][:4] == [None, (1, 3), (2, 3), (3, 3)]
    assert [token.piece for token in tokens][4:7] == [(1, 3), (2, 3), (3, 3)]
    assert "�" not in joined(tokens)


def test_row_3_no_marker_of_any_tokenizer_is_shown(
    byte_level, word_piece, unigram, byte_fallback, word_end
):
    text = "the street because\nit"
    for tokenizer in (byte_level, word_piece, unigram, byte_fallback, word_end):
        shown = "".join(_texts(t for t in _read(tokenizer, text) if not t.special))
        assert not re.search("▁|##|Ċ|Ġ|</w>|<0x", shown), shown
        assert shown.strip().startswith("the s")
    assert _texts(_read(byte_level, "a\n\tb")) == ["a", "↵", "⇥", "b"]
    assert "↵" in _texts(_read(byte_fallback, "a\nb"))


def test_row_18_exactly_the_ids_that_were_fed_are_shown(byte_level, byte_fallback, word_piece):
    for ending in ("tired", "wide"):
        plain = _read(byte_level, PAIR.format(ending))
        assert len(plain) == 13 and not any(token.special for token in plain)
        both = _read(word_piece, PAIR.format(ending))
        assert len(both) == 16
        assert [t.text for t in both if t.special] == ["[CLS]", "[SEP]"]
    with_bos = _read(byte_fallback, "the an")
    assert [(t.raw, t.special) for t in with_bos][:2] == [("<s>", True), ("▁the", False)]


# --- the rest ------------------------------------------------------------------------------------


def test_one_id_is_shown_the_same_way_everywhere(word_piece, unigram):
    first, _, third = _read(word_piece, "the cat the")[1:-1]
    assert first == third and first.text == " the"
    assert joined(_read(unigram, "the animal the")[:-1]) == " the animal the"


def test_word_pieces_show_where_a_word_goes_on(word_piece):
    tokens = _read(word_piece, "tokenization, isn't")[1:-1]
    assert _texts(tokens) == [" token", "ization", ",", " isn", " '", " t"]


def test_an_unknown_word_is_shown_as_such(word_piece):
    assert [(t.text, t.special) for t in _read(word_piece, "💩")[1:-1]] == [("[UNK]", True)]


def test_half_a_character_is_a_replacement_sign_and_never_an_error(byte_level):
    part = byte_level("💩")["input_ids"][:2]
    tokens = readable(byte_level, part)
    assert _texts(tokens) == ["�", "�"] and tokens[1].piece == (2, 2)
    special = byte_level("<|im_start|>")["input_ids"]
    assert _texts(readable(byte_level, [*part, *special])) == ["�", "�", "<|im_start|>"]


def test_an_id_beyond_the_vocabulary_is_shown_by_its_number(byte_level):
    assert _texts(readable(byte_level, [10**6])) == ["<1000000>"]
    assert readable(byte_level, []) == []


def test_signs_for_what_cannot_be_seen():
    assert visible("a b\n\t\r\0\x1b\x7f") == "a b↵⇥␍␀␛␡"
    assert visible("\u00a0\u3000 \u202e\u200b\ufeff\u0085\u2028") == "␣␣ □□□□□"
    assert visible("می\u200cخواهم 👩\u200d👧 ") == "می\u200cخواهم 👩\u200d👧 "
