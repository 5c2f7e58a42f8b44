"""Tables of other writers leave as plain files, and these become tables with the same rows."""

from __future__ import annotations

from pathlib import Path

import pytest

import floeberg as fb
from corpus import lent

ROLES = ("refs", "types", "nested", "nanoseconds", "variants", "deletes", "evolved", "odd_names", "empty")


@pytest.mark.parametrize("role", ROLES)
def test_a_table_leaves_and_comes_back(tmp_path: Path, role: str) -> None:
    table = lent(role).open()
    rows = table.scan().to_arrow()
    done = fb.export_table(table, tmp_path / "out")
    assert done.rows == rows.num_rows
    assert fb.verify_export(tmp_path / "out").is_whole
    back = fb.snapshot_table(tmp_path / "out", tmp_path / "back", format_version=3).table
    assert back is not None
    # A variant leaves as the struct of its two parts.
    names = [each.name for each in back.schema().fields]
    assert names == [each.name for each in table.schema().fields]
    assert sorted(map(repr, back.scan().to_arrow().to_pylist())) == sorted(map(repr, rows.to_pylist()))
