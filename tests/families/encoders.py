"""Encoders, and the towers that read pictures and sound."""

from tests.families.sizes import (
    HEADS,
    HIDDEN,
    LAYERS,
    LENGTH,
    VOCABULARY,
    WIDTH,
    add,
    grouped,
    usual,
)

_RELATIVE = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}

for _name, _config, _options in [
    ("bert", "Bert", usual()),
    ("bert_relative", "Bert", usual(position_embedding_type="relative_key")),
    ("roberta", "Roberta", usual()),
    ("xlm_roberta", "XLMRoberta", usual()),
    ("camembert", "Camembert", usual()),
    ("data2vec_text", "Data2VecText", usual()),
    ("megatron_bert", "MegatronBert", usual()),
    ("electra", "Electra", usual(embedding_size=26)),
    ("albert", "Albert", usual(embedding_size=26)),
    ("distilbert", "DistilBert", {
        "vocab_size": VOCABULARY, "dim": WIDTH, "n_layers": LAYERS, "n_heads": HEADS,
        "hidden_dim": HIDDEN, "max_position_embeddings": LENGTH}),
    ("xlm_roberta_xl", "XLMRobertaXL", usual()),
    ("big_bird", "BigBird", usual(attention_type="original_full")),
    ("modernbert", "ModernBert", usual(
        global_attn_every_n_layers=2, local_attention=4, cls_token_id=1, sep_token_id=2)),
    ("eurobert", "EuroBert", grouped()),
    ("nomic_bert", "NomicBert", usual()),
    ("esm", "Esm", usual(mask_token_id=3, position_embedding_type="rotary")),
    ("deberta", "Deberta", usual(**_RELATIVE, max_relative_positions=16)),
    ("deberta_v2", "DebertaV2", usual(
        **_RELATIVE, position_buckets=16, share_att_key=True, norm_rel_ebd="layer_norm")),
    ("mpnet", "MPNet", usual(pad_token_id=1)),
    ("rembert", "RemBert", usual(input_embedding_size=26, output_embedding_size=22)),
    ("roformer", "RoFormer", usual(embedding_size=WIDTH)),
    ("longformer", "Longformer", usual(attention_window=4)),
    ("mobilebert", "MobileBert", usual(
        embedding_size=26, intra_bottleneck_size=48, true_hidden_size=48)),
    ("xlm", "XLM", {
        "vocab_size": VOCABULARY, "emb_dim": WIDTH, "n_layers": LAYERS, "n_heads": HEADS,
        "max_position_embeddings": LENGTH, "pad_token_id": 2}),
    ("flaubert", "Flaubert", {
        "vocab_size": VOCABULARY, "emb_dim": WIDTH, "n_layers": LAYERS, "n_heads": HEADS,
        "max_position_embeddings": LENGTH, "pad_token_id": 2}),
    ("convbert", "ConvBert", usual(embedding_size=26)),
    ("squeezebert", "SqueezeBert", usual(
        embedding_size=WIDTH, q_groups=2, k_groups=2, v_groups=2, post_attention_groups=1,
        intermediate_groups=1, output_groups=1)),
    ("ibert", "IBert", usual()),
    ("nystromformer", "Nystromformer", usual(
        num_landmarks=4, segment_means_seq_len=8, conv_kernel_size=3)),
    ("fnet", "FNet", {
        "vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": LAYERS,
        "intermediate_size": HIDDEN, "max_position_embeddings": LENGTH}),
]:  # fmt: skip
    add("masked", _name, _config, **_options)

_PICTURE = {
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": HIDDEN,
    "image_size": 12,
    "patch_size": 4,
    "num_channels": 3,
}

for _name, _config in [
    ("vit", "ViT"),
    ("deit", "DeiT"),
    ("beit", "Beit"),
    ("dinov2", "Dinov2"),
    ("siglip_vision", "SiglipVision"),
]:
    add("picture", _name, _config, **_PICTURE)
add("picture", "swin", "Swin", image_size=12, patch_size=1, embed_dim=18, depths=[1, 2],
     num_heads=[2, 3], window_size=3)  # fmt: skip
add("pair", "clip", "CLIP", text_config=usual(), vision_config=_PICTURE, projection_dim=19)
add("pair", "siglip", "Siglip", text_config=usual(projection_size=WIDTH),
     vision_config=_PICTURE)  # fmt: skip

_SOUND = {
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": HIDDEN,
    "conv_dim": (13, 17),
    "conv_kernel": (4, 4),
    "conv_stride": (4, 4),
    "num_feat_extract_layers": 2,
    "num_conv_pos_embeddings": 4,
    "num_conv_pos_embedding_groups": 2,
}
add("sound", "wav2vec2", "Wav2Vec2", **_SOUND)
add("sound", "hubert", "Hubert", **_SOUND)
