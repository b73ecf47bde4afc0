"""Imports point down the list of layers, and `import attnlab` stays light.

The table is the one of the design: each layer names what it may import of AttnLab and which
libraries. The standard library, `attnlab.errors`, `attnlab.version` and the layer itself are
always allowed, and so is jaxtyping, which only annotates. Every import statement counts, wherever
it stands in a file.
"""

import ast
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Layer:
    """A set of files and what they may import.

    Attributes:
        name: a file or folder, relative to the repository.
        below: names of the layers of AttnLab that it may import.
        libraries: names of the third-party packages that it may import.
    """

    name: str
    below: frozenset[str]
    libraries: frozenset[str]

    @property
    def module(self) -> str:
        """Dotted name of what the layer holds."""
        return self.name.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")


def _layer(name: str, below: str = "", libraries: str = "") -> Layer:
    return Layer(name, frozenset(below.split()), frozenset(libraries.split()))


# Reading and writing model files belongs to loading, so its small libraries are listed with it.
MODEL_FILES = "accelerate filelock gguf huggingface_hub platformdirs safetensors tokenizers"
BELOW_UI = (
    "attnlab/viz attnlab/analysis attnlab/pretrained attnlab/recall attnlab/transformer.py "
    "attnlab/trace attnlab/attention"
)
LIBRARIES_BELOW_UI = f"torch transformers psutil numpy pandas altair circuitsvis {MODEL_FILES}"

LAYERS = (
    _layer("app.py", "attnlab/ui attnlab/viz", "streamlit"),
    _layer("hosted.py", "attnlab/ui", "streamlit starlette"),
    _layer("pages", "attnlab/ui attnlab/viz", "streamlit"),
    _layer("attnlab/__init__.py", BELOW_UI, LIBRARIES_BELOW_UI),
    _layer("attnlab/ui", BELOW_UI, f"streamlit {LIBRARIES_BELOW_UI}"),
    _layer("attnlab/viz", "", "numpy pandas altair circuitsvis vl_convert"),
    _layer(
        "attnlab/analysis",
        "attnlab/transformer.py attnlab/trace attnlab/attention",
        "torch numpy pandas",
    ),
    _layer(
        "attnlab/pretrained",
        "attnlab/transformer.py attnlab/attention attnlab/trace",
        f"torch transformers psutil {MODEL_FILES}",
    ),
    _layer("attnlab/recall", "attnlab/attention", "torch safetensors"),
    _layer("attnlab/transformer.py", "attnlab/config.py attnlab/attention attnlab/trace", "torch"),
    _layer("attnlab/config.py", "attnlab/attention", "torch"),
    _layer("attnlab/trace", "attnlab/attention", "torch"),
    _layer("attnlab/attention", "", "torch triton"),  # triton in one module, where there is one
    _layer("attnlab/errors.py"),
    _layer("attnlab/version.py"),
)
EVERYBODYS = ("attnlab/errors.py", "attnlab/version.py")
EVERYWHERE = sys.stdlib_module_names | {"jaxtyping"}


def _inside(module: str, parent: str) -> bool:
    return module == parent or module.startswith(parent + ".")


def _layer_of(module: str) -> Layer | None:
    """The layer that holds a module of ours; the root package is its own `__init__.py`."""
    if module == "attnlab":
        return next(layer for layer in LAYERS if layer.module == "attnlab")
    held = (x for x in LAYERS if x.module != "attnlab" and _inside(module, x.module))
    return next(held, None)


def _imports(tree: ast.AST, package: str) -> list[tuple[int, str]]:
    """Line and dotted name of all that is imported, relative and dynamic imports included."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: -node.level + 1 or None] if node.level else []
            base = ".".join([*parts, *([node.module] if node.module else [])])
            # `from attnlab import viz` imports a layer, `from attnlab.viz import x` a name in it.
            names = [f"{base}.{alias.name}" for alias in node.names]
            whole = [n if base == "attnlab" and _layer_of(n) else base for n in names]
            found += [(node.lineno, name) for name in dict.fromkeys(whole)]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called in ("import_module", "__import__"):
                found.append((node.lineno, str(node.args[0].value)))
    return sorted(found)


def violations(path: str, text: str) -> list[str]:
    """What `text`, the source of the file `path`, imports against the table."""
    module = path.removesuffix(".py").replace("/", ".")
    package = module.removesuffix(".__init__") if "__init__" in path else module.rpartition(".")[0]
    home = _layer_of(module.removesuffix(".__init__"))
    if home is None:
        return [f"{path}: belongs to no layer"]
    wrong = []
    for line, name in _imports(ast.parse(text), package):
        top = name.partition(".")[0]
        target = _layer_of(name)
        if target is None:
            allowed = top in EVERYWHERE | home.libraries
        else:
            allowed = target.name in home.below | {home.name, *EVERYBODYS}
        if not allowed:
            wrong.append(f"{path}:{line}: {home.name} may not import {name}")
    return wrong


def _sources() -> list[Path]:
    return [
        *ROOT.glob("app.py"),
        *ROOT.glob("hosted.py"),
        *sorted(ROOT.glob("pages/**/*.py")),
        *sorted(ROOT.glob("attnlab/**/*.py")),
    ]


def test_every_import_points_down_the_table():
    found = [
        line
        for path in _sources()
        for line in violations(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
    ]
    assert found == []


def test_the_table_itself_points_down():
    names = [layer.name for layer in LAYERS]
    for place, layer in enumerate(LAYERS):
        assert layer.below <= set(names[place + 1 :]), layer.name


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("attnlab/pretrained/load.py", "import streamlit as st"),
        ("attnlab/analysis/maps.py", "def f():\n    from transformers import AutoModel"),
        ("attnlab/attention/attend.py", "from attnlab.trace import Token"),
        ("attnlab/attention/attend.py", "from ..trace.token import Token"),
        ("attnlab/attention/attend.py", "from .. import trace"),
        ("attnlab/attention/__init__.py", "from ..trace import Token"),
        ("attnlab/attention/attend.py", "import importlib; importlib.import_module('numpy')"),
        ("attnlab/trace/run.py", "from attnlab import pretrained"),
        ("attnlab/trace/run.py", "import attnlab as al"),
        ("attnlab/trace/run.py", "if TYPE_CHECKING:\n    import attnlab.pretrained.lab"),
        ("attnlab/viz/chart.py", "import torch"),
        ("attnlab/viz/chart.py", "from attnlab.trace import Token"),
        ("attnlab/ui/mount.py", "import app"),
        ("attnlab/errors.py", "import torch"),
        ("attnlab/__init__.py", "from attnlab.ui import mount"),
        ("pages/heads.py", "from attnlab.analysis import effects"),
        ("pages/heads.py", "import attnlab"),
        ("app.py", "import numpy"),
        ("attnlab/elsewhere.py", ""),
    ],
)
def test_a_wrong_import_is_found(path, source):
    assert len(violations(path, source)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("attnlab/attention/attend.py", "import torch\nfrom .mask import causal"),
        ("attnlab/trace/__init__.py", "from attnlab.trace.token import Token"),
        ("attnlab/trace/run.py", "from attnlab import attention, errors"),
        ("attnlab/ui/engine.py", "import streamlit\nfrom attnlab.pretrained import lab"),
        ("pages/heads.py", "import streamlit as st\nfrom attnlab.ui import mount"),
        ("attnlab/__init__.py", "from attnlab import errors\nimport importlib"),
    ],
)
def test_a_right_import_passes(path, source):
    assert violations(path, source) == []


def test_importing_attnlab_loads_neither_transformers_nor_streamlit():
    code = (
        "import sys, attnlab; "
        "print(*sorted({'transformers', 'streamlit'} & {m.split('.')[0] for m in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
