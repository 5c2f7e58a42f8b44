"""How do the rows of a table become plain Parquet files?

In: a table of Iceberg or Lance, a filter and columns. Out: a folder of Parquet files, and the list of their checksums.

Invariant: the folder appears with all of its files, or not at all: they are written to another folder beside it, whose
name begins with `.`, which gets its name when all is on the disk.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from floeberg._arguments import (
    checked_bool,
    checked_int,
    checked_names,
    checked_options,
    checked_path,
    checked_size,
)
from floeberg._display import bytes_shown, facts_html
from floeberg._folder_errors import folder_errors
from floeberg._keywords import says_keywords
from floeberg.copying.types import by_names
from floeberg.errors import (
    AlreadyExistsError,
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    NotFoundError,
    UnsupportedError,
)
from floeberg.exporting.checksums import CHECKSUMS, checksums_text
from floeberg.expressions import ALWAYS_TRUE
from floeberg.lance import LanceTable
from floeberg.progress.reporting import Reporter
from floeberg.table import Table, open_table
from floeberg.takeover.hive_folders import NULL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from floeberg.expressions import AnyFilter
    from floeberg.progress.report import ProgressCallback

__all__ = ["ExportResult", "export_scan", "export_table"]

Compression = Literal["zstd", "snappy", "gzip", "lz4", "brotli", "none"]
_CODECS: Final = get_args(Compression)
_ROWS_PER_FILE: Final = 10_000_000
_ROWS_PER_GROUP: Final = 1_000_000
_ROWS_PER_OPEN_GROUP: Final = 65_536
"""Where files of many partitions are open, whose row groups are all in memory."""
_MOST_PARTITIONS: Final = 1_000_000
_MOST_OPEN: Final = 256


@dataclass(frozen=True)
class ExportResult:
    """What an export wrote.

    Attributes:
        folder: The folder.
        files: The names of its Parquet files in it.
        rows: The rows in them.
        size_in_bytes: The size of the Parquet files.
        snapshot_id: The snapshot of an Iceberg table, or the version of a Lance table, that was exported; `None` for a
            table without one.
    """

    folder: str
    files: tuple[str, ...]
    rows: int
    size_in_bytes: int
    snapshot_id: int | None

    def _repr_html_(self) -> str:
        facts = {
            "files": f"{len(self.files):,}",
            "rows": f"{self.rows:,}",
            "size": bytes_shown(self.size_in_bytes),
            "of": self.snapshot_id,
        }
        return facts_html(f"ExportResult: {self.folder}", facts)


@says_keywords
def export_table(  # noqa: PLR0913 - all but the first two are keywords
    table: Table | LanceTable | str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    row_filter: AnyFilter = ALWAYS_TRUE,
    columns: Sequence[str] | None = None,
    snapshot_id: int | None = None,
    partition_by: Sequence[str] = (),
    checksums: bool = True,
    compression: Compression = "zstd",
    rows_per_file: int = _ROWS_PER_FILE,
    storage_options: Mapping[str, str] | None = None,
    progress: ProgressCallback | bool | None = None,
) -> ExportResult:
    """Writes the rows of a table as plain Parquet files, which need nothing of Iceberg or Lance to be read.

    Deletes are applied, columns have their current names and types, and files have no field ids. The rows are streamed.
    The folder appears when it is whole: an export that was interrupted leaves at most a folder beside it whose name
    begins with `.`.

    Args:
        table: The table, at the state that it is open at, or its location.
        folder: A new folder on this machine.
        row_filter: Which rows.
        columns: Which columns. By default, all.
        snapshot_id: A snapshot of an Iceberg table. By default, the current one.
        partition_by: Columns whose values are folders such as `day=2026-11-28`, as Hive has them, and are not in files.
        checksums: Whether the folder gets a list `SHA256SUMS` of all its files, in the form of `sha256sum`.
        compression: The codec of the files: `zstd`, `snappy`, `gzip`, `lz4`, `brotli` or `none`.
        rows_per_file: The most rows of a file.
        storage_options: The options of the storage, for a location.
        progress: As with `append`.

    Returns:
        What was written.

    Raises:
        AlreadyExistsError: The folder has files.
        NotFoundError: The folder that it would be in does not exist.
        InvalidInputError: A column is unknown, or all columns are those of folders.
        UnsupportedError: The folder is a URL, or a column has a type that folders do not have.
        FloebergError: Those of a scan. With any error there is no folder.

    Examples:
        >>> _ = orders.append(pa.table({"id": [1, 2, 3]}))
        >>> done = fb.export_table(orders, f"{folder}/export", row_filter="id > 1")
        >>> done.rows, done.files
        (2, ('part-0.parquet',))
        >>> import pyarrow.parquet as pq
        >>> pq.read_table(f"{folder}/export/part-0.parquet")["id"].to_pylist()
        [2, 3]
    """
    chosen = ("*",) if columns is None else tuple(checked_names("columns", columns))
    options = checked_options("storage_options", storage_options)
    at = None if snapshot_id is None else checked_int("snapshot_id", snapshot_id)
    place = checked_path("folder", folder)
    _new_place(place)
    opened = table if isinstance(table, (Table, LanceTable)) else open_table(table, storage_options=options)
    scan: Any
    if isinstance(opened, LanceTable):
        if at is not None:
            raise InvalidInputError("snapshot_id: expected none of a Lance table: open it at a version")
        scan, at = opened.scan(row_filter, selected_fields=chosen), opened.version
    else:
        current = opened.current_snapshot()
        scan = opened.scan(row_filter, selected_fields=chosen, snapshot_id=at)
        at = at if at is not None or current is None else current.snapshot_id
    return export_scan(
        scan,
        place,
        at=at,
        partition_by=partition_by,
        checksums=checksums,
        compression=compression,
        rows_per_file=rows_per_file,
        progress=progress,
    )


def export_scan(  # noqa: PLR0913 - as `export_table`
    scan: Any,  # noqa: ANN401 - a scan of either format
    folder: str,
    *,
    at: int | None,
    partition_by: Sequence[str] = (),
    checksums: bool = True,
    compression: Compression = "zstd",
    rows_per_file: int = _ROWS_PER_FILE,
    progress: ProgressCallback | bool | None = None,
) -> ExportResult:
    """Writes the rows of a scan: see `export_table`.

    Args:
        scan: The scan.
        folder: A new folder.
        at: The snapshot or version that is scanned.
        partition_by: As with `export_table`, and so are the others.
        checksums: Whether there is a list of checksums.
        compression: The codec.
        rows_per_file: The most rows of a file.
        progress: A function, or `True`.
    """
    place = _new_place(folder)
    parts = checked_names("partition_by", partition_by)
    if compression not in _CODECS:
        raise InvalidInputError(f"compression: expected one of {', '.join(_CODECS)}, found {compression!r}")
    most = checked_size("rows_per_file", rows_per_file, 1)
    lists = checked_bool("checksums", checksums)
    reporter = Reporter(progress)
    plain = _plain(reporter.counted(scan.to_arrow_batch_reader()))
    _check_parts(plain.schema, parts)
    with folder_errors(str(place)):
        staged = Path(tempfile.mkdtemp(prefix=f".{place.name}.exporting-", dir=place.parent))
    try:
        rows, files = _write(plain, staged, parts, compression, most, str(place))
        size = sum((staged / each).stat().st_size for each in files)
        if lists:
            (staged / CHECKSUMS).write_bytes(checksums_text(staged).encode())
        with folder_errors(str(place)):
            _keep(staged)
            # mkdtemp lets nobody else in.
            staged.chmod(0o777 & ~_umask())
        _appear(staged, place)
    except BaseException:
        reporter.stop()
        shutil.rmtree(staged, ignore_errors=True)
        raise
    reporter.end()
    return ExportResult(str(place), tuple(files), rows, size, at)


def _new_place(folder: str) -> Path:
    if re.match(r"[a-z][a-z0-9+.-]+:", folder, re.IGNORECASE):
        raise UnsupportedError(
            "a table is exported to a folder on this machine: export it there, and copy the folder by a tool of the "
            "store",
            context={"path": folder},
        )
    place = Path(folder).absolute()
    with folder_errors(str(place)):
        is_empty = place.is_dir() and not any(place.iterdir())
        exists, has_parent = os.path.lexists(place), place.parent.is_dir()
    if not is_empty:
        if exists:
            raise AlreadyExistsError(
                "the folder of the export has files: give a new one", context={"path": str(place)}
            )
        if not has_parent:
            raise NotFoundError(
                "there is no folder for the export to be in", context={"path": str(place.parent)}
            )
    return place


def _plain(reader: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """The rows without field ids, which are of this table."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    schema = by_names(reader.schema)
    batches = (pa.RecordBatch.from_arrays(batch.columns, schema=schema) for batch in reader)
    return pa.RecordBatchReader.from_batches(schema, batches)


def _check_parts(schema: pa.Schema, parts: Sequence[str]) -> None:
    import pyarrow as pa  # noqa: PLC0415

    for name in parts:
        at = schema.get_field_index(name)
        if at < 0:
            raise InvalidInputError(
                f"partition_by: the exported rows have no column {name!r}: expected some of {', '.join(schema.names)}"
            )
        kind = schema.field(at).type
        plain = (
            pa.types.is_integer,
            pa.types.is_string,
            pa.types.is_date,
            pa.types.is_boolean,
            pa.types.is_decimal,
        )
        if not any(each(kind) for each in plain):
            raise UnsupportedError(
                f"partition_by: the column {name!r} is of type {kind}, which names of folders do not keep: expected "
                "whole numbers, decimals, strings, dates or bools"
            )
    if len(set(parts)) != len(parts):
        raise InvalidInputError("partition_by: a column is named twice")
    if parts and len(parts) == len(schema.names):
        raise InvalidInputError(
            "partition_by: all columns would be names of folders: leave one for the files"
        )


def _with_other_names(reader: pa.RecordBatchReader, parts: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The same rows, unless a text is the name that Hive gives the folder of null."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    types = {name: reader.schema.field(name).type for name in parts}
    texts = [
        name for name, kind in types.items() if pa.types.is_string(kind) or pa.types.is_large_string(kind)
    ]
    for batch in reader:
        for name in texts:
            if pc.index(batch.column(name), NULL).as_py() >= 0:
                raise UnsupportedError(
                    f"the column {name!r} has the text {NULL!r}, which is the folder of null: export without "
                    "partition_by, or by another column"
                )
        yield batch


def _write(  # noqa: PLR0913, PLR0917 - how files are written
    reader: pa.RecordBatchReader,
    folder: Path,
    parts: Sequence[str],
    compression: str,
    most: int,
    place: str,
) -> tuple[int, list[str]]:
    """Writes the files. Returns their rows and their names."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import dataset  # noqa: PLC0415

    written: list[tuple[str, int]] = []

    def note(file: Any) -> None:  # noqa: ANN401 - a WrittenFile
        written.append((Path(file.path).relative_to(folder).as_posix(), file.metadata.num_rows))

    if parts:
        reader = pa.RecordBatchReader.from_batches(reader.schema, _with_other_names(reader, parts))
    style = dataset.ParquetFileFormat()
    codec = None if compression == "none" else compression
    folders = pa.schema([reader.schema.field(name) for name in parts])
    try:
        dataset.write_dataset(
            reader,
            str(folder),
            basename_template="part-{i}.parquet",
            format=style,
            file_options=style.make_write_options(compression=codec or "none"),
            partitioning=dataset.partitioning(folders, flavor="hive") if parts else None,
            max_rows_per_file=most,
            # Else each batch is a row group.
            min_rows_per_group=min(most, _ROWS_PER_OPEN_GROUP if parts else _ROWS_PER_GROUP),
            max_rows_per_group=min(most, _ROWS_PER_GROUP),
            max_partitions=_MOST_PARTITIONS,
            max_open_files=_MOST_OPEN,
            preserve_order=True,
            file_visitor=note,
            existing_data_behavior="error",
        )
    except pa.ArrowNotImplementedError as error:
        raise UnsupportedError(f"the rows cannot be written as plain Parquet: {error}") from error
    except pa.ArrowInvalid as error:
        raise InvalidDataError(f"the rows cannot be exported: {error}", context={"path": place}) from error
    if not written:
        # A table without rows has columns too.
        from pyarrow import parquet  # noqa: PLC0415

        rest = [each for each in reader.schema if each.name not in parts]
        parquet.write_table(
            pa.schema(rest).empty_table(), folder / "part-0.parquet", compression=codec or "none"
        )
        written.append(("part-0.parquet", 0))
    return sum(rows for _, rows in written), sorted(name for name, _ in written)


def _keep(folder: Path) -> None:
    """Makes all files and folders durable."""
    for each in (*folder.rglob("*"), folder):
        handle = os.open(each, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _appear(staged: Path, place: Path) -> None:
    """Gives the folder its name."""
    try:
        with folder_errors(str(place)):
            staged.rename(place)
    except FloebergError as error:
        if place.is_dir() and any(place.iterdir()):
            raise AlreadyExistsError(
                "somebody else wrote to the folder of the export meanwhile: give a new one",
                context={"path": str(place)},
            ) from error
        raise
    with suppress(OSError):
        handle = os.open(place.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    before = os.umask(0)
    os.umask(before)
    return before
