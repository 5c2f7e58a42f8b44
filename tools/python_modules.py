"""Which module of the Python package uses which?

Imports everywhere count: at the top, in functions, for annotations.
"""

from __future__ import annotations

import ast
from pathlib import Path

from rust_modules import ModulePath, Ties

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

NAME = "floeberg"
# The binary: it is below the whole package.
BINARY = "_native"


def module_of(path: Path) -> ModulePath:
    """Return the module of a file, given from the package's folder; the package itself has no names."""
    parts = path.with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def folders(sources: dict[Path, str]) -> dict[ModulePath, set[str]]:
    """Return the modules and packages of each folder."""
    found: dict[ModulePath, set[str]] = {}
    for path in sources:
        module = module_of(path)
        for depth in range(len(module)):
            found.setdefault(module[:depth], set()).add(module[depth])
    return found


def imported(path: Path, source: str) -> set[ModulePath]:
    """Return what a file imports from the package: modules, and names in them."""
    here = path.with_suffix("").parts[:-1]
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = (NAME, *here[: len(here) - node.level + 1]) if node.level else ()
            module = (*base, *(node.module or "").split(".")) if node.module else base
            found |= {(*module, alias.name) for alias in node.names}
    return {name[1:] for name in found if name[0] == NAME}


def ties(sources: dict[Path, str]) -> Ties:
    """Return who uses whom among the modules of each folder."""
    modules = {module_of(path) for path in sources}
    found: Ties = {}
    for path, source in sources.items():
        at = module_of(path)
        for name in imported(path, source):
            target = name
            while target not in modules:
                target = target[:-1]
            depth = 0
            while depth < min(len(at), len(target)) and at[depth] == target[depth]:
                depth += 1
            if depth < min(len(at), len(target)) and name[0] != BINARY:
                found.setdefault(at[:depth], {}).setdefault((at[depth], target[depth]), set()).add(path)
    return found


def orders(project: Path) -> dict[ModulePath, list[str]]:
    """Return the order of rooms, of the packages that have one, from pyproject.toml."""
    table = tomllib.loads(project.read_text())["tool"][NAME]["rooms"]
    return {tuple(name.split(".")[1:]): modules for name, modules in table.items()}
