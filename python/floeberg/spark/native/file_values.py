"""Which metadata columns do rows have that Spark reads, and what are they made of?

In: rows of files, and what the plan says of the files. Out: the rows, and an expression for each metadata column.
Spec: Reserved Field IDs; Row Lineage.

The position of a row and the key of its file are there for every row without reading anything: the file's number, or,
where Spark cannot be told it, its size or its name. What the plan says of files is looked up by the number in lists
that tasks are sent. Where these are large, or the key is no number, it is a row a file, which the rows are joined with.

Invariant: the keys of the files of a group differ, and sizes were asked of the files themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg.errors import InvalidDataError
from floeberg.spark.session.batch_limits import frame_of_arrow
from floeberg.spark.session.names import quoted

if TYPE_CHECKING:
    from collections.abc import Collection

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from floeberg.scan.plan import Plan
    from floeberg.spark.native.lanes import FileGroup

__all__ = [
    "DELETED",
    "KEY",
    "KEY_OF_FILE",
    "ROW",
    "keyed",
    "metadata_values",
    "needs_keys",
    "needs_positions",
    "numbered",
    "with_file_values",
]

ROW, KEY, KEY_OF_FILE, DELETED = (f"__floeberg_{name}" for name in ("row", "key", "key_of_file", "deleted"))
_SAID = {
    "_file": ("file_path",),
    "_spec_id": ("spec_id",),
    "_partition": ("partition",),
    "_row_id": ("first_row_id",),
    "_last_updated_sequence_number": ("first_row_id", "data_sequence_number"),
}
"""What the plan says of a file, by the metadata columns that are made of it."""
_MOST_BYTES = 1 << 20
"""Of lists that are sent with the tasks."""
_FIRST = "__floeberg_first_row_id"
_LINEAGE = {
    "_row_id": f"{_FIRST} + {ROW}",
    "_last_updated_sequence_number": "__floeberg_data_sequence_number",
}
"""What null means in columns that a file may store."""


def needs_positions(group: FileGroup, special: Collection[str]) -> bool:
    """Whether something is made of the positions of rows."""
    return group.deleted or bool({"_pos", "_row_id"} & set(special))


def needs_keys(group: FileGroup, special: Collection[str]) -> bool:
    """Whether it matters which file a row is of."""
    return group.deleted or bool(_said(special))


def numbered(
    frame: DataFrame, group: FileGroup, special: Collection[str], positions: str | None
) -> DataFrame:
    """The rows, with their positions and the keys of their files where something is made of them.

    Args:
        frame: The rows.
        group: The files.
        special: The names of the metadata columns.
        positions: The column of the rows that has their positions already.
    """
    more = []
    if needs_positions(group, special):
        more.append(f"{positions or '_metadata.row_index'} AS {ROW}")
    if needs_keys(group, special) and group.key != "number":
        more.append(f"_metadata.file_{group.key} AS {KEY}")
    return frame.selectExpr("*", *more) if more else frame


def keyed(group: FileGroup, columns: dict[str, Any]) -> pa.Table:
    """A row a file: its key, and columns.

    Raises:
        InvalidDataError: Two files have one key.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    if len(set(group.keys)) != len(group.keys):
        raise InvalidDataError(f"two files of a group are of one {group.key}")
    kind = {"number": pa.int32(), "size": pa.int64(), "name": pa.string()}[group.key]
    return pa.table({KEY_OF_FILE: pa.array(group.keys, kind), **columns})


def with_file_values(
    spark: SparkSession, frame: DataFrame, plan: Plan, group: FileGroup, special: Collection[str]
) -> DataFrame:
    """The rows, with what the plan says of their files."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - PySpark's own habit; not imported for planning

    said = _said(special)
    if not said:
        return frame
    files = plan.to_arrow().select(said).take(list(group.numbers))
    columns = {f"__floeberg_{name}": files[name] for name in said}
    if group.key == "number" and files.nbytes <= _MOST_BYTES:
        lists = frame_of_arrow(spark, _as_lists(columns))
        values = {name: F.get(lists.select(name).scalar(), F.expr(KEY)) for name in columns}
        return frame.withColumns(values)
    known = frame_of_arrow(spark, keyed(group, columns))
    return frame.join(F.broadcast(known), F.expr(f"{KEY} = {KEY_OF_FILE}"))


def _as_lists(columns: dict[str, Any]) -> pa.Table:
    """A row of a list of each column."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    def as_list(column: pa.ChunkedArray) -> pa.Array:
        return pa.ListArray.from_arrays(pa.array([0, len(column)], pa.int32()), column.combine_chunks())

    return pa.table({name: as_list(column) for name, column in columns.items()})


def metadata_values(schema: StructType, group: FileGroup, special: Collection[str]) -> dict[str, str]:
    """An expression of SQL for each metadata column.

    Args:
        schema: The columns of the scan.
        group: The files.
        special: The names of its metadata columns.
    """
    stored = {each.name: quoted(each.stored_name) for each in group.columns if each.stored_name is not None}
    made: dict[str, str] = {}
    for name in special:
        if name == "_pos":
            made[name] = ROW
        elif name == "_deleted":
            made[name] = DELETED if group.deleted else "false"
        elif name == "_partition" and not cast("Any", schema[name].dataType).fields:
            made[name] = "CAST(NULL AS struct<>)"
        elif name in _LINEAGE:
            # Rows of files without ids have no lineage, whatever the file stores.
            value = f"coalesce({stored[name]}, {_LINEAGE[name]})" if name in stored else _LINEAGE[name]
            made[name] = f"CASE WHEN {_FIRST} IS NOT NULL THEN {value} END"
        else:
            made[name] = f"__floeberg_{_SAID[name][0]}"
    return made


def _said(special: Collection[str]) -> list[str]:
    """What has to be known of the files."""
    return list(dict.fromkeys(said for name in special for said in _SAID.get(name, ())))
