"""Blobs of Lance tables, as files that are read piece by piece."""

from __future__ import annotations

import io
from pathlib import Path

import lance
import pyarrow as pa
import pytest

import floeberg as fb
from corpus import lance_lent
from floeberg import errors
from floeberg.lance import pages

META = {"lance-encoding:blob": "true"}


def written(folder: Path, contents: list[bytes | None], version: str = "2.1") -> fb.LanceTable:
    """A table of blobs of the first kind, by pylance."""
    schema = pa.schema([pa.field("id", pa.int64()), pa.field("film", pa.large_binary(), metadata=META)])
    rows = pa.table(
        {"id": range(len(contents)), "film": pa.array(contents, pa.large_binary())}, schema=schema
    )
    lance.write_dataset(rows, folder / "t", max_rows_per_file=3, data_storage_version=version)
    return fb.open_table(folder / "t")


@pytest.mark.parametrize("version", ["2.0", "2.1"])
def test_blobs_are_files_that_are_read_piece_by_piece(tmp_path, version) -> None:
    contents = [bytes(range(256)) * 100, b"", None, b"x", b"hello world" * 5000]
    table = written(tmp_path, contents, version)
    opened = table.blobs("film", addresses=[1 << 32 | 1, 0, 2, 1, 0])
    film, first, missing, empty, again = opened
    assert missing is None
    assert (film.size, first.size, empty.size) == (55_000, 25_600, 0)
    assert (film.read(5), film.tell(), film.seek(-5, io.SEEK_END), film.read(), film.read(1)) == (
        b"hello",
        5,
        54_995,
        b"world",
        b"",
    )
    assert (first.readall(), again.read(), empty.read()) == (contents[0], contents[0], b"")
    assert (film.seek(6), film.read(5), film.seek(60_000), film.read(3)) == (6, b"world", 60_000, b"")
    assert io.BufferedReader(again).peek() == b""
    assert (film.readable(), film.seekable(), film.writable()) == (True, True, False)
    with film as closing:
        pass
    for use in (closing.tell, closing.readall, lambda: closing.seek(0)):
        with pytest.raises(ValueError, match="closed"):
            use()
    with pytest.raises(ValueError, match="before the start"):
        first.seek(-1)


def test_the_corpus_has_the_blobs_that_pylance_reads() -> None:
    case = lance_lent("lance_blobs")
    table = case.open()
    read = table.scan().select("blob", "_rowaddr").to_arrow()
    opened = table.blobs("blob", addresses=read["_rowaddr"].to_pylist())
    assert [None if each is None else each.readall() for each in opened] == read["blob"].to_pylist()


def test_blobs_of_old_versions_renamed_columns_and_deleted_rows(tmp_path) -> None:
    table = written(tmp_path, [b"a", b"b", b"c", b"d"])
    table.delete("id = 1")
    table.rename_columns({"film": "video"})
    row_ids = table.scan().select("_rowid").to_arrow()["_rowid"].to_pylist()
    found = [each.read() for each in table.blobs("video", row_ids=row_ids)]
    assert found == [b"a", b"c", b"d"]
    old = fb.open_table(table.location, version=1)
    assert [each.read() for each in old.blobs("film", addresses=[1])] == [b"b"]


def test_blobs_of_the_second_version_are_opened_and_not_read_as_bytes(tmp_path) -> None:
    contents = [b"inline", None, b"", b"y" * 3_000_000]
    column = lance.blob_array(contents)
    schema = pa.schema([pa.field("id", pa.int64()), lance.blob_field("film")])
    rows = pa.table([pa.array(range(4)), column], schema=schema)
    lance.write_dataset(rows, tmp_path / "t", data_storage_version="2.2")
    table = fb.open_table(tmp_path / "t")
    opened = table.blobs("film", addresses=range(4))
    assert [None if each is None else each.read() for each in opened] == contents
    with pytest.raises(errors.UnsupportedError, match=r"lance\.blob\.v2"):
        table.scan().to_arrow()
    with pytest.raises(errors.UnsupportedError, match=r"lance\.blob\.v2"):
        table.take(addresses=[0])
    assert table.scan(selected_fields=("id",)).to_arrow()["id"].to_pylist() == [0, 1, 2, 3]
    with pytest.raises(errors.UnsupportedError):
        table.append(pa.table({"id": [5]}))


def test_what_cannot_be_opened_is_told(tmp_path) -> None:
    table = written(tmp_path, [b"a", b"b"])
    with pytest.raises(errors.InvalidInputError, match="no column 'movie'"):
        table.blobs("movie", addresses=[0])
    with pytest.raises(errors.InvalidInputError, match="has no blobs"):
        table.blobs("id", addresses=[0])
    with pytest.raises(errors.InvalidInputError, match="either row_ids or addresses"):
        table.blobs("film")
    with pytest.raises(errors.NotFoundError):
        table.blobs("film", addresses=[7])
    assert table.blobs("film", addresses=[]) == []
    # pylance looks for blobs in the folder of a clone or a branch, where they are not.
    table.create_branch("side")
    table.shallow_clone(str(tmp_path / "clone"))
    for based in (fb.open_table(table.location, branch="side"), fb.open_table(tmp_path / "clone")):
        with pytest.raises(errors.UnsupportedError, match="base paths"):
            based.blobs("film", addresses=[0])
        assert based.scan().to_arrow()["film"].to_pylist() == [b"a", b"b"]
    (blob,) = table.blobs("film", addresses=[0])
    for each in Path(table.location, "data").iterdir():
        each.unlink()
    with pytest.raises(errors.FloebergError, match=table.location):
        blob.readall()


def test_a_blob_that_crosses_a_fork_is_refused(tmp_path, monkeypatch) -> None:
    (blob,) = written(tmp_path, [b"a"]).blobs("film", addresses=[0])
    monkeypatch.setattr(pages, "_USED_BY", [1])
    with pytest.raises(errors.UnsupportedError, match="spawn"):
        blob.read()
