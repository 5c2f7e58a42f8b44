"""Which task writes which rows?

In: a frame of rows, and the partitions, the order and the properties of a table. Out: the frame, so that tasks write
few files of many rows: with `hash` the rows of a partition come together, with `range` rows are sorted across tasks as
well. Behind the columns of the rows it may have others, by which Spark brings rows together.

Invariant: only tasks and order change, never rows.
"""

from __future__ import annotations

import re
from math import inf
from typing import TYPE_CHECKING, Any

from floeberg._table_properties import whole_of
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.session.names import named, quoted
from floeberg.types import StructType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyspark.sql import DataFrame

    from floeberg.table import Table
    from floeberg.types import NestedField, PartitionField

__all__ = ["advised", "distributed"]

_MODE = "write.distribution-mode"
_SIZE = "write.target-file-size-bytes"
_MODES = ("none", "hash", "range")
_ADVISED = "spark.sql.adaptive.advisoryPartitionSizeInBytes"
_TWICE_SHRUNK = 6
"""Six bytes of rows that Spark sends between tasks become about two of files, which are encoded by columns. What is
larger than this is split between tasks, and each part still fills a file; a task ends files at the target's size."""
_MOST_ADVISED = 1 << 50
"""Spark adds such sizes up, as numbers of 64 bits."""
_KEY = "floeberg_partition_"
_MOST_UNSORTED = 64
"""The most partitions of which a writer has all files open, so that rows need not come partition by partition."""
_BUCKETS = re.compile(r"bucket\[(\d+)\]")
_UNSEEDED = -1693959553
"""Its hash in Spark, whose `hash` begins with 42, is 0: what follows it is hashed as if the seed were 0."""
_HASHED_ALIKE = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "CAST({} AS BIGINT)"),
    "date": "CAST(unix_date({}) AS BIGINT)",
    "timestamp": "{}",
    "timestamp_ntz": "{}",
}
"""Types whose values are hashed as 8 bytes, and how Spark has those. Of texts its hash is another one."""


def distributed(frame: DataFrame, table: Table, mode: str | None, columns: Mapping[str, str]) -> DataFrame:
    """The frame, with its rows where the table asks for them, and with more columns behind its own.

    Args:
        frame: The rows.
        table: The table.
        mode: `none`, `hash` or `range`; `None` is the property of the table. Without it a table with a sort order has
            `range`, another one with partitions `hash`, and others `none`, as in Iceberg Java.
        columns: The frame's names of columns by those of the table.

    Raises:
        InvalidInputError: The mode is another word.
    """
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - importing floeberg.spark imports nothing large

    spec, order = table.spec(), table.sort_order()
    default = "range" if not order.is_unsorted else "none" if spec.is_unpartitioned() else "hash"
    wanted = (table.properties.get(_MODE, default) if mode is None else mode).strip().lower()
    if wanted not in _MODES:
        raise InvalidInputError(f"{_MODE}: expected none, hash or range, found {wanted!r}")
    if wanted == "none":
        return frame
    keys = [key for each in spec.fields if (key := _partition_key(each, table, frame, columns)) is not None]
    sorting = _sorting(table, columns) if wanted == "range" else []
    if not keys and not sorting:
        return frame
    names = _new_names(frame.columns, len(keys))
    keyed = frame.withColumns(dict(zip(names, keys, strict=True))) if keys else frame
    by_key = [F.col(name) for name in names]
    is_range = wanted == "range"
    spread = keyed.repartitionByRange(*by_key, *sorting) if is_range else keyed.hint("rebalance", *names)
    if is_range or _most_partitions(spec.fields) > _MOST_UNSORTED:
        spread = spread.sortWithinPartitions(*by_key, *sorting)
    # Spark would copy every row to leave the keys out.
    return spread


def _new_names(taken: Sequence[str], number: int) -> list[str]:
    """Names that no column has."""
    beginning, folded = _KEY, [name.lower() for name in taken]
    while any(name.startswith(beginning) for name in folded):
        beginning += "_"
    return [f"{beginning}{at}" for at in range(number)]


def advised(table: Table, options: Mapping[str, str]) -> dict[str, str]:
    """The settings that let Spark's adaptive execution aim at tasks that fill a file.

    Raises:
        InvalidInputError: The target size is not a whole number.
    """
    given = {_SIZE: options[_SIZE]} if options.get(_SIZE) else {}
    size = min(whole_of({**table.properties, **given}, _SIZE) * _TWICE_SHRUNK, _MOST_ADVISED)
    return {_ADVISED: f"{size}b"}


def _most_partitions(fields: Sequence[PartitionField]) -> float:
    """How many partitions the rows may have."""
    most = 1.0
    for each in fields:
        transform = str(each.transform)
        if transform != "void":
            found = _BUCKETS.fullmatch(transform)
            most *= inf if found is None else int(found[1])
    return most


def _partition_key(  # noqa: PLR0911 - one return a transform
    field: PartitionField, table: Table, frame: DataFrame, columns: Mapping[str, str]
) -> Any:  # noqa: ANN401 - a column
    """What has one value for the rows of a partition; `None` where Spark cannot say it."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - the same

    transform = str(field.transform)
    path = _path(table.schema().fields, field.source_id)
    if not path or transform == "void":
        return None
    if path[0] not in columns:
        return F.lit(None)
    own = quoted(columns[path[0]], *path[1:])
    kind = frame.select(own).schema[0].dataType.simpleString()
    source = str(table.schema().find_type(field.source_id))
    if transform == "identity":
        return F.col(own)
    if transform in {"year", "month", "day", "hour"}:
        return F.expr(_of_moment(transform, own, kind))
    if found := re.fullmatch(r"truncate\[(\d+)\]", transform):
        if kind in {"string", "binary"}:
            return F.expr(f"substring({own}, 1, {found[1]})")
        # Where the least values of a type overflow they are null, in any mode of Spark, and come together.
        return (
            F.expr(f"try_subtract({own}, pmod({own}, {found[1]}))")
            if kind in {"int", "bigint"}
            else F.col(own)
        )
    if found := _BUCKETS.fullmatch(transform):
        if kind in _HASHED_ALIKE:
            return F.expr(_bucket(_HASHED_ALIKE[kind].format(own), int(found[1])))
        from floeberg.spark.functions import bucket  # noqa: PLC0415 - few tables need it

        try:
            return bucket(int(found[1]), own, source_type="uuid" if source == "uuid" else None)
        except UnsupportedError:
            # Before PySpark 4.1.
            return None
    return None


def _path(fields: Iterable[NestedField], field_id: int) -> tuple[str, ...]:
    """The names that lead to a field of a struct, or to a column; none where it is not there."""
    for each in fields:
        below = each.field_type.fields if isinstance(each.field_type, StructType) else ()
        if each.field_id == field_id:
            return (each.name,)
        if path := _path(below, field_id):
            return each.name, *path
    return ()


def _bucket(hashed: str, buckets: int) -> str:
    """The bucket of a value of 8 bytes: Spark's hash of it is that of tables, but for the seed. Spec: Appendix B."""
    return f"if({hashed} IS NULL, NULL, (hash({_UNSEEDED}, {hashed}) & 2147483647) % {buckets})"


def _of_moment(transform: str, own: str, kind: str) -> str:
    """A year, month, day or hour in UTC, whatever the time zone of the session."""
    if transform == "hour":
        return f"unix_micros({own}) div 3600000000" if kind == "timestamp" else f"date_trunc('hour', {own})"
    day = f"CAST({own} AS DATE)"
    if kind == "timestamp":
        day = f"date_from_unix_date(CAST(floor(unix_micros({own}) / 86400000000D) AS INT))"
    return day if transform == "day" else f"trunc({day}, '{transform}')"


def _sorting(table: Table, columns: Mapping[str, str]) -> list[Any]:
    """The sort order of a table, as far as it has columns of the frame as they are."""
    found = []
    for each in table.sort_order().fields:
        path = _path(table.schema().fields, each.source_id)
        if len(path) != 1 or path[0] not in columns or str(each.transform) != "identity":
            break
        own = named(columns[path[0]])
        rising, first = each.direction == "asc", each.null_order == "nulls-first"
        if rising:
            found.append(own.asc_nulls_first() if first else own.asc_nulls_last())
        else:
            found.append(own.desc_nulls_first() if first else own.desc_nulls_last())
    return found
