"""Which module of a crate uses which? Found in the text of its sources, without compiling them.

Paths are `crate::..`, `self::..`, `super::..`, and those that begin with a child or with a name of a `use`. They are
followed through the re-exports of the modules on their way. What stands under `#[cfg(test)]` does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cargo_workspace import strip_comments

# A module from the root of its crate: its names; the root has none.
ModulePath = tuple[str, ...]
# By folder: which child uses which, and in which files.
Ties = dict[ModulePath, dict[tuple[str, str], set[Path]]]

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|\*")
ALIAS = re.compile(r"\s+as\s+([A-Za-z_][A-Za-z0-9_]*)")
DECLARATION = re.compile(r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?mod\s+([a-z_][a-z0-9_]*)\s*;", re.MULTILINE)
USE = re.compile(r"\buse\s+")
PATH = re.compile(r"(?<![:\w])(?:crate|self|super|[a-z_][a-z0-9_]*)::")


@dataclass
class Module:
    """What the text of a module says."""

    file: Path
    # In the order in which they are declared.
    children: list[str] = field(default_factory=list)
    # What its `use` lines bring in: a name, and the path that it stands for, as written.
    names: dict[str, ModulePath] = field(default_factory=dict)
    paths: set[ModulePath] = field(default_factory=set)


def module_of(path: Path) -> ModulePath:
    """Return the module of a file, given from its crate's `src`; lib.rs is the root."""
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


def paths_from(text: str, at: int, before: ModulePath = ()) -> Iterator[tuple[ModulePath, str]]:
    """Yield the paths of the `use` tree, or the one path, that begins at `at`, each with the name that it is given."""
    parts = list(before)
    while True:
        while text[at : at + 1].isspace():
            at += 1
        if text[at : at + 1] == "{":
            for item in items_of_group(text, at):
                yield from paths_from(item, 0, tuple(parts))
            return
        word = WORD.match(text, at)
        if word is None:
            return
        parts.append(word.group(0))
        at = word.end()
        if text.startswith("::", at):
            at += 2
            continue
        alias = ALIAS.match(text, at)
        if parts[-1] == "self":
            parts.pop()
        if parts:
            yield tuple(parts), alias.group(1) if alias else parts[-1]
        return


def items_of_group(text: str, at: int) -> Iterator[str]:
    """Yield what stands between the commas of the group whose brace is at `at`."""
    depth, begin = 0, at + 1
    for end in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if (depth == 1 and text[end] == ",") or depth == 0:
            if text[begin:end].strip():
                yield text[begin:end]
            begin = end + 1
        if depth == 0:
            return


def read_modules(sources: dict[Path, str]) -> dict[ModulePath, Module]:
    """Return the modules of a crate; `sources` are its files by path from `src`."""
    found: dict[ModulePath, Module] = {}
    for file, source in sources.items():
        text = without_tests(source)
        module = Module(file, DECLARATION.findall(text))
        for use in USE.finditer(text):
            for path, name in paths_from(text, use.end()):
                module.paths.add(path)
                module.names[name] = path
        body = re.sub(r"\buse\s+[^;]*;", "", text)
        for match in PATH.finditer(body):
            module.paths.update(path for path, _ in paths_from(body, match.start()))
        found[module_of(file)] = module
    # Without what only tests declare.
    return {at: module for at, module in found.items() if is_declared(found, at)}


def is_declared(modules: dict[ModulePath, Module], at: ModulePath) -> bool:
    """Tell whether a module is declared by its parent, and that one by its own."""
    return not at or (at[-1] in modules[at[:-1]].children and is_declared(modules, at[:-1]))


def resolve(
    modules: dict[ModulePath, Module], at: ModulePath, path: ModulePath, seen: frozenset[object] = frozenset()
) -> ModulePath | None:
    """Return the module that a path in the module `at` names or stands in; None outside of the crate."""
    if (at, path) in seen:
        return at
    seen |= {(at, path)}
    first, rest = path[0], path
    if first == "crate":
        where, rest = (), path[1:]
    elif first in ("self", "super"):
        where = at
        while rest and rest[0] in ("self", "super"):
            where, rest = where if rest[0] == "self" else where[:-1], rest[1:]
    elif first in modules[at].children:
        where = at
    else:
        target = modules[at].names.get(first)
        if target is None or target[0] == first:
            return None
        return resolve(modules, at, target + path[1:], seen)
    return follow(modules, at, where, rest, seen)


def follow(
    modules: dict[ModulePath, Module],
    at: ModulePath,
    where: ModulePath,
    rest: ModulePath,
    seen: frozenset[object],
) -> ModulePath | None:
    """Go down from `where`, through children and re-exports."""
    while rest and where in modules:
        module = modules[where]
        if rest[0] in module.children:
            where, rest = (*where, rest[0]), rest[1:]
        elif rest[0] in module.names and where != at:
            return resolve(modules, where, module.names[rest[0]] + rest[1:], seen)
        else:
            return where
    return where


def ties(modules: dict[ModulePath, Module]) -> Ties:
    """Return who uses whom among the children of each folder."""
    found: Ties = {}
    for at, module in modules.items():
        for path in module.paths:
            target = resolve(modules, at, path)
            if target is None:
                continue
            depth = 0
            while depth < min(len(at), len(target)) and at[depth] == target[depth]:
                depth += 1
            if depth < min(len(at), len(target)):
                pairs = found.setdefault(at[:depth], {})
                pairs.setdefault((at[depth], target[depth]), set()).add(module.file)
    return found
