"""Tables of both formats have the same methods."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import (
    CommitLike,
    CompactionLike,
    ExpiryLike,
    InspectLike,
    MaintenanceLike,
    ScanLike,
    TableLike,
    UpsertLike,
    VersionLike,
)
from floeberg.errors import CommitConflictError, FloebergError, InvalidInputError
from floeberg.lance.inspect import LanceInspect
from floeberg.lance.maintenance import LanceMaintenance
from floeberg.lance.result import CleanupResult, CompactionResult
from floeberg.lance.versions import LanceVersion
from floeberg.maintenance import ExpireSnapshotsResult, RewriteDataFilesResult, TableMaintenance
from floeberg.table._refs import TableVersion
from floeberg.table.inspect import InspectTable

CLASSES: dict[type, tuple[type, ...]] = {
    TableLike: (fb.Table, fb.LanceTable),
    ScanLike: (fb.Scan, fb.LanceScan),
    CommitLike: (fb.CommitResult, fb.lance.LanceCommitResult),
    UpsertLike: (fb.UpsertResult, fb.lance.LanceCommitResult),
    VersionLike: (TableVersion, LanceVersion),
    InspectLike: (InspectTable, LanceInspect),
    MaintenanceLike: (TableMaintenance, LanceMaintenance),
    CompactionLike: (RewriteDataFilesResult, CompactionResult),
    ExpiryLike: (ExpireSnapshotsResult, CleanupResult),
}
PAIRS = [(protocol, each) for protocol, classes in CLASSES.items() for each in classes]


def checked_by_mypy(iceberg: fb.Table, ours: fb.LanceTable) -> list[TableLike]:
    """Both are of the protocol: mypy says so."""
    return [iceberg, ours]


def members(protocol: type) -> list[str]:
    names = {name for name, value in vars(protocol).items() if callable(value) or isinstance(value, property)}
    return sorted(names - {"__init__", "__subclasshook__"})


def shared(protocol: type) -> list[tuple[str, type]]:
    found = [(name, each) for name in members(protocol) for each in CLASSES[protocol]]
    return [(name, each) for name, each in found if not isinstance(vars(protocol)[name], property)]


@pytest.mark.parametrize(("protocol", "kind"), PAIRS)
def test_both_formats_have_what_the_protocols_have(protocol: type, kind: type) -> None:
    fields = set(getattr(kind, "__dataclass_fields__", ()))
    missing = [name for name in members(protocol) if not hasattr(kind, name) and name not in fields]
    assert not missing


@pytest.mark.parametrize(("name", "kind"), [*shared(TableLike), *shared(ScanLike), *shared(MaintenanceLike)])
def test_methods_take_the_arguments_of_the_protocol(name: str, kind: type) -> None:
    protocol = next(each for each in (TableLike, ScanLike, MaintenanceLike) if kind in CLASSES[each])
    asked = inspect.signature(vars(protocol)[name]).parameters
    given = inspect.signature(getattr(kind, name)).parameters
    for number, (argument, parameter) in enumerate(asked.items()):
        assert argument in given, argument
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            assert list(given)[number] == argument
        if parameter.default is not inspect.Parameter.empty:
            assert given[argument].default == parameter.default, argument


def test_parameters_of_both_formats_are_in_the_protocol() -> None:
    """What both have is the same, so that it is part of the protocol."""
    for name in members(TableLike):
        if isinstance(vars(TableLike)[name], property):
            continue
        of_both = set.intersection(
            *(set(inspect.signature(getattr(each, name)).parameters) for each in CLASSES[TableLike])
        )
        asked = set(inspect.signature(vars(TableLike)[name]).parameters)
        assert of_both == asked, name


@pytest.fixture(params=["iceberg", "lance"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> TableLike:
    rows = pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"]})
    if request.param == "lance":
        pytest.importorskip("lance")
        made: TableLike = fb.lance.create_table(str(tmp_path / "t.lance"), rows)
        return made
    catalog = fb.load_catalog(str(tmp_path), type="memory")
    catalog.create_namespace("db")
    created = catalog.create_table("db.t", rows.schema, format_version=3)
    created.append(rows)
    return created


def work(table: TableLike) -> list[Any]:
    """The same work, whatever the format is."""
    found: list[Any] = []

    def note(done: CommitLike) -> None:
        assert isinstance(done, CommitLike)
        found.append((done.updated_rows, done.inserted_rows, done.deleted_rows, done.dry_run))

    first = table.append(pa.table({"id": [4], "name": ["d"]}), idempotency_key="k")
    again = table.append(pa.table({"id": [4], "name": ["d"]}), idempotency_key="k")
    found.append((first.added_rows, again.already_committed))
    note(table.update({"name": fb.sql_expr("upper(name)")}, "id = 1"))
    note(table.delete("id = 2", dry_run=True))
    note(table.delete("id = 2"))
    done = table.upsert(pa.table({"id": [3, 5], "name": ["cc", "e"]}), ["id"])
    assert isinstance(done, UpsertLike)
    found.append((done.rows_updated, done.rows_inserted))
    merge = table.merge(pa.table({"id": [1, 6]}), on="id").when_matched_delete()
    note(merge.when_not_matched_insert_all().execute())
    feed = pa.table({"id": [6, 7], "op": ["delete", "insert"], "at": [1, 2]})
    note(table.apply_changes(feed, keys=["id"], operation="op", order_by="at"))
    scan = table.scan("id > 3", ("id",), limit=10)
    assert isinstance(scan, ScanLike)
    found.append(sorted(scan.to_arrow()["id"].to_pylist()))
    found.append((scan.filter("id = 4").count(), scan.select("name").projection() is not None))
    found.append(pa.table(table).num_rows)
    versions = table.versions()
    assert all(isinstance(each, VersionLike) for each in versions)
    assert [each.timestamp for each in versions] == sorted(each.timestamp for each in versions)
    found.append(len(versions))
    assert table.inspect.data_files().num_rows > 0
    assert set(table.refs()) <= set(table.inspect.refs()["name"].to_pylist())
    assert table.refresh() is table
    return found


def test_the_same_work_gives_the_same(table: TableLike) -> None:
    assert isinstance(table, TableLike)
    assert work(table) == [
        (1, True),
        (1, 0, 1, False),
        (0, 0, 1, True),
        (0, 0, 1, False),
        (1, 1),
        (0, 1, 1, False),
        (0, 1, 1, False),
        [4, 5, 7],
        (1, True),
        4,
        7,
    ]


MISTAKES: dict[str, Any] = {
    "an unknown column": lambda table: table.scan("nope = 1"),
    "a literal of another type": lambda table: table.scan("id = 'x'"),
    "rows with an unknown column": lambda table: table.append(pa.table({"id": [1], "nope": [1]})),
    "a value that does not fit": lambda table: table.update({"id": "x"}, "id = 1"),
    "a column that is unknown": lambda table: table.update({"nope": 1}),
    "a key that is there twice": lambda table: table.upsert(pa.table({"id": [1, 1]}), ["id"]),
    "a key that is null": lambda table: table.upsert(pa.table({"id": pa.array([None], pa.int64())}), ["id"]),
    "a key that is unknown": lambda table: (
        table.merge(pa.table({"id": [1]}), on="nope").when_matched_delete().execute()
    ),
    "no clause": lambda table: table.merge(pa.table({"id": [1]}), on="id").execute(),
    "a clause after one that always holds": lambda table: (
        table.merge(pa.table({"id": [1]}), on="id").when_matched_delete().when_matched_update_all()
    ),
    "several rows of the source": lambda table: (
        table.merge(pa.table({"id": [1, 1]}), on="id").when_matched_delete("target.id > 0").execute()
    ),
    "ties": lambda table: table.apply_changes(
        pa.table({"id": [1, 1], "op": ["delete", "delete"], "at": [1, 1]}),
        keys=["id"],
        operation="op",
        order_by="at",
    ),
    "an unknown way": lambda table: table.delete("id = 1", on_conflict="ignore"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_errors_of_one_class_and_change_nothing(table: TableLike, mistake: str) -> None:
    before = len(table.versions())
    with pytest.raises(FloebergError) as raised:
        MISTAKES[mistake](table)
    assert isinstance(raised.value, InvalidInputError)
    assert not isinstance(raised.value, CommitConflictError)
    assert len(table.refresh().versions()) == before


def test_versions_of_an_iceberg_table_are_the_ancestors_of_its_snapshot(tmp_path: Path) -> None:
    catalog = fb.load_catalog(str(tmp_path), type="memory")
    catalog.create_namespace("db")
    made = catalog.create_table("db.t", pa.schema({"id": pa.int64()}))
    assert made.versions() == []
    ids = [made.append(pa.table({"id": [key]})).snapshot_id for key in range(3)]
    assert [each.version for each in made.versions()] == ids
    with made.manage_snapshots() as manage:
        manage.rollback_to_snapshot(ids[1])
    last = made.append(pa.table({"id": [9]})).snapshot_id
    assert [each.version for each in made.versions()] == [*ids[:2], last]
    assert {each.operation for each in made.versions()} == {"append"}


def test_maintenance_of_both_formats_has_the_same_names(table: TableLike) -> None:
    for number in range(6):
        table.append(pa.table({"id": [10 + number], "name": ["d"]}))
    planned = table.maintenance.rewrite_data_files(dry_run=True)
    assert planned.dry_run
    assert (planned.rewritten_data_files_count, planned.added_data_files_count) == (7, 0)
    done = table.maintenance.rewrite_data_files(options={"delete-ratio-threshold": "0.5"})
    assert isinstance(done, CompactionLike)
    assert (done.rewritten_data_files_count, done.added_data_files_count) == (7, 1)
    gone = table.maintenance.expire_snapshots(older_than="2100-01-01T00:00Z", dry_run=True)
    assert gone.dry_run
    gone = table.maintenance.expire_snapshots(older_than="2100-01-01T00:00Z", retain_last=1)
    assert isinstance(gone, ExpiryLike)
    assert len(gone.snapshot_ids) >= 7
    assert len(gone.deleted_files) >= 7
    assert table.count() == 9
    with pytest.raises(InvalidInputError, match="unknown option 'size'"):
        table.maintenance.rewrite_data_files(options={"size": "1"})
    with pytest.raises(InvalidInputError, match="older_than"):
        table.maintenance.expire_snapshots(older_than="yesterday")
