"""Is a Delta table refused that cannot be taken over without loss, and is nothing left then?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb
from floeberg.errors import InvalidDataError, NoSuchTableError, NotFoundError, UnsupportedError
from floeberg.takeover import delta_log
from takeover.delta_tables import adds_of, change_schema, commit, delete_by_vector, deltalake

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "region": ["eu", "eu", "us"]})


def table(folder: Path, rows: pa.Table = ROWS, **how: Any) -> Path:
    """Writes a Delta table."""
    deltalake.write_deltalake(str(folder), rows, **how)
    return folder


def refused(folder: Path, error: type[Exception], match: str, **how: Any) -> str:
    """The error, after which there is no new table, and no new file in the old one."""
    before = sorted(folder.rglob("*"))
    with pytest.raises(error, match=match) as found:
        fb.snapshot_table(folder, folder.parent / "new", **how)
    with pytest.raises(error, match=match):
        fb.migrate_table(folder, **how)
    assert not [each for each in (folder.parent / "new").rglob("*") if each.is_file()]
    assert [each for each in sorted(folder.rglob("*")) if each.is_file()] == [
        each for each in before if each.is_file()
    ]
    return str(found.value)


def readd(folder: Path, **change: Any) -> None:
    """Adds the first file again, changed."""
    add = adds_of(folder)[0]
    commit(folder, [{"remove": {"path": add["path"], "dataChange": True}}])
    commit(folder, [{"add": {**add, **change}}])


def test_a_file_that_vanished(tmp_path: Path) -> None:
    old = table(tmp_path / "old", partition_by=["region"])
    path = next(old.rglob("region=us/*.parquet"))
    path.unlink()
    assert path.name in refused(old, NotFoundError, "gone|exist|no file")


@pytest.mark.parametrize(
    "path",
    [
        "../other/a.parquet",
        "a/../../b.parquet",
        "%2e%2e/b.parquet",
        "file:///etc/passwd",
        "/etc/passwd",
        "s3://b/a.parquet",
    ],
)
def test_a_file_outside_of_the_folder(tmp_path: Path, path: str) -> None:
    old = table(tmp_path / "old")
    readd(old, path=path)
    refused(old, UnsupportedError, "outside of its folder")


def test_a_link_to_outside(tmp_path: Path) -> None:
    old = table(tmp_path / "old")
    pq.write_table(ROWS, tmp_path / "secret.parquet")
    (old / "link.parquet").symlink_to(tmp_path / "secret.parquet")
    readd(old, path="link.parquet")
    refused(old, ValueError, "outside of its folder")


def test_a_folder_that_says_another_value_than_the_log(tmp_path: Path) -> None:
    old = table(tmp_path / "old", ROWS.slice(0, 2), partition_by=["region"])
    readd(old, partitionValues={"region": "us"})
    refused(old, InvalidDataError, "says 'eu' of the column 'region'.* says 'us'")


def test_folders_above_the_table_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "region=us").mkdir()
    old = table(tmp_path / "region=us" / "old", partition_by=["region"])
    refused(old, UnsupportedError, "move the table")


def test_a_time_without_a_zone_in_a_folder(tmp_path: Path) -> None:
    rows = pa.table({"id": [1], "at": pa.array([1], pa.timestamp("us", "UTC"))})
    refused(table(tmp_path / "old", rows, partition_by=["at"]), UnsupportedError, "'at' without a zone")


def test_partitions_of_bytes(tmp_path: Path) -> None:
    rows = pa.table({"id": [1], "key": [b"x"]})
    refused(table(tmp_path / "old", rows, partition_by=["key"]), UnsupportedError, "'key' of bytes")


def test_a_feature_that_nobody_knows(tmp_path: Path) -> None:
    old = table(tmp_path / "old")
    features = ["deletionVectors", "holograms"]
    protocol = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": features,
        "writerFeatures": features,
    }
    commit(old, [{"protocol": protocol}])
    refused(old, UnsupportedError, "holograms")


def test_a_feature_that_deltalake_knows_and_floeberg_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = table(tmp_path / "old")
    features = ["deletionVectors", "timestampNtz"]
    both = {"readerFeatures": features, "writerFeatures": features}
    commit(old, [{"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **both}}])
    monkeypatch.setattr(delta_log, "_FEATURES", frozenset({"timestampNtz"}))
    refused(old, UnsupportedError, "demands of readers 'deletionVectors', which")


@pytest.mark.parametrize(
    "kind", ["variant", "interval year to month", "void", "decimal(39,2)", "decimal(4,-2)", "object"]
)
def test_types_that_iceberg_does_not_have(tmp_path: Path, kind: str) -> None:
    old = table(tmp_path / "old")
    nested = {"type": "struct", "fields": [{"name": "deep", "type": kind, "nullable": True, "metadata": {}}]}

    def add(fields: list[Any]) -> list[Any]:
        return [*fields, {"name": "odd", "type": nested, "nullable": True, "metadata": {}}]

    change_schema(old, add)
    with pytest.raises(fb.FloebergError) as found:
        fb.snapshot_table(old, tmp_path / "new")
    assert isinstance(found.value, (UnsupportedError, InvalidDataError))
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("ids", [(1, 2, 3), (1, 3, 2)], ids=str)
def test_structs_in_files_with_ids(tmp_path: Path, ids: tuple[int, int, int]) -> None:
    # A new table numbers the columns of structs last. Files with other ids are refused: never rows of nulls.
    old = table(tmp_path / "old", pa.table({"s": [{"a": 7}], "id": [1]}))
    struct, inner, plain = ids

    def field(name: str, kind: pa.DataType, number: int) -> Any:
        return pa.field(name, kind, metadata={"PARQUET:field_id": str(number)})

    inside = pa.struct([field("col-a", pa.int64(), inner)])
    schema = pa.schema([field("col-s", inside, struct), field("col-id", pa.int64(), plain)])
    pq.write_table(pa.table([[{"col-a": 7}], [1]], schema=schema), old / adds_of(old)[0]["path"])

    def mapped(fields: list[Any]) -> list[Any]:
        s, number = fields
        for each, name, at in ((s, "s", struct), (s["type"]["fields"][0], "a", inner), (number, "id", plain)):
            each["metadata"] = {
                "delta.columnMapping.id": at,
                "delta.columnMapping.physicalName": f"col-{name}",
            }
        return fields

    commit(old, [{"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}])
    change_schema(old, mapped, **{"delta.columnMapping.mode": "id", "delta.columnMapping.maxColumnId": "3"})
    if ids == (1, 2, 3):
        refused(old, ValueError, "field id")
        return
    made = fb.snapshot_table(old, tmp_path / "new")
    assert made.table is not None
    assert made.table.scan().to_arrow().to_pylist() == [{"s": {"a": 7}, "id": 1}]


def test_a_vector_that_is_damaged_or_gone(tmp_path: Path) -> None:
    old = table(tmp_path / "old", configuration={"delta.enableDeletionVectors": "true"})
    delete_by_vector(old, adds_of(old)[0], [1])
    (vector,) = old.glob("deletion_vector_*.bin")
    whole = vector.read_bytes()
    vector.write_bytes(whole[:-6] + b"\xff\xff" + whole[-4:])
    refused(old, InvalidDataError, "log of the Delta table")
    vector.unlink()
    refused(old, fb.FloebergError, "log of the Delta table|no version")


def test_a_vector_beyond_the_end_of_its_file(tmp_path: Path) -> None:
    old = table(tmp_path / "old", configuration={"delta.enableDeletionVectors": "true"})
    delete_by_vector(old, adds_of(old)[0], [1, 70])
    refused(old, InvalidDataError, "exceeds numRecords")


@pytest.mark.parametrize("text", ["", "{", '{"add": 3}', "\x00", '{"metaData": {"schemaString": "["}}'])
def test_a_log_that_is_damaged(tmp_path: Path, text: str) -> None:
    old = table(tmp_path / "old")
    (old / "_delta_log" / f"{0:020}.json").write_text(text)
    with pytest.raises(fb.FloebergError):
        fb.snapshot_table(old, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_other_columns_in_a_file_than_in_the_log(tmp_path: Path) -> None:
    old = table(tmp_path / "old")
    path = old / adds_of(old)[0]["path"]
    pq.write_table(ROWS.append_column("extra", pa.array([1, 2, 3])), path)
    refused(old, ValueError, "extra")
    pq.write_table(pa.table({"id": ["one"], "region": ["eu"]}), path)
    refused(old, ValueError, "id")


def test_two_tables_in_one_folder(tmp_path: Path) -> None:
    old = table(tmp_path / "old")
    (old / "_versions").mkdir()
    (old / "_versions" / "1.manifest").touch()
    refused(old, ValueError, "delta and of lance")


def test_what_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(NoSuchTableError):
        fb.snapshot_table(tmp_path / "none", tmp_path / "new")
    (tmp_path / "empty" / "_delta_log").mkdir(parents=True)
    with pytest.raises(fb.FloebergError):
        fb.snapshot_table(tmp_path / "empty", tmp_path / "new")
    (tmp_path / "hudi" / ".hoodie").mkdir(parents=True)
    with pytest.raises(UnsupportedError, match="Hudi"):
        fb.migrate_table(tmp_path / "hudi")


def test_secrets_are_in_no_error(tmp_path: Path) -> None:
    old = table(tmp_path / "old")
    (old / "_delta_log" / f"{0:020}.json").write_text("{")
    with pytest.raises(fb.FloebergError) as found:
        fb.snapshot_table(old, tmp_path / "new", storage_options={"aws_secret_access_key": "hush-hush"})
    assert "hush" not in repr(found.value)
    assert "hush" not in str(found.value)
