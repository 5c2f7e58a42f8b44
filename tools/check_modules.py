"""Does every module of a crate use only those that stand to its left?

The order is [workspace.metadata.architecture.modules] in Cargo.toml: for each crate its top-level modules from left to
right. A list in that list is a group whose modules may know each other. A module that is not listed is a fault, so a
crate without cycles between its groups stays without.

Paths are found textually: `crate::module`, groups after `use crate::{..}`, and `super::` chains. Tests do not count.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from cargo_workspace import ROOT, is_test, load, strip_comments

Order = list[str | list[str]]


def module_of(path: Path) -> tuple[str, ...]:
    """Return the module path of a file, given from its crate's `src`; lib.rs is the empty path."""
    parts = path.with_suffix("").parts
    return parts[:-1] if parts[-1] in ("lib", "mod", "main") else parts


def without_tests(source: str) -> str:
    """Return Rust source without comments, strings and what follows `#[cfg(test)]` up to its end."""
    text = strip_comments(source)
    while (start := text.find("#[cfg(test)]")) >= 0:
        end = start + len("#[cfg(test)]")
        depth = 0
        while end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
            if depth == 0 and text[end - 1] in ";}":
                break
        text = text[:start] + text[end:]
    return text


def heads(text: str, start: int) -> Iterator[str]:
    """Yield the first names of a path or of the group of paths that begins at `start`."""
    if text[start] != "{":
        if match := re.match(r"[a-z_][a-z0-9_]*\b", text[start:]):
            yield match.group(0)
        return
    depth, at, fresh = 0, start, True
    while at < len(text):
        character = text[at]
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return
        elif character == "," and depth == 1:
            fresh = True
        elif fresh and depth == 1 and not character.isspace():
            yield from heads(text, at)
            fresh = False
        at += 1


def used(path: Path, source: str) -> set[str]:
    """Return the top-level names that a file reaches by `crate::` or by `super::` up to the crate's root."""
    text = without_tests(source)
    found = set()
    for match in re.finditer(r"\bcrate::", text):
        found.update(heads(text, match.end()))
    for match in re.finditer(r"\b((?:super::)+)", text):
        if match.group(1).count("super::") >= len(module_of(path)):
            found.update(heads(text, match.end()))
    return found


def faults(crate: str, order: Order, sources: dict[Path, str]) -> list[str]:
    """Return what is wrong in a crate whose files, by path from `src`, are `sources`."""
    place = {
        name: at for at, group in enumerate(order) for name in ([group] if isinstance(group, str) else group)
    }
    modules = {module_of(path)[0] for path in sources if module_of(path)}
    found = [
        f"{crate}: module {name} is not in [workspace.metadata.architecture.modules]"
        for name in sorted(modules - place.keys())
    ]
    found += [f"{crate}: there is no module {name}" for name in sorted(place.keys() - modules)]
    for path, source in sorted(sources.items()):
        module = module_of(path)
        if not module or module[0] not in place:
            continue
        for name in sorted(used(path, source) & modules - {module[0]}):
            if place.get(name, -1) > place[module[0]]:
                found.append(f"{crate}: {path} uses {name}, which stands to the right of {module[0]}")
    return found


def main() -> int:
    """Check every crate that has an order; print every fault."""
    workspace = load()
    orders: dict[str, Order] = workspace["metadata"]["architecture"]["modules"]
    all_faults = []
    for crate, order in orders.items():
        folder = ROOT / "rust" / crate / "src"
        files = [path for path in folder.rglob("*.rs") if not is_test(path.relative_to(folder))]
        all_faults += faults(crate, order, {path.relative_to(folder): path.read_text() for path in files})
    for fault in all_faults:
        print(f"modules: {fault}")
    return 1 if all_faults else 0


if __name__ == "__main__":
    sys.exit(main())
