"""Lance tables in a store that is far away: the table format is read by Floeberg, pages by pylance."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pyarrow as pa
import pytest

import far_store_faults as faults
import floeberg as fb
from far_store_tables import Place, drawn, fresh
from floeberg.errors import InvalidInputError, StorageError

pytest.importorskip("lance")

ROWS = 50_000


@pytest.fixture
def folder(place: Place) -> str:
    """A table of three data files."""
    folder = f"{place.folder}/t.lance"
    table = fb.lance.create_table(folder, rows(0), storage_options=place.options)
    table.append(rows(1))
    table.append(rows(2))
    return folder


def rows(number: int) -> pa.Table:
    return drawn(pa.schema({"a": pa.int64(), "b": pa.int64()}), ROWS, number)


def opened(place: Place, folder: str, **options: str):
    return fb.open_table(folder, storage_options=place.options | fresh() | options)


def test_a_table_is_opened_with_a_list_and_a_manifest(far, place, folder):
    with far.counted() as counts:
        table = fb.open_table(folder, storage_options=place.options, format="lance")
    assert dict(counts.verbs) == {"LIST": 1, "GET": 1}, counts.shown()
    with far.counted() as counts:
        assert opened(place, folder).version == table.version
    assert dict(counts.verbs) == {"LIST": 2, "GET": 1}, counts.shown()


def ends(counts) -> int:
    """How many ends of files were asked for, without their size. pylance asks for the size first."""
    return sum(each.range is not None and each.range.startswith("bytes=-") for each in counts.requests)


def test_a_data_file_is_checked_once_with_one_request(far, place, folder):
    table = opened(place, folder)
    with far.counted() as first:
        found = table.scan().to_arrow()
    with far.counted() as second:
        assert table.scan().to_arrow().equals(found)
    assert found.equals(pa.concat_tables(rows(each) for each in range(3)))
    assert (ends(first), ends(second)) == (3, 0), first.shown()


def test_a_number_of_requests_counts_for_pages_too(far, place, folder):
    program = """
        import sys
        import floeberg as fb

        folder, *options = sys.argv[1:]
        options = dict(each.split("=", 1) for each in options)
        print(fb.open_table(folder, storage_options=options).scan().to_arrow().num_rows)
    """
    far.milliseconds = 20
    most = {}
    for requests in (1, 16):
        variables = os.environ | {"FLOEBERG_REQUESTS": str(requests)}
        options = [f"{key}={value}" for key, value in place.options.items()]
        command = [sys.executable, "-c", textwrap.dedent(program), folder, *options]
        with far.counted() as counts:
            ran = subprocess.run(command, capture_output=True, text=True, check=True, env=variables)
        assert ran.stdout.split() == [str(3 * ROWS)]
        most[requests] = counts.most_at_once
    assert most[1] == 1 < most[16]


def test_a_number_that_is_none_is_refused_before_pages_are_read(place, folder, monkeypatch):
    table = opened(place, folder)
    monkeypatch.delenv("LANCE_IO_THREADS", raising=False)
    monkeypatch.setenv("FLOEBERG_REQUESTS", "0")
    with pytest.raises(InvalidInputError, match="FLOEBERG_REQUESTS"):
        table.scan().to_arrow()


def test_the_variable_of_pylance_is_not_left_set(place, folder, monkeypatch):
    monkeypatch.delenv("LANCE_IO_THREADS", raising=False)
    assert opened(place, folder).scan().to_arrow().num_rows == 3 * ROWS
    assert "LANCE_IO_THREADS" not in os.environ
    monkeypatch.setenv("LANCE_IO_THREADS", "3")
    assert opened(place, folder).scan().to_arrow().num_rows == 3 * ROWS
    assert os.environ["LANCE_IO_THREADS"] == "3"


def test_a_store_that_refuses_pages_is_an_error_that_passes(far, place, folder):
    table = opened(place, folder, **{"io.retries": "0"})
    rule = far.misbehave(faults.refused(503, "SlowDown"), verb="HEAD", key="*/data/*", times=None)
    with pytest.raises(StorageError) as raised:
        table.scan().to_arrow()
    assert raised.value.retryable
    assert rule.done == 1


def test_an_iceberg_table_in_such_a_folder_opens(far, place):
    """Also where the store does not list."""
    table = place.catalog().create_table("db.i", rows(0).schema, location=f"{place.folder}/i.lance")
    table.append(rows(1))
    options = place.options | fresh()
    assert fb.open_table(table.location(), storage_options=options).scan().count() == ROWS
    assert fb.open_table(table.metadata_location, storage_options=options).scan().count() == ROWS
    far.misbehave(faults.refused(403, "AccessDenied"), verb="LIST", key="*/_versions/*", times=None)
    assert fb.open_table(table.location(), storage_options=place.options | fresh()).scan().count() == ROWS
