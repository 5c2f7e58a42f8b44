"""Do the columns that an engine gives fit those of a view?

In: the Arrow schema that an engine gives, and that of the view. Out: nothing, or an error that names a column.

A type fits where all its values are values of the other one, or where a cast tells for each value whether it is: whole
numbers and decimals come in the types that an engine has, as a sum of DuckDB in one of 38 digits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidDataError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from floeberg.view.read_view import ReadView

__all__ = ["check_types", "view_schema"]


def view_schema(view: ReadView) -> pa.Schema:
    """The Arrow schema of a view, with docs and without field ids: those of a view are of no file.

    Raises:
        UnsupportedError: A column is of a type that has no Arrow type of its own.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    from floeberg.types._arrow import arrow_schema  # noqa: PLC0415 - the same

    for each in view.schema().fields:
        try:
            arrow_schema((each,))
        except UnsupportedError as error:  # noqa: PERF203 - the error names the column
            raise UnsupportedError(
                f"column {each.name!r} of the view is of the type {each.field_type}, which no engine gives here: leave "
                "it out of the view, or scan the tables that the view reads"
            ) from error
    schema = arrow_schema(view.schema().fields)
    fields = [
        # An engine says of no column that it is never null.
        pa.field(each.name, each.type, True, {b"doc": field.doc.encode()} if field.doc else None)
        for each, field in zip(schema, view.schema().fields, strict=True)
    ]
    return pa.schema(fields)


def check_types(given: Sequence[Any], wanted: pa.Schema, engine: str) -> None:
    """Checks that types of an engine fit those of a view.

    Args:
        given: The types that the engine gives, in the order of the view.
        wanted: The schema of the view.
        engine: The engine, for errors.

    Raises:
        InvalidDataError: One does not.
        UnsupportedError: It is a type that this engine does not give.
    """
    for kind, field in zip(given, wanted, strict=True):
        if not _fits(kind, field.type):
            import pyarrow as pa  # noqa: PLC0415 - the same

            error = UnsupportedError if isinstance(field.type, pa.BaseExtensionType) else InvalidDataError
            raise error(
                f"column {field.name!r} of the view is {field.type}, and its query gives {kind} in {engine}: replace "
                "the view, write a CAST in its statement, or take another engine"
            )


def _fits(given: Any, wanted: Any) -> bool:  # noqa: ANN401, C901, PLR0911 - one return a kind
    import pyarrow as pa  # noqa: PLC0415 - the same
    from pyarrow import types  # noqa: PLC0415 - the same

    if given == wanted or types.is_null(given):
        return True
    if isinstance(wanted, pa.BaseExtensionType):
        # Bytes of a UUID; its cast looks at their length.
        return _fits(given, wanted.storage_type)
    if types.is_dictionary(given):
        return _fits(given.value_type, wanted)
    if types.is_struct(wanted):
        return (
            types.is_struct(given)
            and [each.name for each in given] == [each.name for each in wanted]
            and all(_fits(one.type, other.type) for one, other in zip(given, wanted, strict=True))
        )
    if types.is_map(wanted):
        return (
            types.is_map(given)
            and _fits(given.key_type, wanted.key_type)
            and _fits(given.item_type, wanted.item_type)
        )
    if types.is_list(wanted):
        is_list = any(
            each(given)
            for each in (types.is_list, types.is_large_list, types.is_list_view, types.is_large_list_view)
        )
        return is_list and _fits(given.value_type, wanted.value_type)
    if types.is_integer(wanted):
        return types.is_integer(given) or (types.is_decimal(given) and given.scale == 0)
    if types.is_decimal(wanted):
        return types.is_integer(given) or (types.is_decimal(given) and given.scale <= wanted.scale)
    if types.is_float64(wanted):
        return types.is_floating(given)
    if types.is_timestamp(wanted):
        return _fits_timestamp(given, wanted)
    texts = (types.is_string, types.is_large_string, types.is_string_view)
    if types.is_string(wanted):
        return any(each(given) for each in texts)
    binaries = (types.is_binary, types.is_large_binary, types.is_binary_view, types.is_fixed_size_binary)
    if types.is_binary(wanted) or types.is_fixed_size_binary(wanted):
        return any(each(given) for each in binaries)
    # Nanoseconds are cast where they are whole microseconds.
    return bool(types.is_time(wanted) and types.is_time(given))


def _fits_timestamp(given: Any, wanted: Any) -> bool:  # noqa: ANN401 - types
    from pyarrow import types  # noqa: PLC0415 - the same

    if types.is_date32(given):
        return wanted.tz is None
    units = ("s", "ms", "us", "ns")
    return bool(
        types.is_timestamp(given)
        and (given.tz is None) == (wanted.tz is None)
        and units.index(given.unit) <= units.index(wanted.unit)
    )
