"""Compiles the kernel for a chip that need not be here; prints how much machine code it makes."""

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from attnlab.attention.triton_kernel import _forward

CONSTANTS = {
    "D": 32,
    "E": 32,
    "block_d": 32,
    "block_e": 32,
    "block": 64,
    "step": 32,
    "table": True,
}
POINTERS = dict.fromkeys(("q", "k", "v", "z"), "*bf16") | {"log_sum": "*fp32"}
POINTERS |= {"visible": "*u8", "flags": "*u8", "scale": "fp32"} | dict.fromkeys(
    CONSTANTS, "constexpr"
)


def main() -> None:
    signature = {name: POINTERS.get(name, "i32") for name in _forward.arg_names}
    made = triton.compile(
        ASTSource(_forward, signature, CONSTANTS),
        target=GPUTarget("cuda", 90, 32),
        options={"num_warps": 4, "num_stages": 2, "enable_fp_fusion": True},
    )
    print(len(made.asm["cubin"]))


if __name__ == "__main__":
    main()
