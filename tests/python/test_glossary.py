"""Names are the field's: those of PyIceberg, or words that the glossary explains."""

from __future__ import annotations

import importlib
import re
import subprocess
from pathlib import Path

import pyiceberg
import pytest
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


@pytest.mark.parametrize("heading", ["## Public names", "## Words of the code"])
def test_every_row_says_what_a_word_means_and_how_the_others_spell_it(heading):
    found = rows(section(heading).partition("### In the code today")[0])
    assert len(found) > 20
    assert [row for row in found if len(row) != 4 or not all(row)] == []


def test_pyiceberg_spells_words_as_the_glossary_says():
    found = rows(
        section("## Public names") + section("## Words of the code").partition("### In the code today")[0]
    )
    spelled = {word for row in found for word in words(row[3])}
    folder = Path(pyiceberg.__file__).parent
    known = set(
        re.findall(r"\w+", " ".join(file.read_text(encoding="utf-8") for file in folder.rglob("*.py")))
    )
    assert len(spelled) > 40
    assert [word for word in sorted(spelled) if not set(word.split(".")) <= known] == []


def test_words_that_were_renamed_are_struck_off():
    found = rows(section("### In the code today"))
    # The shell's own words, since a workspace is large.
    gone = [
        word
        for row in found
        for word in words(row[0])
        if "/" not in word
        and subprocess.run(
            ["git", "grep", "-qw", word, "--", "rust", "python"], cwd=ROOT, check=False
        ).returncode
    ]
    assert gone == [], "they are renamed: strike them off in docs/glossary.md"


@pytest.mark.parametrize(
    "word",
    [
        "atomic",
        "copy-on-write",
        "merge-on-read",
        "row-level",
        "pushdown",
        "hidden partitioning",
        "optimistic concurrency",
        "FileIO",
        "time travel",
        "schema evolution",
    ],
)
def test_words_that_users_look_for_occur_in_the_guide(word):
    guide = [page.read_text(encoding="utf-8").lower() for page in (ROOT / "docs" / "guide").glob("*.md")]
    assert any(word.lower() in page for page in guide)
