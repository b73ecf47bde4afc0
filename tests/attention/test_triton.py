"""The Triton kernel: right in Triton's own interpreter, compiled for a chip, right on a GPU."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

pytest.importorskip("triton")
ROOT = Path(__file__).parents[2]


def printed(script, *arguments, **environment):
    """What a script prints, in a process of its own: whether Triton interprets is settled when
    kernels are read."""
    own = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"} | environment
    command = [sys.executable, "-W", "error", "-m", f"tests.attention.kernel.{script}", *arguments]
    done = subprocess.run(command, env=own, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_equals_the_plain_function_in_the_interpreter():
    found = printed("interpreted", "cpu", "float32", TRITON_INTERPRET="1")
    assert len(found) == 15
    for case, (difference, sums_agree) in found.items():
        assert difference <= 1e-6 and sums_agree, case


def test_compiles_for_a_chip_that_is_not_here(tmp_path):
    assert printed("compiled", TRITON_CACHE_DIR=str(tmp_path)) > 10_000


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_equals_the_plain_function_on_a_gpu(dtype):
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    for case, (difference, sums_agree) in printed("interpreted", "cuda", dtype).items():
        assert difference <= 8 * torch.finfo(getattr(torch, dtype)).eps and sums_agree, case
