"""Does a table that takes over a Delta table have the rows of it, and nothing else?"""

from __future__ import annotations

import hashlib
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb
from takeover.delta_tables import (
    adds_of,
    change_schema,
    commit,
    delete_by_vector,
    deltalake,
    in_order,
    rows_of_delta,
)

ROWS = pa.table(
    {
        "id": pa.array(range(8), pa.int64()),
        "region": ["a b", "c:d/é", None, "50%", "=", "a b", "x+y", "#?"],
        "day": [date(2026, 11, at) for at in range(1, 9)],
        "price": [Decimal(f"{at}.50") for at in range(8)],
        "at": pa.array(range(8), pa.timestamp("us", "UTC")),
        "tags": [["x"], [], None, ["y", None], [], [], [], []],
        "place": [{"city": "Oslo", "zip": at} for at in range(8)],
    }
)


def write(folder: Path, rows: pa.Table = ROWS, **how: Any) -> Path:
    """Writes a Delta table."""
    deltalake.write_deltalake(str(folder), rows, **how)
    return folder


def taken(folder: Path, **how: Any) -> fb.TakeoverResult:
    """A table beside a Delta table."""
    return fb.snapshot_table(folder, folder.parent / f"{folder.name}-taken", **how)


def prints(folder: Path) -> dict[str, str]:
    """What every file of a folder has."""
    files = (each for each in folder.rglob("*") if each.is_file())
    return {str(each.relative_to(folder)): hashlib.sha256(each.read_bytes()).hexdigest() for each in files}


@pytest.mark.parametrize("parts", [[], ["region"], ["day"], ["price"], ["region", "day"]], ids="-".join)
def test_rows_and_partitions_are_those_of_the_log(tmp_path: Path, parts: list[str]) -> None:
    old = write(tmp_path / "old é", partition_by=parts or None)
    before = prints(old)

    made = taken(old)

    assert made.table is not None
    assert (made.source_format, made.source_version, made.action) == ("delta", 0, "referred")
    assert in_order(made.table.scan().to_arrow()) == rows_of_delta(old)
    assert [each.name for each in made.table.spec().fields] == parts
    assert made.table.properties["gc.enabled"] == "false"
    assert made.table.properties["snapshot_source"] == "delta"
    assert prints(old) == before
    assert list(made.table.check()) == []
    # Partitions drop files of others.
    for name in parts:
        value = ROWS[name][1].as_py()
        explained = made.table.scan(fb.col(name) == value).to_arrow()
        assert explained["id"].to_pylist() == [1]


@pytest.mark.unchecked_tables("files of Delta with field ids lack the columns of partitions")
@pytest.mark.parametrize("mode", ["name", "id"])
@pytest.mark.parametrize("parts", [[], ["region"], ["at", "price"]], ids="-".join)
def test_mapped_columns_are_found_by_what_files_call_them(
    tmp_path: Path, mode: str, parts: list[str]
) -> None:
    flat = ROWS.drop(["tags", "place"])
    old = write(
        tmp_path / "old", flat, partition_by=parts or None, configuration={"delta.columnMapping.mode": mode}
    )
    made = taken(old)
    assert made.table is not None
    assert in_order(made.table.scan().to_arrow()) == rows_of_delta(old)
    assert made.table.schema().column_names == flat.column_names
    # Files of the new table, and a later change of names.
    made.table.append(flat.slice(0, 1))
    with made.table.update_schema() as update:
        update.rename_column("id", "number")
    assert sorted(made.table.scan().to_arrow()["number"].to_pylist()) == [0, *range(8)]


@pytest.mark.parametrize("mode", ["name", "id"])
def test_columns_that_were_renamed_swapped_and_dropped(tmp_path: Path, mode: str) -> None:
    rows = pa.table({"a": [1, 2], "b": [10, 20], "c": ["x", "y"], "d": [1.5, 2.5]})
    old = write(tmp_path / "old", rows, configuration={"delta.columnMapping.mode": mode})

    def swap(fields: list[Any]) -> list[Any]:
        names = {"a": "b", "b": "a", "d": "e"}
        kept = [each for each in fields if each["name"] != "c"]
        return [{**each, "name": names[each["name"]]} for each in reversed(kept)]

    change_schema(old, swap)
    made = taken(old)
    assert made.table is not None
    assert made.table.schema().column_names == ["e", "a", "b"]
    expected = [{"e": 1.5, "a": 10, "b": 1}, {"e": 2.5, "a": 20, "b": 2}]
    assert made.table.scan().to_arrow().to_pylist() == expected
    assert rows_of_delta(old) == in_order(pa.Table.from_pylist(expected))
    assert made.table.scan("a = 20").to_arrow()["b"].to_pylist() == [2]
    # The id of the column that was dropped means no other column later.
    ids = [each.field_id for each in made.table.schema().fields]
    assert ids == [4, 2, 1]
    with made.table.update_schema() as update:
        update.add_column("c", "string")
    assert made.table.scan().to_arrow()["c"].to_pylist() == [None, None]


def test_names_of_files_without_ids_that_changed_places(tmp_path: Path) -> None:
    # The table got its mapping later: files are called by the first names, and have no ids.
    old = write(tmp_path / "old", pa.table({"a": [1, 2], "b": [10, 20], "s": [{"x": 1, "y": 2}] * 2}))

    def mapped(fields: list[Any]) -> list[Any]:
        for number, (each, name) in enumerate(zip(fields, ("b", "a", "t"), strict=True), start=1):
            each["metadata"] = {
                "delta.columnMapping.id": number,
                "delta.columnMapping.physicalName": each["name"],
            }
            each["name"] = name
        for number, (each, name) in enumerate(
            zip(fields[2]["type"]["fields"], ("y", "x"), strict=True), start=4
        ):
            each["metadata"] = {
                "delta.columnMapping.id": number,
                "delta.columnMapping.physicalName": each["name"],
            }
            each["name"] = name
        return fields

    commit(old, [{"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}])
    change_schema(old, mapped, **{"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "5"})
    made = taken(old)
    assert made.table is not None
    expected = [{"b": 1, "a": 10, "t": {"y": 1, "x": 2}}, {"b": 2, "a": 20, "t": {"y": 1, "x": 2}}]
    assert made.table.scan().to_arrow().to_pylist() == expected
    assert rows_of_delta(old) == in_order(pa.Table.from_pylist(expected))
    assert made.table.scan("t.x = 2 and a = 20").count() == 1


def test_a_property_without_the_feature_maps_nothing(tmp_path: Path) -> None:
    # deltalake writes such tables, with plain names in the files.
    rows = pa.table({"id": [1], "at": pa.array([1], pa.timestamp("us"))})
    old = write(tmp_path / "old", rows, configuration={"delta.columnMapping.mode": "name"})
    if pq.read_schema(deltalake.DeltaTable(str(old)).file_uris()[0]).names != ["id", "at"]:
        pytest.skip("this deltalake adds the feature")
    made = taken(old)
    assert made.table is not None
    assert made.table.scan().to_arrow().to_pylist() == rows.to_pylist()


@pytest.mark.parametrize("inline", [False, True])
@pytest.mark.parametrize("version", [None, 2, 3])
def test_deletion_vectors_become_deletes(tmp_path: Path, *, inline: bool, version: int | None) -> None:
    old = write(
        tmp_path / "old", partition_by=["region"], configuration={"delta.enableDeletionVectors": "true"}
    )
    deltalake.write_deltalake(str(old), ROWS, mode="append")
    first, second = [each for each in adds_of(old) if each["partitionValues"] == {"region": "a b"}]
    delete_by_vector(old, first, [1], inline=inline)
    delete_by_vector(old, second, [0, 1], inline=not inline)

    made = taken(old, format_version=version)

    assert made.table is not None
    assert (made.rows, made.deleted_rows) == (16, 3)
    assert made.table.format_version == (version or 3)
    assert in_order(made.table.scan().to_arrow()) == rows_of_delta(old)
    deletes = made.table.inspect.delete_files()["file_path"].to_pylist()
    assert {Path(each).suffix for each in deletes} == {".parquet" if version == 2 else ".puffin"}
    # The vector is that of the file alone: it is added to, and copied with its file.
    made.table.delete("id = 3")
    assert made.table.count() == 16 - 3 - 2


def test_a_vector_of_format_version_1_is_refused(tmp_path: Path) -> None:
    old = write(tmp_path / "old", configuration={"delta.enableDeletionVectors": "true"})
    delete_by_vector(old, adds_of(old)[0], [1])
    with pytest.raises(fb.FloebergError, match="format version"):
        taken(old, format_version=1)
    assert not (tmp_path / "old-taken").exists()
    assert taken(old).table is not None


@pytest.mark.unchecked_tables("two tables refer to the files of one source")
def test_a_version_and_a_time(tmp_path: Path) -> None:
    old = write(tmp_path / "old", pa.table({"id": [1]}))
    deltalake.write_deltalake(str(old), pa.table({"id": [2]}), mode="append")
    moment = deltalake.DeltaTable(str(old)).history()[0]["timestamp"]
    first = fb.snapshot_table(old, tmp_path / "first", version=0)
    assert first.table is not None
    assert (first.source_version, first.table.scan().to_arrow()["id"].to_pylist()) == (0, [1])
    now = fb.snapshot_table(
        old, tmp_path / "now", as_of=datetime.fromtimestamp(moment / 1000 + 1, timezone.utc)
    )
    assert now.table is not None
    assert (now.source_version, now.table.count()) == (1, 2)
    assert {"delta-version-1", f"delta-ts-{moment}"} <= set(now.table.refs())
    with pytest.raises(fb.FloebergError, match="no version at that time"):
        fb.snapshot_table(old, tmp_path / "before", as_of=1_000_000)
    for number in (1, 2):
        commit(old, [], timestamp=4_000_000_000_000 + number)
    between = fb.snapshot_table(old, tmp_path / "between", as_of=4_000_000_000_001)
    assert between.source_version == 2
    with pytest.raises(ValueError, match="exclude"):
        fb.snapshot_table(old, tmp_path / "both", version=0, as_of=moment)
    with pytest.raises(fb.FloebergError, match="version"):
        fb.snapshot_table(old, tmp_path / "none", version=7)
    assert not (tmp_path / "none").exists()


def test_a_log_is_left_as_it_is_in_place(tmp_path: Path) -> None:
    old = write(
        tmp_path / "old", partition_by=["region"], configuration={"delta.enableDeletionVectors": "true"}
    )
    delete_by_vector(old, adds_of(old)[0], [0])
    before, rows = prints(old), rows_of_delta(old)

    made = fb.migrate_table(old)

    assert made.table is not None
    after = prints(old)
    assert {name: after.get(name) for name in before} == before
    assert {name.split("/")[0] for name in after.keys() - before.keys()} <= {"metadata", "data"}
    assert in_order(fb.open_table(str(old)).scan().to_arrow()) == rows
    assert (made.table.properties["gc.enabled"], made.table.properties["migrated"]) == ("false", "true")
    # What one format writes, the other does not see.
    made.table.append(ROWS.slice(0, 1))
    assert rows_of_delta(old) == rows
    # Nothing removes a file of the log, or one that the log has.
    made.table.maintenance.rewrite_data_files(options={"rewrite-all": "true"})
    with pytest.raises(fb.FloebergError, match=r"gc\.enabled"):
        made.table.maintenance.remove_orphan_files()
    with pytest.raises(fb.FloebergError, match=r"gc\.enabled"):
        made.table.maintenance.expire_snapshots(older_than=datetime.now(timezone.utc), retain_last=1)
    assert rows_of_delta(old) == rows
    with pytest.raises(FileExistsError, match="already, and of delta too"):
        fb.migrate_table(old)
    with pytest.raises(FileExistsError, match="already"):
        taken(old)


def test_who_owns_the_files_says_so(tmp_path: Path) -> None:
    old = write(tmp_path / "old")
    with pytest.raises(ValueError, match=r"gc\.enabled"):
        taken(old, properties={"gc.enabled": "true"})
    made = fb.migrate_table(old, properties={"gc.enabled": "true", "owner": "jo"})
    assert made.table is not None
    assert (made.table.properties["gc.enabled"], made.table.properties["owner"]) == ("true", "jo")


def test_what_is_not_enforced_is_said_and_kept(tmp_path: Path) -> None:
    old = write(tmp_path / "old", pa.table({"id": [1, 2], "twice": [2, 4]}))
    deltalake.DeltaTable(str(old)).alter.add_constraint({"positive": "id > 0"})

    def generated(fields: list[Any]) -> list[Any]:
        fields[1]["metadata"]["delta.generationExpression"] = "id * 2"
        fields[0]["metadata"]["comment"] = "who"
        return fields

    change_schema(old, generated, **{"gc.enabled": "true", "write.data.path": "/elsewhere"})
    made = taken(old)
    assert made.not_enforced == ("constraint 'positive'", "generated column 'twice'")
    assert made.table is not None
    kept = made.table.properties
    assert kept["delta.constraints.positive"] == "id > 0"
    assert kept["delta.column.twice.generationExpression"] == "id * 2"
    # Only Delta's own names: others would mean something here.
    assert kept["gc.enabled"] == "false"
    assert "write.data.path" not in kept
    assert made.table.schema().find_field("id").doc == "who"


def test_a_dry_run_makes_nothing(tmp_path: Path) -> None:
    old = write(tmp_path / "old", configuration={"delta.enableDeletionVectors": "true"})
    delete_by_vector(old, adds_of(old)[0], [1, 2])
    before = prints(tmp_path)
    said = taken(old, dry_run=True)
    assert (said.table, said.dry_run, said.data_files, said.rows, said.deleted_rows) == (None, True, 1, 8, 2)
    assert prints(tmp_path) == before
    assert fb.migrate_table(old, dry_run=True).rows == 8
    assert prints(tmp_path) == before


@pytest.mark.unchecked_tables("two tables refer to the files of one source")
@pytest.mark.parametrize("kind", ["sql", "memory", "filesystem"])
def test_in_a_catalog(tmp_path: Path, kind: str) -> None:
    old = write(tmp_path / "old", partition_by=["region"])
    more = {"uri": f"sqlite:///{tmp_path}/catalog.db"} if kind == "sql" else {}
    catalog = fb.load_catalog(f"takeover-{kind}", type=kind, warehouse=str(tmp_path / "lake"), **more)
    catalog.create_namespace("db")
    made = fb.snapshot_table(old, "db.beside", catalog=catalog)
    assert made.table is not None
    assert in_order(catalog.load_table("db.beside").scan().to_arrow()) == rows_of_delta(old)
    with pytest.raises(FileExistsError, match="exists"):
        fb.snapshot_table(old, "db.beside", catalog=catalog)
    catalog.drop_table("db.beside")
    assert rows_of_delta(old)
    if kind == "filesystem":
        with pytest.raises(ValueError, match="keeps it at"):
            fb.migrate_table(old, catalog=catalog, identifier="db.old")
    else:
        fb.migrate_table(old, catalog=catalog, identifier="db.old")
        assert in_order(catalog.load_table("db.old").scan().to_arrow()) == rows_of_delta(old)


def test_tables_that_are_or_were_empty(tmp_path: Path) -> None:
    old = write(
        tmp_path / "old",
        pa.schema({"id": pa.int64(), "day": pa.date32()}).empty_table(),
        partition_by=["day"],
    )
    for each in adds_of(old):
        commit(old, [{"remove": {"path": each["path"], "dataChange": True}}])
    empty = fb.snapshot_table(old, tmp_path / "empty", keep_history=True)
    assert empty.table is not None
    assert (empty.rows, empty.table.count()) == (0, 0)
    assert [str(each.field_type) for each in empty.table.schema().fields] == ["long", "date"]
    deltalake.write_deltalake(str(old), pa.table({"id": [1], "day": [date(2026, 11, 28)]}), mode="append")
    made = fb.snapshot_table(old, tmp_path / "made", keep_history=True)
    assert made.table is not None
    assert made.table.count() == 1
    assert f"delta-version-{made.source_version}" in made.table.refs()


@pytest.mark.unchecked_tables("files of Delta with field ids lack the columns of partitions")
@pytest.mark.parametrize("mode", ["none", "name", "id"])
def test_names_of_any_kind(tmp_path: Path, mode: str) -> None:
    names = (
        ["a.b", "my col", "<b>", "é", "a", "select", 'q"q'] if mode != "none" else ["a.b", "é", "a", "select"]
    )
    rows = pa.table({name: [at, at + 1] for at, name in enumerate(names)})
    how = {} if mode == "none" else {"delta.columnMapping.mode": mode}
    old = write(tmp_path / "old", rows, partition_by=[names[-1]], configuration=how)
    made = taken(old)
    assert made.table is not None
    assert in_order(made.table.scan().to_arrow().select(names)) == in_order(rows)
    assert made.table.scan(fb.col(names[-1]) == rows[names[-1]][0].as_py()).count() == 1
    assert "<b>" not in made._repr_html_()


@pytest.mark.unchecked_tables("files of Delta with field ids lack the columns of partitions")
def test_partitions_of_every_type(tmp_path: Path) -> None:
    rows = pa.table(
        {
            "n": range(2),
            "i8": pa.array([1, None], pa.int8()),
            "f64": pa.array([1.5, None], pa.float64()),
            "flag": [True, None],
            "ntz": pa.array([1_000_001, None], pa.timestamp("us")),
            "instant": pa.array([1_000_001, None], pa.timestamp("us", "UTC")),
            "dec": pa.array([Decimal("1.50"), None], pa.decimal128(9, 2)),
        }
    )
    parts = rows.column_names[1:]
    folders = [name for name in parts if name != "instant"]
    plain = taken(write(tmp_path / "plain", rows.drop(["instant"]), partition_by=folders))
    assert plain.table is not None
    assert plain.table.scan().to_arrow().sort_by("n").to_pylist() == rows.drop(["instant"]).to_pylist()
    # Without mapping of times without zones: deltalake leaves the feature out with them.
    mapped = rows.drop(["ntz"])
    old = write(
        tmp_path / "mapped",
        mapped,
        partition_by=[name for name in parts if name != "ntz"],
        configuration={"delta.columnMapping.mode": "name"},
    )
    made = taken(old)
    assert made.table is not None
    assert made.table.scan().to_arrow().sort_by("n").to_pylist() == mapped.to_pylist()
    for name in ("instant", "dec", "f64", "flag", "i8"):
        assert made.table.scan(fb.col(name) == mapped[name][0].as_py()).count() == 1
        assert made.table.scan(fb.col(name).is_null()).count() == 1
