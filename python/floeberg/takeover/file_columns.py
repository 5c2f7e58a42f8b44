"""Which columns do files have that no table describes?

In: files of Parquet, ORC and Avro. Out: an Arrow schema with the columns of all of them.

Invariant: only footers are read. Files are looked at again by who adds them, column by column, so a column that is
missed here is an error there, and no value is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from floeberg import _native
from floeberg.errors import FloebergError, InvalidDataError, InvalidInputError, NotFoundError
from floeberg.takeover.avro_columns import avro_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

__all__ = ["columns_of", "footer_of"]

_ORC: Final = (".orc",)
_AVRO: Final = (".avro",)
_HEADER: Final = 1 << 20
"""So many bytes of an Avro file are read first."""
_SAY_SCHEMA: Final = "say which columns the table has by `schema`"


def columns_of(files: Sequence[str], options: Mapping[str, str]) -> pa.Schema:
    """The columns of files.

    Of an object store only the first file is looked at: others that have more columns are refused later.

    Raises:
        InvalidInputError: Two files have types of a column that no type holds.
        UnsupportedError: An Avro file has a type that tables do not have.
        InvalidDataError: A file is damaged, or of another format.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    looked = [each for each in files if _native.local_path(each) is not None] or files[:1]
    whole: pa.Schema | None = None
    for file in looked:
        found = footer_of(file, options)
        found = pa.schema([_of_table(each) for each in found])
        _check_names(found, file)
        if whole is None:
            whole = found
        elif found != whole:
            whole = _unified(whole, found, file)
    assert whole is not None  # noqa: S101 - there is a file
    return whole


def footer_of(file: str, options: Mapping[str, str]) -> pa.Schema:
    """The columns of one file, with its field ids."""
    import pyarrow as pa  # noqa: PLC0415

    where = {"path": file}
    local = _native.local_path(file)
    try:
        source: Any = local
        if local is None:
            content = _native.read_file(file, storage_options=dict(options))
            source = pa.BufferReader(content)
        if file.lower().endswith(_AVRO):
            return _avro(source)
        return _orc(source) if file.lower().endswith(_ORC) else _parquet(source)
    except FloebergError as error:
        raise type(error)(error.message, context={**error.context, **where}) from error
    except FileNotFoundError as error:
        raise NotFoundError("a file of the source is gone", context=where) from error
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InvalidDataError(
            f"a file of the source cannot be read as Parquet, ORC or Avro, by the end of its name: {error}. Move it "
            "out of "
            "the folder, or begin its name with _",
            context=where,
        ) from error


def _avro(source: Any) -> pa.Schema:  # noqa: ANN401 - a path or a file
    import pyarrow as pa  # noqa: PLC0415

    with pa.OSFile(source) if isinstance(source, str) else source as file:
        size = file.size()
        try:
            return avro_columns(file.read(min(size, _HEADER)))
        except InvalidDataError:
            if size <= _HEADER:
                raise
            file.seek(0)
            return avro_columns(file.read())


def _parquet(source: Any) -> pa.Schema:  # noqa: ANN401 - a path or a file
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    with parquet.ParquetFile(source, coerce_int96_timestamp_unit="us") as file:
        leaves = (file.schema.column(at) for at in range(len(file.schema)))
        # Whoever writes INT96 writes instants.
        instants = {each.path.split(".", 1)[0] for each in leaves if each.physical_type == "INT96"}
        schema = file.schema_arrow
        return pa.schema([_instants(each) if each.name in instants else each for each in schema])


def _instants(field: Any) -> Any:  # noqa: ANN401 - fields
    import pyarrow as pa  # noqa: PLC0415

    return _mapped(field, lambda kind: pa.timestamp("us", "UTC") if kind == pa.timestamp("us") else kind)


def _orc(source: Any) -> pa.Schema:  # noqa: ANN401
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import orc  # noqa: PLC0415

    # Its reader calls every timestamp one of nanoseconds.
    def in_microseconds(kind: pa.DataType) -> pa.DataType:
        return pa.timestamp("us", kind.tz) if pa.types.is_timestamp(kind) else kind

    return pa.schema([_mapped(each, in_microseconds) for each in orc.ORCFile(source).schema])


def _of_table(field: Any) -> Any:  # noqa: ANN401
    """A column of a table that reads a column of a file: without ids, and of a type that tables have."""
    import pyarrow as pa  # noqa: PLC0415

    wider = {
        **dict.fromkeys((pa.int8(), pa.int16(), pa.uint8(), pa.uint16()), pa.int32()),
        pa.uint32(): pa.int64(),
        pa.float16(): pa.float32(),
        pa.date64(): pa.date32(),
    }

    def of(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_dictionary(kind):
            return of(kind.value_type)
        if pa.types.is_timestamp(kind) and kind.unit in ("s", "ms"):
            return pa.timestamp("us", kind.tz)
        if pa.types.is_time(kind) and kind.unit in ("s", "ms"):
            return pa.time64("us")
        return wider.get(kind, kind)

    return _mapped(field, of).with_metadata(None)


def _mapped(field: Any, leaf: Any) -> Any:  # noqa: ANN401
    """A field whose leaves have other types, and no metadata."""
    import pyarrow as pa  # noqa: PLC0415

    kind = field.type
    if pa.types.is_struct(kind):
        kind = pa.struct([_mapped(each, leaf) for each in kind])
    elif pa.types.is_map(kind):
        kind = pa.map_(_mapped(kind.key_field, leaf), _mapped(kind.item_field, leaf))
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        kind = pa.list_(_mapped(kind.value_field, leaf))
    else:
        kind = leaf(kind)
    # The mark of an extension says what the bytes are.
    mark = {key: value for key, value in (field.metadata or {}).items() if key.startswith(b"ARROW:extension")}
    return pa.field(field.name, kind, field.nullable, mark or None)


def _check_names(schema: pa.Schema, file: str) -> None:
    names = schema.names
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidInputError(f"a file of the source has two columns {twice!r}", context={"path": file})


def _unified(whole: pa.Schema, found: pa.Schema, file: str) -> pa.Schema:
    """The columns of both. One that a file lacks, or that may be null in one, may be null."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        both = pa.unify_schemas([whole, found], promote_options="permissive")
    except (pa.ArrowException, ValueError) as error:
        raise InvalidInputError(
            f"the files have types of a column that no type holds: {error}. Take over the files by themselves, or "
            f"{_SAY_SCHEMA}",
            context={"path": file},
        ) from error
    common = set(whole.names) & set(found.names)
    return pa.schema([each if each.name in common else each.with_nullable(True) for each in both])
