"""Data files are written again with their rows in another order: files of a group are sorted as one."""

from __future__ import annotations

import datetime
import itertools
import json
import math
import pickle
import random
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import _native, errors
from floeberg.types import SortField, SortOrder
from maintenance.disk import EVER, named, on_disk
from maintenance.sorted_files import lineage, order_ids, rows_of_files

ALL = {"rewrite-all": "true"}
SCHEMA = pa.schema([("id", pa.int64()), ("name", pa.string()), ("part", pa.string())])


def scattered(catalog, version: int = 2, *, files: int = 8, rows: int = 50, **more: Any) -> fb.Table:
    """A table whose files each have rows from everywhere."""
    table = catalog.create_table("db.s", SCHEMA, format_version=version, **more)
    ids = list(range(files * rows))
    random.Random(7).shuffle(ids)
    for first in range(0, len(ids), rows or 1):
        some = ids[first : first + rows]
        names = [None if each % 11 == 0 else f"n{each % 40:02}" for each in some]
        table.append(pa.table({"id": some, "name": names, "part": ["ab"[each % 2] for each in some]}, SCHEMA))
    return table


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("partition_spec", [[], ["part"]])
def test_rows_of_a_group_are_sorted_and_stay_the_same(catalog, version, partition_spec):
    table = scattered(catalog, version, partition_spec=partition_spec)
    before = lineage(table, *SCHEMA.names)
    done = table.maintenance.rewrite_data_files(sort_order=["id desc"])
    files = rows_of_files(table, "id")
    assert len(files) == done.added_data_files_count == 1 + len(partition_spec)
    for rows in files:
        assert rows == sorted(rows, reverse=True)
    assert lineage(table, *SCHEMA.names) == before
    assert table.current_snapshot().operation == "replace"
    assert order_ids(table) == {0}
    assert table.sort_order().is_unsorted
    table.maintenance.expire_snapshots(older_than=EVER)
    assert on_disk(table.location()) == named(table)


@pytest.mark.parametrize("memory", ["256M", "300K"])
def test_bounds_of_files_of_a_group_do_not_overlap(catalog, monkeypatch, memory):
    monkeypatch.setenv("FLOEBERG_MEMORY", memory)
    table = scattered(catalog, 3, files=6, rows=10_000)
    before = lineage(table, *SCHEMA.names)
    sizes = {"target-file-size-bytes": "60000", **ALL}
    done = table.maintenance.rewrite_data_files(sort_order="id", options=sizes)
    files = rows_of_files(table, "id")
    assert len(files) == done.added_data_files_count > 3
    assert list(itertools.chain(*files)) == [(number,) for number in range(60_000)]
    # So one of them has all rows of a filter.
    assert len(table.scan("id = 1234").plan_files()) == 1
    assert lineage(table, *SCHEMA.names) == before


NULLS = {
    "name": lambda name: (name is not None, name),
    "name asc nulls last": lambda name: (name is None, name),
    "name desc nulls first": lambda name: (name is not None, [-ord(each) for each in name or ""]),
    "name desc": lambda name: (name is None, [-ord(each) for each in name or ""]),
}


@pytest.mark.parametrize("order", NULLS)
def test_nulls_are_where_the_order_says(catalog, order):
    table = scattered(catalog)
    table.maintenance.rewrite_data_files(sort_order=order)
    ((*rows,),) = rows_of_files(table, "name")
    keys = [NULLS[order](name) for (name,) in rows]
    assert None in {name for (name,) in rows}
    assert keys == sorted(keys)


@pytest.mark.parametrize(("order", "descends"), [("x", False), ("x desc", True)])
def test_nan_is_above_all_numbers(catalog, order, descends):
    table = catalog.create_table("db.x", pa.schema({"x": pa.float64()}))
    for value in (1.5, math.nan, -math.inf, math.inf, -2.0, 0.0):
        table.append(pa.table({"x": [value]}))
    table.maintenance.rewrite_data_files(sort_order=order)
    ((*rows,),) = rows_of_files(table, "x")
    expected = [-math.inf, -2.0, 0.0, 1.5, math.inf, math.nan]
    assert list(map(repr, next(zip(*rows, strict=True)))) == list(
        map(repr, reversed(expected) if descends else expected)
    )


def test_transforms_are_sorted_by(catalog):
    schema = pa.schema([("at", pa.timestamp("us")), ("name", pa.string())])
    table = catalog.create_table("db.t", schema)
    for number in range(12):
        at = datetime.datetime(2026, 1, 1 + number * 5 % 7, 23 - number)  # noqa: DTZ001 - a local time
        table.append(pa.table({"at": [at], "name": [f"{number * 7 % 12:02}"]}, schema))
    table.maintenance.rewrite_data_files(sort_order="(days(at) DESC, truncate(name, 1), name desc)")
    ((*rows,),) = rows_of_files(table, "at", "name")
    assert rows == sorted(rows, key=lambda row: (-row[0].day, row[1][0], -int(row[1])))
    done = table.maintenance.rewrite_data_files(sort_order="bucket(4, name)", options=ALL)
    assert (done.added_data_files_count, table.scan().count()) == (1, 12)


FORMS: list[Any] = [
    "id DESC NULLS LAST",
    ["id desc"],
    SortOrder(SortField(1, "identity", "desc", "nulls-last")),
    [SortField(1, "identity", "desc", "nulls-last")],
]


@pytest.mark.parametrize("order", FORMS, ids=str)
def test_an_order_of_the_table_has_its_id(catalog, order):
    table = scattered(catalog, sort_order=["id desc"])
    with table.update_sort_order() as update:
        update.asc("name")
    table.maintenance.rewrite_data_files(sort_order=order)
    # As in Iceberg Java, also an order that the table has had.
    assert order_ids(table) == {1}
    table.maintenance.rewrite_data_files(strategy="sort", options=ALL)
    assert order_ids(table) == {2}
    table.maintenance.rewrite_data_files(sort_order="name, id", options=ALL)
    assert order_ids(table) == {0}
    ((*rows,),) = rows_of_files(table, "name", "id")
    assert rows == sorted(rows, key=lambda row: (row[0] is not None, row[0], row[1]))


def test_evolved_specs_and_columns(catalog):
    table = scattered(catalog, 3, partition_spec=["part"])
    with table.update_spec() as update:
        update.remove_field("part")
        update.add_field("id", "bucket[2]", "shard")
    with table.update_schema() as update:
        update.rename_column("id", "number")
        update.add_column("more", "int")
    before = lineage(table, "number", "name", "part", "more")
    table.maintenance.rewrite_data_files(sort_order="more, number desc")
    for rows in rows_of_files(table, "number"):
        assert rows == sorted(rows, reverse=True)
    assert {task.file.spec_id for task in table.scan().plan_files()} == {table.spec().spec_id}
    assert (len(table.scan().plan_files()), lineage(table, "number", "name", "part", "more")) == (2, before)


def test_another_spec_of_the_table(catalog):
    table = scattered(catalog, 3, partition_spec=["part"])
    old = table.spec().spec_id
    with table.update_spec() as update:
        update.remove_field("part")
    before = lineage(table, *SCHEMA.names)
    for strategy, order in (("binpack", None), ("sort", "id")):
        done = table.maintenance.rewrite_data_files(
            strategy=strategy, sort_order=order, options={"output-spec-id": str(old), **ALL}
        )
        assert done.added_data_files_count == 2
        assert {task.file.spec_id for task in table.scan().plan_files()} == {old}
        assert len(table.scan("part = 'a'").plan_files()) == 1
        assert lineage(table, *SCHEMA.names) == before
    done = table.maintenance.rewrite_data_files(options={"output-spec-id": str(table.spec().spec_id), **ALL})
    assert (done.rewritten_data_files_count, done.added_data_files_count) == (2, 1)
    with pytest.raises(errors.InvalidInputError, match=r"no partition spec 9 .*\[0, 1\]"):
        table.maintenance.rewrite_data_files(options={"output-spec-id": "9"})


WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"strategy": "sort"}, errors.InvalidInputError, "no sort order, and none is given"),
    ({"strategy": "sort", "sort_order": []}, errors.InvalidInputError, "no field"),
    ({"strategy": "binpack", "sort_order": "id"}, errors.InvalidInputError, "binpack"),
    ({"strategy": "zorder", "sort_order": "id"}, errors.InvalidInputError, "strategy.*'zorder'"),
    ({"sort_order": "nowhere"}, errors.InvalidInputError, "nowhere"),
    ({"sort_order": "ID"}, errors.InvalidInputError, "ID"),
    ({"sort_order": "id, "}, errors.InvalidInputError, "found nothing"),
    ({"sort_order": "id up"}, errors.InvalidInputError, "id up"),
    ({"sort_order": 5}, errors.InvalidInputError, "sort_order"),
    ({"sort_order": "day(id)"}, errors.InvalidInputError, "day"),
    ({"sort_order": "id", "options": {"max-output-size": "8"}}, errors.InvalidInputError, "z-order"),
    ({"options": {"compression-factor": "1"}}, errors.InvalidInputError, "compression-factor"),
    ({"sort_order": "id", "options": {"compression-factor": "0"}}, errors.InvalidInputError, "above 0"),
    ({"sort_order": "id", "options": {"shuffle-partitions-per-file": "0"}}, errors.InvalidInputError, "1"),
    ({"sort_order": "id", "options": {"no-such": "0"}}, errors.InvalidInputError, "no-such.*'sort'"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
@pytest.mark.parametrize("rows", [0, 5])
def test_what_cannot_be_sorted_by_is_refused(catalog, number, rows):
    given, error, words = WRONG[number]
    table = scattered(catalog, files=rows and 1, rows=rows)
    for dry_run in (True, False):
        with pytest.raises(error, match=words):
            table.maintenance.rewrite_data_files(**given, dry_run=dry_run)
    assert len(table.snapshots()) == (rows > 0)


def test_the_case_of_names_counts_unless_it_does_not(catalog):
    table = scattered(catalog)
    table.maintenance.rewrite_data_files(sort_order="ID desc", case_sensitive=False)
    ((*rows,),) = rows_of_files(table, "id")
    assert rows == sorted(rows, reverse=True)


def test_another_writer_that_renames_the_column_is_a_conflict(catalog):
    table = scattered(catalog)
    stale = catalog.load_table("db.s")
    with table.update_schema() as update:
        update.rename_column("id", "number")
        update.rename_column("name", "id")
    with pytest.raises(errors.CommitConflictError, match="id"):
        stale.maintenance.rewrite_data_files(sort_order="id")
    # An order by another column is not one of the table.
    stale = catalog.load_table("db.s")
    with table.refresh().update_schema() as update:
        update.add_column("more", "int")
    assert stale.maintenance.rewrite_data_files(sort_order="number").added_data_files_count == 1


def test_readers_of_changes_see_none(catalog):
    table = scattered(catalog, 3)
    before = table.current_snapshot().snapshot_id
    table.maintenance.rewrite_data_files(sort_order="zorder(id, name)")
    after = table.current_snapshot().snapshot_id
    changes = table.changelog_scan(from_snapshot_id_exclusive=before, to_snapshot_id_inclusive=after)
    assert changes.to_arrow().num_rows == 0


def test_an_order_by_an_unknown_transform_cannot_be_kept(catalog):
    table = scattered(catalog, 3)
    with table.update_sort_order() as update:
        update.asc(["id", "name"], "zorder[4]")
    with pytest.raises(errors.UnsupportedError, match="transform"):
        table.maintenance.rewrite_data_files(strategy="sort")
    assert table.maintenance.rewrite_data_files(sort_order="id").added_data_files_count == 1


def test_the_operation_travels(catalog):
    table = scattered(catalog, 2)
    paths = [task.file.file_path for task in table.scan().plan_files()]
    sort = {"order": "id desc", "case-sensitive": True, "variable-bytes": None, "key-bytes": None}
    wanted = {"groups": [paths], "options": {}, "sort": sort, "output-spec-id": 0}
    made = _native.Operation.rewrite_data_files(json.dumps(wanted))
    read = pickle.loads(pickle.dumps(made))
    assert (read.name, pickle.dumps(read)) == (made.name, pickle.dumps(made))
