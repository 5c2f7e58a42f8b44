"""Where a table is, as users write it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import floeberg as fb
from floeberg import errors


@pytest.fixture(params=["plain", "a b", "a%20b", "100%", "ünï日本", "a#b?c=d", "it's"])
def copied(refs, tmp_path, request) -> Path:
    """A table that was moved to a folder with a name."""
    folder = tmp_path / request.param
    shutil.copytree(refs.folder / "table", folder)
    return folder


def test_a_place_may_be_a_path_or_an_encoded_uri(refs, copied, monkeypatch):
    monkeypatch.chdir(copied.parent)
    written, rows = refs.expected["original_dir"], refs.open().scan().count()
    for place in (copied, str(copied), f"{copied}/", copied.name, f"./{copied.name}", copied.as_uri()):
        table = fb.open_table(place, relocate={written: place})
        assert table.scan().count() == rows
        again = fb.open_table(table.metadata_location, relocate={written: copied})
        assert again.metadata_location == table.metadata_location


def test_a_relative_place_is_kept_when_the_working_directory_changes(refs, copied, monkeypatch):
    monkeypatch.chdir(copied.parent)
    table = fb.open_table(copied.name, relocate={refs.expected["original_dir"]: copied.name})
    scan = table.scan()
    monkeypatch.chdir("/")
    assert Path(table.metadata_location).is_absolute()
    assert scan.count() == refs.open().scan().count()


def test_a_table_that_was_moved_says_how_to_open_it(refs, copied):
    table = fb.open_table(copied)
    with pytest.raises(errors.NotFoundError) as missing:
        table.scan().to_arrow()
    assert f'relocate={{"{table.location()}": "{copied}"}}' in missing.value.context["hint"]
    moved = fb.open_table(copied, relocate={table.location(): str(copied)})
    assert moved.scan().count() == refs.open().scan().count()


def test_a_table_at_home_is_not_told_to_relocate(refs):
    moved = refs.relocate | {f"{refs.expected['original_dir']}/metadata": "/nowhere"}
    table = fb.open_table(refs.metadata_file, relocate=moved)
    with pytest.raises(errors.NotFoundError) as missing:
        table.scan().count()
    assert "hint" not in missing.value.context
