"""Rows, by every way out."""

from __future__ import annotations

import os
import shutil

import polars as pl
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import errors
from floeberg import expressions as fx


def rows(table: pa.Table) -> list[tuple]:
    return sorted(zip(*(column.to_pylist() for column in table.columns), strict=True))


def expected_rows(case) -> list[tuple]:
    return sorted(tuple(row) for row in case.expected["rows"])


@pytest.mark.parametrize("name", ["refs", "deletes", "vectors"])
def test_the_rows_are_those_that_the_writer_wrote(name, request):
    case = request.getfixturevalue(name)
    scan = case.open().scan()
    assert rows(scan.to_arrow()) == expected_rows(case)
    assert scan.count() == case.expected["row_count"]


@pytest.mark.parametrize("name", ["refs", "deletes", "vectors"])
def test_filters_as_text_and_as_json_keep_the_same_rows(name, request):
    case = request.getfixturevalue(name)
    table = case.open()
    for known in case.expected["filters"]:
        by_text = table.scan(row_filter=known["sql"])
        by_json = table.scan(row_filter=fx.from_json(known["expression"]))
        assert by_text.count() == by_json.count() == known["row_count"]
        assert rows(by_text.to_arrow()) == rows(by_json.to_arrow())


def test_every_way_out_gives_the_same_rows(deletes):
    scan = deletes.open().scan(row_filter="id < 10", selected_fields=("id", "cat"))
    table = scan.to_arrow()
    assert table.column_names == ["id", "cat"]
    assert scan.to_arrow_batch_reader().read_all() == table
    assert pa.table(scan) == table
    assert scan.to_pandas().equals(table.to_pandas())
    assert scan.to_polars().equals(pl.from_arrow(table))
    assert pl.DataFrame(scan).equals(pl.from_arrow(table))
    duck = scan.to_duckdb("t")
    assert duck.sql("select id, cat from t").fetchall() == list(zip(*table.to_pydict().values(), strict=True))


def test_a_table_is_a_stream_of_its_rows(refs):
    assert rows(pa.table(refs.open())) == expected_rows(refs)
    assert pa.schema(refs.open()).names == refs.expected["columns"]


def test_scans_are_built_step_by_step_and_never_change(refs):
    table = refs.open()
    first = table.scan()
    second = first.filter("id > 1").filter(fx.LessThan("id", 5)).select("id")
    assert first.count() == 9
    wanted = [(row[0],) for row in refs.expected["rows"] if 1 < row[0] < 5]
    assert rows(second.to_arrow()) == sorted(wanted)
    assert [field.name for field in second.projection().fields] == ["id"]
    assert [field.name for field in second.schema().fields] == refs.expected["columns"]


def test_a_limit_is_kept(refs):
    scan = refs.open().scan(limit=4)
    assert scan.to_arrow().num_rows == scan.count() == 4
    assert refs.open().scan(limit=0).to_arrow().num_rows == 0
    with pytest.raises(errors.InvalidInputError, match="-1"):
        refs.open().scan(limit=-1)


def test_names_without_case_are_found_when_asked(refs):
    table = refs.open()
    assert table.scan(row_filter="ID = 1", selected_fields=("CAT",), case_sensitive=False).count() == 1
    with pytest.raises(errors.InvalidInputError, match="ID"):
        table.scan(row_filter="ID = 1")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"row_filter": "idd = 1"}, "near matches"),
        ({"row_filter": "id = 'x'"}, "id"),
        ({"row_filter": "id ="}, "position"),
        ({"selected_fields": ("idd",)}, "near matches"),
        ({"selected_fields": "id"}, r"\('id',\)"),
    ],
)
def test_a_mistake_is_told_before_anything_is_read(refs, options, reason):
    with pytest.raises(errors.InvalidInputError, match=reason):
        refs.open().scan(**options)


def test_refs_and_moments_are_scanned(refs):
    scan = refs.open().scan()
    timestamp_ms, snapshot_id = refs.expected["snapshot_log"][0]
    assert scan.use_ref("first").snapshot_id == refs.expected["refs"]["first"]["snapshot_id"]
    assert scan.as_of(timestamp_ms).snapshot_id == snapshot_id
    assert refs.open().scan(snapshot_id=snapshot_id).snapshot_id == snapshot_id
    with pytest.raises(errors.InvalidInputError, match="choose one snapshot"):
        scan.use_ref("first").as_of(timestamp_ms)
    with pytest.raises(errors.NotFoundError, match="nope"):
        scan.use_ref("nope")


def test_filters_of_no_rows_and_of_all(refs):
    table = refs.open()
    assert table.scan(row_filter="false").to_arrow().num_rows == 0
    assert table.scan(row_filter="true").count() == 9
    for given in (True, False):
        with pytest.raises(errors.InvalidInputError, match="a filter cannot be the bool"):
            table.scan(row_filter=given)
    assert len(table.scan(row_filter=fx.AlwaysFalse()).plan_files()) == 0


@pytest.fixture
def damaged(deletes, tmp_path):
    """A copy with one data file cut short."""
    location = tmp_path / "table"
    shutil.copytree(deletes.folder / "table", location)
    table = fb.open_table(location, relocate={deletes.expected["original_dir"]: str(location)})
    victim = table.scan().plan_files()[0].file.location
    os.truncate(victim.removeprefix("file://"), 20)
    return table, victim


@pytest.mark.parametrize(
    "read",
    [
        lambda scan: scan.to_arrow(),
        lambda scan: scan.to_arrow_batch_reader().read_all(),
        lambda scan: scan.to_pandas(),
        lambda scan: [group.to_arrow() for group in scan.plan_files().split()],
    ],
    ids=["to_arrow", "to_arrow_batch_reader", "to_pandas", "group"],
)
def test_an_error_keeps_its_class_and_names_the_file_by_every_way_out(damaged, read):
    table, victim = damaged
    with pytest.raises(errors.InvalidDataError) as caught:
        read(table.scan())
    assert victim.rpartition("/")[2] in str(caught.value)


def test_a_consumer_of_the_c_stream_gets_the_error_as_text(damaged):
    table, victim = damaged
    with pytest.raises(Exception, match=victim.rpartition("/")[2]):
        pa.table(table.scan())
