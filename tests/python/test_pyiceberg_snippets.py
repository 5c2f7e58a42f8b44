"""Scripts for PyIceberg, with the import changed, find here what they find there.

PyIceberg runs each too. Those that do not run here are named, and stand on the page "Coming from PyIceberg".
"""

from __future__ import annotations

import warnings

import pytest

from floeberg.errors import UnsupportedError
from pyiceberg_snippets import SNIPPETS

MISSING = {"snapshots: expired by id", "snapshots: expired by age"}
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
    if name in MISSING:
        with pytest.raises(UnsupportedError):
            found(ours, tmp_path / "ours")
    elif name in DIFFERENT:
        assert found(ours, tmp_path / "ours") == theirs.replace("required", "optional") != theirs
    else:
        assert found(ours, tmp_path / "ours") == theirs


def test_nearly_all_snippets_are_the_same():
    assert len(SNIPPETS) == 57
    assert len(SNIPPETS) - len(MISSING | DIFFERENT) >= 48
