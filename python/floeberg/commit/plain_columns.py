"""How do columns of a source become columns that everything can read, or that every table can have?

In: dictionaries, views, runs, and lists of one length. Out: the same values, each stored by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.commit.exact_types import is_list_like
from floeberg.commit.exact_values import converted

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

__all__ = ["plain_batch", "plain_schema"]


def plain_schema(schema: pa.Schema, *, keeps_dictionaries: bool = False) -> pa.Schema:
    """The schema with plain types, at every depth.

    Args:
        schema: The columns of rows from any library.
        keeps_dictionaries: Whether dictionaries of texts, bytes, numbers and bools stay, as tables have them. Those of
            views become dictionaries of large texts and bytes.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    fields = [each.with_type(_plain(each.type, keeps=keeps_dictionaries)) for each in schema]
    return pa.schema(fields, metadata=schema.metadata)


def plain_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The rows with the types of a plain schema.

    Raises:
        InvalidInputError: A column cannot be converted.
    """
    import pyarrow as pa  # noqa: PLC0415

    columns = [
        converted(field.name, column, field.type) for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _plain(kind: Any, *, keeps: bool) -> Any:  # noqa: ANN401 - types
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    if isinstance(kind, pa.BaseExtensionType):
        storage = _plain(kind.storage_type, keeps=keeps)
        return kind if storage == kind.storage_type else storage
    if isinstance(kind, pa.RunEndEncodedType):
        return _plain(kind.value_type, keeps=keeps)
    if types.is_dictionary(kind):
        values = _plain(kind.value_type, keeps=keeps)
        return pa.dictionary(kind.index_type, values) if keeps and _can_be_shared(values) else values
    if types.is_nested(kind):
        return _nested(kind, lambda field: field.with_type(_plain(field.type, keeps=keeps)))
    if str(kind).startswith(("decimal32(", "decimal64(")):
        return pa.decimal128(kind.precision, kind.scale)
    return {"string_view": pa.large_string(), "binary_view": pa.large_binary()}.get(str(kind), kind)


def _nested(kind: Any, plain: Callable[[Any], Any]) -> Any:  # noqa: ANN401 - types
    """A nested type of plain ones."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    name = str(kind).partition("<")[0]
    if types.is_struct(kind):
        return pa.struct([plain(each) for each in kind])
    if types.is_map(kind):
        return pa.map_(plain(kind.key_field), plain(kind.item_field))
    if types.is_fixed_size_list(kind) and kind.list_size and _has_one_size(kind.value_type):
        return pa.list_(plain(kind.value_field), kind.list_size)
    if name in ("large_list", "large_list_view"):
        return pa.large_list(plain(kind.value_field))
    return pa.list_(plain(kind.value_field)) if is_list_like(kind) else kind


def _can_be_shared(values: Any) -> bool:  # noqa: ANN401 - a type
    """Whether tables have dictionaries of such values."""
    from pyarrow import types  # noqa: PLC0415

    is_text = types.is_string(values) or types.is_large_string(values)
    is_bytes = types.is_binary(values) or types.is_large_binary(values)
    return (
        is_text
        or is_bytes
        or types.is_integer(values)
        or types.is_floating(values)
        or types.is_boolean(values)
    )


def _has_one_size(element: Any) -> bool:  # noqa: ANN401 - a type
    """Whether tables have lists of one length of such elements. Others become lists of any length."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    if isinstance(element, pa.BaseExtensionType):
        return _has_one_size(element.storage_type)
    if types.is_fixed_size_list(element):
        return element.list_size > 0 and _has_one_size(element.value_type)
    if types.is_dictionary(element) or isinstance(element, pa.RunEndEncodedType):
        return False
    is_small = str(element).startswith(("decimal32(", "decimal64("))
    return (
        types.is_primitive(element) or types.is_fixed_size_binary(element) or types.is_decimal(element)
    ) and not is_small
