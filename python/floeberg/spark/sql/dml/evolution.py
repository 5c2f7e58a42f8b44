"""Which columns does a table get by WITH SCHEMA EVOLUTION?

Those that the new rows have and the table lacks, as optional columns at its end, and wider types where the
specification lets a column have them. What cannot be widened keeps its type, and values are assigned to it as always.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.spark.session.names import folding
from floeberg.spark.write.new_schema import schema_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql.types import DataType, StructField

    from floeberg.commit.update_schema import UpdateSchema
    from floeberg.spark.sql.text.targets import ChangedTable

__all__ = ["evolve", "new_columns"]

_WIDER = {("int", "bigint"), ("float", "double")}


def new_columns(changed: ChangedTable, given: Sequence[StructField]) -> list[StructField]:
    """The columns that a table lacks or has with narrower types, by the names that it has or gets.

    Args:
        changed: The table.
        given: Columns of new rows.
    """
    fold = folding(case_sensitive=changed.case_sensitive)
    own = {fold(each.name): each for each in changed.spark_schema()}
    found = []
    for each in given:
        there = own.get(fold(each.name))
        if there is None:
            found.append(each)
        elif is_wider(there.dataType, each.dataType):
            found.append(_named(each, there.name))
    return found


def evolve(update: UpdateSchema, columns: Sequence[StructField]) -> None:
    """Adds columns, and widens types."""
    from pyspark.sql.types import StructType  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    update.union_by_name(schema_of(StructType(list(columns)), keeps_required=False))


def is_wider(have: DataType, given: DataType) -> bool:
    """Whether a column of one type may get another one, which has more values or more fields."""
    from pyspark.sql import types  # noqa: PLC0415 - the same

    one, other = have.simpleString(), given.simpleString()
    if one == other:
        return False
    if isinstance(have, types.StructType) and isinstance(given, types.StructType):
        own = {each.name: each.dataType for each in have}
        fits = all(
            each.name not in own
            or own[each.name].simpleString() == each.dataType.simpleString()
            or is_wider(own[each.name], each.dataType)
            for each in given
        )
        return fits and {each.name for each in given} >= set(own)
    if isinstance(have, types.DecimalType) and isinstance(given, types.DecimalType):
        return have.scale == given.scale and have.precision < given.precision
    return (one, other) in _WIDER


def _named(field: StructField, name: str) -> Any:  # noqa: ANN401 - a field of Spark
    from pyspark.sql.types import StructField  # noqa: PLC0415 - the same

    return StructField(name, field.dataType, field.nullable, field.metadata)
