"""Which value does a column get by SET, VALUES or a default?

In: paths of columns and of fields of structs, each with the text of a value. Out: SQL of the type of the column.

Invariant: fields of a struct that are not set keep their values. Where the struct is null, they are null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.session.names import quoted
from floeberg.spark.sql.text.dialect import dialect
from floeberg.spark.sql.text.edits import Edit, rewritten
from floeberg.types import PrimitiveType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql.types import DataType

    from floeberg.spark.sql.text.statement import Statement
    from floeberg.spark.sql.text.targets import ChangedTable
    from floeberg.spark.write.assignment import Assignments
    from floeberg.types import NestedField

__all__ = ["Path", "check_paths", "default_of", "resolved", "text_of", "value_of"]

Path: TypeAlias = tuple[str, ...]
"""A column, and fields of structs in it."""


def check_paths(paths: Sequence[Path], word: str) -> None:
    """Checks that nothing is set twice, as a whole or in part.

    Raises:
        InvalidInputError: Something is.
    """
    for at, one in enumerate(paths):
        for other in paths[at + 1 :]:
            shorter = min(len(one), len(other))
            if one[:shorter] == other[:shorter]:
                raise InvalidInputError(f"{word}: the column {'.'.join(one[:shorter])!r} is set twice")


def resolved(changed: ChangedTable, path: Path, given: Statement, word: str) -> Statement:
    """A value, with the default of the column instead of `DEFAULT`."""
    if not (given.is_word("DEFAULT") and dialect().has_defaults):
        return given
    if len(path) > 1:
        raise UnsupportedError(f"{word}: {'.'.join(path)}: DEFAULT is for columns: write the value")
    own = default_of(changed.table.schema().find_field(path[0]), word)
    return rewritten(given, [Edit(given.start, given.end, own)]) or given


def default_of(field: NestedField, word: str) -> str:
    """What writers give a column by default, as SQL of its type; null without a default.

    Raises:
        UnsupportedError: It is the default of a nested column.
    """
    from floeberg.spark.read.types import spark_type  # noqa: PLC0415 - it imports PySpark

    if field.write_default is None:
        return "NULL"
    if not isinstance(field.field_type, PrimitiveType):
        raise UnsupportedError(f"{word}: {field.name!r} has a default with parts: write the value")
    kind = str(field.field_type)
    wanted = spark_type(field.field_type, truncate_nanoseconds=True, name=field.name).simpleString()
    if wanted == "binary":
        return f"X'{field.write_default}'"
    text = str(field.write_default).lower() if kind == "boolean" else str(field.write_default)
    return f"CAST({text_of(text)} AS {wanted})"


def text_of(text: str) -> str:
    """A text as SQL. In hexadecimal digits no setting of the session changes a character."""
    return f"CAST(X'{text.encode().hex()}' AS STRING)"


def value_of(
    path: Path,
    kind: DataType,
    old: str,
    given: Mapping[Path, tuple[str, DataType]],
    assign: Assignments,
) -> str | None:
    """The new value of a column, or of a field, as SQL of its type; `None` where it is not set.

    Args:
        path: The column or the field.
        kind: Its type.
        old: Its old value, as SQL.
        given: What is set: the texts of values and their types.
        assign: What may be assigned.
    """
    found = given.get(path)
    if found is not None:
        text, have = found
        cast = assign.cast(".".join(path), have, kind)
        return f"({text}\n)" if cast is None else f"CAST(({text}\n) AS {cast})"
    if not any(each[: len(path)] == path for each in given):
        return None
    parts: Any = kind
    fields = []
    for each in parts.fields:
        inner = f"{old}.{quoted(each.name)}"
        new = value_of((*path, each.name), each.dataType, inner, given, assign)
        fields.append(f"{text_of(each.name)}, {inner if new is None else new}")
    return f"named_struct({', '.join(fields)})"
