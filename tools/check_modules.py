"""Does every module use only those that stand above it in its folder?

A module may use what stands before it, so no folder has a cycle.

Rust: the order of a folder is that of the `mod` lines of its `mod.rs` (`lib.rs`, or `name.rs` beside the folder
`name`), at every depth. Python: it is the list of the package in [tool.floeberg.module-order] of pyproject.toml;
imports within functions and those for annotations count.

`tools/known_ties.txt` has the ties that point the other way today. It may only shrink: a tie that is gone must be
struck off.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import python_modules
import rust_modules
from cargo_workspace import ROOT, is_test, load
from rust_modules import ModulePath, Ties

KNOWN = Path(__file__).parent / "known_ties.txt"
PACKAGE = ROOT / "python" / "floeberg"
Orders = dict[ModulePath, list[str]]


def faults(name: str, orders: Orders, ties: Ties, known: Iterable[str]) -> list[str]:
    """Return what is wrong in a crate or package: ties to what stands below, and known ones that are gone."""
    found = {}
    for folder, pairs in ties.items():
        place = {module: at for at, module in enumerate(orders[folder])}
        for (user, used), files in pairs.items():
            if place[used] > place[user]:
                where = ", ".join(sorted(str(file) for file in files))
                found["::".join((name, *folder)) + f": {user} -> {used}"] = where
    mine = {tie for tie in known if tie.split(":")[0] == name}
    wrong = [
        f"{tie} points down the list of its folder, in {files}"
        for tie, files in found.items()
        if tie not in mine
    ]
    gone = [f"{tie} is gone: strike it off tools/known_ties.txt" for tie in mine - found.keys()]
    return sorted(wrong) + sorted(gone)


def rust_faults(crate: str, sources: dict[Path, str], known: Iterable[str]) -> list[str]:
    """Return what is wrong in a crate whose files, by path from `src`, are `sources`."""
    modules = rust_modules.read_modules(sources)
    orders = {at: module.children for at, module in modules.items()}
    return faults(crate, orders, rust_modules.ties(modules), known)


def python_faults(sources: dict[Path, str], orders: Orders, known: Iterable[str]) -> list[str]:
    """Return what is wrong in the package whose files, by path from its folder, are `sources`."""
    folders = python_modules.folders(sources)
    wrong = []
    for folder, modules in folders.items():
        name = ".".join(("floeberg", *folder))
        listed = orders.get(folder, [])
        wrong += [f"{name}: {module} is not in its module-order" for module in sorted(modules - set(listed))]
        wrong += [f"{name}: there is no module {module}" for module in sorted(set(listed) - modules)]
    if wrong:
        return wrong
    return faults("floeberg", orders, python_modules.ties(sources), known)


def main() -> int:
    """Check every crate and the package; print every fault."""
    known = [line for line in KNOWN.read_text().splitlines() if line and not line.startswith("#")]
    found = []
    crates = load()["metadata"]["architecture"]["layers"]
    for crate in crates:
        folder = ROOT / "rust" / crate / "src"
        files = [path.relative_to(folder) for path in folder.rglob("*.rs")]
        sources = {path: (folder / path).read_text() for path in files if not is_test(path)}
        found += rust_faults(crate, sources, known)
    files = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")]
    sources = {path: (PACKAGE / path).read_text() for path in files}
    found += python_faults(sources, python_modules.orders(ROOT / "pyproject.toml"), known)
    names = {*crates, "floeberg"}
    found += [f"{tie}: nothing has that name" for tie in known if tie.split(":")[0] not in names]
    for fault in found:
        print(f"modules: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
