"""Are exported files the rows of the table, whole, and can their checksums be trusted?"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import dataset

import floeberg as fb
from floeberg.errors import InvalidDataError, NotFoundError, UnsupportedError
from floeberg.exporting.checksums import CHECKSUMS, checksums_text

ROWS = pa.table(
    {
        "id": pa.array(range(6), pa.int64()),
        "region": ["eu", "us", None, "a/b", "eu", "%"],
        "tags": [["x"], [], None, ["y", None], [], []],
    }
)


@pytest.fixture
def table(tmp_path: Path) -> fb.Table:
    catalog = fb.load_catalog(f"exporting-{tmp_path.name}", type="memory", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("db")
    return catalog.create_table("db.t", ROWS, format_version=3)


def read(folder: Path, **how: Any) -> list[dict[str, Any]]:
    """The rows of an export, as pyarrow reads them alone."""
    names = [str(each) for each in folder.rglob("*.parquet")]
    rows = dataset.dataset(names, format="parquet", **how).to_table()
    return rows.sort_by("id").to_pylist()


def test_the_rows_and_nothing_of_iceberg(table: fb.Table, tmp_path: Path) -> None:
    table.delete("id = 3", mode="merge-on-read")
    with table.update_schema() as update:
        update.rename_column("tags", "labels").add_column("note", "string")
    done = fb.export_table(table, tmp_path / "out")
    assert (done.rows, done.files, done.folder) == (5, ("part-0.parquet",), str(tmp_path / "out"))
    assert done.snapshot_id == table.current_snapshot().snapshot_id
    assert done.size_in_bytes == (tmp_path / "out" / "part-0.parquet").stat().st_size
    assert read(tmp_path / "out") == table.scan().to_arrow().sort_by("id").to_pylist()
    schema = pq.read_schema(tmp_path / "out" / "part-0.parquet")
    assert [each.name for each in schema] == ["id", "region", "labels", "note"]
    assert not [each for each in schema if b"PARQUET:field_id" in (each.metadata or {})]


def test_filter_columns_folders_and_files(table: fb.Table, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = fb.export_table(
        table.location(),
        out,
        row_filter="id > 0",
        columns=["id", "region"],
        partition_by=["region"],
        rows_per_file=1,
    )
    assert done.rows == 5 == len(done.files)
    assert {each.split("/")[0] for each in done.files} == {
        "region=eu",
        "region=us",
        "region=__HIVE_DEFAULT_PARTITION__",
        "region=a%2Fb",
        "region=%25",
    }
    by = dataset.partitioning(pa.schema({"region": pa.string()}), flavor="hive")
    assert read(out, partitioning=by, partition_base_dir=str(out)) == [
        row for row in ROWS.select(["id", "region"]).to_pylist() if row["id"] > 0
    ]
    # It comes back as it was.
    back = fb.snapshot_table(out, tmp_path / "back").table
    assert back is not None
    assert back.scan("region = 'a/b'").to_arrow()["id"].to_pylist() == [3]


def test_a_table_without_rows_has_columns(table: fb.Table, tmp_path: Path) -> None:
    done = fb.export_table(table, tmp_path / "out", row_filter="id > 100", partition_by=["region"])
    assert (done.rows, done.files) == (0, ("part-0.parquet",))
    assert pq.read_schema(tmp_path / "out" / "part-0.parquet").names == ["id", "tags"]
    assert fb.verify_export(tmp_path / "out").is_whole


def test_lance(tmp_path: Path) -> None:
    pytest.importorskip("lance")
    old = fb.lance.create_table(str(tmp_path / "t.lance"), ROWS)
    done = fb.export_table(old, tmp_path / "out", row_filter="id < 2")
    assert (done.rows, done.snapshot_id) == (2, 1)
    assert read(tmp_path / "out") == ROWS.slice(0, 2).to_pylist()


def test_checksums_find_what_changed(table: fb.Table, tmp_path: Path) -> None:
    out = tmp_path / "out"
    fb.export_table(table, out, partition_by=["region"])
    assert fb.verify_export(out).is_whole
    assert _sha256sum(out).returncode == 0
    files = sorted(out.rglob("*.parquet"))
    content = bytearray(files[0].read_bytes())
    content[len(content) // 2] ^= 1
    files[0].write_bytes(content)
    files[1].unlink()
    (out / "more.parquet").touch()
    found = fb.verify_export(out)
    assert found.changed == (files[0].relative_to(out).as_posix(),)
    assert found.missing == (files[1].relative_to(out).as_posix(),)
    assert found.unlisted == ("more.parquet",)
    assert not found.is_whole
    assert _sha256sum(out).returncode != 0


def _sha256sum(folder: Path) -> subprocess.CompletedProcess[str]:
    tool = shutil.which("sha256sum")
    if tool is None:
        pytest.skip("sha256sum is not installed")
    return subprocess.run(
        [tool, "-c", "--quiet", CHECKSUMS], cwd=folder, capture_output=True, text=True, check=False
    )


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=12).filter(
            lambda name: name not in (".", "..", CHECKSUMS)
        ),
        min_size=1,
        max_size=4,
        unique=True,
    )
)
def test_any_name_is_as_sha256sum_writes_it(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("names")
    for name in names:
        (folder / name).write_text(name)
    (folder / CHECKSUMS).write_bytes(checksums_text(folder).encode())
    assert fb.verify_export(folder).is_whole
    assert _sha256sum(folder).returncode == 0


@pytest.mark.parametrize(
    "text",
    [
        "hello\n",
        "0" * 63 + "  a\n",
        "G" * 64 + "  a\n",
        "0" * 64 + "  ../secret\n",
        "0" * 64 + "  /etc/passwd\n",
        "0" * 64 + "  a/../../b\n",
        "0" * 64 + "  \n",
        "\\" + "0" * 64 + "  ..\\n/../x/..\n",
        "0" * 64 + "  a\0b\n",
    ],
)
def test_lists_that_are_damaged_or_lead_elsewhere(tmp_path: Path, text: str) -> None:
    (tmp_path / CHECKSUMS).write_text(text)
    with pytest.raises(InvalidDataError, match="damaged"):
        fb.verify_export(tmp_path)
    (tmp_path / CHECKSUMS).write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidDataError, match="damaged"):
        fb.verify_export(tmp_path)


def test_without_a_list(table: fb.Table, tmp_path: Path) -> None:
    fb.export_table(table, tmp_path / "out", checksums=False)
    assert not (tmp_path / "out" / CHECKSUMS).exists()
    with pytest.raises(NotFoundError, match="without one, or was not finished"):
        fb.verify_export(tmp_path / "out")
    with pytest.raises(NotFoundError):
        fb.verify_export(tmp_path / "nothing")


@pytest.mark.parametrize("step", ["checksums_text", "_keep", "_appear", "_write"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_what_is_interrupted_is_not_there(
    table: fb.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: type[BaseException]
) -> None:
    from floeberg.exporting import exporting

    def stop(*_: object) -> None:
        raise error("stopped")

    monkeypatch.setattr(exporting, step, stop)
    with pytest.raises((error, fb.FloebergError)):
        fb.export_table(table, tmp_path / "out")
    assert [each.name for each in tmp_path.iterdir()] == ["lake"]


def test_an_interrupted_export_is_seen_as_such(table: fb.Table, tmp_path: Path) -> None:
    # What a killed process leaves: a folder of another name, without a list.
    (tmp_path / ".out.exporting-abc").mkdir()
    (tmp_path / ".out.exporting-abc" / "part-0.parquet").touch()
    with pytest.raises(NotFoundError, match="not finished"):
        fb.verify_export(tmp_path / ".out.exporting-abc")
    assert fb.export_table(table, tmp_path / "out").rows == 6


def test_somebody_was_faster(table: fb.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from floeberg.exporting import exporting

    keep = exporting._keep

    def then_another(folder: Path) -> None:
        keep(folder)
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "theirs").touch()

    monkeypatch.setattr(exporting, "_keep", then_another)
    with pytest.raises(FileExistsError, match="somebody else"):
        fb.export_table(table, tmp_path / "out")
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["theirs"]


@pytest.mark.parametrize(
    ("how", "error", "match"),
    [
        ({"partition_by": ["nothing"]}, ValueError, "no column 'nothing'"),
        ({"partition_by": ["tags"]}, UnsupportedError, "'tags' is of type list"),
        ({"partition_by": ["id", "id"]}, ValueError, "twice"),
        ({"partition_by": ["id"], "columns": ["id"]}, ValueError, "leave one"),
        ({"columns": ["nothing"]}, fb.FloebergError, "nothing"),
        ({"row_filter": True}, fb.FloebergError, "filter"),
        ({"compression": "best"}, ValueError, "expected one of zstd"),
        ({"rows_per_file": 0}, ValueError, "rows_per_file"),
        ({"checksums": 1}, ValueError, "checksums"),
    ],
)
def test_what_is_refused(
    table: fb.Table, tmp_path: Path, how: Any, error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        fb.export_table(table, tmp_path / "out", **how)
    assert [each.name for each in tmp_path.iterdir()] == ["lake"]


def test_folders_that_are_refused(table: fb.Table, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").touch()
    with pytest.raises(FileExistsError, match="has files"):
        fb.export_table(table, tmp_path / "full")
    with pytest.raises(FileExistsError):
        fb.export_table(table, tmp_path / "full" / "a")
    with pytest.raises(FileNotFoundError, match="to be in"):
        fb.export_table(table, tmp_path / "none" / "out")
    with pytest.raises(UnsupportedError, match="on this machine"):
        fb.export_table(table, "s3://bucket/out")
    (tmp_path / "empty").mkdir()
    assert fb.export_table(table, tmp_path / "empty").rows == 6


def test_a_text_that_is_the_folder_of_null_is_no_folder(tmp_path):
    catalog = fb.load_catalog("text of null", type="memory")
    catalog.create_namespace("ns")
    rows = pa.table({"k": ["a", "__HIVE_DEFAULT_PARTITION__", None], "id": [1, 2, 3]})
    table = catalog.create_table("ns.t", as_select=rows)
    with pytest.raises(UnsupportedError, match="the column 'k' has the text '__HIVE_DEFAULT_PARTITION__'"):
        fb.export_table(table, tmp_path / "out", partition_by=["k"])
    assert list(tmp_path.iterdir()) == []
    assert fb.export_table(table, tmp_path / "out").rows == 3
