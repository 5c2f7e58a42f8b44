"""How are the pages of data files decoded and encoded?

By pylance, in this module alone. Another library takes its place by being a `Pages`.

A process that is forked after pylance was used hangs or dies in it, so such a process is refused.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, cast

from floeberg import _native
from floeberg.errors import (
    FloebergError,
    InvalidDataError,
    NotFoundError,
    NotInstalledError,
    StorageError,
    UnsupportedError,
)
from floeberg.lance.page_options import BUDGET, page_options, without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa

__all__ = ["BlobSource", "PageBatches", "PageWriter", "Pages", "blob_files", "pages_of"]

BATCH_ROWS = 16384
"""Rows of a batch."""
_NARROW = 4
"""The most columns of batches that may have more rows."""
_NARROW_BYTES = 512 << 10
"""The bytes of such a batch, where its columns are numbers."""
_MOST_ROWS = 1 << 17

_USED_BY: list[int] = []
"""The process that used pylance."""


_OF_STORES = ("Generic S3 error", "Generic GCS error", "Generic MicrosoftAzure error")
"""What errors of stores say, which pass."""


class PageBatches(Protocol):
    """Batches of a data file. `pyarrow.RecordBatchReader` is one."""

    @property
    def schema(self) -> pa.Schema:
        """The columns, with the names of the file."""
        ...

    def read_next_batch(self) -> pa.RecordBatch:
        """The next batch. `StopIteration` is the end."""
        ...


class Pages(Protocol):
    """Decodes and encodes data files."""

    def read(self, location: str, columns: Sequence[str], start: int, rows: int) -> PageBatches:
        """Reads rows that follow one another. Columns are dotted names, in backticks where they are not plain words."""
        ...

    def take(self, location: str, columns: Sequence[str], rows: _native.Column) -> PageBatches:
        """Reads single rows, by their numbers, which ascend: `pyarrow.array(rows)` has them."""
        ...

    def write(self, location: str, schema: _native.ArrowSchema, version: str) -> PageWriter:
        """Begins a data file of a version of the format, such as `2.2`: `pyarrow.schema(schema)` has its columns."""
        ...


class PageWriter(Protocol):
    """Encodes one data file."""

    def write_batch(self, batch: _native.Batch) -> None:
        """Writes rows: `pyarrow.record_batch(batch)` has them."""
        ...

    def finish(self) -> int:
        """Ends the file, and returns its bytes."""
        ...

    def abandon(self) -> None:
        """Ends the file, which is not needed."""
        ...


class BlobSource(Protocol):
    """The bytes of a blob."""

    def size(self) -> int:
        """How many there are."""
        ...

    def read_range(self, offset: int, length: int) -> bytes:
        """Some of them."""
        ...


def blob_files(
    folder: str, version: int, column: str, addresses: Sequence[int], storage_options: Mapping[str, str]
) -> list[BlobSource | None]:
    """Blobs of rows by their addresses. None of their bytes is read.

    Args:
        folder: The folder of the table or of its branch.
        version: The version.
        column: The column.
        addresses: The addresses of rows that are there.
        storage_options: Options of the storage.

    Returns:
        A source for each row; `None` is null.

    Raises:
        NotInstalledError: pylance is not installed.
        UnsupportedError: The process was forked from one that had used pylance.
    """
    if not addresses:
        return []
    _pylance()
    import lance  # noqa: PLC0415 - workers and drivers that read no rows lack it

    def found() -> list[Any]:
        with _reached(folder) as place:
            dataset: Any = lance.dataset(
                place, version=version, storage_options=page_options(storage_options)
            )
        return cast("list[Any]", dataset.take_blobs(column, addresses=list(addresses)))

    asked = _asked(found, folder, storage_options)
    return [None if each is None else _Blob(each, folder, storage_options) for each in asked]


class _Blob:
    """A blob whose errors are Floeberg's, and name the table."""

    def __init__(self, inner: Any, location: str, options: Mapping[str, str]) -> None:  # noqa: ANN401 - pylance has no types
        self._inner = inner
        self._location = location
        self._options = options

    def size(self) -> int:
        return cast("int", _asked(self._inner.size, self._location, self._options))

    def read_range(self, offset: int, length: int) -> bytes:
        check_process()
        return cast(
            "bytes", _asked(lambda: self._inner.read_range(offset, length), self._location, self._options)
        )


def _asked(ask: Callable[[], Any], location: str, options: Mapping[str, str]) -> Any:  # noqa: ANN401 - what is asked
    """What pylance says, with its errors as Floeberg's."""
    try:
        return ask()
    except (FloebergError, StopIteration, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raise
    # A panic of pylance derives from BaseException alone.
    except BaseException as error:  # noqa: BLE001 - it is raised as another
        text, cause = _said(error, options)
        raise _translated(error, text, location) from cause


def pages_of(storage_options: Mapping[str, str]) -> Pages:
    """What decodes and encodes in this process.

    Args:
        storage_options: Options of the storage.

    Returns:
        It imports pylance when it reads or writes its first file.
    """
    return _Pylance(storage_options)


class _Pylance:
    """Decodes and encodes data files with `lance.file`."""

    def __init__(self, storage_options: Mapping[str, str]) -> None:
        self._storage_options = storage_options

    def read(self, location: str, columns: Sequence[str], start: int, rows: int) -> PageBatches:
        def read() -> pa.RecordBatchReader:
            reader = self._open(location, columns)
            return reader.read_range(
                start, rows, batch_size=min(_batch_rows(reader, columns), rows)
            ).to_batches()

        return _Translated(location, self._storage_options, read)

    def take(self, location: str, columns: Sequence[str], rows: _native.Column) -> PageBatches:
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        # pylance takes nothing but integers of Python.
        numbers = pa.array(cast("Any", rows)).to_pylist()

        def read() -> pa.RecordBatchReader:
            reader = self._open(location, columns)
            return reader.take_rows(numbers, batch_size=BATCH_ROWS).to_batches()

        return _Translated(location, self._storage_options, read)

    def write(self, location: str, schema: _native.ArrowSchema, version: str) -> PageWriter:
        import pyarrow as pa  # noqa: PLC0415

        return _PylanceWriter(location, pa.schema(cast("Any", schema)), version, self._storage_options)

    def _open(self, location: str, columns: Sequence[str]) -> Any:  # noqa: ANN401 - pylance has no types
        with _reached(location) as place:
            return _pylance().LanceFileReader(
                place, storage_options=page_options(self._storage_options), columns=list(columns)
            )


def _batch_rows(reader: Any, columns: Sequence[str]) -> int:  # noqa: ANN401 - pylance has no types
    """The rows of a batch. Where a row is a few numbers, a batch costs more than they do, so that it has more rows."""
    if len(columns) > _NARROW:
        return BATCH_ROWS
    schema, bits = reader.metadata().schema, 0
    for name in columns:
        place = schema.get_field_index(name)
        try:
            bits += schema.types[place].bit_width if place >= 0 else _NARROW_BYTES
        except ValueError:
            # Texts, lists and the like.
            return BATCH_ROWS
    return min(max(BATCH_ROWS, _NARROW_BYTES * 8 // max(bits, 1)), _MOST_ROWS)


def check_process() -> None:
    """Raises `UnsupportedError` in a process that was forked from one that had used pylance."""
    if _USED_BY and _USED_BY[0] != os.getpid():
        raise UnsupportedError(
            "this process was forked from one that had read a Lance table, and pylance hangs or dies in it: "
            "start processes with multiprocessing.get_context('spawn'), or read in the parent only after the fork"
        )


class _PylanceWriter:
    """Encodes a data file with `lance.file`."""

    def __init__(
        self, location: str, schema: pa.Schema, version: str, storage_options: Mapping[str, str]
    ) -> None:
        self._location = location
        self._options = storage_options
        with _reached(location) as place:
            self._writer = self._ask(
                lambda: _pylance().LanceFileWriter(
                    place, schema, version=version, storage_options=page_options(storage_options)
                )
            )

    def write_batch(self, batch: _native.Batch) -> None:
        import pyarrow as pa  # noqa: PLC0415

        check_process()
        rows = pa.record_batch(cast("Any", batch))
        self._ask(lambda: self._writer.write_batch(rows))

    def finish(self) -> int:
        check_process()
        self._ask(self._writer.close)
        return cast("int", self._writer.size_bytes)

    def abandon(self) -> None:
        check_process()
        self._ask(self._writer.close)

    def _ask(self, ask: Callable[[], Any]) -> Any:  # noqa: ANN401 - what is asked
        try:
            return ask()
        except (FloebergError, KeyboardInterrupt, SystemExit, MemoryError):
            raise
        # A panic of pylance derives from BaseException alone.
        except BaseException as error:  # noqa: BLE001 - it is raised as another
            text, cause = _said(error, self._options)
            raise UnsupportedError(
                f"pylance cannot write the data file: {text}", context={"path": self._location}
            ) from cause


@contextmanager
def _reached(location: str) -> Iterator[str]:
    """A path, or the location of a store that is asked for no more at once than ours are."""
    path = _native.local_path(location)
    if path:
        yield path
        return
    with BUDGET():
        yield location


def _pylance() -> Any:  # noqa: ANN401 - pylance has no types
    check_process()
    try:
        from lance import file  # noqa: PLC0415 - workers and drivers that read no rows lack it
    except ImportError as error:
        raise NotInstalledError(
            "the rows of Lance tables are decoded by pylance, which is not installed: pip install 'floeberg[lance]'"
        ) from error
    if not _USED_BY:
        _USED_BY.append(os.getpid())
    return file


class _Translated:
    """Batches whose errors are Floeberg's, and name the file."""

    def __init__(
        self, location: str, options: Mapping[str, str], read: Callable[[], pa.RecordBatchReader]
    ) -> None:
        self._location = location
        self._options = options
        self._reader = self._ask(read)
        self.schema = self._reader.schema

    def read_next_batch(self) -> pa.RecordBatch:
        check_process()
        return self._ask(self._reader.read_next_batch)

    def _ask(self, ask: Callable[[], Any]) -> Any:  # noqa: ANN401 - what is asked
        return _asked(ask, self._location, self._options)


def _translated(error: BaseException, text: str, location: str) -> FloebergError:
    context = {"path": location}
    if isinstance(error, FileNotFoundError) or "not found" in text.lower():
        return NotFoundError("the data file does not exist", context=context)
    if any(each in text for each in _OF_STORES):
        return StorageError(f"pylance cannot read the data file: {text}", context=context, retryable=True)
    return InvalidDataError(f"pylance cannot read the data file: {text}", context=context)


def _said(error: BaseException, options: Mapping[str, str]) -> tuple[str, BaseException | None]:
    """What an error says, and the error as a cause, which is shown too, unless it has a secret."""
    text = str(error) or type(error).__name__
    clean = without_secrets(text, options)
    lines = clean.splitlines() or [type(error).__name__]
    # What follows is where in the source of pylance it was raised.
    return lines[0].split(", /")[0].split(", rust/")[0], error if clean == text else None
