"""Do the stubs of the compiled module say what it has?

The stubs of `floeberg._native` are a package, a file for each folder of the binding; the binary is one module. stubtest
compares modules by their names. So each stub file gets a module here, which has the names of that file from the binary.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import ModuleType

from mypy import stubtest

import floeberg
from floeberg import _native

STUBS = Path(floeberg.__file__).parent / "_native"


def declared(stub: Path) -> list[str]:
    """Return the public classes and functions that a stub declares."""
    body = ast.parse(stub.read_text(encoding="utf-8")).body
    found = [each.name for each in body if isinstance(each, (ast.ClassDef, ast.FunctionDef))]
    return [name for name in found if not name.startswith("_")]


def stand_in(name: str, stub: Path) -> ModuleType:
    """Return a module with what a stub declares, as far as the binary has it."""
    module = ModuleType(name)
    for each in declared(stub):
        if hasattr(_native, each):
            setattr(module, each, getattr(_native, each))
    return module


def main() -> int:
    """Run stubtest on the stubs that are installed."""
    for stub in STUBS.glob("*.pyi"):
        if stub.stem != "__init__":
            name = f"{_native.__name__}.{stub.stem}"
            sys.modules[name] = stand_in(name, stub)
    return stubtest.test_stubs(stubtest.parse_options([_native.__name__, "--concise"]))


if __name__ == "__main__":
    sys.exit(main())
