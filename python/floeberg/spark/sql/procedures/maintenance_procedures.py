"""How do CALLs look after a table?

Arguments and columns are those of Iceberg's procedures. Arguments that only say how fast are taken, and change nothing.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from floeberg._table_properties import whole_of
from floeberg.errors import InvalidInputError
from floeberg.spark.maintenance import maintenance
from floeberg.spark.sql.text.dialect import dialect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from floeberg.table import Table

__all__ = [
    "convert_equality_deletes",
    "expire_snapshots",
    "remove_dangling_deletes",
    "remove_orphan_files",
    "rewrite_data_files",
    "rewrite_manifests",
    "rewrite_position_delete_files",
]

_AGE = "history.expire.max-snapshot-age-ms"


def expire_snapshots(spark: SparkSession, table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Expires snapshots, and finds by tasks of Spark which files go: the counts of what was removed."""
    older_than = given.get("older_than")
    if older_than is None and "snapshot_ids" in given:
        # Those that are old expire too, as in Spark.
        older_than = time.time_ns() // 1_000_000 - whole_of(table.properties, _AGE)
    changes = maintenance(spark, table).expire_snapshots()
    if older_than is not None:
        changes.older_than(older_than)
    if "retain_last" in given:
        changes.retain_last(given["retain_last"])
    if "snapshot_ids" in given:
        changes.by_ids(given["snapshot_ids"])
    if "clean_expired_metadata" in given:
        changes.clean_expired_metadata(given["clean_expired_metadata"])
    done = changes.commit()
    return (
        done.deleted_data_files_count,
        done.deleted_position_delete_files_count,
        done.deleted_equality_delete_files_count,
        done.deleted_manifest_files_count,
        done.deleted_manifest_lists_count,
        done.deleted_statistics_files_count,
    )


def remove_orphan_files(spark: SparkSession, table: Table, given: Mapping[str, Any]) -> list[tuple[str]]:
    """Removes orphan files: their locations."""
    names = ("older_than", "location", "dry_run", "equal_schemes", "equal_authorities")
    options = {name: given[name] for name in names if name in given}
    if "prefix_mismatch_mode" in given:
        options["prefix_mismatch_mode"] = given["prefix_mismatch_mode"].lower()
    if "file_list_view" in given:
        view = spark.table(given["file_list_view"])
        if missing := sorted({"file_path", "last_modified"}.difference(view.columns)):
            raise InvalidInputError(f"CALL remove_orphan_files: the view has no column {missing[0]!r}")
        rows = view.selectExpr("file_path", "unix_millis(CAST(last_modified AS timestamp)) AS at").collect()
        options["file_list"] = {row.file_path: row.at for row in rows}
    done = maintenance(spark, table).remove_orphan_files(**options)
    return [(location,) for location in done.orphan_file_locations]


def rewrite_data_files(spark: SparkSession, table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Writes data files again, by tasks of Spark: the counts of Iceberg's procedure."""
    options = _rewrite_options(given)
    if "sort_order" in given:
        options["sort_order"] = given["sort_order"]
    if "strategy" in given:
        options["strategy"] = given["strategy"].lower()
    done = maintenance(spark, table).rewrite_data_files(**options)
    return (
        done.rewritten_data_files_count,
        done.added_data_files_count,
        done.rewritten_bytes_count,
        done.failed_data_files_count,
        done.removed_delete_files_count,
    )


def rewrite_manifests(table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Writes manifests again: the counts of Iceberg's procedure."""
    options = {name: given[name] for name in ("spec_id", "sort_by", "branch") if name in given}
    done = table.maintenance.rewrite_manifests(**options)
    return done.rewritten_manifests_count, done.added_manifests_count


def rewrite_position_delete_files(
    spark: SparkSession, table: Table, given: Mapping[str, Any]
) -> tuple[Any, ...]:
    """Writes files of position deletes again, by tasks of Spark: the counts of Iceberg's procedure."""
    done = maintenance(spark, table).rewrite_position_delete_files(**_rewrite_options(given))
    return (
        done.rewritten_delete_files_count,
        done.added_delete_files_count,
        done.rewritten_bytes_count,
        done.added_bytes_count,
    )


def convert_equality_deletes(spark: SparkSession, table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Turns equality deletes into positions or vectors, by tasks of Spark. Iceberg has no procedure for it."""
    done = maintenance(spark, table).convert_equality_deletes(**_rewrite_options(given))
    return done.converted_equality_delete_files_count, done.added_position_delete_files_count


def remove_dangling_deletes(table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Removes deletes that apply to no file, which Iceberg has as an option alone."""
    options = {name: given[name] for name in ("branch",) if name in given}
    return (table.maintenance.remove_dangling_deletes(**options).removed_delete_files_count,)


def _rewrite_options(given: Mapping[str, Any]) -> dict[str, Any]:
    options = {name: given[name] for name in ("options", "branch") if name in given}
    options["case_sensitive"] = dialect().case_sensitive
    if "where" in given:
        options["where"] = _filter(given["where"])
    return options


def _filter(where: str) -> str:
    """A condition of Spark, in which texts may stand in double quotes, as a filter."""
    import sqlglot  # noqa: PLC0415 - only statements need it

    try:
        return str(sqlglot.transpile(where, read="spark")[0])
    except sqlglot.errors.SqlglotError as error:
        raise InvalidInputError(f"CALL rewrite_data_files: cannot read the condition {where!r}") from error
