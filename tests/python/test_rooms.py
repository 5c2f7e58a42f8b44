"""Every room says at its door what it is for, and every crate lists its rooms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cargo_workspace import ROOT
from check_known_failures import tomllib
from rust_modules import DECLARATION, without_tests

LAYERS = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["metadata"]["architecture"][
    "layers"
]

# Rooms whose header says too little today. They may only become fewer.
SHORT = {
    "floeberg-iceberg/inspect",
    "floeberg-iceberg/metadata",
    "floeberg-iceberg/plan",
    "floeberg-iceberg/read",
    "floeberg-iceberg/write",
}


def header_of(file: Path) -> str:
    """The `//!` lines that a file begins with."""
    return "".join(
        line.removeprefix("//!")
        for line in re.match(r"(?:(?://!.*)?\n)*", file.read_text("utf-8"))[0].splitlines(keepends=True)
    )


def rooms_of(source: Path) -> dict[str, Path]:
    """The rooms of a crate, each with the file that it begins with."""
    names = DECLARATION.findall(without_tests((source / "lib.rs").read_text("utf-8")))
    return {
        name: next(file for file in (source / f"{name}.rs", source / name / "mod.rs") if file.exists())
        for name in names
    }


def is_said(header: str) -> bool:
    """Is it a question, and a sentence after it?"""
    lines = [line.strip() for line in header.splitlines()]
    return lines[0].endswith("?") and len([line for line in lines if line]) > 1


@pytest.mark.parametrize("layer", LAYERS)
def test_a_crate_says_what_it_is_for_and_lists_its_rooms(layer):
    source = ROOT / "rust" / layer / "src"
    header = header_of(source / "lib.rs")
    assert is_said(header)
    # In any order: the order of the modules is that of their `mod` lines.
    assert sorted(re.findall(r"^ - `(\w+)`: \S", header, flags=re.MULTILINE)) == sorted(rooms_of(source))


# A file of the binding is one class, and its line in lib.rs says enough.
@pytest.mark.parametrize("layer", LAYERS[:-1])
def test_a_room_begins_with_its_question_and_a_sentence(layer):
    rooms = rooms_of(ROOT / "rust" / layer / "src")
    short = {f"{layer}/{name}" for name, file in rooms.items() if not is_said(header_of(file))}
    assert short == {name for name in SHORT if name.startswith(f"{layer}/")}


def test_the_architecture_names_rooms_of_the_package_that_are_there():
    table = (
        (ROOT / "ARCHITECTURE.md")
        .read_text("utf-8")
        .partition("## The Python package\n")[2]
        .partition("\n## ")[0]
    )
    named = {
        name
        for row in re.findall(r"^\| (`.*?) \|", table, flags=re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }
    package = ROOT / "python" / "floeberg"
    assert len(named) > 15
    assert {
        name for name in named if not (package / name).is_dir() and not (package / f"{name}.py").exists()
    } == set()


def test_headers_are_told_apart():
    assert is_said("Which files match?\n\n In: a filter. Out: files.\n")
    assert not is_said("Which files match?\n")
    assert not is_said("Files.\n\n In: a filter.\n")
