"""Does every module use only those that stand above it, or at least none in a circle?

Rust: the order of a folder is that of the `mod` lines of its `mod.rs` (`lib.rs`, or `name.rs` beside the folder
`name`), at every depth; a module may use what stands before it. Python: rooms have such an order, the lists in
[tool.floeberg.rooms] of pyproject.toml; the files of a folder that has no list must not use each other in a circle.
Imports within functions and those for annotations count.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import python_modules
import rust_modules
from cargo_workspace import ROOT, is_test, load
from rust_modules import ModulePath, Ties

PACKAGE = ROOT / "python" / "floeberg"
Orders = dict[ModulePath, list[str]]


def faults(name: str, orders: Orders, ties: Ties) -> list[str]:
    """Return what is wrong in a crate or package: ties to what stands below, and circles where there is no order."""
    found = []
    for folder, pairs in ties.items():
        here = "::".join((name, *folder))
        if folder not in orders:
            found += [f"{here}: {' -> '.join(circle)} is a circle" for circle in circles(pairs)]
            continue
        place = {module: at for at, module in enumerate(orders[folder])}
        for (user, used), files in pairs.items():
            if place[used] > place[user]:
                where = ", ".join(sorted(str(file) for file in files))
                found.append(f"{here}: {user} -> {used} points down the list of its folder, in {where}")
    return sorted(found)


def circles(pairs: Mapping[tuple[str, str], object]) -> list[list[str]]:
    """Return the modules that use each other in a circle, once each; the last one is the first again."""
    uses: dict[str, list[str]] = {}
    for user, used in sorted(pairs):
        uses.setdefault(user, []).append(used)
    found, done = [], set[str]()

    def walk(module: str, above: list[str]) -> None:
        if module in above:
            found.append([*above[above.index(module) :], module])
        elif module not in done:
            for used in uses.get(module, []):
                walk(used, [*above, module])
            done.add(module)

    for module in uses:
        walk(module, [])
    return found


def rust_faults(crate: str, sources: dict[Path, str]) -> list[str]:
    """Return what is wrong in a crate whose files, by path from `src`, are `sources`."""
    modules = rust_modules.read_modules(sources)
    orders = {at: module.children for at, module in modules.items()}
    return faults(crate, orders, rust_modules.ties(modules))


def python_faults(sources: dict[Path, str], orders: Orders) -> list[str]:
    """Return what is wrong in the package whose files, by path from its folder, are `sources`."""
    folders = python_modules.folders(sources)
    wrong = []
    for folder, listed in orders.items():
        name, modules = ".".join(("floeberg", *folder)), folders.get(folder, set())
        wrong += [f"{name}: {module} is not in its list of rooms" for module in sorted(modules - set(listed))]
        wrong += [f"{name}: there is no room {module}" for module in sorted(set(listed) - modules)]
    return wrong or faults("floeberg", orders, python_modules.ties(sources))


def main() -> int:
    """Check every crate and the package; print every fault."""
    found = []
    crates = load()["metadata"]["architecture"]["layers"]
    for crate in crates:
        folder = ROOT / "rust" / crate / "src"
        files = [path.relative_to(folder) for path in folder.rglob("*.rs")]
        sources = {path: (folder / path).read_text() for path in files if not is_test(path)}
        found += rust_faults(crate, sources)
    files = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")]
    sources = {path: (PACKAGE / path).read_text() for path in files}
    found += python_faults(sources, python_modules.orders(ROOT / "pyproject.toml"))
    for fault in found:
        print(f"modules: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
