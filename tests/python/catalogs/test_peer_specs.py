"""Partition specs that a peer changed. Version 1 drops no field: it becomes void, which has the source's type."""

from __future__ import annotations

import datetime as dt
import itertools
import uuid
import warnings
from decimal import Decimal

import pyarrow as pa
import pytest

from floeberg.catalog.sql import SqlCatalog

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pyiceberg.catalog.sql import SqlCatalog as TheirCatalog

NOON = dt.datetime(2024, 5, 6, 12, tzinfo=dt.timezone.utc)
VALUES = {
    "boolean": (pa.bool_(), [True, False]),
    "int": (pa.int32(), [7, -70]),
    "long": (pa.int64(), [7, -(2**40)]),
    "float": (pa.float32(), [0.5, -1.5]),
    "double": (pa.float64(), [0.5, -1.5]),
    "decimal": (pa.decimal128(9, 2), [Decimal("1.25"), Decimal("-700.10")]),
    "date": (pa.date32(), [dt.date(2024, 5, 6), dt.date(1969, 1, 2)]),
    "time": (pa.time64("us"), [dt.time(12), dt.time(3, 4)]),
    "timestamp": (
        pa.timestamp("us"),
        [NOON.replace(tzinfo=None), (NOON - dt.timedelta(30_000)).replace(tzinfo=None)],
    ),
    "timestamptz": (pa.timestamp("us", "UTC"), [NOON, NOON - dt.timedelta(30_000)]),
    "string": (pa.string(), ["abc", "xyz"]),
    "uuid": (pa.uuid(), [uuid.UUID(int=7).bytes, uuid.UUID(int=2**100).bytes]),
    "fixed": (pa.binary(4), [b"abcd", b"wxyz"]),
    "binary": (pa.binary(), [b"abc", b"xyz"]),
}
TIMES = {"date", "timestamp", "timestamptz"}
TRANSFORMS = {
    "identity(v)": set(VALUES),
    "bucket(4, v)": set(VALUES) - {"boolean", "float", "double"},
    "truncate(2, v)": {"int", "long", "decimal", "string", "binary"},
    "year(v)": TIMES,
    "month(v)": TIMES,
    "day(v)": TIMES,
    "hour(v)": TIMES - {"date"},
}
CASES = [(transform, kind) for transform, kinds in TRANSFORMS.items() for kind in VALUES if kind in kinds]
WAYS = itertools.cycle(["removed", "replaced"])


@pytest.fixture(scope="module")
def catalogs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("specs")
    properties = {"uri": f"sqlite:///{folder}/catalog.db", "warehouse": (folder / "warehouse").as_uri()}
    ours, theirs = SqlCatalog("prod", properties), TheirCatalog("prod", **properties)
    ours.create_namespace("db")
    yield ours, theirs, (f"db.t{number}" for number in itertools.count())
    theirs.engine.dispose()


def partitions(table):
    """The partition of every file, by every way to ask."""
    plan = table.scan().plan_files().to_arrow()
    files = table.inspect.files()
    rows = table.scan(selected_fields=("id", "_partition")).to_arrow().sort_by("id").to_pylist()
    return (
        dict(zip(plan["file_path"].to_pylist(), plan["partition"].to_pylist(), strict=True)),
        dict(zip(files["file_path"].to_pylist(), files["partition"].to_pylist(), strict=True)),
        [row["_partition"] for row in rows],
    )


@pytest.mark.parametrize(("transform", "kind", "way"), [(*case, next(WAYS)) for case in CASES])
def test_files_of_a_field_that_version_1_voided_are_read(transform, kind, way, catalogs):
    ours, theirs, names = catalogs
    name = next(names)
    column, values = VALUES[kind]
    values = pa.array([*values, None], column)
    table = ours.create_table(
        name,
        pa.schema({"id": pa.int64(), "v": column}),
        format_version=1,
        partition_spec=[f"{transform} as part"],
    )
    count = len(values)
    table.append(pa.table({"id": range(count), "v": values}))
    before = partitions(table)

    with theirs.load_table(name).update_spec() as update:
        update.remove_field("part")
        if way == "replaced":
            update.add_field("id", "bucket[2]", "next")
    table.refresh()
    table.append(pa.table({"id": range(count, 2 * count), "v": values}))
    for version in (1, 3):
        if version > 1:
            table.upgrade_table_version(version)
        assert table.scan().count() == 2 * count
        assert table.scan().explain().data_files == len(table.inspect.files())
        after = partitions(table)
        for was, now in zip(before[:2], after[:2], strict=True):
            assert {path: now[path]["part"] for path in was} == {path: was[path]["part"] for path in was}
            assert {now[path]["part"] for path in now.keys() - was.keys()} == {None}
        assert [row["part"] for row in after[2]] == [row["part"] for row in before[2]] + [None] * count
        assert sum(table.inspect.partitions()["record_count"].to_pylist()) == 2 * count
        nulls = table.scan(row_filter="v IS NULL").to_arrow()["id"].to_pylist()
        assert sorted(nulls) == [count - 1, 2 * count - 1]
        filled = table.scan(row_filter="v IS NOT NULL").to_arrow()
        assert sorted(filled["v"].to_pylist(), key=repr) == sorted(values.to_pylist()[:-1] * 2, key=repr)
        if version == 1:
            assert theirs.load_table(name).scan().to_arrow().num_rows == 2 * count
    if way == "replaced":
        table.dynamic_partition_overwrite(pa.table({"id": [count], "v": values[:1]}))
        assert count in table.scan(row_filter=f"id >= {count}").to_arrow()["id"].to_pylist()
    table.delete(f"id >= {count}")
    assert [row["part"] for row in partitions(table)[2]] == [row["part"] for row in before[2]]


CHANGES = {
    "add": [lambda update: update.add_field("id", "bucket[16]").add_field("at", "day")],
    "named": [lambda update: update.add_field("id", "bucket[16]", "shard").add_identity("name")],
    "removed": [
        lambda update: update.remove_field("name"),
        lambda update: update.add_field("id", "truncate[10]"),
    ],
    "comes back": [lambda update: update.remove_field("name"), lambda update: update.add_identity("name")],
    "renamed": [
        lambda update: update.rename_field("name", "called"),
        lambda update: update.add_field("at", "hour"),
    ],
    "swapped": [lambda update: update.remove_field("name").add_field("id", "bucket[4]")],
    "an older name": [
        lambda update: update.add_field("at", "day", "when"),
        lambda update: update.remove_field("when"),
        lambda update: update.add_field("at", "day"),
    ],
    "another name": [
        lambda update: update.add_field("at", "day", "when"),
        lambda update: update.remove_field("when"),
        lambda update: update.add_field("at", "day", "then"),
    ],
    "twice": [lambda update: update.add_identity("name")],
    "gone": [lambda update: update.remove_field("nothing")],
    "two times": [lambda update: update.add_field("at", "day").add_field("at", "hour")],
    "does not fit": [lambda update: update.add_field("name", "day")],
    "name of a column": [lambda update: update.add_field("id", "bucket[4]", "at")],
}


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_specs_change_as_in_pyiceberg(changes, version, catalogs):
    ours, theirs, names = catalogs
    schema = pa.schema({"id": pa.int64(), "at": pa.timestamp("us", "UTC"), "name": pa.string()})
    found = []
    for catalog in (ours, theirs):
        name = next(names)
        ours.create_table(name, schema, format_version=version, partition_spec=["name"])
        refused = False
        for change in changes:
            table = catalog.load_table(name)
            try:
                with table.update_spec() as update:
                    change(update)
            except ValueError:
                refused = True
        specs = ours.load_table(name).specs()
        last = ours.load_table(name).spec().spec_id
        shown = {
            spec.spec_id: [
                (field.field_id, field.name, str(field.transform), field.source_id) for field in spec.fields
            ]
            for spec in specs.values()
        }
        found.append((refused, last, shown))
    assert found[0] == found[1]
