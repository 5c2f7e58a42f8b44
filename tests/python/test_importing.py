"""What does `import floeberg` load, and where does each public name come from?"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import floeberg


def loaded(code: str) -> set[str]:
    """The modules that a new process has loaded after some code."""
    shown = f"{code}\nimport sys\nprint(*sys.modules)"
    return set(
        subprocess.run(
            [sys.executable, "-c", shown], check=True, capture_output=True, text=True
        ).stdout.split()
    )


def of_type_checkers() -> dict[str, str]:
    """The module of each name, as type checkers see it."""
    tree = ast.parse(Path(floeberg.__file__).read_text())
    (block,) = (each for each in tree.body if isinstance(each, ast.If))
    found = {}
    for statement in block.body:
        assert isinstance(statement, ast.ImportFrom)
        found |= {each.name: statement.module for each in statement.names}
    return found


def test_importing_loads_little():
    modules = loaded("import floeberg")
    assert "floeberg._native" in modules
    large = (
        "pyarrow",
        "floeberg.catalog",
        "floeberg.view",
        "floeberg.lance",
        "floeberg.table",
        "floeberg.commit",
    )
    assert not modules & set(large)


def test_a_table_needs_neither_catalogs_nor_views():
    modules = loaded("import floeberg\nfloeberg.open_table")
    assert "floeberg.table" in modules
    assert not modules & {"pyarrow", "floeberg.catalog", "floeberg.view"}


def test_type_checkers_and_programs_find_the_same_names():
    seen = of_type_checkers()
    assert set(seen) == set(floeberg.__all__)
    submodules = {name for name, module in seen.items() if module == "floeberg"}
    assert submodules <= set(floeberg._SUBMODULES)
    assert {name: module for name, module in seen.items() if name not in submodules} == floeberg._MODULES


# One of each module.
@pytest.mark.parametrize("name", [*{module: name for name, module in floeberg._MODULES.items()}.values()])
def test_each_module_can_be_the_first(name):
    loaded(f"import floeberg\nfloeberg.{name}\nfrom floeberg import {name}")


def test_submodules_are_attributes():
    for name in floeberg._SUBMODULES:
        assert getattr(floeberg, name).__name__ == f"floeberg.{name}"


def test_what_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'floeberg' has no attribute 'tabel'"):
        _ = floeberg.tabel
    assert "open_table" in dir(floeberg)
    assert "__version__" in dir(floeberg)
