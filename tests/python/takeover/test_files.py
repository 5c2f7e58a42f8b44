"""Does a table have the rows of the files that it takes over, in folders as Hive has them, or is the folder refused?"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import dataset, orc

import floeberg as fb
from floeberg.errors import InvalidDataError, NoSuchTableError, NotFoundError, UnsupportedError

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "name": ["a", None, "c"], "price": [1.5, 2.5, None]})


def parquet(folder: Path, rows: pa.Table = ROWS, name: str = "a.parquet") -> Path:
    """A folder with a file."""
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows, folder / name)
    return folder


def taken(folder: Path, **how: Any) -> fb.Table:
    """The table beside a folder."""
    made = fb.snapshot_table(folder, folder.parent / f"{folder.name}-taken", **how)
    assert made.table is not None
    return made.table


@pytest.mark.unchecked_tables("files of the first table are removed")
def test_parquet_orc_and_avro(tmp_path: Path) -> None:
    old = parquet(tmp_path / "old")
    orc.write_table(ROWS, old / "b.orc")
    (old / "_SUCCESS").touch()
    (old / ".a.parquet.crc").touch()
    table = taken(old)
    assert table.scan().to_arrow().sort_by("id")["id"].to_pylist() == [1, 1, 2, 2, 3, 3]
    assert set(table.inspect.files()["file_format"].to_pylist()) == {"PARQUET", "ORC"}
    assert (table.properties["gc.enabled"], table.properties["snapshot"]) == ("false", "true")
    with (old / "c.avro").open("wb") as file:
        fields = [
            {"name": name, "type": ["null", kind]} for name, kind in (("id", "long"), ("name", "string"))
        ]
        fastavro.writer(file, {"type": "record", "name": "r", "fields": fields}, [{"id": 9, "name": "z"}])
    (old / "b.orc").unlink()
    (old / "a.parquet").unlink()
    only = fb.snapshot_table(old, tmp_path / "other").table
    assert only is not None
    assert only.scan().to_arrow().to_pylist() == [{"id": 9, "name": "z"}]


@pytest.mark.unchecked_tables("two tables refer to the files of one source")
def test_avro_with_a_schema(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    with (tmp_path / "old" / "c.avro").open("wb") as file:
        fields = [{"name": "id", "type": ["null", "long"]}]
        fastavro.writer(file, {"type": "record", "name": "r", "fields": fields}, [{"id": 9}])
    assert taken(tmp_path / "old", schema=pa.schema({"id": pa.int64()})).scan().to_arrow()[
        "id"
    ].to_pylist() == [9]
    with pytest.raises(ValueError, match="id"):
        fb.snapshot_table(tmp_path / "old", tmp_path / "n", schema=pa.schema({"id": pa.string()}))


@pytest.mark.parametrize(
    ("values", "kind", "read"),
    [
        (["1", "-20", "0"], "long", [1, -20, 0]),
        (["2026-11-28", "2024-02-29"], "date", [date(2026, 11, 28), date(2024, 2, 29)]),
        (["01", "1"], "string", ["01", "1"]),
        (["2026-02-30"], "string", ["2026-02-30"]),
        (["1", "x"], "string", ["1", "x"]),
        (["9" * 19], "string", ["9" * 19]),
        (["-0"], "string", ["-0"]),
        (["1", "__HIVE_DEFAULT_PARTITION__"], "long", [1, None]),
        (["__HIVE_DEFAULT_PARTITION__"], "string", [None]),
        (["a%2Fb %25 é", ""], "string", ["a/b % é", ""]),
        (["<b>&'\""], "string", ["<b>&'\""]),
    ],
)
def test_values_of_folders(tmp_path: Path, values: list[str], kind: str, read: list[object]) -> None:
    for value in values:
        parquet(tmp_path / "old" / f"k={value}")
    table = taken(tmp_path / "old")
    assert str(table.schema().find_field("k").field_type) == kind
    assert [each.name for each in table.spec().fields] == ["k"]
    found = set(table.scan().to_arrow()["k"].to_pylist())
    assert found == set(read)
    assert table.scan(fb.col("k") == read[0]).count() == 3 if read[0] is not None else True


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(st.none() | st.text(min_size=1, max_size=8), min_size=1, max_size=6, unique=True))
def test_what_pyarrow_writes_to_folders(
    tmp_path_factory: pytest.TempPathFactory, values: list[str | None]
) -> None:
    values = [
        None if each is not None and ("\0" in each or each == "__HIVE_DEFAULT_PARTITION__") else each
        for each in values
    ]
    folder = tmp_path_factory.mktemp("hive")
    try:
        rows = pa.table({"n": range(len(values)), "k": pa.array(values, pa.string())})
    except UnicodeEncodeError:
        return
    by_k = dataset.partitioning(pa.schema({"k": pa.string()}), flavor="hive")
    dataset.write_dataset(rows, folder / "old", format="parquet", partitioning=by_k)
    table = taken(folder / "old", schema=rows.schema)
    assert table.scan().to_arrow().sort_by("n").to_pylist() == rows.to_pylist()


def test_names_that_look_like_transforms(tmp_path: Path) -> None:
    parquet(tmp_path / "old" / "bucket(4, id)=1" / "a.b=x")
    table = taken(tmp_path / "old")
    assert [(each.name, str(each.transform)) for each in table.spec().fields] == [
        ("bucket(4, id)", "identity"),
        ("a.b", "identity"),
    ]
    assert table.count() == 3


def test_files_of_narrower_and_missing_columns(tmp_path: Path) -> None:
    old = parquet(
        tmp_path / "old", pa.table({"id": pa.array([1], pa.int32()), "f": pa.array([1.5], pa.float32())})
    )
    parquet(old, pa.table({"id": pa.array([2], pa.int64()), "g": ["x"]}), "b.parquet")
    table = taken(old)
    assert {each.name: str(each.field_type) for each in table.schema().fields} == {
        "id": "long",
        "f": "float",
        "g": "string",
    }
    assert table.scan().to_arrow().sort_by("id").to_pylist() == [
        {"id": 1, "f": 1.5, "g": None},
        {"id": 2, "f": None, "g": "x"},
    ]


def test_every_type_keeps_its_values(tmp_path: Path) -> None:
    nested = pa.struct({"tags": pa.list_(pa.string()), "by": pa.map_(pa.string(), pa.int64())})
    rows = pa.table(
        {
            "i8": pa.array([1, None], pa.int8()),
            "u32": pa.array([4_000_000_000, None], pa.uint32()),
            "ms": pa.array([1, None], pa.timestamp("ms", "UTC")),
            "local": pa.array([1, None], pa.timestamp("us")),
            "time": pa.array([1, None], pa.time32("ms")),
            "words": pa.array(["a", None]).dictionary_encode(),
            "fixed": pa.array([b"1234", None], pa.binary(4)),
            "nested": pa.array([{"tags": ["x", None], "by": [("k", 1)]}, None], nested),
        }
    )
    table = taken(parquet(tmp_path / "old", rows))
    assert table.scan().to_arrow().to_pylist() == rows.to_pylist()


def test_instants_of_old_files(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    rows = pa.table({"at": pa.array([1_000], pa.timestamp("ns"))})
    pq.write_table(rows, tmp_path / "old" / "a.parquet", use_deprecated_int96_timestamps=True)
    table = taken(tmp_path / "old")
    assert str(table.schema().find_field("at").field_type) == "timestamptz"
    assert table.scan().to_arrow()["at"].cast(pa.int64()).to_pylist() == [1]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (pa.timestamp("ns"), 1),
        (pa.uint64(), 1),
        (pa.duration("us"), 1),
        (pa.null(), None),
        (pa.decimal256(60, 2), None),
    ],
    ids=str,
)
def test_types_that_lose_values_are_refused(tmp_path: Path, kind: pa.DataType, value: object) -> None:
    old = parquet(tmp_path / "old", pa.table({"fine": [1], "odd": pa.array([value], kind)}))
    with pytest.raises(fb.FloebergError, match='"odd"'):
        taken(old)
    assert not (tmp_path / "old-taken").exists()
    if kind == pa.timestamp("ns"):
        assert taken(old, format_version=3).scan().to_arrow()["odd"].cast(pa.int64()).to_pylist() == [1]


def _other_folders(old: Path) -> None:
    parquet(old / "region=eu")
    parquet(old / "zone=us")


def _other_types(old: Path) -> None:
    parquet(old)
    parquet(old, pa.table({"id": ["text"]}), "b.parquet")


def _cut(old: Path) -> None:
    path = parquet(old) / "a.parquet"
    path.write_bytes(path.read_bytes()[:-20])


def _no_rows(old: Path) -> None:
    parquet(old)
    (old / "notes.txt").write_text("hello")


def _two_columns(old: Path) -> None:
    parquet(old, pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["id", "id"]))


def _link(old: Path) -> None:
    parquet(old)
    parquet(old.parent / "secret", name="s.parquet")
    (old / "z.parquet").symlink_to(old.parent / "secret" / "s.parquet")


def _link_of_folder(old: Path) -> None:
    parquet(old)
    parquet(old.parent / "secret", name="s.parquet")
    (old / "z").symlink_to(old.parent / "secret")


def _circle(old: Path) -> None:
    parquet(old)
    (old / "again").symlink_to(old)


def _two_values(old: Path) -> None:
    parquet(old / "k=1" / "k=2")


def _ids_of_others(old: Path) -> None:
    field = pa.field("id", pa.int64(), metadata={"PARQUET:field_id": "7"})
    parquet(old, pa.table([[1]], schema=pa.schema([field])))


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (_other_folders, ValueError, "folders of other names"),
        (_other_types, ValueError, "types of a column that no type holds"),
        (_cut, InvalidDataError, "cannot be read"),
        (_no_rows, InvalidDataError, "notes.txt"),
        (_two_columns, ValueError, "two columns 'id'"),
        (_link, ValueError, "outside of its folder"),
        (_link_of_folder, ValueError, "outside of its folder"),
        (_circle, fb.FloebergError, "deep|symbolic links"),
        (_two_values, ValueError, "two values of 'k'"),
        (_ids_of_others, ValueError, "field id 7"),
    ],
)
def test_folders_that_are_refused(
    tmp_path: Path, make: Callable[[Path], None], error: type[Exception], match: str
) -> None:
    make(tmp_path / "old")
    for take in (taken, fb.migrate_table):
        with pytest.raises(error, match=match):
            take(tmp_path / "old")
    assert not (tmp_path / "old-taken").exists()
    assert not (tmp_path / "old" / "metadata").exists()


def test_a_file_that_vanishes_while_it_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from floeberg.takeover import files

    old = parquet(tmp_path / "old")
    parquet(old, name="b.parquet")
    columns = files.columns_of

    def then_gone(*given: Any) -> Any:
        found = columns(*given)
        (old / "b.parquet").unlink()
        return found

    monkeypatch.setattr(files, "columns_of", then_gone)
    with pytest.raises(NotFoundError, match=r"b\.parquet"):
        taken(old)
    assert not (tmp_path / "old-taken").exists()


def test_places_that_are_refused(tmp_path: Path) -> None:
    old = parquet(tmp_path / "old")
    (tmp_path / "link").symlink_to(old)
    for place in (old, old / "inside", tmp_path / "link" / "inside", tmp_path / "old" / ".." / "old" / "x"):
        with pytest.raises((ValueError, FileExistsError), match="would mix|has files"):
            fb.snapshot_table(old, place)
    # The folder of a catalog's table may be above the source.
    catalog = fb.load_catalog("takeover-above", type="memory", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    with pytest.raises(ValueError, match="would mix"):
        fb.snapshot_table(parquet(tmp_path / "a" / "b"), "db.t", catalog=catalog, location=tmp_path / "a")
    with pytest.raises(FileExistsError, match="has files"):
        fb.snapshot_table(old, parquet(tmp_path / "full"))
    with pytest.raises(ValueError, match="is a file"):
        fb.snapshot_table(old / "a.parquet", tmp_path / "n")
    with pytest.raises(NoSuchTableError):
        fb.snapshot_table(tmp_path / "nothing", tmp_path / "n")
    with pytest.raises(ValueError, match="both or neither"):
        fb.migrate_table(old, identifier="db.t")
    with pytest.raises(ValueError, match="version"):
        fb.snapshot_table(old, tmp_path / "n", version=1)
    assert not (tmp_path / "n").exists()


def test_in_place_the_files_belong_to_the_table(tmp_path: Path) -> None:
    old = parquet(tmp_path / "old" / "k=1").parent
    made = fb.migrate_table(old)
    assert made.table is not None
    assert "gc.enabled" not in made.table.properties
    assert made.table.properties["migrated"] == "true"
    made.table.append(pa.table({"id": [9], "k": [2]}))
    again = fb.open_table(str(old))
    assert again.count() == 4
    with pytest.raises(FileExistsError, match="already"):
        fb.migrate_table(old)


def test_a_lance_table_is_copied(tmp_path: Path) -> None:
    pytest.importorskip("lance")
    old = fb.lance.create_table(str(tmp_path / "old.lance"), pa.table({"id": [1, 2]}))
    old.append(pa.table({"id": [3]}))
    made = fb.snapshot_table(tmp_path / "old.lance", tmp_path / "new")
    assert made.table is not None
    assert (made.source_format, made.action, made.source_version, made.rows) == ("lance", "copied", 2, 3)
    assert "gc.enabled" not in made.table.properties
    assert made.table.scan().to_arrow()["id"].to_pylist() == [1, 2, 3]
    first = fb.snapshot_table(tmp_path / "old.lance", tmp_path / "first", version=1)
    assert first.rows == 2
    assert fb.snapshot_table(tmp_path / "old.lance", tmp_path / "none", dry_run=True).rows == 3
    assert not (tmp_path / "none").exists()
    with pytest.raises(UnsupportedError, match="snapshot_table"):
        fb.migrate_table(tmp_path / "old.lance")
