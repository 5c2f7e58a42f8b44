"""Which procedures does CALL run, with which arguments and results?

`CALL catalog.system.procedure(...)`, with the names, arguments and columns that Iceberg's procedures for Spark have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError, NotFoundError, UnsupportedError
from floeberg.spark.checking import FINDINGS, findings
from floeberg.spark.sql.procedures.file_procedures import add_files, register_table
from floeberg.spark.sql.procedures.maintenance_procedures import (
    convert_equality_deletes,
    expire_snapshots,
    remove_dangling_deletes,
    remove_orphan_files,
    rewrite_data_files,
    rewrite_manifests,
    rewrite_position_delete_files,
)
from floeberg.spark.sql.procedures.path_procedures import rewrite_table_path
from floeberg.spark.sql.procedures.statistics_procedures import compute_partition_stats, compute_table_stats
from floeberg.spark.sql.procedures.takeover_procedures import migrate, snapshot
from floeberg.spark.sql.query.changelogs import create_changelog_view
from floeberg.types._snapshots import ancestors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from floeberg.catalog import Catalog
    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.token_reader import TokenReader
    from floeberg.table import Table

__all__ = ["call"]


@dataclass(frozen=True)
class _Procedure:
    """A procedure.

    Args:
        parameters: Its parameters after `table`, with Spark's type; those with `?` may be left out. Or all of them,
            where `table` is not the first.
        columns: The columns of its result.
        run: What it does: the rows of its result.
    """

    parameters: Mapping[str, str]
    columns: str
    run: Callable[[_Place, Mapping[str, Any]], Sequence[tuple[Any, ...]]]


@dataclass(frozen=True)
class _Place:
    """The table that a procedure is for, which may not be there yet.

    Args:
        spark: The session.
        catalog: Its catalog.
        levels: Its name there.
        reading: What `Scan.to_spark` is given.
    """

    spark: SparkSession
    catalog: Catalog
    levels: tuple[str, ...]
    reading: Mapping[str, Any]

    @property
    def table(self) -> Table:
        """The table."""
        return self.catalog.load_table(self.levels)


def _of_table(run: Callable[[Table, Mapping[str, Any]], tuple[Any, ...]]) -> Any:  # noqa: ANN401 - as `_Procedure.run`
    """A procedure whose result is one row."""
    return lambda place, given: [run(place.table, given)]


def _by_tasks(
    run: Callable[[SparkSession, Table, Mapping[str, Any]], tuple[Any, ...]],
) -> Any:  # noqa: ANN401 - as `_Procedure.run`
    """The same of a procedure that runs by tasks of Spark."""
    return lambda place, given: [run(place.spark, place.table, given)]


def call(queries: Queries, words: TokenReader) -> DataFrame | None:
    """Runs what follows `CALL`; `None` where the procedure is not one of a catalog of ours.

    Raises:
        UnsupportedError: There is no such procedure.
        InvalidInputError: An argument is missing, unknown or of another type.
    """
    parts = words.name()
    if len(parts) < 2 or parts[-2].lower() != "system":  # noqa: PLR2004 - the namespace of procedures
        return None
    catalog = queries.known.catalog(parts[0]) if len(parts) > 2 else queries.known.default  # noqa: PLR2004
    if catalog is None:
        return None
    name = parts[-1].lower()
    procedure = _PROCEDURES.get(name)
    if procedure is None:
        raise UnsupportedError(
            f"CALL {'.'.join(parts)}: expected one of the procedures {', '.join(sorted(_PROCEDURES))}"
        )
    inside = words.inside()
    words.end()
    # The first is the table, but where a procedure says otherwise.
    parameters = procedure.parameters
    given = _arguments(
        queries, inside, name, parameters if "table" in parameters else {"table": "string", **parameters}
    )
    levels = tuple(str(given.pop("table")).replace("`", "").split("."))
    # A catalog before both; what is migrated may be named as a table of Spark's own.
    if len(levels) > 2 and levels[0] in (catalog.name, *(["spark_catalog"] if name == "migrate" else [])):  # noqa: PLR2004
        levels = levels[1:]
    rows = procedure.run(_Place(queries.spark, catalog, levels, queries.reading), given)
    return queries.spark.createDataFrame(list(rows), procedure.columns)


def _arguments(
    queries: Queries, inside: TokenReader, name: str, parameters: Mapping[str, str]
) -> dict[str, Any]:
    """The values of arguments by their names, as Spark evaluates them."""
    texts: dict[str, str] = {}
    names = list(parameters)
    by_name = inside.next(1) == "=>"
    while not inside.is_at_end:
        if by_name:
            key = inside.one_name().lower()
            inside.expect("=>")
        elif len(texts) == len(names):
            raise InvalidInputError(
                f"CALL {name}: expected at most {len(names)} arguments: {', '.join(names)}"
            )
        else:
            key = names[len(texts)]
        if key not in parameters or key in texts:
            raise InvalidInputError(
                f"CALL {name}: the argument {key!r}: expected each of {', '.join(names)} once"
            )
        texts[key] = inside.until(",").text
        if not inside.take(","):
            inside.end()
    missing = [key for key, kind in parameters.items() if not kind.endswith("?") and key not in texts]
    if missing:
        raise InvalidInputError(f"CALL {name}: the argument {missing[0]!r} is missing")
    listed = []
    for key, text in texts.items():
        kind = parameters[key].rstrip("?")
        value = f"CAST({text}\n AS {kind})"
        listed.append(f"unix_millis({value})" if kind == "timestamp" else value)
    row = queries.spark.sql("SELECT " + ", ".join(listed), queries.args).first()
    values = dict(zip(texts, row or (), strict=True))
    for key, value in values.items():
        if value is None and not parameters[key].endswith("?"):
            raise InvalidInputError(f"CALL {name}: the argument {key!r} is null")
    return {key: value for key, value in values.items() if value is not None}


def _current(table: Table) -> int | None:
    # What procedures move is main, whatever is audited.
    found = table.snapshot_by_name("main")
    return None if found is None else found.snapshot_id


def _rollback_to_snapshot(table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    before = _current(table)
    table.manage_snapshots().rollback_to_snapshot(given["snapshot_id"]).commit()
    return before, _current(table)


def _rollback_to_timestamp(table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    before = _current(table)
    table.manage_snapshots().rollback_to_timestamp(given["timestamp"]).commit()
    return before, _current(table)


def _set_current_snapshot(table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    before = _current(table)
    if len(given) != 1:
        raise InvalidInputError("CALL set_current_snapshot: expected either snapshot_id or ref")
    table.manage_snapshots().set_current_snapshot(given.get("snapshot_id"), given.get("ref")).commit()
    return before, _current(table)


def _cherrypick_snapshot(table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    table.manage_snapshots().cherrypick(given["snapshot_id"]).commit()
    return given["snapshot_id"], _current(table)


def _publish_changes(table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    staged = [each.snapshot_id for each in table.snapshots() if each.summary.get("wap.id") == given["wap_id"]]
    table.manage_snapshots().publish_changes(given["wap_id"]).commit()
    return staged[0] if staged else None, _current(table)


def _fast_forward(table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    branch = given["branch"]
    before = table.refs()[branch].snapshot_id if branch in table.refs() else None
    table.manage_snapshots().fast_forward(branch, given["to"]).commit()
    return branch, before, table.refs()[branch].snapshot_id


def _ancestors_of(place: _Place, given: Mapping[str, Any]) -> Sequence[tuple[Any, ...]]:
    """A snapshot and those before it, as far as they are still there."""
    table = place.table
    wanted = given.get("snapshot_id", _current(table))
    found = ancestors(table.snapshots(), wanted)
    if wanted is not None and not found:
        raise NotFoundError(f"CALL ancestors_of: the table has no snapshot {wanted}")
    return [(each.snapshot_id, each.timestamp_ms) for each in found]


def _changelog_view(place: _Place, given: Mapping[str, Any]) -> Sequence[tuple[Any, ...]]:
    made = create_changelog_view(place.spark, place.table, place.levels[-1], given, place.reading)
    return [(made,)]


_BOTH = "previous_snapshot_id bigint, current_snapshot_id bigint"
_SOURCE = "source_snapshot_id bigint, current_snapshot_id bigint"
_PROCEDURES = {
    "rollback_to_snapshot": _Procedure({"snapshot_id": "bigint"}, _BOTH, _of_table(_rollback_to_snapshot)),
    "rollback_to_timestamp": _Procedure({"timestamp": "timestamp"}, _BOTH, _of_table(_rollback_to_timestamp)),
    "set_current_snapshot": _Procedure(
        {"snapshot_id": "bigint?", "ref": "string?"}, _BOTH, _of_table(_set_current_snapshot)
    ),
    "cherrypick_snapshot": _Procedure({"snapshot_id": "bigint"}, _SOURCE, _of_table(_cherrypick_snapshot)),
    "publish_changes": _Procedure({"wap_id": "string"}, _SOURCE, _of_table(_publish_changes)),
    "fast_forward": _Procedure(
        {"branch": "string", "to": "string"},
        "branch_updated string, previous_ref bigint, updated_ref bigint",
        _of_table(_fast_forward),
    ),
    "ancestors_of": _Procedure(
        {"snapshot_id": "bigint?"}, "snapshot_id bigint, timestamp bigint", _ancestors_of
    ),
    "add_files": _Procedure(
        {
            "source_table": "string",
            "partition_filter": "map<string,string>?",
            "check_duplicate_files": "boolean?",
            "parallelism": "int?",
        },
        "added_files_count bigint, changed_partition_count bigint",
        lambda place, given: [add_files(place.spark, place.table, given)],
    ),
    "snapshot": _Procedure(
        {
            "source_table": "string",
            "table": "string",
            "location": "string?",
            "properties": "map<string,string>?",
            "parallelism": "int?",
            "ignore_missing_files": "boolean?",
        },
        "imported_files_count bigint",
        lambda place, given: [snapshot(place.spark, place.catalog, place.levels, given)],
    ),
    "migrate": _Procedure(
        {
            "table": "string",
            "properties": "map<string,string>?",
            "drop_backup": "boolean?",
            "backup_table_name": "string?",
            "parallelism": "int?",
            "ignore_missing_files": "boolean?",
        },
        "migrated_files_count bigint",
        lambda place, given: [migrate(place.spark, place.catalog, place.levels, given)],
    ),
    "create_changelog_view": _Procedure(
        {
            "changelog_view": "string?",
            "options": "map<string,string>?",
            "net_changes": "boolean?",
            "compute_updates": "boolean?",
            "identifier_columns": "array<string>?",
        },
        "changelog_view string",
        _changelog_view,
    ),
    "expire_snapshots": _Procedure(
        {
            "older_than": "timestamp?",
            "retain_last": "int?",
            "max_concurrent_deletes": "int?",
            "stream_results": "boolean?",
            "snapshot_ids": "array<bigint>?",
            "clean_expired_metadata": "boolean?",
        },
        "deleted_data_files_count bigint, deleted_position_delete_files_count bigint, "
        "deleted_equality_delete_files_count bigint, deleted_manifest_files_count bigint, "
        "deleted_manifest_lists_count bigint, deleted_statistics_files_count bigint",
        _by_tasks(expire_snapshots),
    ),
    "remove_orphan_files": _Procedure(
        {
            "older_than": "timestamp?",
            "location": "string?",
            "dry_run": "boolean?",
            "max_concurrent_deletes": "int?",
            "file_list_view": "string?",
            "equal_schemes": "map<string,string>?",
            "equal_authorities": "map<string,string>?",
            "prefix_mismatch_mode": "string?",
            "prefix_listing": "boolean?",
            "stream_results": "boolean?",
        },
        "orphan_file_location string",
        lambda place, given: remove_orphan_files(place.spark, place.table, given),
    ),
    "rewrite_data_files": _Procedure(
        {
            "strategy": "string?",
            "sort_order": "string?",
            "options": "map<string,string>?",
            "where": "string?",
            "branch": "string?",
        },
        "rewritten_data_files_count int, added_data_files_count int, rewritten_bytes_count bigint, "
        "failed_data_files_count int, removed_delete_files_count int",
        _by_tasks(rewrite_data_files),
    ),
    "rewrite_manifests": _Procedure(
        {"use_caching": "boolean?", "spec_id": "int?", "sort_by": "array<string>?", "branch": "string?"},
        "rewritten_manifests_count int, added_manifests_count int",
        _of_table(rewrite_manifests),
    ),
    "rewrite_position_delete_files": _Procedure(
        {"options": "map<string,string>?", "where": "string?", "branch": "string?"},
        "rewritten_delete_files_count int, added_delete_files_count int, rewritten_bytes_count bigint, "
        "added_bytes_count bigint",
        _by_tasks(rewrite_position_delete_files),
    ),
    "convert_equality_deletes": _Procedure(
        {"options": "map<string,string>?", "where": "string?", "branch": "string?"},
        "converted_equality_delete_files_count int, added_position_delete_files_count int",
        _by_tasks(convert_equality_deletes),
    ),
    "remove_dangling_deletes": _Procedure(
        {"branch": "string?"}, "removed_delete_files_count int", _of_table(remove_dangling_deletes)
    ),
    "check": _Procedure(
        {
            "level": "string?",
            "snapshot_id": "bigint?",
            "since": "bigint?",
            "all_snapshots": "boolean?",
            "sample": "double?",
        },
        FINDINGS,
        lambda place, given: findings(place.spark, place.table, given),
    ),
    "compute_table_stats": _Procedure(
        {"snapshot_id": "bigint?", "columns": "array<string>?"},
        "statistics_file string",
        lambda place, given: compute_table_stats(place.table, given),
    ),
    "compute_partition_stats": _Procedure(
        {"snapshot_id": "bigint?"},
        "partition_statistics_file string",
        lambda place, given: compute_partition_stats(place.table, given),
    ),
    "rewrite_table_path": _Procedure(
        {
            "source_prefix": "string",
            "target_prefix": "string",
            "start_version": "string?",
            "end_version": "string?",
            "staging_location": "string?",
            "create_file_list": "boolean?",
        },
        "latest_version string, file_list_location string, rewritten_manifest_file_paths_count int, "
        "rewritten_delete_file_paths_count int",
        _of_table(rewrite_table_path),
    ),
    "register_table": _Procedure(
        {"metadata_file": "string"},
        "current_snapshot_id bigint, total_records_count bigint, total_data_files_count bigint",
        lambda place, given: [register_table(place.catalog, place.levels, given)],
    ),
}
