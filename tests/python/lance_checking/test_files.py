"""What is wrong with data files, deletion files and rows is found."""

from __future__ import annotations

import shutil
import struct
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from lance.file import LanceFileWriter

import floeberg as fb

from .planting import FIELDS, SCHEMA, Plant, Planted, hold, plant, rows
from .test_fragments import ROW_IDS, sequence

if TYPE_CHECKING:
    from pathlib import Path


def without_size(table: Planted, place: int) -> None:
    table.edit_file(place, lambda file: file.drop(6))


def gone(table: Planted) -> None:
    table.data_file(0).unlink()


def of_other_size(table: Planted) -> None:
    table.edit_file(0, lambda file: file.put(6, file.number(6) + 1))


def without_magic(table: Planted) -> None:
    path = table.data_file(0)
    path.write_bytes(path.read_bytes()[:-4] + b"PAR1")


def cut(table: Planted) -> None:
    path = table.data_file(0)
    path.write_bytes(path.read_bytes()[:30])
    without_size(table, 0)


def of_other_rows(table: Planted) -> None:
    """The file of a fragment in the place of that of another one."""
    shutil.copy(table.data_file(3), table.data_file(0))
    without_size(table, 0)


def of_other_version(table: Planted) -> None:
    path = table.data_file(0)
    content = bytearray(path.read_bytes())
    content[-6:-4] = (2).to_bytes(2, "little")
    path.write_bytes(bytes(content))


def written(table: Planted, columns: pa.Table) -> None:
    """Other columns in a data file."""
    path = table.data_file(0)
    path.unlink()
    with LanceFileWriter(str(path), columns.schema, version="2.1") as writer:
        writer.write_batch(columns)
    without_size(table, 0)


def of_other_columns(table: Planted) -> None:
    written(table, rows(0, 40).select(["id", "s"]))


def of_another_type(table: Planted) -> None:
    columns = rows(0, 40)
    written(table, columns.set_column(1, "s", pa.array([key / 2 for key in range(40)])))


def deletion_gone(table: Planted) -> None:
    table.deletion_file(0).unlink()


def deletion_cut(table: Planted) -> None:
    path = table.deletion_file(0)
    path.write_bytes(path.read_bytes()[:40])


def in_header(of: str, value: int) -> Any:
    """A number in the header of an Arrow deletion file that no reader of ours needs."""

    def change(table: Planted) -> None:
        path = table.deletion_file(0)
        content = bytearray(path.read_bytes())
        offset, metadata, place = batch_block(content)
        if of == "body length":
            struct.pack_into("<q", content, place + 16, value)
        elif of == "message length":
            struct.pack_into("<i", content, offset + 4, value)
        else:
            message = offset + 8
            root = message + struct.unpack_from("<I", content, message)[0]
            fields = root - struct.unpack_from("<i", content, root)[0]
            at = root + struct.unpack_from("<H", content, fields + 4)[0]
            struct.pack_into("<h", content, at, value)
        assert metadata > 8
        path.write_bytes(content)

    return change


def batch_block(content: bytes) -> tuple[int, int, int]:
    """Where the footer says that the batch is: its offset, the length of its message, and the place of this block."""
    (length,) = struct.unpack_from("<i", content, len(content) - 10)
    end = len(content) - 10
    found = []
    for place in range(end - length, end - 23):
        offset, metadata, body = struct.unpack_from("<qi4xq", content, place)
        if content[offset : offset + 4] == b"\xff" * 4 and 0 < metadata < 1000 and 0 < body < len(content):
            found.append((offset, metadata, place))
    [block] = found
    return block


def deletion_counted(table: Planted) -> None:
    table.edit_fragment(0, lambda fragment: fragment.change(3, 0, lambda file: file.put(4, 1)))


def deleted_rows(*rows: int) -> Any:
    """A deletion file of some rows."""

    def change(table: Planted) -> None:
        schema = pa.schema([pa.field("row_id", pa.uint32(), nullable=False)])
        path = table.deletion_file(0)
        path.unlink()
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
            writer.write_batch(pa.record_batch([pa.array(rows, pa.uint32())], schema))
        table.edit_fragment(0, lambda fragment: fragment.change(3, 0, lambda file: file.put(4, len(rows))))

    return change


def shared_row_id(table: Planted) -> None:
    """The last fragment has the ids of rows of the first, of which none is deleted."""
    count = table.fragment(3).number(4)
    table.edit_fragment(3, lambda fragment: fragment.put(ROW_IDS, sequence(0, count)))


def index_gone(table: Planted) -> None:
    shutil.rmtree(next((table.place / "_indices").iterdir()))


def damaged_columns(table: Planted) -> None:
    """What describes the pages of columns is other bytes; what the footer says of the file is as before."""
    path = table.data_file(0)
    content = bytearray(path.read_bytes())
    start, end = (int.from_bytes(content[at : at + 8], "little") for at in (-40, -32))
    content[start:end] = b"\xff" * (end - start)
    path.write_bytes(bytes(content))


def required(*names: str) -> Any:
    """Fields that may be null, and are, may not be."""

    def change(table: Planted) -> None:
        for place, field in enumerate(("id", "s", "p", "x", "y", "l", "item")):
            if field in names:
                table.edit_field(place, lambda each: each.drop(6))

    return change


FILES = [
    plant("lance-file-there", ".lance", gone),
    plant("lance-file-size", ".lance, fragment 0", of_other_size),
    plant("lance-file-readable", ".lance", without_magic),
    plant("lance-file-readable", ".lance, fragment 0", cut),
    plant("lance-file-rows", "fragment 0", of_other_rows),
    plant("lance-footer-version", "fragment 0", of_other_version),
    plant("lance-file-columns", "fragment 0", of_other_columns),
    plant("lance-column-type", 'fragment 0, column "s"', of_another_type),
    plant("lance-deletion-there", "_deletions/0-", deletion_gone),
    plant("lance-deletion-readable", "_deletions/0-", deletion_cut),
    plant("lance-deletion-readable", "_deletions/0-", in_header("version", 3)),
    plant("lance-deletion-readable", "_deletions/0-", in_header("body length", 1 << 40)),
    plant("lance-deletion-readable", "_deletions/0-", in_header("body length", 4)),
    plant("lance-deletion-readable", "_deletions/0-", in_header("message length", 1 << 20)),
    plant("lance-deletion-count", "fragment 0", deletion_counted),
    plant("lance-deletion-count", "_deletions/0-", deleted_rows(3, 4, 13, 23, 24, 33, 33)),
    plant("lance-deletion-rows", "fragment 0", deleted_rows(3, 4, 13, 23, 24, 33, 40)),
    plant("lance-row-ids-once", "fragments 0 and 3", shared_row_id),
    plant("lance-index-files", 'index 0, "id_idx"', index_gone),
    plant("lance-rows-readable", "fragment 0", damaged_columns),
    plant("lance-required-values", 'fragment 1, field "s"', required("s")),
    plant("lance-required-values", 'field "p.y"', required("y")),
    plant("lance-required-values", 'field "l.item"', required("item")),
]


@pytest.mark.parametrize("planted", FILES)
def test_what_is_wrong_with_files_is_found(planted: Plant, sound_lance: Path, tmp_path: Path) -> None:
    # Older versions name the same files, and say other things of them.
    hold(sound_lance, tmp_path / "t.lance", planted, all_versions=False)


def test_the_fields_are_those_that_tests_count(sound_lance: Path) -> None:
    message = Planted(sound_lance).parts()[1]
    assert len(message.all(FIELDS)) == 7
    assert SCHEMA.names == ["id", "s", "p", "l"]


@pytest.mark.parametrize(
    ("of", "value", "message"),
    [
        ("version", 3, "a message of the version of its footer, V5, found V4"),
        ("body length", 1 << 40, "a body of 1099511627776 bytes inside the file"),
        ("body length", 4, "rows within the 4 bytes of its body"),
        ("message length", 1 << 20, "found the length 1048576"),
    ],
)
def test_what_pylance_cannot_read_of_a_deletion_file_is_found(
    of: str, value: int, message: str, sound_lance: Path, tmp_path: Path
) -> None:
    place = tmp_path / "t.lance"
    shutil.copytree(sound_lance, place)
    before = fb.open_table(place).scan().count()
    in_header(of, value)(Planted(place))
    found = [each for each in fb.check(place, "files") if each.rule.id == "lance-deletion-readable"]
    assert found
    assert all(message in each.message for each in found)
    # Rows are read all the same.
    assert fb.open_table(place).scan().count() == before
