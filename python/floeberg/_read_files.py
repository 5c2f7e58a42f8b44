"""How do files of rows become a stream of batches?

In: Parquet, CSV, JSON lines and Arrow files on this machine. Out: a `pyarrow.RecordBatchReader` with one schema.

Invariant: pyarrow reads the files, one at a time and in bounded memory. Columns are found by their names.
"""

from __future__ import annotations

import glob
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from floeberg._arguments import checked_locations, checked_text
from floeberg._keywords import says_keywords
from floeberg.errors import InvalidInputError, NotFoundError, UnsupportedError
from floeberg.progress.reporting import Reporter
from floeberg.scan.reported import reported_batches

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from floeberg.progress.report import ProgressCallback

__all__ = ["FileFormat", "read_files"]

FileFormat = Literal["parquet", "csv", "json", "arrow"]
"""What `read_files` reads. `json` is JSON lines: an object a line."""

_SUFFIXES: dict[str, FileFormat] = {
    ".parquet": "parquet",
    ".parq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
}
_COMPRESSED = (".gz", ".bz2", ".zst", ".lz4")
_MAGIC = b"ARROW1"
_ROWS = 65_536


@says_keywords
def read_files(
    paths: str | os.PathLike[str] | list[str | os.PathLike[str]],
    format: FileFormat | None = None,  # noqa: A002 - the word that users know
    *,
    schema: pa.Schema | None = None,
    delimiter: str | None = None,
    progress: ProgressCallback | bool | None = None,
) -> pa.RecordBatchReader:
    r"""Reads files of rows, for `append`, `create_table` and whatever else takes rows.

    The files are read one after the other, while batches are taken. Columns have the types that the files have; those
    of CSV and JSON are inferred from their beginnings. Where files differ, a column has a type that holds both, and a
    column that a file lacks is null in its rows.

    Args:
        paths: Files, folders and patterns such as `data/*.csv`, on this machine. Of folders, all files are read whose
            names end as those of a format do, but those whose names begin with `.` or `_`.
        format: The format: `parquet`, `csv`, `json` (JSON lines) or `arrow`. By default, the ends of the names say it.
            CSV and JSON may be compressed, as in `rows.csv.gz`.
        schema: The types of columns that have these names, such as `table.schema().as_arrow()`.
        delimiter: What separates the values of CSV. By default a comma; a tab in files that end with `.tsv`.
        progress: As with `append`: a function that is called with a `ProgressReport` a few times a second, while
            batches are taken, or `True` for a bar.

    Returns:
        A `pyarrow.RecordBatchReader`. Taking a batch raises `InvalidInputError` where a file is damaged, or a value
        does not fit the type that was inferred. The error names the file.

    Raises:
        NotFoundError: A file does not exist, or a folder or pattern has none.
        InvalidInputError: A file is damaged, has no known format, or two files have types that nothing holds; or a
            column of `schema` has bytes, and the file is CSV or JSON.
        UnsupportedError: A path is a URL.

    Examples:
        >>> from pathlib import Path
        >>> _ = Path(folder, "one.csv").write_text("id,price\n1,2.5\n")
        >>> _ = Path(folder, "two.csv").write_text("id,note\n2,new\n")
        >>> fb.read_files(f"{folder}/*.csv").read_all().to_pylist()
        [{'id': 1, 'price': 2.5, 'note': None}, {'id': 2, 'price': None, 'note': 'new'}]
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    _check(format, schema, delimiter)
    files = [
        _File(path, format or _format_of(path), schema, delimiter)
        for text in checked_locations("paths", paths)
        for path in _paths_of(text, format)
    ]
    if not files:
        raise InvalidInputError("paths: expected at least one file")
    whole = _whole_schema([each.schema() for each in files])
    reporter = Reporter(progress)
    batches = _batches(files, whole, reporter)
    return pa.RecordBatchReader.from_batches(
        whole, batches if reporter.is_silent else reported_batches(batches, reporter)
    )


def _check(format: object, schema: object, delimiter: object) -> None:  # noqa: A002 - as above
    """Checks what was given beside the paths.

    Raises:
        InvalidInputError: An argument is wrong.
    """
    import pyarrow as pa  # noqa: PLC0415

    if format is not None and format not in get_args(FileFormat):
        known = ", ".join(get_args(FileFormat))
        raise InvalidInputError(f"format: expected one of {known}, found {format!r}")
    if schema is not None and not isinstance(schema, pa.Schema):
        raise InvalidInputError(f"schema: expected a pyarrow.Schema, found {type(schema).__name__}")
    if delimiter is not None and len(checked_text("delimiter", delimiter)) != 1:
        raise InvalidInputError(f"delimiter: expected one character, found {delimiter!r}")


class _File:
    """A file of rows.

    Args:
        path: Where it is.
        kind: Its format.
        wanted: The types of columns by their names.
        delimiter: What separates values of CSV.
    """

    def __init__(self, path: str, kind: FileFormat, wanted: pa.Schema | None, delimiter: str | None) -> None:
        self._path = path
        self._kind = kind
        self._wanted = wanted
        self._delimiter = delimiter or ("\t" if ".tsv" in Path(path).suffixes else ",")
        self._types: dict[str, pa.DataType] = {}

    def schema(self) -> pa.Schema:
        """The columns, with the types that are wanted or inferred."""
        import pyarrow as pa  # noqa: PLC0415

        with self._explained(), self._opened() as (inferred, _):
            found = inferred
        if self._wanted is None:
            return found
        names = self._wanted.names
        wanted = {each.name: each.type for each in self._wanted if names.count(each.name) == 1}
        self._types = {each.name: wanted[each.name] for each in found if each.name in wanted}
        self._check_texts()
        return pa.schema([pa.field(each.name, self._types.get(each.name, each.type)) for each in found])

    def _check_texts(self) -> None:
        """Checks that no text is taken for bytes: it may be hexadecimal, or base 64."""
        import pyarrow.types as kinds  # noqa: PLC0415 - as above

        if self._kind not in ("csv", "json"):
            return
        for name, kind in self._types.items():
            if kinds.is_binary(kind) or kinds.is_large_binary(kind) or kinds.is_fixed_size_binary(kind):
                raise InvalidInputError(
                    f"the column {name!r} has bytes, and the file has texts: give a Parquet or Arrow file",
                    context={"path": self._path},
                )

    def size(self) -> int:
        """Its bytes."""
        with self._explained():
            return Path(self._path).stat().st_size

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The batches, with the columns that the file has."""
        with self._explained(), self._opened() as (_, batches):
            yield from batches

    def fitted(self, batch: pa.RecordBatch, whole: pa.Schema) -> pa.RecordBatch:
        """A batch with all columns of a schema."""
        import pyarrow as pa  # noqa: PLC0415

        with self._explained():
            columns = []
            for each in whole:
                number = batch.schema.get_field_index(each.name)
                if number < 0:
                    columns.append(pa.nulls(batch.num_rows, each.type))
                else:
                    column = batch.column(number)
                    columns.append(column if column.type == each.type else column.cast(each.type))
            return pa.RecordBatch.from_arrays(columns, schema=whole)

    @contextmanager
    def _opened(self) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
        """The columns and the batches of the file as it is."""
        openers: dict[FileFormat, Callable[[str], Any]] = {
            "parquet": _parquet,
            "arrow": _arrow,
            "csv": lambda path: _csv(path, self._types, self._delimiter),
            "json": lambda path: _json(path, self._types),
        }
        with openers[self._kind](self._path) as (schema, batches):
            names = schema.names
            if twice := next((name for name in names if names.count(name) > 1), None):
                raise InvalidInputError(f"two columns are named {twice!r}", context={"path": self._path})
            yield schema, batches

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Errors of pyarrow name the file, and what it was taken for."""
        import pyarrow as pa  # noqa: PLC0415

        where = {"path": self._path}
        try:
            yield
        except FileNotFoundError as error:
            raise NotFoundError("the file does not exist", context=where) from error
        except (pa.ArrowException, UnicodeDecodeError) as error:
            kind = "JSON lines" if self._kind == "json" else self._kind
            raise InvalidInputError(f"the file cannot be read as {kind}: {error}", context=where) from error


@contextmanager
def _parquet(path: str) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
    from pyarrow import parquet  # noqa: PLC0415

    with parquet.ParquetFile(path) as file:
        yield file.schema_arrow.remove_metadata(), file.iter_batches(batch_size=_ROWS)


@contextmanager
def _arrow(path: str) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
    import pyarrow as pa  # noqa: PLC0415

    with pa.OSFile(path) as file:
        is_file = file.read(len(_MAGIC)) == _MAGIC
        file.seek(0)
        if is_file:
            whole = pa.ipc.open_file(file)
            yield (
                whole.schema.remove_metadata(),
                (whole.get_batch(n) for n in range(whole.num_record_batches)),
            )
        else:
            stream = pa.ipc.open_stream(file)
            yield stream.schema.remove_metadata(), iter(stream)


@contextmanager
def _csv(
    path: str, types: dict[str, pa.DataType], delimiter: str
) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
    from pyarrow import csv  # noqa: PLC0415
    from pyarrow import types as kinds  # noqa: PLC0415

    plain = {name: each for name, each in types.items() if not kinds.is_nested(each)}
    reader = csv.open_csv(
        path,
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        # Only what stands without quotes and is empty is null: all else is what a text says.
        convert_options=csv.ConvertOptions(
            column_types=plain, strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""]
        ),
    )
    with reader:
        yield reader.schema, iter(reader)


@contextmanager
def _json(path: str, types: dict[str, pa.DataType]) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import json  # noqa: PLC0415
    from pyarrow import types as kinds  # noqa: PLC0415

    # Its reader makes others of texts only after it has inferred them: these are cast afterwards.
    known = [
        pa.field(name, each)
        for name, each in types.items()
        if kinds.is_integer(each)
        or kinds.is_floating(each)
        or kinds.is_boolean(each)
        or kinds.is_string(each)
        or kinds.is_large_string(each)
        or kinds.is_decimal128(each)
    ]
    options = json.ParseOptions(explicit_schema=pa.schema(known) if known else None)
    if not hasattr(json, "open_json"):
        whole = json.read_json(path, parse_options=options)
        yield whole.schema, iter(whole.to_batches(max_chunksize=_ROWS))
        return
    with json.open_json(path, parse_options=options) as reader:
        yield reader.schema, iter(reader)


def _paths_of(text: str, kind: FileFormat | None) -> list[str]:
    """The files that a path means.

    Raises:
        NotFoundError: There is none.
        UnsupportedError: It is a URL.
    """
    if re.match(r"[a-z][a-z0-9+.-]+://", text, re.IGNORECASE):
        raise UnsupportedError(
            "files of rows are read from this machine: copy the file here first, or add Parquet, ORC and Avro files "
            "where they are with table.add_files",
            context={"path": text},
        )
    path = Path(text)
    if path.is_dir():
        inside = sorted(each for each in path.rglob("*") if each.is_file() and not _is_hidden(each, path))
        found = [str(each) for each in inside if kind is not None or _suffix_format(each) is not None]
    elif path.exists() or not glob.has_magic(text):
        found = [text] if path.exists() else []
    else:
        found = sorted(each for each in glob.glob(text, recursive=True) if Path(each).is_file())  # noqa: PTH207 - it may be absolute
    if not found:
        what = "the folder has no file of rows" if path.is_dir() else "there is no such file"
        raise NotFoundError(what, context={"path": text})
    return found


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)


def _suffix_format(path: Path) -> FileFormat | None:
    suffixes = [each.lower() for each in path.suffixes]
    if len(suffixes) > 1 and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return _SUFFIXES.get(suffixes[-1]) if suffixes else None


def _format_of(path: str) -> FileFormat:
    """The format that the name of a file says.

    Raises:
        InvalidInputError: It says no format that is known.
    """
    found = _suffix_format(Path(path))
    if found is None:
        raise InvalidInputError(
            f"the name does not say the format: give one of {', '.join(get_args(FileFormat))}",
            context={"path": path},
        )
    return found


def _whole_schema(schemas: list[pa.Schema]) -> pa.Schema:
    """A schema with the columns of all files.

    Raises:
        InvalidInputError: A column has two types that no type holds.
    """
    import pyarrow as pa  # noqa: PLC0415

    try:
        return cast("pa.Schema", pa.unify_schemas(schemas, promote_options="permissive"))
    except (pa.ArrowException, ValueError) as error:
        raise InvalidInputError(f"the files have other types: {error}: give a schema") from error


def _batches(files: list[_File], whole: pa.Schema, reporter: Reporter) -> Iterator[Any]:
    sizes = [0 if reporter.is_silent else each.size() for each in files]
    rows = done = 0

    def tell(number: int) -> None:
        reporter.tell("reading", files=number, of_files=len(files), rows=rows, size=done, of_size=sum(sizes))

    for number, file in enumerate(files):
        for batch in file.batches():
            yield file.fitted(batch, whole)
            rows += batch.num_rows
            if reporter.is_due:
                tell(number)
        done += sizes[number]
        tell(number + 1)
