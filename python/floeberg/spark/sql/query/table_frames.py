"""Which rows of a table does a use of it read, and how do they come to Spark?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.session.batch_limits import frame_of_arrow
from floeberg.spark.session.time_types import check_times
from floeberg.spark.sql.pushdown.row_filters import certain, conditions, pushed
from floeberg.spark.sql.query.cached_tables import kept_frame
from floeberg.spark.sql.query.changelogs import changes_frame
from floeberg.spark.sql.query.columns import needed_columns, reaches_all
from floeberg.spark.sql.text.constants import evaluated
from floeberg.spark.sql.text.known_tables import CHANGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.expressions import Expression
    from floeberg.scan import Scan
    from floeberg.spark.sql.text.known_tables import Found
    from floeberg.spark.sql.text.references import TableReference
    from floeberg.spark.sql.text.statement import Statement

__all__ = ["frames_of", "scan_of"]


def frames_of(  # noqa: PLR0913 - what is read, and how
    spark: SparkSession,
    statement: Statement,
    tree: Any,  # noqa: ANN401 - sqlglot's
    uses: Sequence[TableReference],
    reading: dict[str, Any],
    *,
    case_sensitive: bool,
    empty: bool = False,
    narrowed: Sequence[Expression] | None = None,
) -> list[DataFrame]:
    """The frame of each use of a table.

    Args:
        spark: The session.
        statement: The statement.
        tree: Its tree.
        uses: The uses.
        reading: What `Scan.to_spark` is given.
        case_sensitive: Whether the case of names of columns counts.
        empty: Whether the frames have no rows, and nothing is planned.
        narrowed: Filters that the rows of the uses in the outermost FROM pass.
    """
    scans = [_scan_of(spark, use, case_sensitive=case_sensitive) for use in uses]
    found = [
        []
        if use.found.metadata not in {None, CHANGES}
        else conditions(use, scan, statement, case_sensitive=case_sensitive)
        for use, scan in zip(uses, scans, strict=True)
    ]
    known, moments = certain(spark, *found)
    frames: dict[tuple[int, str], DataFrame] = {}
    named: list[DataFrame] = []
    for use, scan, group in zip(uses, scans, known, strict=True):
        if use.found.metadata not in {None, CHANGES}:
            named.append(
                _metadata_frame(spark, use, scan, statement, whole=reaches_all(statement, tree, use))
            )
            continue
        columns = needed_columns(statement, tree, use, uses, scan.schema())
        if use.found.metadata == CHANGES:
            named.append(changes_frame(spark, pushed(group, scan, moments).select(*columns), reading))
            continue
        if empty:
            named.append(_empty(spark, scan.select(*columns), reading))
            continue
        kept = _kept(spark, use, scan, columns, reading)
        if kept is not None:
            named.append(kept)
            continue
        chosen = pushed(group, scan, moments).select(*columns)
        is_narrowed = bool(narrowed) and use.select is tree
        for each in narrowed or () if is_narrowed else ():
            chosen = chosen.filter(each)
        if group or is_narrowed:
            named.append(chosen.to_spark(spark, **reading))
            continue
        # Two uses that read the same share a frame, so that Spark may read it once.
        key = id(use.found.table), f"{chosen.snapshot_id} {chosen.projection()!r}"
        if key not in frames:
            frames[key] = chosen.to_spark(spark, **reading)
        named.append(frames[key])
    return named


def _kept(
    spark: SparkSession, use: TableReference, scan: Scan, columns: Sequence[str], reading: dict[str, Any]
) -> DataFrame | None:
    """The rows that are kept of a table, if they are those that a use of it reads."""
    own = {field.name for field in scan.schema().fields}
    if use.time_travel is not None or not own.issuperset(columns):
        return None
    kept = kept_frame(spark, use.found.full, use.found.table, scan, reading)
    # PySpark names frames by views. When such a view goes, Spark forgets what is kept of all that it shows.
    return None if kept is None else kept.where("true")


def _empty(spark: SparkSession, scan: Scan, reading: dict[str, Any]) -> DataFrame:
    """A frame with the columns of a scan."""
    from floeberg.spark.read.types import scan_struct  # noqa: PLC0415 - it imports PySpark

    truncates = bool(reading.get("truncate_nanoseconds"))
    columns = scan_struct(scan, truncate_nanoseconds=truncates)
    check_times(spark, columns)
    return spark.createDataFrame([], columns)


def _scan_of(spark: SparkSession, reference: TableReference, *, case_sensitive: bool) -> Scan:
    """The scan of the snapshot that a use of a table asks for.

    Raises:
        InvalidInputError: It asks for two snapshots, or for one of another kind.
        NotFoundError: The snapshot or ref does not exist.
    """
    found, travel = reference.found, reference.time_travel
    table, written = found.table, ".".join(reference.name.parts)
    chosen = [each for each in (found.ref, found.snapshot_id, found.timestamp_ms, travel) if each is not None]
    if len(chosen) > 1:
        raise InvalidInputError(f"{written}: choose one snapshot, by the name or by AS OF")
    if travel is None:
        return scan_of(found, written, case_sensitive=case_sensitive)
    scan = table.scan(case_sensitive=case_sensitive)
    if not travel.is_constant:
        raise InvalidInputError(
            f"{written} AS OF: expected a constant as '2026-01-31 00:00:00', "
            f"TIMESTAMP '2026-01-31 00:00:00' or current_timestamp() - INTERVAL '1' DAY, found {travel.asked!r}"
        )
    if not travel.of_version:
        return scan.as_of(_milliseconds(spark, travel.asked))
    if travel.asked in table.refs() or not travel.asked.isdigit():
        return scan.use_ref(travel.asked)
    return table.scan(case_sensitive=case_sensitive, snapshot_id=int(travel.asked))


def scan_of(found: Found, written: str, *, case_sensitive: bool) -> Scan:
    """The scan of what a name alone asks for: the table, a ref or a snapshot.

    Args:
        found: What the name means.
        written: The name, for errors.
        case_sensitive: Whether the case of names of columns counts.

    Raises:
        InvalidInputError: The ref is of another kind.
        NotFoundError: The snapshot or ref does not exist.
    """
    table = found.table
    scan = table.scan(case_sensitive=case_sensitive)
    if found.ref is not None:
        kind, name = found.ref
        known = table.refs().get(name)
        if known is not None and known.snapshot_ref_type != kind:
            raise InvalidInputError(f"{written}: {name!r} is a {known.snapshot_ref_type}")
        return scan.use_ref(name)
    if found.snapshot_id is not None:
        return table.scan(case_sensitive=case_sensitive, snapshot_id=found.snapshot_id)
    return scan if found.timestamp_ms is None else scan.as_of(found.timestamp_ms)


def _metadata_frame(
    spark: SparkSession, reference: TableReference, scan: Scan, statement: Statement, *, whole: bool
) -> DataFrame:
    """The rows of a metadata table.

    Raises:
        InvalidInputError: A snapshot was asked for, and the metadata table is of the whole table.
        UnsupportedError: Spark cannot take a column.
    """
    from pyspark.errors import PySparkException  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    found = reference.found
    assert found.metadata is not None  # noqa: S101 - the caller asked
    name: Any = found.metadata
    reader = found.table.inspect.to_arrow_batch_reader(
        name, snapshot_id=None if reference.time_travel is None else scan.snapshot_id
    )
    rows = reader.read_all()
    used = [column for column in rows.column_names if column in statement.words]
    rows = rows if whole else rows.select(used or rows.column_names[:1])
    try:
        return frame_of_arrow(spark, _plain(rows))
    except PySparkException as error:
        raise UnsupportedError(
            f"{'.'.join(reference.name.parts)}: Spark has no type for one of the columns "
            f"{', '.join(rows.column_names)}: select the others"
        ) from error


def _milliseconds(spark: SparkSession, constant: str) -> int:
    """What Spark makes of a constant, in the zone of the session."""
    micros = evaluated(spark, f"unix_micros(CAST(({constant}) AS TIMESTAMP_LTZ))")
    if micros is None:
        raise InvalidInputError(f"TIMESTAMP AS OF: Spark cannot cast {constant} to a timestamp")
    return int(micros) // 1000


def _plain(rows: pa.Table) -> pa.Table:
    """The rows in types that Spark takes."""
    import pyarrow as pa  # noqa: PLC0415 - the same

    schema = pa.schema([pa.field(each.name, _plain_type(each.type), each.nullable) for each in rows.schema])
    # PySpark takes no column without any array.
    return rows.cast(schema) if rows.num_rows else schema.empty_table()


def _plain_type(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa  # noqa: PLC0415 - the same

    if isinstance(kind, pa.StructType):
        return pa.struct([pa.field(each.name, _plain_type(each.type), each.nullable) for each in kind])
    if pa.types.is_map(kind):
        return pa.map_(_plain_type(kind.key_type), kind.item_field.with_type(_plain_type(kind.item_type)))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_plain_type(kind.value_type)))
    if pa.types.is_fixed_size_binary(kind):
        return pa.binary()
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    return kind
