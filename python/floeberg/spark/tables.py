"""Tables as DataFrames and as temporary views, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg._arguments import checked_bool, checked_text
from floeberg._keywords import says_keywords
from floeberg._timestamps import milliseconds
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions import ALWAYS_TRUE
from floeberg.lance import LanceScan, LanceTable
from floeberg.spark.options.lance_version import lance_at
from floeberg.spark.session.environment import check_pyspark, check_session
from floeberg.spark.session.time_types import check_times
from floeberg.spark.session.wap import under_wap
from floeberg.spark.views import FollowingView, forget
from floeberg.table import Table, open_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from floeberg._timestamps import Moment
    from floeberg.catalog import Catalog
    from floeberg.expressions import AnyFilter
    from floeberg.scan import Scan
    from floeberg.scan.scan import Planning
    from floeberg.scan.scan_protocol import Reader

__all__ = ["create_view", "open_named", "table", "table_scan"]

_PINS = ("snapshot_id", "tag", "as_of")


@says_keywords
def table(  # noqa: PLR0913 - the parts of one read
    spark: SparkSession,
    name: str | Table | LanceTable,
    *,
    catalog: Catalog | str | None = None,
    columns: Sequence[str] = ("*",),
    filter: AnyFilter = ALWAYS_TRUE,  # noqa: A002 - the word of the data source's option
    snapshot_id: int | None = None,
    branch: str | None = None,
    tag: str | None = None,
    as_of: Moment | None = None,
    case_sensitive: bool = False,
    reader: Reader = "auto",
    planning: Planning = "auto",
    truncate_nanoseconds: bool = False,
) -> DataFrame:
    """Reads a table as a DataFrame.

    The DataFrame always reads the snapshot that is current now, or the one that you choose. Spark itself reads the
    files where that returns the same rows, with its own column pruning and filter pushdown. A Lance table is read at
    its newest version, or at that of a branch, a tag or a time.

    Args:
        spark: A session of PySpark 4.0 or later, classic or Spark Connect.
        name: The table's name in the catalog, a table directory or metadata file, or a table, of Lance too.
        catalog: The catalog, or its name in the configuration. By default, the configured catalog that the name begins
            with (`cat.db.t`), else the configured default catalog.
        columns: Names of columns, and of metadata columns.
        filter: The rows to read. The filter also skips manifests and files in planning.
        snapshot_id: Reads this snapshot.
        branch: Reads this branch.
        tag: Reads this tag.
        as_of: Reads the snapshot that was current at this time.
        case_sensitive: Whether the case of column names counts.
        reader: `"auto"`, `"native"` or `"arrow"`, as for `Scan.to_spark`.
        planning: `"auto"`, `"local"` or `"distributed"`, as for `Scan.to_spark`.
        truncate_nanoseconds: Whether nanoseconds may be truncated to Spark's microseconds.

    Returns:
        A `pyspark.sql.DataFrame`.

    Raises:
        InvalidInputError: More than one snapshot was chosen, or a column does not exist.
        NotFoundError: The table, snapshot or ref does not exist.
        UnsupportedError: Spark has no type for a column; or an argument is for tables of Iceberg.
    """
    scan = table_scan(
        _in_session(spark, open_named(name, catalog)),
        columns=columns,
        filter=filter,
        snapshot_id=snapshot_id,
        branch=branch,
        tag=tag,
        as_of=as_of,
        case_sensitive=case_sensitive,
    )
    reading = {"reader": reader, "planning": planning, "truncate_nanoseconds": truncate_nanoseconds}
    return _frame(spark, scan, reading)


@says_keywords
def create_view(
    spark: SparkSession,
    view: str,
    name: str | Table | LanceTable,
    *,
    replace: bool = True,
    **options: Any,  # noqa: ANN401 - those of `table`
) -> DataFrame:
    """Creates a temporary view of a table.

    The view stays at the snapshot that is current now, or at the one that you choose. If you choose no snapshot, tag or
    time, and give the table by its name, `floeberg.spark.sql` moves the view to the newest snapshot before each
    statement that names it. `spark.sql` and `spark.table` show the old snapshot.

    Args:
        spark: The session.
        view: The name of the view.
        name: The table, as for `table`.
        replace: Whether to replace an existing view of that name.
        **options: The other arguments of `table`.

    Returns:
        The DataFrame of the view.
    """
    checked = checked_text("view", view)
    checked_bool("replace", replace)
    catalog = options.pop("catalog", None)
    reading: dict[str, Any] = {
        key: options.pop(key) for key in ("reader", "planning", "truncate_nanoseconds") if key in options
    }
    made = FollowingView(
        checked,
        name if isinstance(name, str) else "",
        catalog,
        scan=lambda opened: table_scan(_in_session(spark, opened), **options),
        to_frame=lambda session, scan: _frame(session, scan, reading),
    )
    frame = made.make(spark, made.scan(open_named(name, catalog)), replacing=replace)
    if not isinstance(name, str) or any(options.get(key) is not None for key in _PINS):
        forget(spark, checked)
    return frame


def _in_session(spark: SparkSession, opened: Table | LanceTable) -> Table | LanceTable:
    """A table as the session reads it: there are no audits of Lance tables."""
    return opened if isinstance(opened, LanceTable) else under_wap(spark, opened)


def _frame(spark: SparkSession, scan: Scan | LanceScan, reading: Mapping[str, Any]) -> DataFrame:
    """The DataFrame of a scan.

    Raises:
        UnsupportedError: It is a Lance table, whose data files Spark's own reader cannot read; or a column has times,
            which the session does not take.
    """
    check_pyspark()
    check_session(spark)
    from floeberg.spark.read.types import scan_struct  # noqa: PLC0415 - it imports PySpark

    # Spark collects the rows of some frames with times, and neither counts nor groups them.
    truncates = bool(reading.get("truncate_nanoseconds"))
    check_times(spark, scan_struct(scan, truncate_nanoseconds=truncates))
    if not isinstance(scan, LanceScan):
        return scan.to_spark(spark, **reading)
    for key, refused in (("reader", "native"), ("planning", "distributed")):
        if reading.get(key) == refused:
            raise UnsupportedError(
                f"{key}={refused!r} is for tables of Iceberg, and this is a Lance table: leave it out"
            )
    return scan.to_spark(spark, truncate_nanoseconds=truncates)


def table_scan(  # noqa: PLR0913 - the same
    name: str | Table | LanceTable,
    *,
    catalog: Catalog | str | None = None,
    columns: Sequence[str] = ("*",),
    filter: AnyFilter = ALWAYS_TRUE,  # noqa: A002 - the same
    snapshot_id: int | None = None,
    branch: str | None = None,
    tag: str | None = None,
    as_of: Moment | None = None,
    case_sensitive: bool = False,
) -> Scan | LanceScan:
    """The scan of a table that `table` reads."""
    chosen: dict[str, Any] = {"snapshot_id": snapshot_id, "branch": branch, "tag": tag, "as_of": as_of}
    given = [key for key, value in chosen.items() if value is not None]
    if len(given) > 1:
        raise InvalidInputError(f"choose one snapshot: {' and '.join(given)} exclude each other")
    opened = open_named(name, catalog)
    if isinstance(opened, LanceTable):
        return _chosen(opened, **chosen).scan(
            row_filter=filter, selected_fields=tuple(columns), case_sensitive=case_sensitive
        )
    scan = opened.scan(
        row_filter=filter,
        selected_fields=tuple(columns),
        case_sensitive=case_sensitive,
        snapshot_id=snapshot_id,
    )
    for kind, ref in (("branch", branch), ("tag", tag)):
        if ref is not None:
            known = opened.refs().get(ref)
            if known is not None and known.snapshot_ref_type != kind:
                raise InvalidInputError(f"{kind}: {ref!r} is a {known.snapshot_ref_type}")
            scan = scan.use_ref(ref)
    return scan if as_of is None else scan.as_of(milliseconds(as_of))


def _chosen(table: LanceTable, *, snapshot_id: int | None, **chosen: Any) -> LanceTable:  # noqa: ANN401 - of `open_table`
    """A Lance table at the version of a branch, a tag or a time.

    Raises:
        UnsupportedError: A snapshot was chosen.
    """
    if snapshot_id is not None:
        raise UnsupportedError(
            f"{table.location} is a Lance table, which has versions and no snapshots: give branch, tag or as_of, or "
            "the table that open_table(location, version=..) opens"
        )
    return lance_at(table, **chosen)


def open_named(name: str | Table | LanceTable, catalog: Catalog | str | None) -> Any:  # noqa: ANN401 - as `open_table`
    """The table of a name, at its current state: one of Iceberg, or of Lance."""
    if isinstance(name, (Table, LanceTable)):
        return name
    known = checked_text("name", name)
    if catalog is None and "/" in known:
        return open_table(known)
    if catalog is None:
        from floeberg.spark.options.catalog_names import catalog_and_name  # noqa: PLC0415 - the same

        catalog, known = catalog_and_name(known)
    if isinstance(catalog, str):
        from floeberg.catalog import load_catalog  # noqa: PLC0415 - a table in a folder needs none

        catalog = load_catalog(catalog)
    return catalog.load_table(known)
