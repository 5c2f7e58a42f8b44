"""Scripts for PyIceberg, with the import changed, find here what they find there.

PyIceberg runs each too. Those that do not run here are named, and stand on the page "Coming from PyIceberg".
"""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from floeberg.errors import InvalidInputError
from pyiceberg_snippets import SNIPPETS

ROOT = Path(__file__).parents[2]
# A time has a zone here. PyIceberg takes one without for UTC.
REFUSED = {"snapshots: expired by age"}
# A partition field is optional here, as in Iceberg Java. PyIceberg has it required where its column is.
DIFFERENT = {"partitions and orders: types of partitions"}


def found(code, folder):
    """What a snippet finds."""
    folder.mkdir()
    names = {"uri": f"sqlite:///{folder}/catalog.db", "warehouse": str(folder)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code, "snippet", "exec"), names)
    return names["result"]


@pytest.mark.parametrize("name", SNIPPETS)
def test_a_snippet_finds_what_it_finds_in_pyiceberg(name, tmp_path):
    code = SNIPPETS[name]
    theirs = found(code, tmp_path / "theirs")
    ours = code.replace("pyiceberg", "floeberg")
    if name in REFUSED:
        with pytest.raises(InvalidInputError):
            found(ours, tmp_path / "ours")
    elif name in DIFFERENT:
        assert found(ours, tmp_path / "ours") == theirs.replace("required", "optional") != theirs
    else:
        assert found(ours, tmp_path / "ours") == theirs


def test_the_page_names_the_snippets_that_are_not_the_same():
    page = (ROOT / "docs/guide/coming-from-pyiceberg.md").read_text(encoding="utf-8")
    areas = {name.partition(":")[0] for name in SNIPPETS}
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")]
    assert {row for row in rows if row.partition(":")[0] in areas} == REFUSED | DIFFERENT <= set(SNIPPETS)
    same = len(SNIPPETS) - len(REFUSED | DIFFERENT)
    assert f"Of {len(SNIPPETS)} short scripts" in page
    assert f"{same} do the\nsame here" in page
    assert same >= 48
