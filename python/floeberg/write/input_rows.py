"""How do rows and schemas of other libraries become Arrow?

In: an object that gives rows or a schema. Out: a `pyarrow.RecordBatchReader`, or a `pyarrow.Schema`.

Invariant: rows are read once, on demand. Errors of the user's code are not changed. Errors of pyarrow in reading a
foreign stream are `InvalidInputError`s.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

__all__ = ["converted_stream_errors", "has_rows", "known_rows", "reader_of", "schema_of"]

_EXPECTED = "rows in Arrow form (pyarrow, pandas, polars, DuckDB, anything with __arrow_c_stream__), or a list of dicts"


def reader_of(data: object, schema: Callable[[], pa.Schema]) -> pa.RecordBatchReader:
    """The batches of rows from any library, read once and on demand.

    Args:
        data: The rows.
        schema: The Arrow schema of the table, for rows that are dicts.

    Raises:
        InvalidInputError: The object does not provide rows.

    Examples:
        >>> import pyarrow as pa
        >>> reader_of([{"id": 1}], lambda: pa.schema({"id": pa.int32()})).schema.field("id").type
        DataType(int32)
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    if isinstance(data, list):
        from floeberg.write.dict_rows import batch_of  # noqa: PLC0415 - rarely needed

        batch = batch_of(cast("list[object]", data), schema())
        return pa.RecordBatchReader.from_batches(batch.schema, [batch])
    found = _read("data", data)
    if found is None:
        raise InvalidInputError(f"data: expected {_EXPECTED}, found an object of type {type(data).__name__}")
    return found


def schema_of(schema: object) -> pa.Schema:
    """The Arrow schema of an object: a schema itself, or that of a frame, a reader or a scan.

    Raises:
        InvalidInputError: The object has no Arrow schema.
    """
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(schema, pa.Schema):
        return schema
    if hasattr(schema, "__arrow_c_schema__"):
        try:
            return pa.schema(cast("Any", schema))
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise InvalidInputError(f"schema: the Arrow schema cannot be read: {error}") from error
    found = _read("schema", schema)
    if found is None:
        raise InvalidInputError(
            "schema: expected a floeberg.types.Schema, a schema of Arrow or PyIceberg, or a data frame, found an "
            f"object of type {type(schema).__name__}"
        )
    return found.schema


def has_rows(given: object) -> bool:
    """Whether an object is rows, and not only their schema."""
    is_frame = type(given).__module__.partition(".")[0] == "pandas" and hasattr(given, "columns")
    return is_frame or any(
        hasattr(given, name) for name in ("__arrow_c_stream__", "__arrow_c_array__", "to_reader")
    )


def known_rows(data: object) -> int | None:
    """How many rows an object has, where it says so at once; `None` for a stream."""
    if isinstance(data, list):
        return len(cast("list[object]", data))
    for name in ("num_rows", "height"):
        found = getattr(data, name, None)
        if isinstance(found, int) and not isinstance(found, bool):
            return found
    return None


@contextmanager
def converted_stream_errors(data: object) -> Iterator[None]:
    """Turns errors of pyarrow in reading a foreign stream into `InvalidInputError`s.

    A pyarrow reader is the user's own code: its errors are not changed.
    """
    import pyarrow as pa  # noqa: PLC0415

    try:
        yield
    except pa.ArrowException as error:
        if isinstance(data, pa.RecordBatchReader):
            raise
        raise InvalidInputError(f"data: the rows cannot be read as Arrow: {error}") from error


def _read(name: str, data: object) -> pa.RecordBatchReader | None:
    import pyarrow as pa  # noqa: PLC0415

    try:
        return _reader(data)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InvalidInputError(f"{name}: the rows cannot be read as Arrow: {error}") from error


def _check_objects(data: object) -> None:
    """Refuses columns of Python objects in frames of polars, which gives out where they are in memory.

    Raises:
        InvalidInputError: There is one.
    """
    if type(data).__module__.partition(".")[0] != "polars":
        return
    kinds = getattr(data, "schema", None) or {"": getattr(data, "dtype", None)}
    for name, kind in kinds.items():
        if str(kind) == "Object" or str(kind).startswith(("List(Object", "Array(Object")):
            raise InvalidInputError(
                f"column {name!r} holds Python objects (polars' type {kind}), which Arrow does not have: give it "
                "another type first, such as pl.String"
            )


def _reader(data: object) -> pa.RecordBatchReader | None:
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(data, pa.RecordBatchReader):
        return data
    if isinstance(data, pa.Table):
        # A stream of C would cut names at a NUL, and offsets of views where a batch has no rows.
        return data.to_reader()
    if type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "columns"):
        # The stream of a pandas frame would make a column of its index.
        return pa.Table.from_pandas(cast("Any", data), preserve_index=False).to_reader()
    if hasattr(data, "__arrow_c_stream__"):
        _check_objects(data)
        return cast("pa.RecordBatchReader", pa.RecordBatchReader.from_stream(cast("Any", data)))
    if hasattr(data, "__arrow_c_array__"):
        batch = pa.record_batch(cast("Any", data))
        return cast("pa.RecordBatchReader", pa.RecordBatchReader.from_batches(batch.schema, [batch]))
    # A scanner of a dataset.
    return cast("Any", data).to_reader() if hasattr(data, "to_reader") else None
