"""What do the arguments that describe a new table say?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from floeberg._arguments import checked_int
from floeberg._new_table import partition_spec_json, schema_json, sort_order_json
from floeberg._table_properties import warn_of_misspelt
from floeberg.commit.new_table import NewTable
from floeberg.errors import InvalidInputError
from floeberg.write.input_rows import has_rows, reader_of

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg._new_table import AnyPartitionSpec, AnySchema, AnySortOrder

__all__ = ["FORMAT_VERSION", "columns_and_rows", "new_table_of"]

FORMAT_VERSION: Final = "format-version"
"""The property that is the format version."""


def columns_and_rows(schema: AnySchema | None, as_select: object) -> tuple[AnySchema, object]:
    """The columns of a new table, and its rows as they can still be read once."""
    if schema is not None and has_rows(schema):
        if as_select is not None:
            raise InvalidInputError(
                "schema and as_select are both rows: give the rows once, or a schema first"
            )
        schema, as_select = None, schema
    if isinstance(schema, list):
        raise InvalidInputError(
            "schema: a list of dicts has no types: give a schema, and the rows as as_select"
        )
    if as_select is None:
        if schema is None:
            raise InvalidInputError("schema: expected the columns of the table, or its rows as as_select")
        return schema, None
    if schema is not None:
        return schema, as_select
    if isinstance(as_select, list):
        raise InvalidInputError("as_select: a list of dicts has no types: give a schema too")
    rows = reader_of(as_select, _no_schema)
    return rows.schema, rows


def _no_schema() -> pa.Schema:
    """Rows that are not dicts need no schema."""
    raise AssertionError


def new_table_of(  # noqa: PLR0913, PLR0917 - the parts of a table
    schema: AnySchema,
    location: str,
    partition_spec: AnyPartitionSpec,
    sort_order: AnySortOrder,
    properties: dict[str, str],
    format_version: int | None,
) -> NewTable:
    """A new table. Raises `InvalidInputError` where a part of it is wrong."""
    wanted = dict(properties)
    version = _version_of(format_version, wanted.pop(FORMAT_VERSION, "2"))
    warn_of_misspelt(wanted)
    return NewTable(
        schema_json=schema_json(schema, format_version=version),
        spec_json=partition_spec_json(partition_spec),
        sort_order_json=sort_order_json(sort_order),
        location=location,
        properties=wanted,
        format_version=version,
    )


def _version_of(given: int | None, written: str) -> int:
    version = (
        given if given is not None else int(written) if written.isascii() and written.isdigit() else None
    )
    if version is None:
        raise InvalidInputError(f"the property {FORMAT_VERSION!r} is {written!r}: expected 1, 2 or 3")
    if checked_int("format_version", version) not in (1, 2, 3):
        raise InvalidInputError(f"format_version: expected 1, 2 or 3, found {version}")
    return version
