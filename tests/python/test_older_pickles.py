"""Are pickles of an older version refused in words that say what to do?

Those in `older_pickles` were made by the version before `floeberg.table` was a package.
"""

from __future__ import annotations

import importlib
import pickle
from pathlib import Path

import pytest

from floeberg.errors import FloebergError, UnsupportedError

FOLDER = Path(__file__).parent / "older_pickles"


@pytest.mark.parametrize("name", ["group", "inspect", "recipe", "snapshot", "table"])
def test_objects_of_an_older_version_are_refused(name):
    with pytest.raises(UnsupportedError, match=r"is of a version before 0\.1\.0\. .* make the object again"):
        pickle.loads((FOLDER / f"{name}.pkl").read_bytes())


def test_a_schema_of_an_older_version_is_refused():
    with pytest.raises(FloebergError, match=r"pickles from before version 0\.1\.0"):
        pickle.loads((FOLDER / "schema.pkl").read_bytes())


def test_a_module_that_never_was_is_missing_as_ever():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'floeberg\.never'"):
        importlib.import_module("floeberg.never")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("floeberg.plan")
