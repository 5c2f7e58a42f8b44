"""Names are the field's: those of PyIceberg, or words that the glossary explains."""

from __future__ import annotations

import importlib
import re

from cargo_workspace import ROOT

from public_names import public_names

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")

# Where PyIceberg has what users name.
MODULES_OF_PYICEBERG = (
    "catalog",
    "exceptions",
    "expressions",
    "expressions.parser",
    "partitioning",
    "schema",
    "table",
    "table.refs",
    "table.snapshots",
    "table.sorting",
    "table.statistics",
    "table.update.schema",
    "transforms",
    "types",
)


def section(heading: str) -> str:
    """What stands under a heading of the glossary, up to the next of its level."""
    level = heading.partition(" ")[0]
    begun = GLOSSARY.partition(f"\n{heading}\n")[2]
    return re.split(rf"^#{{1,{len(level)}}} ", begun, flags=re.MULTILINE)[0]


def rows(text: str) -> list[list[str]]:
    """The rows of the tables in a text, without their heads."""
    cells = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in text.splitlines()
        if line[:1] == "|"
    ]
    rules = [number for number, row in enumerate(cells) if set("".join(row)) <= set("- |")]
    heads = {number - 1 for number in rules} | set(rules)
    return [row for number, row in enumerate(cells) if number not in heads]


def words(cell: str) -> list[str]:
    """What stands between backticks in a cell."""
    return re.findall(r"`([^`]+)`", cell)


def words_of_pyiceberg() -> set[str]:
    """The public names of PyIceberg's modules."""
    modules = [importlib.import_module(f"pyiceberg.{name}") for name in MODULES_OF_PYICEBERG]
    return {name for module in modules for name in vars(module) if not name.startswith("_")}


EXPLAINED = {word for row in rows(section("## Public names")) for word in words(row[0])}
NAMES = {name.rpartition(".")[2] for name in public_names()}


def test_every_public_name_is_the_fields_or_explained():
    assert sorted(NAMES - EXPLAINED - words_of_pyiceberg()) == [], "explain them in docs/glossary.md"


def test_the_glossary_explains_nothing_that_is_not_there():
    assert sorted(EXPLAINED - NAMES) == []
