"""Decoders, and models that are none but generate as one."""

from tests.families.sizes import (
    EXPERT,
    HEAD,
    HEADS,
    HIDDEN,
    LAYERS,
    LENGTH,
    SLIDING,
    VOCABULARY,
    WIDTH,
    add,
    free,
    gpt,
    grouped,
    usual,
)

_HYBRID = ["linear_attention", "full_attention", "linear_attention"]
_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": EXPERT}
_LINEAR = {
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 7,
    "linear_value_head_dim": 11,
    "layer_types": _HYBRID,
}
_LATENT = {
    "num_key_value_heads": HEADS,
    "q_lora_rank": 17,
    "kv_lora_rank": 13,
    "qk_rope_head_dim": 4,
    "qk_nope_head_dim": 6,
    "v_head_dim": 7,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "n_group": 2,
    "topk_group": 1,
    "moe_intermediate_size": EXPERT,
    "first_k_dense_replace": 1,
    "n_shared_experts": 1,
}

for _name, _config, _options in [
    ("gpt2", "GPT2", gpt()),
    ("gpt2_inverse_layer", "GPT2", gpt(scale_attn_by_inverse_layer_idx=True)),
    ("gptj", "GPTJ", gpt(rotary_dim=6)),
    ("gpt_bigcode", "GPTBigCode", gpt(multi_query=True)),
    ("codegen", "CodeGen", gpt(n_head=4, n_embd=40, rotary_dim=6)),
    ("ctrl", "CTRL", gpt(dff=HIDDEN)),
    ("openai_gpt", "OpenAIGPT", gpt()),
    ("gpt_neox", "GPTNeoX", usual(use_parallel_residual=True)),
    ("gpt_neox_sequential", "GPTNeoX", usual(use_parallel_residual=False)),
    ("llama", "Llama", free()),
    ("llama_dynamic", "Llama", free(
        rope_parameters={"rope_type": "dynamic", "rope_theta": 1e4, "factor": 3.0},
        max_position_embeddings=16)),
    ("mistral", "Mistral", free(sliding_window=4)),
    ("ministral", "Ministral", free(sliding_window=4, layer_types=SLIDING)),
    ("mixtral", "Mixtral", free(num_local_experts=4, intermediate_size=EXPERT)),
    ("qwen2", "Qwen2", grouped()),
    ("qwen3", "Qwen3", free()),
    ("qwen2_moe", "Qwen2Moe", grouped(**_EXPERTS, shared_expert_intermediate_size=28)),
    ("qwen3_moe", "Qwen3Moe", free(**_EXPERTS)),
    ("qwen3_next", "Qwen3Next", free(
        **_EXPERTS, **_LINEAR, shared_expert_intermediate_size=28)),
    ("qwen3_5", "Qwen3_5Text", free(**_LINEAR)),
    ("gemma", "Gemma", free()),
    ("gemma2", "Gemma2", free(
        sliding_window=4, query_pre_attn_scalar=7, attn_logit_softcapping=3.0,
        layer_types=SLIDING)),
    ("gemma3", "Gemma3Text", free(
        sliding_window=4, query_pre_attn_scalar=7, layer_types=SLIDING)),
    ("gemma4", "Gemma4Text", free(
        sliding_window=4, layer_types=[*SLIDING[:2], "full_attention"], global_head_dim=HEAD,
        vocab_size_per_layer_input=VOCABULARY, hidden_size_per_layer_input=6,
        num_kv_shared_layers=0)),
    ("gpt_oss", "GptOss", free(
        sliding_window=4, num_local_experts=4, num_experts_per_tok=2, intermediate_size=EXPERT,
        layer_types=SLIDING,
        rope_parameters={"rope_type": "default", "rope_theta": 1e4})),
    ("phi", "Phi", grouped(partial_rotary_factor=0.4)),
    ("phi3", "Phi3", grouped()),
    ("phi3_longrope", "Phi3", grouped(
        rope_parameters={
            "rope_type": "longrope", "rope_theta": 1e4, "short_factor": [1.0] * 5,
            "long_factor": [2.0, 3.0, 5.0, 7.0, 11.0]},
        original_max_position_embeddings=16)),
    ("phimoe", "Phimoe", free(num_local_experts=4, intermediate_size=EXPERT)),
    ("olmo", "Olmo", grouped()),
    ("olmo2", "Olmo2", grouped()),
    ("olmo3", "Olmo3", grouped(sliding_window=4)),
    ("olmoe", "Olmoe", grouped(
        num_experts=4, num_experts_per_tok=2, intermediate_size=EXPERT)),
    ("cohere", "Cohere", grouped()),
    ("cohere2", "Cohere2", free(sliding_window=4)),
    ("starcoder2", "Starcoder2", grouped(sliding_window=4)),
    ("smollm3", "SmolLM3", grouped()),
    ("granite", "Granite", grouped(residual_multiplier=0.3, attention_multiplier=0.2)),
    ("granitemoe", "GraniteMoe", grouped(num_local_experts=4, intermediate_size=EXPERT)),
    ("stablelm", "StableLm", grouped()),
    ("nemotron", "Nemotron", free()),
    ("glm", "Glm", free()),
    ("glm4", "Glm4", free()),
    ("helium", "Helium", grouped(head_dim=HEAD)),
    ("arcee", "Arcee", free()),
    ("apertus", "Apertus", grouped()),
    ("exaone4", "Exaone4", free(sliding_window=4, layer_types=SLIDING)),
    ("ernie4_5", "Ernie4_5", free()),
    ("seed_oss", "SeedOss", free()),
    ("persimmon", "Persimmon", usual(partial_rotary_factor=0.4)),
    ("deepseek_v3", "DeepseekV3", usual(**_LATENT)),
    ("llama4", "Llama4Text", free(
        intermediate_size_mlp=41, num_local_experts=2, attention_chunk_size=8)),
    ("hunyuan", "HunYuanDenseV1", free()),
    ("bitnet", "BitNet", grouped()),
    ("modernbert_decoder", "ModernBertDecoder", usual(
        local_attention=4, global_attn_every_n_layers=2)),
    ("nemotron_h", "NemotronH", free(
        mamba_num_heads=4, mamba_head_dim=12, ssm_state_size=7, n_groups=1,
        layers_block_type=["mamba", "attention", "mlp"])),
    ("falcon_h1", "FalconH1", free(
        mamba_d_ssm=48, mamba_n_heads=4, mamba_d_head=12, mamba_d_state=7, mamba_chunk_size=8)),
    ("minimax", "MiniMax", free(
        num_local_experts=4, intermediate_size=EXPERT, block_size=8, layer_types=_HYBRID)),
    ("lfm2", "Lfm2", grouped(layer_types=["conv", "full_attention", "conv"])),
    ("jamba", "Jamba", grouped(
        num_hidden_layers=4, intermediate_size=EXPERT, attn_layer_period=2, attn_layer_offset=1,
        expert_layer_period=2, expert_layer_offset=1, num_experts=2, mamba_d_state=3,
        mamba_dt_rank=5, use_mamba_kernels=False)),
    ("bamba", "Bamba", grouped(
        attn_layer_indices=[1], mamba_n_heads=8, mamba_d_head=15, mamba_d_state=7,
        mamba_n_groups=1, mamba_chunk_size=8)),
    ("zamba2", "Zamba2", usual(
        num_key_value_heads=HEADS, mamba_d_state=7, mamba_ngroups=1, n_mamba_heads=4,
        mamba_headdim=30, chunk_size=8, layers_block_type=["mamba", "hybrid", "mamba"],
        num_mem_blocks=1)),
    ("opt", "OPT", {
        "vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS, "ffn_dim": HIDDEN, "max_position_embeddings": LENGTH,
        "word_embed_proj_dim": 26, "pad_token_id": 1, "bos_token_id": 2, "eos_token_id": 2}),
    ("biogpt", "BioGpt", usual()),
    ("roberta_decoder", "Roberta", usual(is_decoder=True)),
    ("xglm", "XGLM", {
        "vocab_size": VOCABULARY, "d_model": WIDTH, "num_layers": LAYERS, "attention_heads": HEADS,
        "ffn_dim": HIDDEN, "max_position_embeddings": LENGTH, "pad_token_id": 1}),
    ("gpt_neo", "GPTNeo", {
        "vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_layers": 4, "num_heads": HEADS,
        "attention_types": [[["global", "local"], 2]], "max_position_embeddings": LENGTH,
        "window_size": 4, "intermediate_size": HIDDEN, "bos_token_id": 1, "eos_token_id": 2}),
    ("bloom", "Bloom", {
        "vocab_size": VOCABULARY, "hidden_size": WIDTH, "n_layer": LAYERS, "n_head": HEADS}),
    ("mpt", "Mpt", {
        "vocab_size": VOCABULARY, "d_model": WIDTH, "n_layers": LAYERS, "n_heads": HEADS,
        "max_seq_len": LENGTH, "expansion_ratio": 2}),
    ("falcon", "Falcon", usual(
        alibi=False, multi_query=True, parallel_attn=True, new_decoder_architecture=False)),
    ("falcon_alibi", "Falcon", usual(
        alibi=True, multi_query=False, new_decoder_architecture=False)),
    ("diffllama", "DiffLlama", grouped()),
    ("xlnet", "XLNet", {
        "vocab_size": VOCABULARY, "d_model": WIDTH, "n_layer": LAYERS, "n_head": HEADS,
        "d_inner": HIDDEN}),
    ("mamba", "Mamba", {
        "vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": 2, "state_size": 5}),
    ("rwkv", "Rwkv", {
        "vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": 2,
        "attention_hidden_size": WIDTH}),
]:  # fmt: skip
    add("causal", _name, _config, **_options)
