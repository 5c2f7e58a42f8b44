"""Tables of pylance that we go on with."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import lance
import pytest

import floeberg as fb
from corpus import lance_cases
from floeberg.errors import InvalidInputError, UnsupportedError

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.lance import LanceCase

CASES = [case for case in lance_cases() if not case.names_other_folders]
REFUSED = 6
"""So many cases at most have columns, flags or files that are not written."""


def work(case: LanceCase, folder: Path) -> fb.LanceTable:
    """Adds rows and a column, deletes and compacts."""
    shutil.copytree(case.location, folder)
    table = fb.open_table(folder, format="lance")
    rows = table.scan(limit=2).to_arrow()
    before = table.scan().count()
    table.append(rows)
    assert table.scan().count() == before + rows.num_rows
    table.add_columns({"floeberg_number": 7})
    table.update({"floeberg_number": 8}, "floeberg_number = 7")
    try:
        table.maintenance.compact()
    except InvalidInputError:
        table.maintenance.compact(drop_indices=True)
    return table


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_table_of_pylance_is_changed_and_read_by_pylance(case: LanceCase, tmp_path: Path) -> None:
    try:
        table = work(case, tmp_path / "table")
    except UnsupportedError as error:
        pytest.skip(str(error))
    dataset = lance.dataset(table.location)
    dataset.validate()
    columns = [*table.schema().names, "_rowid", "_rowaddr"]
    expected = dataset.to_table(with_row_id=True, with_row_address=True).select(columns)
    found = table.scan().select("*", "_rowid", "_rowaddr").to_arrow().select(columns)
    # NaN is not equal to itself.
    assert repr(found.to_pylist()) == repr(expected.to_pylist())
    dataset.insert(dataset.to_table(limit=1))
    dataset.optimize.compact_files()
    assert (
        table.refresh().scan().count()
        == dataset.count_rows()
        == expected.num_rows + min(1, expected.num_rows)
    )


def test_few_tables_are_refused(tmp_path: Path) -> None:
    refused = []
    for case in CASES:
        try:
            work(case, tmp_path / case.name)
        except UnsupportedError as error:
            refused.append((case.name, str(error)))
    assert len(refused) <= REFUSED, refused
