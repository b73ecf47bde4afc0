"""Encoder-decoders, of text and of speech."""

from tests.families.sizes import (
    HEAD,
    HEADS,
    HIDDEN,
    LAYERS,
    LENGTH,
    NARROW,
    SLIDING,
    VOCABULARY,
    WIDTH,
    add,
    free,
)

_BART = {
    "vocab_size": VOCABULARY,
    "d_model": WIDTH,
    "encoder_layers": 2,
    "decoder_layers": LAYERS,
    "encoder_attention_heads": 5,
    "decoder_attention_heads": HEADS,
    "encoder_ffn_dim": HIDDEN,
    "decoder_ffn_dim": 31,
    "max_position_embeddings": LENGTH,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
    "forced_eos_token_id": 2,
}
_T5 = {
    "vocab_size": VOCABULARY,
    "d_model": NARROW,
    "d_kv": HEAD,
    "d_ff": HIDDEN,
    "num_layers": 2,
    "num_decoder_layers": LAYERS,
    "num_heads": HEADS,
    "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 13,
    "pad_token_id": 0,
    "eos_token_id": 1,
    "decoder_start_token_id": 0,
}
_TOWER = free(
    sliding_window=4,
    query_pre_attn_scalar=7,
    layer_types=SLIDING,
    attn_logit_softcapping=5.0,
)

for _name, _config, _options in [
    ("t5", "T5", _T5),
    ("mt5", "MT5", _T5),
    ("umt5", "UMT5", _T5),
    ("longt5", "LongT5", _T5),
    ("switch_transformers", "SwitchTransformers", _T5 | {"num_experts": 4}),
    ("t5gemma", "T5Gemma", {
        "encoder": _TOWER, "decoder": _TOWER | {"cross_attention_hidden_size": NARROW},
        "vocab_size": VOCABULARY}),
    ("bart", "Bart", _BART),
    ("mbart", "MBart", _BART),
    ("plbart", "PLBart", _BART),
    ("marian", "Marian", _BART),
    ("mvp", "Mvp", _BART),
    ("pegasus", "Pegasus", _BART),
    ("pegasus_x", "PegasusX", _BART | {"block_size": 4, "num_global_tokens": 3}),
    ("blenderbot", "Blenderbot", _BART),
    ("blenderbot_small", "BlenderbotSmall", _BART),
    ("m2m_100", "M2M100", _BART),
    ("nllb_moe", "NllbMoe", _BART | {
        "num_experts": 4, "encoder_sparse_step": 0, "decoder_sparse_step": 0}),
    ("led", "LED", {
        **{k: v for k, v in _BART.items() if k != "max_position_embeddings"},
        "max_encoder_position_embeddings": LENGTH, "max_decoder_position_embeddings": LENGTH,
        "attention_window": 4}),
    ("prophetnet", "ProphetNet", {
        "vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_encoder_layers": 2,
        "num_decoder_layers": LAYERS, "num_encoder_attention_heads": 5,
        "num_decoder_attention_heads": HEADS, "encoder_ffn_dim": HIDDEN, "decoder_ffn_dim": 31,
        "max_position_embeddings": LENGTH, "pad_token_id": 0, "decoder_start_token_id": 2}),
]:  # fmt: skip
    add("seq2seq", _name, _config, **_options)

add(
    "speech",
    "whisper",
    "Whisper",
    **_BART | {"max_source_positions": 16, "max_target_positions": 32, "num_mel_bins": 7},
    suppress_tokens=None,
    begin_suppress_tokens=None,
)
