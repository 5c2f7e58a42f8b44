"""Columns that change in a table whose files have no field ids: `schema.name-mapping.default` goes with them."""

from __future__ import annotations

import itertools
import json
import warnings

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from floeberg.catalog.sql import SqlCatalog
from floeberg.errors import InvalidDataError, InvalidInputError

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pyiceberg.catalog.sql import SqlCatalog as TheirCatalog
    from pyiceberg.types import ListType, LongType, NestedField, StringType, StructType

MAPPING = "schema.name-mapping.default"
SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "x": pa.int64(),
        "p": pa.struct({"a": pa.int64(), "b": pa.int64()}),
        "l": pa.list_(pa.struct({"u": pa.int64(), "v": pa.int64()})),
    }
)
POINT = StructType(
    NestedField(1, "lon", LongType(), required=False),
    NestedField(2, "all", ListType(3, StringType(), element_required=False), required=False),
)
HISTORIES = {
    "a rename": [[("rename_column", "x", "y")]],
    "a rename, and back": [[("rename_column", "x", "y")], [("rename_column", "y", "x")]],
    "renames one after the other": [[("rename_column", "x", "y")], [("rename_column", "y", "z")]],
    "a rename in a struct": [[("rename_column", ("p", "a"), "lon")]],
    "a rename in a list": [[("rename_column", ("l", "element", "u"), "w")]],
    "a new column": [[("add_column", "n", LongType())]],
    "a new struct": [[("add_column", "n", POINT)]],
    "new fields": [[("add_column", ("p", "c"), LongType()), ("add_column", ("l", "w"), LongType())]],
    "at once": [[("rename_column", "x", "y"), ("add_column", "n", LongType())]],
    "a column that is dropped": [[("delete_column", "x")]],
    "columns that move": [[("move_first", "x"), ("move_after", "id", "p")]],
}

# Columns that take a name by which files without ids have another one. PyIceberg makes these changes, and values move.
TAKEN = {
    "a name that was given up": ([("rename_column", "x", "y")], ("add_column", "x", LongType())),
    "a column that comes again": ([("delete_column", "x")], ("add_column", "x", LongType())),
    "a field that comes again": ([("delete_column", ("p", "a"))], ("add_column", ("p", "a"), LongType())),
    "the name of a dropped column": ([("delete_column", "x")], ("rename_column", "id", "x")),
    "names that are traded": ([("rename_column", "x", "t")], ("rename_column", "id", "x")),
    "a struct's fields": ([("rename_column", ("p", "a"), "c")], ("rename_column", ("p", "b"), "a")),
}


@pytest.fixture(scope="module")
def catalogs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mappings")
    properties = {"uri": f"sqlite:///{folder}/catalog.db", "warehouse": (folder / "warehouse").as_uri()}
    ours, theirs = SqlCatalog("prod", properties), TheirCatalog("prod", **properties)
    ours.create_namespace("db")
    yield ours, theirs, (f"db.t{number}" for number in itertools.count())
    theirs.engine.dispose()


def new_table(catalogs, folder, rows):
    """A table with a file that has no ids, and so with a mapping; its name."""
    ours, _, names = catalogs
    name = next(names)
    ours.create_table(name, rows.schema)
    imported(catalogs, name, folder / "first.parquet", rows)
    return name


def imported(catalogs, name, file, rows):
    """Write a file without ids and have PyIceberg add it."""
    _, theirs, _ = catalogs
    pq.write_table(rows, file)
    theirs.load_table(name).add_files([str(file)])


def mapped(text):
    """A mapping apart from the order in which it is written."""

    def of(level):
        entries = [
            (entry.get("field-id"), sorted(entry["names"]), of(entry.get("fields", []))) for entry in level
        ]
        return sorted(entries, key=repr)

    return of(json.loads(text))


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES)
def test_a_mapping_becomes_what_it_becomes_with_pyiceberg(history, catalogs, tmp_path):
    ours, theirs, _ = catalogs
    rows = SCHEMA.empty_table()
    mine, other = (new_table(catalogs, tmp_path, rows) for _ in range(2))
    for changes in history:
        for table in (ours.load_table(mine), theirs.load_table(other)):
            with table.update_schema() as update:
                for change, *arguments in changes:
                    getattr(update, change)(*arguments)
    found = ours.load_table(mine).properties[MAPPING]
    assert mapped(found) == mapped(theirs.load_table(other).properties[MAPPING])
    assert mapped(theirs.load_table(mine).name_mapping().model_dump_json()) == mapped(found)


@pytest.mark.parametrize(("before", "refused"), TAKEN.values(), ids=TAKEN)
def test_a_name_by_which_files_without_ids_have_another_column_is_not_given(
    before, refused, catalogs, tmp_path
):
    ours, _, _ = catalogs
    name = new_table(catalogs, tmp_path, SCHEMA.empty_table())
    table = ours.load_table(name)

    def change(change, *arguments):
        with table.update_schema() as update:
            getattr(update, change)(*arguments)

    for made in before:
        change(*made)
    mapping = table.properties[MAPPING]
    with pytest.raises(InvalidInputError, match=r"cannot be named.*schema\.name-mapping\.default"):
        change(*refused)
    assert ours.load_table(name).properties[MAPPING] == mapping


def test_no_rows_are_lost_by_a_name_that_was_given_up(catalogs, tmp_path):
    """The file's counts and bounds are of the renamed column: they decide for it, and its values stay its own."""
    ours, _, _ = catalogs
    name = new_table(catalogs, tmp_path, pa.table({"id": [1], "p": ["a"]}))
    table = ours.load_table(name)
    with table.update_schema() as update:
        update.rename_column("p", "q")
    with pytest.raises(InvalidInputError, match='this is the name of the column "q"'):
        table.append(pa.table({"id": [2], "q": ["b"], "p": ["c"]}), schema_mode="merge")
    assert table.scan(row_filter="q is null").to_arrow().num_rows == 0
    table.delete("q = 'b'")
    assert table.scan().to_arrow().to_pylist() == [{"id": 1, "q": "a"}]


def moved_names(catalogs, tmp_path, rows, before, after):
    """A table with a file that has no ids, whose columns PyIceberg gives other names to, so that values move."""
    ours, theirs, _ = catalogs
    name = new_table(catalogs, tmp_path, rows)
    for change, *arguments in [*before, after]:
        with theirs.load_table(name).update_schema() as update:
            getattr(update, change)(*arguments)
    return ours.load_table(name)


def matching(table, predicate):
    """The rows for which a predicate on Python values is true, of all that a scan without a filter shows."""
    return [row for row in table.scan().to_arrow().to_pylist() if predicate(row)]


def test_statistics_of_columns_whose_names_changed_hands_prove_nothing(catalogs, tmp_path):
    """Counts and bounds of the file are those of `q`, as `p` is called now; its values are read as the new `p`."""
    table = moved_names(
        catalogs,
        tmp_path,
        pa.table({"id": [1, 2], "p": ["a", "a"]}),
        [("rename_column", "p", "q")],
        ("add_column", "p", StringType()),
    )
    everything = table.scan().to_arrow().to_pylist()
    assert everything == [{"id": 1, "q": None, "p": "a"}, {"id": 2, "q": None, "p": "a"}]
    for text, predicate in [
        ("q is null", lambda row: row["q"] is None),
        ("q is not null", lambda row: row["q"] is not None),
        ("q = 'a'", lambda row: row["q"] == "a"),
        ("p = 'a'", lambda row: row["p"] == "a"),
        ("p is null", lambda row: row["p"] is None),
        ("p is null or q = 'z'", lambda row: row["p"] is None or row["q"] == "z"),
    ]:
        expected = matching(table, predicate)
        assert table.scan(row_filter=text).to_arrow().to_pylist() == expected, text
        assert table.scan(row_filter=text).count() == len(expected), text
    assert table.scan().max("q") is None
    assert table.scan().max("p") == "a"
    # By the statistics all rows of the file would go.
    table.delete("q = 'a'")
    assert table.refresh().scan().to_arrow().to_pylist() == everything
    # What is trusted still proves: no row has such an id, and all rows have one of these.
    table.delete("id = 9")
    assert table.refresh().scan().to_arrow().to_pylist() == everything
    table.delete("id >= 1 and id <= 2")
    assert table.refresh().scan().count() == 0


def test_partitions_that_were_made_of_a_column_that_lost_its_name_prove_nothing(catalogs, tmp_path):
    ours, theirs, names = catalogs
    name = next(names)
    ours.create_table(
        name, pa.schema({"id": pa.int64(), "p": pa.string()}), partition_spec=["truncate(1, p)"]
    )
    file = tmp_path / "first.parquet"
    pq.write_table(pa.table({"id": [1, 2], "p": ["ab", "ac"]}), file)
    theirs.load_table(name).add_files([str(file)])
    for change, *arguments in [("rename_column", "p", "q"), ("add_column", "p", StringType())]:
        with theirs.load_table(name).update_schema() as update:
            getattr(update, change)(*arguments)
    table = ours.load_table(name)
    everything = table.scan().to_arrow().to_pylist()
    assert [row["q"] for row in everything] == [None, None]
    assert table.scan(row_filter="q is null").to_arrow().to_pylist() == everything
    tasks = list(table.scan(row_filter="q is null").plan_files())
    assert len(tasks) == 1
    before = {task.file.file_path for task in table.scan().plan_files()}
    table.delete("q like 'a%'")
    assert {task.file.file_path for task in table.refresh().scan().plan_files()} == before
    assert table.scan().to_arrow().to_pylist() == everything


def test_a_column_that_was_dropped_and_comes_again_is_found_by_its_values(catalogs, tmp_path):

    table = moved_names(
        catalogs,
        tmp_path,
        pa.table({"id": [1], "p": ["a"]}),
        [("delete_column", "p")],
        ("add_column", "p", StringType()),
    )
    assert table.scan().to_arrow().to_pylist() == [{"id": 1, "p": "a"}]
    assert table.scan(row_filter="p = 'a'").to_arrow().num_rows == 1
    assert table.scan(row_filter="p is null").to_arrow().num_rows == 0
    assert table.scan(row_filter="p is not null").count() == 1


def test_files_that_are_imported_under_old_names_and_new_ones_have_their_values(catalogs, tmp_path):
    ours, _, _ = catalogs
    nested = pa.array([{"a": 5}], pa.struct({"a": pa.int64()}))
    name = new_table(catalogs, tmp_path, pa.table({"id": [1], "x": [10], "p": nested}))
    table = ours.load_table(name)
    with table.update_schema() as update:
        update.rename_column("x", "y").rename_column("p.a", "b").add_column("n", "long")
    renamed = pa.array([{"b": 6}], pa.struct({"b": pa.int64()}))
    imported(
        catalogs, name, tmp_path / "new.parquet", pa.table({"id": [2], "y": [20], "p": renamed, "n": [7]})
    )
    assert table.refresh().scan().to_arrow().sort_by("id").to_pylist() == [
        {"id": 1, "y": 10, "p": {"b": 5}, "n": None},
        {"id": 2, "y": 20, "p": {"b": 6}, "n": 7},
    ]


def test_columns_that_rows_bring_are_mapped_too(catalogs, tmp_path):
    ours, _, _ = catalogs
    name = new_table(catalogs, tmp_path, pa.table({"id": [1]}))
    table = ours.load_table(name)
    table.append(pa.table({"id": [2], "n": [7]}), schema_mode="merge")
    with table.transaction() as transaction:
        with transaction.update_schema() as update:
            update.union_by_name(pa.schema({"m": pa.int64()}))
        transaction.append(pa.table({"id": [3], "n": [8], "m": [9]}))
    imported(catalogs, name, tmp_path / "new.parquet", pa.table({"id": [4], "n": [10], "m": [11]}))
    found = [list(row.values()) for row in table.refresh().scan().to_arrow().sort_by("id").to_pylist()]
    assert found == [[1, None, None], [2, 7, None], [3, 8, 9], [4, 10, 11]]


def test_a_mapping_that_cannot_be_read_stays_until_it_is_needed(catalogs, tmp_path):
    ours, theirs, _ = catalogs
    name = new_table(catalogs, tmp_path, pa.table({"id": [1]}))
    with theirs.load_table(name).transaction() as transaction:
        transaction.set_properties({MAPPING: "[{"})
    table = ours.load_table(name)
    with table.update_schema() as update:
        update.add_column("n", "long")
    assert table.properties[MAPPING] == "[{"
    with pytest.raises(InvalidDataError, match=MAPPING):
        table.scan().to_arrow()
