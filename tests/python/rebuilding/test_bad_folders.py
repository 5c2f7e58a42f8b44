"""What is damaged is passed over and named. A folder without exactly one table is an error."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import fastavro
import pyarrow as pa
import pytest

import floeberg as fb
from maintenance.disk import path_of, rows
from rebuilding.lost import digests, lists, live_rows, metadata_folder, newest_metadata, without_metadata

pytestmark = pytest.mark.unchecked_tables("tables are destroyed")


@pytest.fixture
def table(tmp_path: Path) -> fb.Table:
    catalog = fb.load_catalog("damaged", type="filesystem", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("db")
    made = catalog.create_table("db.t", rows().schema, properties={"commit.manifest-merge.enabled": "false"})
    for number in range(3):
        made.append(rows(number))
    return made


def new(table: fb.Table) -> str:
    return f"{table.location()}-new"


def test_folders_of_nothing_and_of_other_formats_are_named(tmp_path: Path):
    with pytest.raises(fb.errors.NotFoundError, match="no folder to rebuild"):
        fb.rebuild(tmp_path / "none", to=tmp_path / "new")
    (tmp_path / "empty").mkdir()
    with pytest.raises(fb.errors.InvalidInputError, match="has no files"):
        fb.rebuild(tmp_path / "empty", to=tmp_path / "new")
    lance = tmp_path / "t.lance"
    (lance / "_versions").mkdir(parents=True)
    (lance / "_versions" / "1.manifest").write_bytes(b"x")
    delta = tmp_path / "delta"
    (delta / "_delta_log").mkdir(parents=True)
    (delta / "_delta_log" / "0.json").write_text("{}")
    for folder, name in ((lance, "Lance"), (delta, "Delta Lake")):
        for call in (
            lambda folder=folder: fb.rebuild(folder, to=tmp_path / "new"),
            lambda folder=folder: fb.rebuild_candidates(folder),
        ):
            with pytest.raises(fb.errors.InvalidInputError, match=f"found one of {name}"):
                call()
    assert not (tmp_path / "new").exists()


def test_a_folder_of_several_tables_is_refused(table, tmp_path: Path):
    with pytest.raises(fb.errors.InvalidInputError, match="folder of one table"):
        fb.rebuild(tmp_path / "lake" / "db", to=tmp_path / "new")
    other = fb.load_catalog("damaged", type="filesystem", warehouse=str(tmp_path / "lake"))
    beside = other.create_table("db.u", rows().schema)
    shutil.copy(newest_metadata(beside), metadata_folder(table) / "00009-x.metadata.json")
    with pytest.raises(fb.errors.InvalidInputError, match="metadata of two tables"):
        fb.rebuild(table.location(), to=new(table))


def test_wrong_arguments_are_named(table):
    path = table.inspect.data_files()["file_path"][0].as_py()
    with pytest.raises(fb.errors.InvalidInputError, match="each file once"):
        fb.rebuild(table.location(), to=new(table), files=[path, f"file://{path_of(path)}"])
    with pytest.raises(fb.errors.InvalidInputError, match="files: expected the files that are live"):
        fb.rebuild(table.location(), to=new(table), files=[])
    with pytest.raises(fb.errors.InvalidInputError, match="schema: expected none"):
        fb.rebuild(table.location(), to=new(table), schema=rows().schema)
    with pytest.raises(fb.errors.InvalidInputError, match="snapshot_id"):
        fb.rebuild(table.location(), to=new(table), snapshot_id="x")
    with pytest.raises(fb.FloebergError, match="does not exist|no file"):
        fb.rebuild(table.location(), to=new(table), files=[f"{table.location()}/data/none.parquet"])
    assert not Path(path_of(new(table))).exists()


def bomb() -> bytes:
    """An Avro file whose one block inflates to far more than it has."""
    schema = {
        "type": "record",
        "name": "manifest_file",
        "fields": [{"name": "manifest_path", "type": "string", "field-id": 500}],
    }
    file = io.BytesIO()
    fastavro.writer(
        file,
        schema,
        [{"manifest_path": "a" * 50_000_000}] * 6,
        codec="deflate",
        sync_interval=1 << 40,
        metadata={"snapshot-id": "77", "sequence-number": "77", "format-version": "2"},
    )
    return file.getvalue()


@pytest.mark.parametrize(
    "content", [b"", b"Obj\x01", b"\x00" * 200, b"{", bomb()], ids=["none", "magic", "zeros", "json", "bomb"]
)
def test_damaged_files_are_passed_over(table, content):
    expected = live_rows(table)
    folder = metadata_folder(table)
    (folder / "snap-77-1-x.avro").write_bytes(content)
    (folder / "v77.metadata.json").write_bytes(content)
    done = fb.rebuild(table.location(), to=new(table))
    assert live_rows(done.table) == expected
    named = {path_of(each.location).rsplit("/", 1)[-1] for each in done.passed_over}
    assert "v77.metadata.json" in named
    without_metadata(table)
    again = fb.rebuild(table.location(), to=f"{table.location()}-newer")
    assert live_rows(again.table) == expected
    assert "snap-77-1-x.avro" in {path_of(each.location).rsplit("/", 1)[-1] for each in again.passed_over}


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9, 0.99])
def test_truncated_manifests_and_lists_lead_to_the_snapshot_before(table, share):
    manifest = next(
        each["path"]
        for each in table.inspect.manifests().to_pylist()
        if each["added_snapshot_id"] == table.current_snapshot().snapshot_id
    )
    for number, path in enumerate((Path(path_of(manifest)), lists(table)[-1])):
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * share)])
        before = digests(table.location())
        done = fb.rebuild(table.location(), to=f"{new(table)}{number}")
        assert [each[0] for each in live_rows(done.table)] == [0, 1]
        assert str(path) in {path_of(each.location) for each in done.passed_over}
        assert digests(table.location()) == before
        path.write_bytes(content)


def test_where_the_first_manifest_is_gone_nothing_is_whole(table):
    oldest = table.inspect.manifests(table.snapshots()[0].snapshot_id)["path"][0].as_py()
    Path(path_of(oldest)).unlink()
    with pytest.raises(fb.errors.InvalidInputError, match="no snapshot can be read whole") as raised:
        fb.rebuild(table.location(), to=new(table))
    assert Path(path_of(oldest)).name in str(raised.value)
    files = table_files(table)
    done = fb.rebuild(table.location(), to=new(table), files=files)
    assert [each[0] for each in live_rows(done.table)] == [0, 1, 2]
    assert done.data_files == 3


def table_files(table: fb.Table) -> list[str]:
    return [str(path) for path in Path(path_of(table.location()), "data").rglob("*.parquet")]


def test_files_without_field_ids_need_a_schema(tmp_path: Path):
    import pyarrow.parquet as pq

    folder = tmp_path / "plain"
    folder.mkdir()
    pq.write_table(pa.table({"id": [1, 2], "part": ["a", "b"]}), folder / "x.parquet")
    with pytest.raises(fb.errors.InvalidInputError, match="give schema="):
        fb.rebuild(folder, to=tmp_path / "new", files=[folder / "x.parquet"])
    done = fb.rebuild(folder, to=tmp_path / "new", files=[folder / "x.parquet"], schema=rows().schema)
    assert done.table.scan().to_arrow().to_pylist() == [{"id": 1, "part": "a"}, {"id": 2, "part": "b"}]
    assert list(done.table.check("rows")) == []
