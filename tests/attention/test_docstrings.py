"""The examples and drawings in the attention package's docstrings are what the code gives."""

import doctest
import importlib
import pkgutil

import pytest

import attnlab.attention

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(attnlab.attention.__path__, "attnlab.attention.")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_there_are_examples():
    modules = [importlib.import_module(name) for name in MODULES]
    assert sum(doctest.testmod(module).attempted for module in modules) >= 12
